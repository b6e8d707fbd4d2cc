"""Opposite actions are told apart by their words, whatever else is alike."""

from __future__ import annotations

import pytest

from constrained_du.opposites import compared, sides


@pytest.mark.parametrize(
    ("utterance", "function", "same", "opposite"),
    [
        ("turn all my lamps on", "turn_on", True, False),
        ("turn all my lamps on", "turn off", False, True),
        ("switch on the radio", "switch off a device", False, True),
        ("put it on the list", "turn off", False, False),
        ("wake me on Monday", "alarm off", False, False),
        ("turn the radio off on Monday", "turn on", False, True),
        ("open the shutters", "close shutters", False, True),
        ("open the shutters", "open or close shutters", False, False),
        ("unlock the gate", "lock a door", False, True),
        ("make it louder", "volume down", False, True),
        ("remove the milk", "add an item", False, True),
        ("请打开风扇", "关闭设备", False, True),
        ("请打开风扇", "打开设备", True, False),
        ("扇風機を消して", "電気をつける", False, True),
        ("how are you", "turn on", False, False),
    ],
)
def test_a_function_is_on_one_side_or_on_none(utterance: str, function: str, same: bool, opposite: bool) -> None:
    assert compared(sides(utterance), sides(function.replace("_", " "))) == (same, opposite)
