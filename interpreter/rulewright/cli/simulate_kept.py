"""Counts kept in a file while plays are counted: an interruption loses nothing, and nothing is counted twice."""

import json
from collections.abc import Sequence
from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from time import monotonic
from typing import Any

from rulewright.cli.asked_odds import AskedPlay
from rulewright.cli.named_files import may_write, read_text, write
from rulewright.cli.output import stopped
from rulewright.cli.simulate_pairs import value_json
from rulewright.codecs.table import to_json
from rulewright.inputs.nodes import Json
from rulewright.inputs.state_json import state_json
from rulewright.inputs.value_reader import from_node, node_of
from rulewright.odds.conditions import Out
from rulewright.odds.measures import AskedMeasure, PlayToMeasure
from rulewright.odds.simulation import Counted, nothing_counted

_BEGINNING = '{"rulewright": "simulate"'
_OUT = "not asked of"
_EVERY = 1.0
"""Seconds between two times that the file is written."""
_PLACES = {"rules": "the rules", "asked": "what is asked", "starts": "the starts", "answers": "who answers"}


def question(sides: Sequence[AskedPlay]) -> dict[str, str]:
    """What is counted, in digests: the same only where every play with one seed would be the same."""
    asked, pairs = sides[0], len(sides)
    every = [play for each in sides for _, play in each.starts]
    answers = [each.answers for each in sides]
    said = [None if each.elsewhere is None else each.elsewhere.said for each in answers]
    return {
        "rules": _digest([each.opening.begun.executable.program.fingerprint for each in sides]),
        "asked": _digest([pairs, [each.text for each in asked.play.measures]]),
        "starts": _digest([_start(each) for each in every]),
        "answers": _digest([repr((each.script, each.policy, sorted(each.policies.items()))) for each in answers])
        + _digest([[one.written for one in each.opening.laid.policies] for each in sides])
        + _digest(repr(said)),
    }


def _start(play: PlayToMeasure) -> Json:
    begun = play.begun
    program = begun.executable.program
    return [begun.procedure.name, begun.arguments_json(), state_json(begun.situation, program), repr(begun.limits)]


def _digest(data: object) -> str:
    return sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()


class Kept:
    """The counts of each start, and the file they are kept in, if any.

    Attributes:
        seed: of the plays; that of the file, where it holds plays.
        counted: what was counted, by the number of the start.
    """

    def __init__(self, file: str | None, sides: Sequence[AskedPlay], seed: int | None, fresh: int) -> None:
        """Goes on from the file, where there is one.

        Raises:
            Stop: RW0013, the file holds something else; RW1136, it holds other plays; RW1137, it cannot be read.
        """
        self._file = file
        self._plays = [play for _, play in sides[0].starts]
        self._is_paired = len(sides) > 1
        self.counted = [nothing_counted(len(play.measures)) for play in self._plays]
        self._question = question(sides) if file is not None else {}
        self._written = monotonic()
        self.seed = fresh if seed is None else seed
        may_write(file, _BEGINNING)
        if file is not None and Path(file).is_file() and Path(file).stat().st_size:
            self._read(file, seed)

    def _read(self, file: str, seed: int | None) -> None:
        try:
            held = json.loads(read_text(file).content)
            other = [_PLACES[each] for each in _PLACES if held["question"][each] != self._question[each]]
            kept = int(held["seed"])
            if seed is not None and seed != kept:
                other.append(f"the seed, {kept} there")
            if not other:
                self.counted = [
                    _counted(*each, paired=self._is_paired) for each in zip(held["starts"], self._plays, strict=True)
                ]
        except (ValueError, KeyError, TypeError, IndexError, RecursionError):
            remedy = "name another file, or take this one away: its plays are counted anew"
            raise stopped("RW1137", f"`{file}` holds no counts that `simulate` can continue", remedy) from None
        if other:
            message = f"`{file}` holds plays of another kind; what differs: {', '.join(other)}"
            raise stopped("RW1136", message, "name another file, or ask what was asked then")
        self.seed = kept

    def keep(self, start: int, counted: Counted, *, now: bool = False) -> None:
        """Takes what was counted of a start; the file is written now and then, whole or not at all.

        Stops with RW0011 where it cannot be written.
        """
        self.counted[start] = counted
        if self._file is not None and (now or monotonic() - self._written >= _EVERY):
            write(Path(self._file), self._text())
            self._written = monotonic()

    def _text(self) -> str:
        starts = [
            _data(each, play, paired=self._is_paired) for each, play in zip(self.counted, self._plays, strict=True)
        ]
        return (
            json.dumps({"rulewright": "simulate", "seed": self.seed, "question": self._question, "starts": starts})
            + "\n"
        )


def _data(counted: Counted, play: PlayToMeasure, *, paired: bool) -> dict[str, Any]:
    return {
        "plays": counted.plays,
        "values": [
            [[_written(value, measure, play, paired=paired), often] for value, often in counts.items()]
            for counts, measure in zip(counted.values, play.measures, strict=True)
        ],
        "faults": [[code, message, often] for (code, message), often in counted.faults.items()],
        "left": None if counted.left is None else sorted(counted.left),
    }


def _written(value: Any, measure: AskedMeasure, play: PlayToMeasure, *, paired: bool) -> Json:
    if paired:
        return [{"fraction": str(each)} if isinstance(each, Fraction) else value_json(each) for each in value]
    return (
        {_OUT: True} if value is Out.OUT else None if value is None else to_json(value, measure.type, play.begun.names)
    )


def _counted(data: Any, play: PlayToMeasure, *, paired: bool) -> Counted:
    """What was counted; as `_data` says it."""
    values = tuple(
        {_value(value, measure, play, paired=paired): int(often) for value, often in counts}
        for counts, measure in zip(data["values"], play.measures, strict=True)
    )
    faults = {(code, message): int(often) for code, message, often in data["faults"]}
    left = data.get("left")
    return Counted(int(data["plays"]), values, faults, None if left is None else frozenset(map(int, left)))


def _value(data: Any, measure: AskedMeasure, play: PlayToMeasure, *, paired: bool) -> Any:
    if paired:
        first, other = (Fraction(each["fraction"]) if isinstance(each, dict) else each for each in data)
        return first, other
    if data is None or data == {_OUT: True}:
        return Out.OUT if data else None
    found = from_node(node_of(data), measure.type, play.begun.names)
    if found.value is None:
        raise ValueError
    return found.value
