"""A request put to people: what is printed, how a typed line becomes an answer, and what else can be typed."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from rulewright.codecs.schemas import CLAIMS, RESULT
from rulewright.codecs.table import show
from rulewright.diagnostics import Diagnostic
from rulewright.diagnostics.remedies import nearest
from rulewright.diagnostics.terminal import Paint, is_unicode, visible
from rulewright.drivers.sources import DECISIONS
from rulewright.drivers.turns import asked
from rulewright.inputs.answers import (
    answer_json,
    answer_type,
    item_type,
    listed as listed_choices,
    read_answer,
)
from rulewright.inputs.external_answers import result_names
from rulewright.inputs.findings import one_of
from rulewright.inputs.names import CHANGES, GAME, REMOVED, Names
from rulewright.inputs.nodes import one_line
from rulewright.inputs.yaml_places import read
from rulewright.machine.question import alone, answers, count, ways
from rulewright.machine.request import OF_ITEMS, Choice, Request
from rulewright.machine.run import Paused
from rulewright.machine.values import Map, Value
from rulewright.program import types as ty
from rulewright.source import Text
from rulewright.telling.conditions import listed
from rulewright.telling.happenings import is_said, notation, reason
from rulewright.telling.values import player

WORDS = ("undo", "why", "log", "history", "hint", "advise", "look", "state", "board", "save", "script", "help", "quit")
HELP = (
    "  Answer with a number from the list, or with the answer itself. Put spaces between several numbers.",
    "  undo         take back the last answer a person gave",
    "  why          what decided so far; `why 2` why step 2 was entered or skipped; `why not ID` why not that answer",
    "  log          what happened so far; also `history`",
    "  hint         an answer that is possible",
    "  advise X     what each answer is worth to a player who wants the most of X{example}",
    "               `advise X --known PILE` if all know what lies in that bag or deck",
    "  look         the question again, with what can be answered",
    "  state        the boards and the things on the table",
    "  board        the boards; `board 2,1` or `board ID` what lies around a cell or a thing",
    "  save FILE    write the session, to go on with `--load FILE`",
    "  script FILE  write the answers as a script, for `--script FILE`",
    "  help, ?      this text and the question again",
    "  quit         leave",
)
OVER = "the play is over: `undo`, `save FILE` and `script FILE` still work; an empty line leaves"


LONGEST = 100_000
"""Characters of a line that is typed, at most."""
_YES = {"y": True, "yes": True, "n": False, "no": False}
_NUMBERS = re.compile(r"[0-9]{1,9}(?:[\s,]+[0-9]{1,9})*")
_CELL = re.compile(r"-?\d+[\s,]+-?\d+")
_PLACE = re.compile(r"-?[\d.]+(?:[\s,]+-?[\d.]+){1,2}")
_SEPARATOR = re.compile(r"[\s,]+")
_ROW = 3
_TWICE = "one of them is given twice"
_FEW = 12
_OTHER_COMMANDS = {"back": "undo", "bye": "quit", "exit": "quit", "leave": "quit", "q": "quit", "stop": "quit"}
"""What people type at other games, by the command that it is here."""
_FORMED = frozenset({"place", "heading", "value"})
_SHAPE = frozenset({"RW0713", "RW0730"})
_SEVERAL = frozenset({"pick", "order", "handlers", "shuffle"})
_LISTED = frozenset({"pick", "split", "order", "handlers", "draw", "shuffle"})


def untypable(written: str) -> str:
    """Why a line cannot be read at all, or nothing."""
    if len(written) > LONGEST:
        return f"the line is longer than {LONGEST:,} characters"
    if not is_unicode(written):
        return "the line is not UTF-8"
    return ""


@dataclass(frozen=True, slots=True)
class Command:
    """One of `WORDS` and what stands after it, such as a file, or nothing."""

    word: str
    rest: str


def command_of(written: str) -> Command | None:
    """The command a line is, with or without a slash in front; none where it is an answer."""
    word, _, rest = ("help" if written == "?" else written).removeprefix("/").partition(" ")
    if word not in WORDS or (rest.strip() and word not in {"advise", "board", "save", "script", "why"}):
        return None
    return Command(word, rest.strip())


_Answer = tuple[Value, tuple[str, ...]]


@dataclass(frozen=True)
class Option:
    """One of the answers or members that a question lists."""

    value: Value  # it
    typed: str  # what is typed for it: its number in the list, or itself where it is a number
    shown: str  # what it is called
    title: str  # what explains it; empty where nothing does
    refused: str | None = None  # why it cannot be answered, in words; none where it can


@dataclass(frozen=True)
class Question:
    """A request for people."""

    paused: Paused
    names: Names
    paint: Paint
    commands: Sequence[str] = WORDS  # what else can be typed where it is asked, and may be meant

    @property
    def request(self) -> Request:
        """What is asked."""
        return self.paused.request

    @property
    def who(self) -> str:
        """Who is asked."""
        return player(self.request.player, self.names)

    @property
    def asked(self) -> str:
        """The question itself."""
        return asked(self.request, self.names)

    @cached_property
    def only(self) -> tuple[Value, ...]:
        """The only possible answer to a question for one player alone, which others may not know; else empty."""
        request = self.request
        return alone(request) if request.audience is not None and request.sort in DECISIONS else ()

    @cached_property
    def _choices(self) -> Sequence[Choice]:
        """Its choices in the order of the list."""
        return listed_choices(self.request, self.names)

    def lines(self) -> Iterator[str]:
        """The question, and its numbered options or the form of its answer."""
        yield f"{self.paint(self.who, 'ask')}: {self.paint(self.asked, 'strong')}"
        for each in self.options():
            yield self._line(each)
        only = "the only answer: press Enter" if self.only else ""
        for form in (*self.forms(), only):
            if form:
                yield self.paint(f"  {form}", "dim")

    def options(self) -> Iterator[Option]:
        """The answers that it lists, or the members of which answers are made, in order."""
        for number, choice in enumerate(self._choices, 1):
            yield self._option(number, choice)
        if self.request.sort in _LISTED:
            type_ = item_type(answer_type(self.request))
            for number, item in enumerate(self.request.items, 1):
                yield Option(item, str(number), show(item, type_, self.names), self._titled(item, type_))

    def forms(self) -> Iterator[str]:
        """What an answer looks like where it is more than one of a list, in lines, and how many are possible."""
        return filter(None, (self._form(), *self._expected(), self._changeable(), self._count()))

    @property
    def _own_numbers(self) -> bool:
        """Whether the options are numbers themselves, so that no others may stand before them."""
        return bool(self.request.choices) and isinstance(answer_type(self.request), ty.NumberType | ty.DirectionType)

    def _option(self, number: int, choice: Choice) -> Option:
        type_, shown = answer_type(self.request), self._value(choice.value)
        title = visible(choice.title) or self._titled(choice.value, type_)
        refused = None if choice.reason is None else reason(choice.reason, self.names)
        return Option(choice.value, shown if self._own_numbers else str(number), shown, title, refused)

    def _line(self, option: Option) -> str:
        """An option in its line: its number, what it is called, its title where that says more, why it is refused."""
        numbered = option.shown if self._own_numbers else f"{option.typed}  {option.shown}"
        line = f"  {numbered}{f'  {option.title}' if option.title and option.title != option.shown else ''}"
        return self.paint(f"{line}  (not now: {option.refused})", "dim") if option.refused is not None else line

    def _value(self, value: Value) -> str:
        return show(value, answer_type(self.request), self.names)

    def _titled(self, value: Value, type_: ty.Type) -> str:
        """What explains a value, such as the title of a word."""
        return visible(self.names.title(value, type_))

    def _form(self) -> str:  # noqa: PLR0911 - one for each sort
        """How to answer where a number of the list is not enough."""
        request = self.request
        low, high = request.low, request.high
        match request.sort:
            case "pick":
                size = f"{low}" if low == high else f"{low} to {high}"
                return f"numbers of {size} of them{', or `none`' if low == 0 else ''}"
            case "split":
                return f"how many each gets, in this order; together {high}"
            case "order" | "handlers" | "shuffle":
                return "all numbers, in the order you want"
            case "roll":
                dice = self._dice()
                faces = dict.fromkeys(self._faces(each.faces, each.face) for each in request.dice if each.name)
                return f"roll {dice} and type the faces" + (f" ({', '.join(faces)})" if faces else "")
            case "external":
                return self._external_form()
            case "place":
                none = ", or `none` if there is no place" if request.claimable else ""
                return f"where and how it faces, such as `3.5 2 90`, or `3.5 2` to keep its facing{none}"
            case "heading":
                none = ", or `none`" if request.claimable else ""
                return f"degrees clockwise from 0, which is up{none}"
            case "value":
                return f"a value: {answer_type(request)}"
            case _:
                return ""

    def _dice(self) -> str:
        """What is thrown, parts by what they are called: `attack 3d6, block 2d8`."""
        part = self.request.part
        if part is None or not is_said(part):
            return notation((each.count, each.die) for each in self.request.dice)
        shown = [f"{show(each.part, part, self.names)} " if each.part is not None else "" for each in self.request.dice]
        dice = [notation([(each.count, each.die)]) for each in self.request.dice]
        return ", ".join(map("".join, zip(shown, dice, strict=True)))

    def _count(self) -> str:
        """How many answers are possible, where they are made of items."""
        if self.request.sort not in OF_ITEMS:
            return ""
        found = count(self.request)
        if found.exact:
            return f"{found.number:,} possible answer{'' if found.number == 1 else 's'}"
        if found.number:
            are = "is" if found.number == 1 else "are"
            return f"of {ways(self.request):,} answers at least {found.number:,} {are} possible"
        return "the search for a possible answer was given up; say `no answer` if there is none"

    def _faces(self, faces: Sequence[Value], type_: Any) -> str:
        shown = list(dict.fromkeys(show(each, type_, self.names) for each in faces))
        return f"{shown[0]} to {shown[-1]}" if all(each.isdigit() for each in shown) else ", ".join(shown)

    def _external_form(self) -> str:
        request = self.request
        given = ", ".join(
            f"{name} {show(value, type_, self.names)}" for name, (value, type_) in request.arguments.items()
        )
        return f"{visible(request.name)}{f' ({given})' if given else ''}; {self._result_form()}"

    def _result_form(self) -> str:
        wanted = ", ".join(f"{each}: …" for each in result_names(self.request, self.names)) or "done"
        parts = self._parts()
        if parts and set(parts) != set(result_names(self.request, self.names)):
            wanted = f"{RESULT}: {{{', '.join(f'{each}: …' for each in parts)}}}"
        return f"answer `{wanted}`"

    def _parts(self) -> dict[str, ty.Type]:
        """What the result of an external is made of, by name: its fields, or itself."""
        match self.request.type:
            case _ if self.request.sort != "external":
                return {}
            case None:
                return {}
            case ty.RecordType(record):
                return {each.name: each.type for each in self.names.program.records[record].parts}
            case type_:
                return {RESULT: type_}

    def _expected(self) -> Iterator[str]:
        """What each part of the result of an external can be."""
        said = [f"`{visible(name)}` is {self._members(type_)}" for name, type_ in self._parts().items()]
        if said:
            yield ", ".join(said)

    def _members(self, type_: ty.Type) -> str:
        """What values of a type there are, as people say it."""
        match type_:
            case ty.OptionalType(inner):
                return f"{self._members(inner)}, or `none`"
            case ty.FlagType():
                return "`yes` or `no`"
            case ty.NumberType(low=int() as low, high=int() as high, paired=False):
                return f"{low} to {high}"
            case ty.WordType(values):
                return one_of(list(self.names.called(values)))
            case ty.ThingType(kind) if 0 < len(self.names.ids(kind)) <= _FEW:
                return one_of(list(self.names.ids(kind)))
            case _:
                return str(type_)

    def _changeable(self) -> str:
        """What an external may change besides, and how that is written."""
        changes, program = self.request.changes, self.names.program
        if not changes:
            return ""
        said, examples = [], []
        for place in changes:
            owner, _, name = place.rpartition("/")
            ids = self.names.ids(owner) if owner in program.kinds else ()
            if owner == GAME:
                said.append(f"`{visible(name)}` ({self._members(program.game[name].type)})")
                examples.append(f"{{{GAME}: {{{name}: …}}}}")
            elif name == "gone":
                said.append(f"which {visible(program.kinds[owner].plural)} are out of play")
                examples.extend(f"{{{REMOVED}: [{each}]}}" for each in ids[:1])
            else:
                field = next(each for each in program.kinds[owner].fields if each.name == name)
                said.append(f"`{visible(owner)}.{visible(name)}` ({self._members(field.type)})")
                examples.extend(f"{{{program.kinds[owner].plural}: {{{each}: {{{name}: …}}}}}}" for each in ids[:1])
        how = f"; add `{CHANGES}: {visible(examples[0])}`" if examples else ""
        return f"it may change {', '.join(said)}{how}"

    def parts(self) -> Iterator[tuple[str, str, tuple[str, ...]]]:
        """What the result of an external is made of: each name, what it can be, and its values where they are few."""
        for name, type_ in self._parts().items():
            yield visible(name), self._members(type_), self._few(type_)

    def _few(self, type_: ty.Type) -> tuple[str, ...]:
        match type_:
            case ty.FlagType():
                return ("yes", "no")
            case ty.WordType(values):
                return tuple(self.names.called(values))
            case ty.ThingType(kind) if len(self.names.ids(kind)) <= _FEW:
                return tuple(self.names.ids(kind))
            case _:
                return ()

    def hint(self) -> str:
        """A possible answer, where it can be found."""
        request = self.request
        found = next(answers(request), None) if request.sort in DECISIONS else None
        if found is None:
            return "no possible answer is known"
        return one_line(answer_json(request, found, self.names))

    def read(self, written: str) -> _Answer:
        """The answer a line stands for, or what is wrong with it in lines to print."""
        if not written and self.only:
            return self.only[0], ()
        if not written:
            return None, ("please answer, or type `help`",)
        found = self._by_number(written) or self._by_word(written)
        return found if found is not None else self._by_value(written)

    def _by_number(self, written: str) -> _Answer | None:
        request = self.request
        unnumbered = request.sort in {"roll", "external", "value", "place", "heading"} or self._own_numbers
        cell = isinstance(request.type, ty.CellType) and _CELL.fullmatch(written)
        if unnumbered or cell or not _NUMBERS.fullmatch(written):
            return None
        numbers = [int(each) for each in _SEPARATOR.split(written)]
        if request.sort == "split":
            return self._shares(numbers)
        offered = [each.value for each in self._choices] or list(request.items)
        wrong = [each for each in numbers if not 1 <= each <= len(offered)]
        if wrong:
            return None, (f"{wrong[0]} is not possible: answer {self._listed_numbers(offered)}",)
        if request.sort in _SEVERAL and len(set(numbers)) < len(numbers):
            return None, (_TWICE,)
        if request.sort in _SEVERAL:
            return self._judged(tuple(offered[each - 1] for each in numbers))
        return self._chosen(numbers, offered)

    def _listed_numbers(self, offered: Sequence[Value]) -> str:
        """The numbers of the list that can be answered."""
        impossible = {index for index, each in enumerate(self._choices, 1) if each.reason is not None}
        numbers = [each for each in range(1, len(offered) + 1) if each not in impossible]
        if len(numbers) > _ROW and not impossible:
            return f"1 to {len(offered)}"
        return listed([*map(str, numbers)], "or")

    def _chosen(self, numbers: list[int], offered: list[Value]) -> _Answer:
        if len(numbers) > 1:
            return None, ("please give one number",)
        index = numbers[0] - 1
        return self._possible(offered[index])

    def _shares(self, numbers: list[int]) -> _Answer:
        items, high = self.request.items, self.request.high
        if len(numbers) != len(items):
            return None, (f"please give {len(items)} numbers, one for each",)
        if sum(numbers) != high:
            return None, (f"the shares add up to {sum(numbers)}: they must add up to {high}",)
        return Map.of(0, zip(items, numbers, strict=True)), ()

    def _judged(self, picked: tuple[Value, ...]) -> _Answer:
        request = self.request
        if Counter(picked) - Counter(request.items):
            return None, (_TWICE,)
        if request.sort == "pick":
            if not request.low <= len(picked) <= request.high:
                size = str(request.low) if request.low == request.high else f"{request.low} to {request.high}"
                return None, (f"please give {size} of them",)
            return tuple(each for each in request.items if each in picked), ()
        if len(picked) != len(request.items):
            return None, (f"please give each number once, 1 to {len(request.items)}",)
        return picked, ()

    def _by_word(self, written: str) -> _Answer | None:
        request = self.request
        if request.sort in {"whether", "handler"} and written.lower() in _YES:
            return self._possible(_YES[written.lower()])
        if request.sort == "pick" and written == "none" and request.low == 0:
            return (), ()
        if request.sort == "external" and written == "done" and not result_names(request, self.names):
            return (None, ()), ()
        return self._by_name(written)

    def _by_name(self, written: str) -> _Answer | None:
        """Members called as the list calls them; dice with their faces or without."""
        request = self.request
        if request.choices:
            return self._called((written,), [each.value for each in request.choices], answer_type(request))
        if request.sort in _SEVERAL and isinstance(item := item_type(answer_type(request)), ty.DieType | ty.WordType):
            return self._called(written.split(","), request.items, item)
        return None

    def _called(self, names: Sequence[str], members: Sequence[Value], type_: ty.Type) -> _Answer | None:
        picked = []
        for name in map(str.strip, names):
            met = [each for each in members if name == show(each, type_, self.names)]
            if not met:
                return None
            if len(met) > 1:
                return None, (f"{visible(name)} means {len(met)} of them: give the number of the list",)
            picked.append(met[0])
        return self._judged(tuple(picked)) if self.request.sort in _SEVERAL else self._possible(picked[0])

    def _possible(self, value: Value) -> _Answer:
        choice = next((each for each in self.request.choices if each.value == value), None)
        if choice is None or choice.reason is None:
            return value, ()
        called = visible(choice.title) if self.request.sort == "choose" else ""
        return None, (f"{called or self._value(value)} is not possible: {reason(choice.reason, self.names)}",)

    def _by_value(self, written: str) -> _Answer:
        """The answer as it would stand in a script."""
        hint = self._command_meant(written)
        node = read(Text("answer", self._as_script(written)))
        if node.value is None:
            return None, (*_sentences(node.diagnostics[:1]), *hint)
        found = read_answer(self.request, node.value, self.names, self.paused, typed=written)
        if not found.diagnostics:
            return found.value, ()
        sort, code = self.request.sort, found.diagnostics[0].code
        form = self._result_form() if sort == "external" else self._form() if sort in _FORMED else ""
        said = (
            (f"{visible(written)} is not possible: {form}", *self._expected())
            if form and code in _SHAPE
            else _sentences(found.diagnostics[:1])
        )
        return None, (*said, *hint)

    def _command_meant(self, written: str) -> tuple[str, ...]:
        """The command that was probably meant, where no answer is as near to what was typed."""
        word = written.split(maxsplit=1)[0].removeprefix("/")
        known = [*self.commands, *(self._value(each.value) for each in self.request.choices)]
        other = _OTHER_COMMANDS.get(word.casefold(), "")
        near = other if other in self.commands and word not in known else nearest(word, known)
        return (f"did you mean the command `{near}`?",) if near in self.commands else ()

    def _as_script(self, written: str) -> str:  # noqa: PLR0911 - one for each form
        """Adds the brackets people leave out."""
        request = self.request
        if request.claimable and written in CLAIMS:
            return "none"
        if request.sort == "place" and _PLACE.fullmatch(written):
            x, y, *facing = _SEPARATOR.split(written)
            return f"{{at: [{x}, {y}]{f', facing: {facing[0]}' if facing else ''}}}"
        if request.sort == "roll" and not written.startswith(("[", "{")):
            return f"[{', '.join(_SEPARATOR.split(written))}]"
        if request.sort == "external" and not written.startswith("{"):
            keys = result_names(request, self.names)
            if ":" in written:
                return f"{{{written}}}"
            values = _SEPARATOR.split(written) if len(keys) > 1 else [written]
            return f"{{{', '.join(f'{key}: {value}' for key, value in zip(keys, values, strict=False))}}}"
        if isinstance(request.type, ty.CellType) and _CELL.fullmatch(written):
            return f"[{', '.join(_SEPARATOR.split(written))}]"
        if isinstance(request.type, ty.MapType) and not written.startswith(("{", "[")):
            return f"{{{written.replace('=', ': ')}}}"
        if request.sort in _SEVERAL and not written.startswith("["):
            return f"[{written}]"
        return re.sub(r"^\((.*)\)$", r"[\1]", written)


def _sentences(diagnostics: Sequence[Diagnostic]) -> Iterator[str]:
    for each in diagnostics:
        yield visible(each.message)
        if each.help:
            yield visible(each.help)
