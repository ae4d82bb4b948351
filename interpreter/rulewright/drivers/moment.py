"""A play at one moment as data, for those who look at it elsewhere than at a terminal."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from rulewright.codecs.table import show
from rulewright.diagnostics.terminal import PLAIN, Paint
from rulewright.drivers.onlookers import Onlookers, by_script
from rulewright.drivers.questions import Option, Question
from rulewright.drivers.run import leftover
from rulewright.drivers.session import Session
from rulewright.drivers.story import Origin, Story
from rulewright.drivers.turns import all_changed, asked, ending
from rulewright.drivers.views import sheet
from rulewright.drivers.worths import worths
from rulewright.frozen import dataclass
from rulewright.inputs.answers import calling_dice
from rulewright.machine.question import answers
from rulewright.machine.request import CHANCE, Request
from rulewright.machine.run import Paused
from rulewright.program.walk import places
from rulewright.source import Text
from rulewright.telling.values import player

Runs = list[tuple[str, str]]
"""A line in its pieces: the role of each, as `Paint` has them, or nothing, and its text."""
_PIECES = re.compile("\x01([a-z]+)\x02|(\x03)|([^\x01\x03]+)")
_MOST_WORTHS = 100
_TAKES = {
    "pick": "several",
    "order": "order",
    "handlers": "order",
    "shuffle": "order",
    "split": "shares",
    "draw": "one",
    "roll": "dice",
    "place": "place",
    "heading": "text",
    "external": "parts",
    "value": "text",
}


@dataclass(frozen=True, slots=True)
class Marks(Paint):
    """Marks a text by its role with characters that no visible text holds, to be parted by `runs_of`."""

    def __call__(self, text: str, role: str) -> str:
        """The text between its marks."""
        return f"\x01{role}\x02{text}\x03" if text else text


MARKS = Marks(colour=False)


def runs_of(marked: str) -> Runs:
    """The pieces of a line that `MARKS` painted; of roles inside each other the innermost counts."""
    found: Runs = []
    roles = [""]
    for begins, ends, text in _PIECES.findall(marked):
        if begins:
            roles.append(begins)
        elif ends:
            roles.pop()
        else:
            found.append((roles[-1], text))
    return found


@dataclass(frozen=True, slots=True)
class Moment:
    """A play where it stands, as some look at it."""

    onlookers: Onlookers  # they, and the play
    texts: Mapping[str, Text]  # of the rules
    looks: bool = False  # whether whoever is asked in secret looks at the screen now

    @property
    def _session(self) -> Session:
        return self.onlookers.session

    @property
    def question(self) -> Question | None:
        """What is asked of those who look, with all that can be answered; none where they have nothing to answer."""
        paused = self._session.outcome
        if not isinstance(paused, Paused) or not self._is_for_them(paused.request):
            return None
        if self.onlookers.is_secret(paused.request) and not self.looks:
            return None
        return Question(paused, calling_dice(paused.request, self._session.begun.names), PLAIN, commands=())

    def _is_for_them(self, request: Request) -> bool:
        """Whether one of those who look has to answer: all at a table, else the player, or anybody."""
        return self.onlookers.viewer is None or request.player in {None, self.onlookers.viewer}

    def data(self) -> dict[str, Any]:
        """What is asked, what happened and how the game stands, as JSON; without its boards."""
        seen = self.onlookers.seen
        taken = self.onlookers.taken_back()
        return {
            "story": list(self._story(seen)),
            "asks": self._asks(),
            "waits": None if self.question else self._waits(seen),
            "over": None if isinstance(seen.outcome, Paused) else list(self._over(seen)),
            "turns": list(self._turns(seen)),
            "sheet": list(sheet(seen)),
            "worths": list(islice(worths(self._session.begun), _MOST_WORTHS)),
            "undo": {
                "can": not isinstance(taken, str),
                "says": taken if isinstance(taken, str) else self.onlookers.told(taken.turn),
            },
        }

    def _turns(self, seen: Session) -> Iterator[dict[str, Any]]:
        """The answers of people that they may know, as what a second play may begin before."""
        names = seen.begun.names
        numbers = {id(each.asked): number for number, each in enumerate(self._session.turns)}
        for turn in seen.turns:
            if turn.request.sort not in CHANCE:
                told = f"{player(turn.request.player, names)}: {asked(turn.request, names)}"
                yield {"turn": numbers[id(turn.asked)], "asked": told, "told": self.onlookers.told(turn)}

    # What happened.

    def _story(self, seen: Session) -> Iterator[dict[str, Any]]:
        story = Story(seen.begun.names, "decisive", MARKS)
        spans = places(seen.begun.executable.program)
        for line in story.lines(seen):
            yield self._line(line, story.origin, spans)

    def _line(self, line: str, origin: Origin, spans: Mapping[str, Any]) -> dict[str, Any]:
        text = line.lstrip(" ")
        return {
            "text": runs_of(text),
            "depth": (len(line) - len(text)) // 2,
            "of": [origin.entry, origin.address],
            **self._place(origin.address, spans),
        }

    def _place(self, address: str, spans: Mapping[str, Any]) -> dict[str, Any]:
        span = spans.get(address)
        text = None if span is None else self.texts.get(span.source)
        if span is None or text is None:
            return {"file": None, "line": None}
        return {"file": span.source, "line": text.position(span.start).line}

    def _over(self, seen: Session) -> Iterator[Runs]:
        for line in ending(seen.outcome, seen, MARKS, self.texts):
            yield runs_of(line)
        for line in all_changed(seen):
            yield runs_of(f"  {line}")
        for each in leftover(self._session) if self.onlookers.viewer is None else ():
            yield [("warning", each.message)]
        if whole := by_script(self._session):
            yield [("dim", f"the scenario's script {whole}")]

    # What is asked.

    def _waits(self, seen: Session) -> dict[str, Any] | None:
        """Whom a play waits for that has nothing to ask of those who look, and whether they may look in secret."""
        if not isinstance(seen.outcome, Paused):
            return None
        request = seen.outcome.request
        who = player(request.player, seen.begun.names)
        covered = self._is_for_them(request)
        told = asked(request, seen.begun.names)
        return {"who": who, "asked": told, "covered": covered, "chance": request.sort in CHANCE}

    def _asks(self) -> dict[str, Any] | None:
        question = self.question
        if question is None:
            return None
        request = question.request
        spans = places(self._session.begun.executable.program)
        return {
            "who": question.who,
            "asked": question.asked,
            "sort": request.sort,
            "secret": self.onlookers.is_secret(request),
            "takes": _TAKES.get(request.sort, "one" if request.choices else "text"),
            "low": request.low,
            "high": request.high,
            "options": [self._option(each) for each in question.options()],
            "dice": [*_dice(request, question)] if request.sort == "roll" else [],
            "parts": [{"name": name, "says": says, "values": few} for name, says, few in question.parts()],
            "forms": list(question.forms()),
            "only": bool(question.only),
            "none": request.claimable and next(answers(request), None) is None,
            "cites": list(request.cites),
            **self._place(request.question.line if request.question else request.address, spans),
        }

    def _option(self, option: Option) -> dict[str, Any]:
        return {"typed": option.typed, "shown": option.shown, "title": option.title, "refused": option.refused}


def _dice(request: Request, question: Question) -> Iterator[dict[str, Any]]:
    """Each die that is thrown, by what it is called, with its faces."""
    for thrown in request.dice:
        part = "" if thrown.part is None or request.part is None else show(thrown.part, request.part, question.names)
        faces: Sequence[str] = list(dict.fromkeys(show(each, thrown.face, question.names) for each in thrown.faces))
        for _ in range(thrown.count):
            yield {"called": " ".join(filter(None, (part, thrown.die))), "faces": faces}
