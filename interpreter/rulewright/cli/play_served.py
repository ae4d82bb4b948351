"""A play for a program that asks, line by line: a JSON document in, one out; `play --format json`.

Each request is an object. `do` says what is wanted, `line` of which line of play (0 is the first, others are what would
be if somebody had answered otherwise), `seat` for which player (none: for all at one table), `look` whether whoever is
asked in secret looks. Every reply has a `problem` in words, or the `moment` after it; both are described in
`grammar/schemas/play.schema.json`.
"""

import json
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import click

from rulewright.cli.main import own_fault
from rulewright.cli.named_files import may_write, write
from rulewright.cli.opening import PlayToBegin, player_of
from rulewright.cli.output import Exit, Output, Stop
from rulewright.cli.play_boards import boards
from rulewright.cli.session_files import can_name, may_record, record, saved
from rulewright.diagnostics import Severity
from rulewright.diagnostics.renderings import place
from rulewright.diagnostics.terminal import visible
from rulewright.drivers.moment import MARKS, Moment, Runs, runs_of
from rulewright.drivers.onlookers import Onlookers, led_on
from rulewright.drivers.questions import Question, untypable
from rulewright.drivers.run import refused
from rulewright.drivers.session import Session
from rulewright.drivers.sources import Given, fallen
from rulewright.drivers.story import Origin
from rulewright.inputs.answers import answer_json
from rulewright.inputs.nodes import one_line
from rulewright.inputs.save import BEGINNING
from rulewright.machine.request import CHANCE, Refused
from rulewright.machine.run import Paused
from rulewright.machine.values import Value

MOST_LINES = 8
"""So many lines of play are kept beside each other."""
_LARGEST = 1_000_000
"""Characters of a request, at most."""


class _Unfit(Exception):  # noqa: N818 - what is asked cannot be done, and nothing is wrong
    """Why what is asked for is not done, in words."""


@dataclass
class _Line:
    session: Session
    of: int | None = None  # the line that it left; none for the first
    before: str = ""  # the answer that it is without, in words


