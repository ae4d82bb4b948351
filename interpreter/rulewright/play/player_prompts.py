"""Requests as prompts for people: printed text, options, and the parser of typed answers and commands."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from rulewright.base.diagnostics import Diagnostic, Painter, is_encodable, make_visible
from rulewright.base.diagnostics.remedies import find_nearest_name
from rulewright.base.source import Text
from rulewright.documents.answers import (
    answer_to_json,
    answer_type,
    item_type,
    list_choices_by_row,
    read_answer,
)
from rulewright.documents.document_nodes import format_one_line
from rulewright.documents.findings import list_alternatives
from rulewright.documents.name_table import CHANGES, GAME, REMOVED, NameTable
from rulewright.documents.structured_answers import result_names
from rulewright.documents.yaml_reader import parse_yaml
from rulewright.play.answer_sources import DECISION_SORTS
from rulewright.play.turn_rendering import render_question
from rulewright.program import types as ty
from rulewright.runtime.codec_protocols import NO_ANSWER_CLAIMS, RESULT_KEY
from rulewright.runtime.pending_question import (
    count_request_answers,
    count_unrestricted_answers,
    find_only_answer,
    iterate_request_answers,
)
from rulewright.runtime.request import ITEM_SORTS, AnswerChoice, Request
from rulewright.runtime.run import Paused
from rulewright.runtime.type_codecs import format_value
from rulewright.runtime.values import GameMap, Value
from rulewright.wording.english import join_words
from rulewright.wording.entry_rendering import is_named_part, render_dice_notation, render_reason, show_player

COMMAND_WORDS = (
    "undo",
    "why",
    "log",
    "history",
    "hint",
    "advise",
    "look",
    "state",
    "board",
    "save",
    "script",
    "help",
    "quit",
)
COMMAND_HELP = (
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
PLAY_OVER_HINT = "the play is over: `undo`, `save FILE` and `script FILE` still work; an empty line leaves"


MAX_LINE_CHARACTERS = 100_000
"""Characters of a line that is typed, at most."""
_YES_NO_WORDS = {"y": True, "yes": True, "n": False, "no": False}
_NUMBERS_PATTERN = re.compile(r"[0-9]{1,9}(?:[\s,]+[0-9]{1,9})*")
_CELL_PATTERN = re.compile(r"-?\d+[\s,]+-?\d+")
_PLACE_PATTERN = re.compile(r"-?[\d.]+(?:[\s,]+-?[\d.]+){1,2}")
_SEPARATOR_PATTERN = re.compile(r"[\s,]+")
_MAX_LISTED_NUMBERS = 3
_REPEATED_MEMBER = "one of them is given twice"
_MAX_LISTED_IDS = 12
_COMMAND_SYNONYMS = {"back": "undo", "bye": "quit", "exit": "quit", "leave": "quit", "q": "quit", "stop": "quit"}
"""What people type at other games, by the command that it is here."""
_FREE_FORM_SORTS = frozenset({"place", "heading", "value"})
_SHAPE_ERROR_CODES = frozenset({"RW0713", "RW0730"})
_MULTIPLE_ITEM_SORTS = frozenset({"pick", "order", "handlers", "shuffle"})
_ITEM_LIST_SORTS = frozenset({"pick", "split", "order", "handlers", "draw", "shuffle"})


def explain_unreadable_line(written: str) -> str:
    """Why a typed line cannot be read at all; empty if it can."""
    if len(written) > MAX_LINE_CHARACTERS:
        return f"the line is longer than {MAX_LINE_CHARACTERS:,} characters"
    if not is_encodable(written):
        return "the line is not UTF-8"
    return ""


@dataclass(frozen=True, slots=True)
class TypedCommand:
    """One of `COMMAND_WORDS` with its argument."""

    word: str
    argument: str


def parse_command(written: str) -> TypedCommand | None:
    """Command of a typed line, with or without a slash; None for an answer."""
    word, _, rest = ("help" if written == "?" else written).removeprefix("/").partition(" ")
    if word not in COMMAND_WORDS or (rest.strip() and word not in {"advise", "board", "save", "script", "why"}):
        return None
    return TypedCommand(word, rest.strip())


_TypedAnswer = tuple[Value, tuple[str, ...]]


@dataclass(frozen=True)
class AnswerOption:
    """A listed answer, or a member of which answers are made."""

    value: Value
    input_text: str  # number in the list, or the value itself if it is a number
    label: str
    title: str  # explanation, or empty
    refusal: str | None = None  # why it is illegal


@dataclass(frozen=True)
class PlayerPrompt:
    """A request as a prompt."""

    paused: Paused
    names: NameTable
    paint: Painter
    commands: Sequence[str] = COMMAND_WORDS  # commands that may be meant by a typed line

    @property
    def request(self) -> Request:
        """The full request."""
        return self.paused.request

    @property
    def player_name(self) -> str:
        """Player who is asked."""
        return show_player(self.request.player, self.names)

    @property
    def question_text(self) -> str:
        """Text of the question."""
        return render_question(self.request, self.names)

    @cached_property
    def only_answer(self) -> tuple[Value, ...]:
        """The forced answer in a 1-tuple if others may not know that it is forced; else empty."""
        request = self.request
        return find_only_answer(request) if request.audience is not None and request.sort in DECISION_SORTS else ()

    @cached_property
    def _listed_choices(self) -> Sequence[AnswerChoice]:
        return list_choices_by_row(self.request, self.names)

    def render_prompt(self) -> Iterator[str]:
        """Question with numbered options, or with the form of its answer."""
        yield f"{self.paint(self.player_name, 'ask')}: {self.paint(self.question_text, 'strong')}"
        for option in self.list_options():
            yield self._render_option(option)
        only = "the only answer: press Enter" if self.only_answer else ""
        for form in (*self.render_answer_forms(), only):
            if form:
                yield self.paint(f"  {form}", "dim")

    def list_options(self) -> Iterator[AnswerOption]:
        """Listed answers or members, in order."""
        for number, choice in enumerate(self._listed_choices, 1):
            yield self._make_option(number, choice)
        if self.request.sort in _ITEM_LIST_SORTS:
            type_ = item_type(answer_type(self.request))
            for number, item in enumerate(self.request.items, 1):
                yield AnswerOption(
                    item, str(number), format_value(item, type_, self.names), self._value_title(item, type_)
                )

    def render_answer_forms(self) -> Iterator[str]:
        """Lines on the form of answers made of several members, and their number."""
        return filter(
            None,
            (
                self._render_sort_form(),
                *self._render_expected_parts(),
                self._render_changeable(),
                self._render_answer_count(),
            ),
        )

    @property
    def _has_numeric_options(self) -> bool:
        """Then options have no numbers of their own."""
        return bool(self.request.choices) and isinstance(answer_type(self.request), ty.NumberType | ty.DirectionType)

    def _make_option(self, number: int, choice: AnswerChoice) -> AnswerOption:
        type_, shown = answer_type(self.request), self._show_answer_value(choice.value)
        title = make_visible(choice.title) or self._value_title(choice.value, type_)
        refused = None if choice.reason is None else render_reason(choice.reason, self.names)
        return AnswerOption(choice.value, shown if self._has_numeric_options else str(number), shown, title, refused)

    def _render_option(self, option: AnswerOption) -> str:
        numbered = option.label if self._has_numeric_options else f"{option.input_text}  {option.label}"
        line = f"  {numbered}{f'  {option.title}' if option.title and option.title != option.label else ''}"
        return self.paint(f"{line}  (not now: {option.refusal})", "dim") if option.refusal is not None else line

    def _show_answer_value(self, value: Value) -> str:
        return format_value(value, answer_type(self.request), self.names)

    def _value_title(self, value: Value, type_: ty.Type) -> str:
        return make_visible(self.names.word_title(value, type_))

    def _render_sort_form(self) -> str:
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
                dice = self._render_thrown_dice()
                faces = dict.fromkeys(self._render_face_range(die.faces, die.face) for die in request.dice if die.name)
                return f"roll {dice} and type the faces" + (f" ({', '.join(faces)})" if faces else "")
            case "external":
                return self._render_external_form()
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

    def _render_thrown_dice(self) -> str:
        part = self.request.part
        if part is None or not is_named_part(part):
            return render_dice_notation((die.count, die.die) for die in self.request.dice)
        shown = [
            f"{format_value(die.part, part, self.names)} " if die.part is not None else "" for die in self.request.dice
        ]
        dice = [render_dice_notation([(die.count, die.die)]) for die in self.request.dice]
        return ", ".join(map("".join, zip(shown, dice, strict=True)))

    def _render_answer_count(self) -> str:
        if self.request.sort not in ITEM_SORTS:
            return ""
        result = count_request_answers(self.request)
        if result.exact:
            return f"{result.number:,} possible answer{'' if result.number == 1 else 's'}"
        if result.number:
            are = "is" if result.number == 1 else "are"
            return f"of {count_unrestricted_answers(self.request):,} answers at least {result.number:,} {are} possible"
        return "the search for a possible answer was given up; say `no answer` if there is none"

    def _render_face_range(self, faces: Sequence[Value], type_: Any) -> str:
        shown = list(dict.fromkeys(format_value(face, type_, self.names) for face in faces))
        return f"{shown[0]} to {shown[-1]}" if all(item.isdigit() for item in shown) else ", ".join(shown)

    def _render_external_form(self) -> str:
        request = self.request
        given = ", ".join(
            f"{name} {format_value(value, type_, self.names)}" for name, (value, type_) in request.arguments.items()
        )
        return f"{make_visible(request.name)}{f' ({given})' if given else ''}; {self._render_result_form()}"

    def _render_result_form(self) -> str:
        wanted = ", ".join(f"{result_name}: …" for result_name in result_names(self.request, self.names)) or "done"
        parts = self._result_part_types()
        if parts and set(parts) != set(result_names(self.request, self.names)):
            wanted = f"{RESULT_KEY}: {{{', '.join(f'{part}: …' for part in parts)}}}"
        return f"answer `{wanted}`"

    def _result_part_types(self) -> dict[str, ty.Type]:
        match self.request.type:
            case _ if self.request.sort != "external":
                return {}
            case None:
                return {}
            case ty.RecordType(record):
                return {part.name: part.type for part in self.names.program.records[record].parts}
            case type_:
                return {RESULT_KEY: type_}

    def _render_expected_parts(self) -> Iterator[str]:
        parts = [
            f"`{make_visible(name)}` is {self._render_type_members(type_)}"
            for name, type_ in self._result_part_types().items()
        ]
        if parts:
            yield ", ".join(parts)

    def _render_type_members(self, type_: ty.Type) -> str:
        match type_:
            case ty.OptionalType(inner):
                return f"{self._render_type_members(inner)}, or `none`"
            case ty.FlagType():
                return "`yes` or `no`"
            case ty.NumberType(low=int() as low, high=int() as high, paired=False):
                return f"{low} to {high}"
            case ty.WordType(values):
                return list_alternatives(list(self.names.word_titles(values)))
            case ty.ThingType(kind) if 0 < len(self.names.ids_of_kind(kind)) <= _MAX_LISTED_IDS:
                return list_alternatives(list(self.names.ids_of_kind(kind)))
            case _:
                return str(type_)

    def _render_changeable(self) -> str:
        changes, program = self.request.changes, self.names.program
        if not changes:
            return ""
        changeable, examples = [], []
        for place in changes:
            owner, _, name = place.rpartition("/")
            ids = self.names.ids_of_kind(owner) if owner in program.kinds else ()
            if owner == GAME:
                changeable.append(f"`{make_visible(name)}` ({self._render_type_members(program.game[name].type)})")
                examples.append(f"{{{GAME}: {{{name}: …}}}}")
            elif name == "gone":
                changeable.append(f"which {make_visible(program.kinds[owner].plural)} are out of play")
                examples.extend(f"{{{REMOVED}: [{identifier}]}}" for identifier in ids[:1])
            else:
                field = next(item for item in program.kinds[owner].fields if item.name == name)
                changeable.append(
                    f"`{make_visible(owner)}.{make_visible(name)}` ({self._render_type_members(field.type)})"
                )
                examples.extend(
                    f"{{{program.kinds[owner].plural}: {{{identifier}: {{{name}: …}}}}}}" for identifier in ids[:1]
                )
        how = f"; add `{CHANGES}: {make_visible(examples[0])}`" if examples else ""
        return f"it may change {', '.join(changeable)}{how}"

    def list_result_parts(self) -> Iterator[tuple[str, str, tuple[str, ...]]]:
        """Parts of the result of an external: name, type in words, values if they are few."""
        for name, type_ in self._result_part_types().items():
            yield make_visible(name), self._render_type_members(type_), self._list_few_values(type_)

    def _list_few_values(self, type_: ty.Type) -> tuple[str, ...]:
        match type_:
            case ty.FlagType():
                return ("yes", "no")
            case ty.WordType(values):
                return tuple(self.names.word_titles(values))
            case ty.ThingType(kind) if len(self.names.ids_of_kind(kind)) <= _MAX_LISTED_IDS:
                return tuple(self.names.ids_of_kind(kind))
            case _:
                return ()

    def find_possible_answer(self) -> str:
        """Example of a legal answer, of a roll how it is given."""
        request = self.request
        if request.sort == "roll":
            return self._render_sort_form()
        result = next(iterate_request_answers(request), None) if request.sort in DECISION_SORTS else None
        if result is None:
            return "no possible answer is known"
        return format_one_line(answer_to_json(request, result, self.names))

    def read_typed_answer(self, written: str) -> _TypedAnswer:
        """Value of a typed line, or lines that explain what is wrong with it."""
        if not written and self.only_answer:
            return self.only_answer[0], ()
        if not written:
            return None, ("please answer, or type `help`",)
        result = self._read_numbers(written) or self._read_special_word(written)
        return result if result is not None else self._read_script_value(written)

    def _read_numbers(self, written: str) -> _TypedAnswer | None:
        request = self.request
        unnumbered = request.sort in {"roll", "external", "value", "place", "heading"} or self._has_numeric_options
        cell = isinstance(request.type, ty.CellType) and _CELL_PATTERN.fullmatch(written)
        if unnumbered or cell or not _NUMBERS_PATTERN.fullmatch(written):
            return None
        numbers = [int(item) for item in _SEPARATOR_PATTERN.split(written)]
        if request.sort == "split":
            return self._read_shares(numbers)
        offered = [listed_choice.value for listed_choice in self._listed_choices] or list(request.items)
        wrong = [number for number in numbers if not 1 <= number <= len(offered)]
        if wrong:
            return None, (f"{wrong[0]} is not possible: answer {self._render_answerable_numbers(offered)}",)
        if request.sort in _MULTIPLE_ITEM_SORTS and len(set(numbers)) < len(numbers):
            return None, (_REPEATED_MEMBER,)
        if request.sort in _MULTIPLE_ITEM_SORTS:
            return self._check_picked_items(tuple(offered[number - 1] for number in numbers))
        return self._choose_by_number(numbers, offered)

    def _render_answerable_numbers(self, offered: Sequence[Value]) -> str:
        impossible = {
            index for index, listed_choice in enumerate(self._listed_choices, 1) if listed_choice.reason is not None
        }
        numbers = [item for item in range(1, len(offered) + 1) if item not in impossible]
        if len(numbers) > _MAX_LISTED_NUMBERS and not impossible:
            return f"1 to {len(offered)}"
        return join_words([*map(str, numbers)], "or")

    def _choose_by_number(self, numbers: list[int], offered: list[Value]) -> _TypedAnswer:
        if len(numbers) > 1:
            return None, ("please give one number",)
        index = numbers[0] - 1
        return self._check_possible_choice(offered[index])

    def _read_shares(self, numbers: list[int]) -> _TypedAnswer:
        items, high = self.request.items, self.request.high
        if len(numbers) != len(items):
            return None, (f"please give {len(items)} numbers, one for each",)
        if sum(numbers) != high:
            return None, (f"the shares add up to {sum(numbers)}: they must add up to {high}",)
        return GameMap.from_pairs(0, zip(items, numbers, strict=True)), ()

    def _check_picked_items(self, picked: tuple[Value, ...]) -> _TypedAnswer:
        request = self.request
        if Counter(picked) - Counter(request.items):
            return None, (_REPEATED_MEMBER,)
        if request.sort == "pick":
            if not request.low <= len(picked) <= request.high:
                size = str(request.low) if request.low == request.high else f"{request.low} to {request.high}"
                return None, (f"please give {size} of them",)
            return tuple(item for item in request.items if item in picked), ()
        if len(picked) != len(request.items):
            return None, (f"please give each number once, 1 to {len(request.items)}",)
        return picked, ()

    def _read_special_word(self, written: str) -> _TypedAnswer | None:
        request = self.request
        if request.sort in {"whether", "handler"} and written.lower() in _YES_NO_WORDS:
            return self._check_possible_choice(_YES_NO_WORDS[written.lower()])
        if request.sort == "pick" and written == "none" and request.low == 0:
            return (), ()
        if request.sort == "external" and written == "done" and not result_names(request, self.names):
            return (None, ()), ()
        return self._read_member_names(written)

    def _read_member_names(self, written: str) -> _TypedAnswer | None:
        request = self.request
        if request.choices:
            return self._find_named_members(
                (written,), [choice.value for choice in request.choices], answer_type(request)
            )
        if request.sort in _MULTIPLE_ITEM_SORTS and isinstance(
            item := item_type(answer_type(request)), ty.DieType | ty.WordType
        ):
            return self._find_named_members(written.split(","), request.items, item)
        return None

    def _find_named_members(
        self, names: Sequence[str], members: Sequence[Value], type_: ty.Type
    ) -> _TypedAnswer | None:
        picked = []
        for name in map(str.strip, names):
            met = [member for member in members if name == format_value(member, type_, self.names)]
            if not met:
                return None
            if len(met) > 1:
                return None, (f"{make_visible(name)} means {len(met)} of them: give the number of the list",)
            picked.append(met[0])
        return (
            self._check_picked_items(tuple(picked))
            if self.request.sort in _MULTIPLE_ITEM_SORTS
            else self._check_possible_choice(picked[0])
        )

    def _check_possible_choice(self, value: Value) -> _TypedAnswer:
        choice = next((answer_choice for answer_choice in self.request.choices if answer_choice.value == value), None)
        if choice is None or choice.reason is None:
            return value, ()
        called = make_visible(choice.title) if self.request.sort == "choose" else ""
        return None, (
            f"{called or self._show_answer_value(value)} is not possible: {render_reason(choice.reason, self.names)}",
        )

    def _read_script_value(self, written: str) -> _TypedAnswer:
        hint = self._suggest_command(written)
        node = parse_yaml(Text("answer", self._add_script_brackets(written)))
        if node.value is None:
            return None, (*_diagnostic_sentences(node.diagnostics[:1]), *hint)
        result = read_answer(self.request, node.value, self.names, self.paused, typed=written)
        if not result.diagnostics:
            return result.value, ()
        sort, code = self.request.sort, result.diagnostics[0].code
        form = (
            self._render_result_form()
            if sort == "external"
            else self._render_sort_form()
            if sort in _FREE_FORM_SORTS
            else ""
        )
        message = (
            (f"{make_visible(written)} is not possible: {form}", *self._render_expected_parts())
            if form and code in _SHAPE_ERROR_CODES
            else _diagnostic_sentences(result.diagnostics[:1])
        )
        return None, (*message, *hint)

    def _suggest_command(self, written: str) -> tuple[str, ...]:
        """Only if no answer is as near to the typed line."""
        word = written.split(maxsplit=1)[0].removeprefix("/")
        known = [*self.commands, *(self._show_answer_value(choice.value) for choice in self.request.choices)]
        other = _COMMAND_SYNONYMS.get(word.casefold(), "")
        near = other if other in self.commands and word not in known else find_nearest_name(word, known)
        return (f"did you mean the command `{near}`?",) if near in self.commands else ()

    def _add_script_brackets(self, written: str) -> str:
        request = self.request
        if request.claimable and written in NO_ANSWER_CLAIMS:
            return "none"
        if request.sort == "place" and _PLACE_PATTERN.fullmatch(written):
            x, y, *facing = _SEPARATOR_PATTERN.split(written)
            return f"{{at: [{x}, {y}]{f', facing: {facing[0]}' if facing else ''}}}"
        if request.sort == "roll" and not written.startswith(("[", "{")):
            return f"[{', '.join(_SEPARATOR_PATTERN.split(written))}]"
        if request.sort == "external" and not written.startswith("{"):
            keys = result_names(request, self.names)
            if ":" in written:
                return f"{{{written}}}"
            values = _SEPARATOR_PATTERN.split(written) if len(keys) > 1 else [written]
            return f"{{{', '.join(f'{key}: {value}' for key, value in zip(keys, values, strict=False))}}}"
        if isinstance(request.type, ty.CellType) and _CELL_PATTERN.fullmatch(written):
            return f"[{', '.join(_SEPARATOR_PATTERN.split(written))}]"
        if isinstance(request.type, ty.MapType) and not written.startswith(("{", "[")):
            return f"{{{written.replace('=', ': ')}}}"
        if request.sort in _MULTIPLE_ITEM_SORTS and not written.startswith("["):
            return f"[{written}]"
        return re.sub(r"^\((.*)\)$", r"[\1]", written)


def _diagnostic_sentences(diagnostics: Sequence[Diagnostic]) -> Iterator[str]:
    for diagnostic in diagnostics:
        yield make_visible(diagnostic.message)
        if diagnostic.help:
            yield make_visible(diagnostic.help)
