"""The figures of a converter on labelled lines: read, run, score, suggest.

One direction only: ``lines`` knows the file format, ``match`` when an answer is
right, ``figures`` arithmetic, ``report`` what is said about a run, ``run`` how to
ask a converter, ``suggest`` which exemplar would have helped. Nothing here knows
a model; a converter is whatever has ``convert`` and ``accepts``.
"""

from constrained_du.evaluation.figures import Share, SlotCounts
from constrained_du.evaluation.lines import GoldCall, Line, read_lines
from constrained_du.evaluation.match import json_equal
from constrained_du.evaluation.report import Outcome, Report
from constrained_du.evaluation.run import Understands, evaluate
from constrained_du.evaluation.suggest import suggest, unsuggested

__all__ = [
    "GoldCall",
    "Line",
    "Outcome",
    "Report",
    "Share",
    "SlotCounts",
    "Understands",
    "evaluate",
    "json_equal",
    "read_lines",
    "suggest",
    "unsuggested",
]