@dataclass
class _Served:
    opening: PlayToBegin
    lines: dict[int, _Line]
    found: list[str] = field(default_factory=list)  # what was wrong with a script, until it is told

    def reply(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """What a request comes to."""
        does = _DOES.get(str(asked.get("do")))
        line = asked.get("line", 0)
        if does is None or isinstance(line, bool) or not isinstance(line, int):
            raise _Unfit(f"`do` is one of {', '.join(_DOES)}, and `line` is a number")
        if line not in self.lines:
            raise _Unfit(f"there is no line {line} any more")
        seat = asked.get("seat")
        viewer = None if seat is None else player_of(str(seat), self.opening.begun.names)
        looks = asked.get("look") is True
        said = does(self, _At(line, viewer, looks), asked)
        line = said.pop("line", line)
        at = _At(line if line in self.lines else 0, viewer, looks and asked.get("do") in {"see", "advise"})
        return {"moment": self._moment(at), **said}

    def _looking(self, at: "_At") -> Moment:
        return Moment(Onlookers(self.lines[at.line].session, at.viewer), self.opening.texts, at.looks)

    def _moment(self, at: "_At") -> dict[str, Any]:
        moment, begun = self._looking(at), self.opening.begun
        sources = self.lines[at.line].session.sources
        found, self.found = self.found, []
        return {
            "ruleset": self.opening.ruleset,
            "procedure": begun.procedure.name,
            "title": begun.procedure.title,
            "seed": sources.chance.seed if sources.rolls and at.viewer is None else None,
            "seats": list(begun.names.ids("player")),
            "secrets": begun.executable.concealed.any or bool(begun.executable.withheld),
            "line": at.line,
            "lines": [
                {
                    "line": number,
                    "of": each.of,
                    "before": each.before,
                    "over": not isinstance(each.session.outcome, Paused),
                }
                for number, each in self.lines.items()
            ],
            **moment.data(),
            "boards": list(boards(moment)),
            "found": found,
        }

    # What can be wanted.

    def see(self, at: "_At", asked: Mapping[str, Any]) -> dict[str, Any]:
        del at, asked
        return {}

    def answer(self, at: "_At", asked: Mapping[str, Any]) -> dict[str, Any]:
        question = self._asked(replace(at, looks=True))
        written = str(asked.get("typed", "")).strip()
        trouble = untypable(written)
        value, wrong = (None, (trouble,)) if trouble else question.read(written)
        if wrong:
            raise _Unfit("; ".join(wrong))
        self._give(at, Given(value, "person"))
        return {}

    def throw(self, at: "_At", asked: Mapping[str, Any]) -> dict[str, Any]:
        del asked
        question, session = self._asked(replace(at, looks=True)), self.lines[at.line].session
        if question.request.sort not in CHANCE:
            raise _Unfit("this is a choice, not a roll")
        occasion = session.turns.occasion(question.paused.asked)
        self._give(at, Given(fallen(question.paused.asked, occasion, session.sources.chance), "dice"))
        return {}

    def _asked(self, at: "_At") -> Question:
        question = self._looking(at).question
        if question is None:
            raise _Unfit("no question is waiting for an answer from here")
        return question

    def _give(self, at: "_At", given: Given) -> None:
        line = self.lines[at.line]
        assert isinstance(line.session.outcome, Paused)
        after = line.session.answered(given, line.session.sources)
        if isinstance(after, Refused):
            raise _Unfit(refused(line.session.outcome.request, after, line.session.begun.names).message)
        line.session, found = led_on(after)
        self.found += [each.message for each in found]

    def undo(self, at: "_At", asked: Mapping[str, Any]) -> dict[str, Any]:
        """The last answer of a person, taken back."""
        del asked
        onlookers = Onlookers(self.lines[at.line].session, at.viewer)
        taken = onlookers.taken_back()
        if isinstance(taken, str):
            raise _Unfit(taken)
        self.lines[at.line].session = taken.session
        return {
            "says": [[("", f"taken back: {onlookers.told(taken.turn)}")], *([("", each)] for each in taken.standing)]
        }

    def fork(self, at: "_At", asked: Mapping[str, Any]) -> dict[str, Any]:
        """A second line of play beside a first, from before one of its answers, by its number, or from now on."""
        self._for_table(at, "what would be shows how dice fall that nobody has seen")
        turn = asked.get("turn")
        if turn is not None and (isinstance(turn, bool) or not isinstance(turn, int)):
            raise _Unfit("`turn` is the number of an answer")
        session, told = self.lines[at.line].session, ""
        while turn is not None and len(session.turns) > turn:
            taken = Onlookers(session, None).taken_back()
            if isinstance(taken, str):
                raise _Unfit(taken)
            told = Onlookers(session, None).told(taken.turn)
            session = taken.session
        if len(self.lines) >= MOST_LINES:
            raise _Unfit(f"{MOST_LINES} lines of play are open; close one first")
        number = max(self.lines) + 1
        self.lines[number] = _Line(session, at.line, told)
        return {"line": number}

    def close(self, at: "_At", asked: Mapping[str, Any]) -> dict[str, Any]:
        del asked
        self._for_table(at, "others look at it, too")
        if at.line == 0:
            raise _Unfit("the first line of play stays")
        closed = self.lines.pop(at.line)
        for each in self.lines.values():
            each.of = closed.of if each.of == at.line else each.of
        return {"line": closed.of or 0}

    def why(self, at: "_At", asked: Mapping[str, Any]) -> dict[str, Any]:
        """What led to a line of the story, or to a step; why not an answer."""
        from rulewright.inquiry.at_table import told, told_of  # noqa: PLC0415 - seldom wanted

        seen = Onlookers(self.lines[at.line].session, at.viewer).seen
        match asked.get("of"), asked.get("wanted"):
            case [int() as entry, str() as address], _ if entry >= 0 and address:
                return {"says": _said(told_of(seen, Origin(entry, address), MARKS))}
            case _, str() as wanted if wanted:
                return {"says": _said(told(seen, wanted, MARKS))}
            case _:
                raise _Unfit("say what is to be explained")

    def advise(self, at: "_At", asked: Mapping[str, Any]) -> dict[str, Any]:
        """What each answer is worth to whoever is asked, who wants the most of something."""
        from rulewright.cli.advice import (  # noqa: PLC0415 - seldom wanted
            OTHERS,
            weighed,
            worth,
        )
        from rulewright.odds.advice import Advice  # noqa: PLC0415 - seldom wanted

        wanted = str(asked.get("of", "")).strip()
        if not wanted:
            raise _Unfit("say what is wanted the most of")
        question = self._asked(at)
        found = weighed(self.lines[at.line].session, wanted, at.viewer, self.opening)
        if not isinstance(found, Advice):
            return {"says": [[("", each)] for each in found]}
        asks, names = found.request, question.names
        rows = [
            {
                "typed": _typed(each.answer, question) if asks == question.request else None,
                "shown": one_line(answer_json(asks, each.answer, names)),
                "worth": "a fault may follow" if each.is_faulty else worth(found.measure, each.low, each.high),
                "best": found.is_best(each),
            }
            for each in found.answers
        ]
        what = f"`{found.measure.text}`, as far as {found.moments:,} moments of play show it"
        return {"says": [[("", what)], *([[("", OTHERS)]] if len(names.ids("player")) > 1 else [])], "advice": rows}

    def record(self, at: "_At", asked: Mapping[str, Any]) -> dict[str, Any]:
        self._for_table(at, "a scenario would show what is hidden")
        file, session = _file(asked), self.lines[at.line].session
        may_record(file)
        can_name(file, self.opening.ruleset, self.opening.overlays)
        record(file, session, self.opening.ruleset, self.opening.overlays)
        return {"says": [[("", f"the play is written down in {file}")]], "file": file}

    def save(self, at: "_At", asked: Mapping[str, Any]) -> dict[str, Any]:
        self._for_table(at, "a save holds what is hidden")
        file = _file(asked)
        may_write(file, BEGINNING)
        write(Path(file), saved(self.lines[at.line].session, file, self.opening), waits=False)
        return {"says": [[("", f"session written to {file}")]], "file": file}

    def _for_table(self, at: "_At", why: str) -> None:
        if at.viewer is not None:
            raise _Unfit(f"this is for the table, not for a seat: {why}")


@dataclass(frozen=True)
class _At:
    """Which line of play is meant, who looks on, and whether whoever is asked in secret looks."""

    line: int
    viewer: int | None
    looks: bool


_DOES: Mapping[str, Callable[[_Served, _At, Mapping[str, Any]], dict[str, Any]]] = {
    each.__name__: each
    for each in (
        _Served.see,
        _Served.answer,
        _Served.throw,
        _Served.undo,
        _Served.fork,
        _Served.close,
        _Served.why,
        _Served.advise,
        _Served.record,
        _Served.save,
    )
}


def serve(begun: Callable[[], tuple[Session, PlayToBegin]], out: Output) -> Exit:
    """Answers requests until there are no more; where a play cannot begin, the first with why."""
    try:
        session, opening = begun()
    except Stop as stop:
        _put(out, {"problem": _words(stop)})
        return stop.exit
    session, found = led_on(session)
    served = _Served(opening, {0: _Line(session)}, [each.message for each in found])
    while line := sys.stdin.readline(_LARGEST):
        _put(out, _replied(served, line))
    return Exit.FINE


def _replied(served: _Served, line: str) -> dict[str, Any]:
    try:
        asked = json.loads(line)
        return served.reply(asked if isinstance(asked, dict) else {})
    except _Unfit as unfit:
        return {"problem": str(unfit)}
    except Stop as stop:
        return {"problem": _words(stop)}
    except (ValueError, RecursionError):
        return {"problem": "this is not a JSON document in one line"}
    except Exception as fault:  # noqa: BLE001 - whatever is asked, the play goes on
        own_fault(fault, click.get_current_context().find_root().obj)
        return {"problem": "this is a fault of rulewright itself, not of your rules; the play goes on as it was before"}


def _words(stop: Stop) -> str:
    """The first thing that is wrong, where, and what to do about it."""
    first = next((each for each in stop.diagnostics if each.severity is Severity.ERROR), stop.diagnostics[0])
    span = first.primary.span if first.primary is not None else None
    where = f" ({place(span, stop.texts)})" if span is not None and span.source in stop.texts else ""
    return "; ".join(filter(None, (f"{visible(first.message)}{where}", visible(first.help))))


def _put(out: Output, document: Mapping[str, Any]) -> None:
    out.say(json.dumps(document, separators=(",", ":")))


def _file(asked: Mapping[str, Any]) -> str:
    file = str(asked.get("file", "")).strip()
    if not file or untypable(file):
        raise _Unfit("name a file")
    return file


def _said(lines: Iterator[str]) -> list[Runs]:
    return [runs_of(line) for line in lines]


def _typed(answer: Value, question: Question) -> str:
    """How an answer is typed: by its number in the list, or as a script has it."""
    listed = next((each.typed for each in question.options() if each.value == answer), None)
    return listed or one_line(answer_json(question.request, answer, question.names))
