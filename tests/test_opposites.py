"""Opposite actions are told apart by their words, whatever else is alike."""

from __future__ import annotations

import pytest

from constrained_du.text.opposites import (
    actuates,
    asks_state,
    begins,
    compared,
    ends_something,
    is_end,
    one_and_all,
    sides,
    speaks_of_all,
    tells_state,
)  # fmt: skip


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
        ("打开车库的锁", "上锁", False, True),
        ("把车库的锁关上", "上锁或打开窗户", True, False),
        ("开锁", "关闭设备，或解锁", True, False),
        ("打开锁屏", "打开设备", True, False),
        ("物置の鍵を開けて", "鍵をかける", False, True),
        ("undo the shed's lock", "lock a lock", False, True),
        ("新建一张浇花的便条", "取消便条，删除已设置的便条", False, True),
        ("新建一张浇花的便条", "设置便条", True, False),
        ("便条都取消", "显示已经设置的便条", False, False),
        ("メモを追加して", "メモを解除する", False, True),
        ("how are you", "turn on", False, False),
    ],
)
def test_a_function_is_on_one_side_or_on_none(utterance: str, function: str, same: bool, opposite: bool) -> None:
    assert compared(sides(utterance), sides(function.replace("_", " "))) == (same, opposite)


@pytest.mark.parametrize(
    ("utterance", "asks"),
    [
        ("is the garage shut?", True),
        ("are all the blinds up", True),
        ("which lamps are burning", True),
        ("how many taps are open", True),
        ("窗户关了吗", True),
        ("窓は開いていますか", True),
        ("is there a table for two", False),
        ("is it possible to come at six", False),
        ("are you able to dim the lamp", False),
        ("shut the garage", False),
        ("can you shut the garage?", False),
        ("把窗户关上", False),
        ("do we have any open windows?", True),
        ("哪扇窗户没关？", True),
        ("有多少台风扇在转", True),
        ("能把窗户关上吗？", False),
        ("窓を閉めてもらえますか", False),
        ("do I have to shut it", False),
    ],
)
def test_a_question_about_a_state_is_no_command(utterance: str, asks: bool) -> None:
    assert asks_state(utterance) is asks


@pytest.mark.parametrize(
    ("name", "is_command"),
    [("turn_on", True), ("light_set", True), ("media pause", True), ("get_state", False), ("settings", False), ("", False)],
)
def test_commands_to_devices_are_known_by_their_verb(name: str, is_command: bool) -> None:
    assert actuates(name) is is_command


@pytest.mark.parametrize(("name", "tells"), [("get_state", True), ("state of a device", True), ("turn on", False), ("estate", False)])
def test_functions_that_tell_how_things_are_say_so(name: str, tells: bool) -> None:
    assert tells_state(name.replace("_", " ")) is tells


def test_a_function_for_all_things_is_known_beside_the_one_for_one_thing() -> None:
    assert one_and_all(["stop_press", "stop_all_presses", "oil_all_hinges", "paint"]) == (1,)


@pytest.mark.parametrize(
    ("text", "of_all"),
    [("stop every press", True), ("stop the press", False), ("全部停下", True), ("すべて止めて", True), ("stop it", False)],
)
def test_that_all_are_meant_is_said(text: str, of_all: bool) -> None:
    assert speaks_of_all(text) is of_all


@pytest.mark.parametrize(
    ("utterance", "ends"),
    [
        ("I sold the bike, so get rid of it", True),
        ("hey, bin the swim on Sunday", True),
        ("could you please cancel the taxi", True),
        ("forget the massage", True),
        ("take us off the guest list", True),
        ("take us off", True),
        ("remind me to cancel the gym", False),
        ("add a stop: cancel street 5", False),
        ("why did you cancel my taxi", False),
        ("is there a cancellation fee", False),
        ("remove 3 minutes from the tea timer", False),
        ("remove the tea timer", True),
    ],
)
def test_a_command_to_end_something_is_told_by_its_verb(utterance: str, ends: bool) -> None:
    assert ends_something(utterance) is ends


@pytest.mark.parametrize(("name", "whether"), [("book_taxi", True), ("cancel_taxi", False), ("taxi_status", False), ("", False)])
def test_what_begins_something_is_told_by_its_first_word(name: str, whether: bool) -> None:
    assert begins(name) is whether
    assert not (whether and is_end(sides(name)))
