"""Exhaustive enumeration of the plays of a procedure: every situation, answer and roll."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice, product
from math import prod
from typing import Any

from rulewright.base.frozen import dataclass as frozen
from rulewright.base.node_roles import walk_nodes
from rulewright.diff.differential_testing.altered_places import executable_declarations, find_changed_data
from rulewright.diff.differential_testing.change_points import reachable_declarations
from rulewright.diff.differential_testing.coverage_guided_search import difference_kind
from rulewright.diff.differential_testing.function_comparison import list_value_ranges
from rulewright.diff.differential_testing.harness import Harness
from rulewright.diff.differential_testing.initial_states import OMITTED_ARGUMENT, find_optional_roles, name_values
from rulewright.diff.differential_testing.paired_play import (
    MAX_ANSWERS_PER_PLAY,
    UNUSABLE,
    PairedPlay,
    play_side_by_side,
)
from rulewright.diff.differential_testing.replays import DifferingPlay, record_play
from rulewright.diff.differential_testing.results import WorkBudget
from rulewright.diff.differential_testing.revision_translation import (
    CommonForm,
    NoCounterpartError,
    StartData,
    open_in_both,
    translate_roles,
    translate_state,
)
from rulewright.diff.differential_testing.shared_questions import (
    LISTED_QUESTION_SORTS,
    SharedQuestion,
    ValuePair,
    translate_answer,
)
from rulewright.documents.document_nodes import Json
from rulewright.documents.name_table import GAME, SETTINGS, NameTable
from rulewright.program.declarations import Procedure, Program
from rulewright.program.expressions import InPlay, Removed
from rulewright.program.outline.items import DeclaredName
from rulewright.program.types import ThingType
from rulewright.runtime.state import GameSetup
from rulewright.runtime.type_codecs import value_to_json
from rulewright.wording.condition_rendering import join_words

_PLAYER_KIND = "player"


@frozen(slots=True, frozen=True)
class EnumeratedPlays:
    """Result of playing all plays of a procedure."""

    plays: int
    differing_plays: tuple[DifferingPlay, ...]  # one of each kind
    space: str  # what was varied, in words


def enumerate_plays(harness: Harness, entrance: tuple[str, str], most: int, work: WorkBudget) -> EnumeratedPlays | None:
    """Every play of a procedure, from all starts of the new revision.

    None where they are infinite or more than `most`, where rules read what is not enumerated (players, things, what
    only the old revision stores), and where a play met a limit of the machine.
    """
    space = _find_start_space(harness, entrance, most)
    if space is None:
        return None
    procedures = harness.entry_procedures(entrance)
    plays, differing = 0, dict[object, DifferingPlay]()
    for start in space.enumerate_starts(harness, procedures):
        paired_start = None if start is None else open_in_both(procedures, start, harness.translations)
        if paired_start is None:
            return None
        counter = _AnswerOdometer(most)
        while counter.has_next:
            play = play_side_by_side(harness.executables, paired_start, counter.current_answer)
            reached = harness.collect_hits(play)
            work.spend_units(play.work_units)
            if counter.is_unbounded or plays >= most or work.is_exhausted or is_cut_short(play):
                return None
            if play.difference != UNUSABLE:
                plays += 1
            if play.is_different:
                here = record_play(play, reached)
                differing.setdefault(difference_kind(here), here)
            counter.advance_position()
    return EnumeratedPlays(plays, tuple(differing.values()), space.describe_space(entrance[1])) if plays else None


@frozen(slots=True, frozen=True)
class _StartSpace:
    """Space of the enumerated starts, in the names of the new revision."""

    fields: Mapping[str, Sequence[Json]]  # of the game; `OMITTED_ARGUMENT` too where start values differ
    settings: Mapping[str, Sequence[Json]]  # of both revisions; `OMITTED_ARGUMENT` too where defaults differ
    roles: Mapping[str, Sequence[Json]]  # parameters; `OMITTED_ARGUMENT` too where they are optional
    fixed_settings: tuple[str, ...]  # settings of one revision only, taken as written

    def describe_space(self, procedure: str) -> str:
        varied = [f"`{item}`" for item in (*self.fields, *self.settings, *self.roles)]
        fixed = [f"`{fixed_setting}`" for fixed_setting in self.fixed_settings]
        return (
            f"every play of `{procedure}`"
            + (f" for every {join_words(varied)}" if varied else "")
            + (f", with {join_words(fixed)} as written" if fixed else "")
        )

    def enumerate_starts(
        self, harness: Harness, procedures: tuple[Procedure, Procedure]
    ) -> Iterator[tuple[StartData, StartData] | None]:
        """Every start in both revisions; None in place of one that the old revision cannot have."""
        back = harness.translations.backward
        old, new = procedures
        for game, readings, roles in product(*map(_enumerate_choices, (self.fields, self.settings, self.roles))):
            state = ({GAME: game} if game else {}) | ({SETTINGS: readings} if readings else {})
            try:
                yield (
                    StartData(translate_state(state, back), translate_roles(roles, new, old, back)),
                    StartData(state, roles),
                )
            except NoCounterpartError:
                yield None


def _find_start_space(harness: Harness, entrance: tuple[str, str], most: int) -> _StartSpace | None:
    """Space of starts if it is made of game fields, settings and parameters alone; else None."""
    program, (old, new) = harness.task.new, harness.entry_procedures(entrance)
    if not all(_has_data_only_state(item, name) for item, name in zip(harness.programs, entrance, strict=True)):
        return None
    back = harness.translations.backward
    if len(set(harness.task.old.game)) > len(
        [item for item in program.game if back.names.find_new_name("field", item)]
    ):
        return None
    optional = find_optional_roles(new, old, back)
    shared = [name for name in program.settings if back.names.find_new_name("setting", name) is not None]
    types = [
        *((name, item.type) for name, item in program.game.items()),
        *((name, program.settings[name].type) for name in shared),
        *((parameter.name, parameter.type) for parameter in new.parameters),
    ]
    values = list_value_ranges([type_ for _, type_ in types], program, most)
    if values is None:
        return None
    names = NameTable(program, GameSetup({}))
    every = [
        [value_to_json(one, type_, names) for one in value] for value, (_, type_) in zip(values, types, strict=True)
    ]
    otherwise = {after for _, after in find_changed_data(*harness.programs, harness.task.names)}
    left_out = [
        *(DeclaredName("field", name) in otherwise and item.start is not None for name, item in program.game.items()),
        *(DeclaredName("setting", name) in otherwise for name in shared),
        *(parameter.name in optional for parameter in new.parameters),
    ]
    tried = [
        (name, [*given, *([OMITTED_ARGUMENT] if too else [])])
        for (name, _), given, too in zip(types, every, left_out, strict=True)
    ]
    game, readings = len(program.game), len(program.game) + len(shared)
    return _StartSpace(
        dict(tried[:game]), dict(tried[game:readings]), dict(tried[readings:]), tuple(_find_fixed_settings(harness))
    )


def _enumerate_choices(varied: Mapping[str, Sequence[Json]]) -> Iterator[dict[str, Json]]:
    return (name_values(varied, chosen) for chosen in product(*varied.values()))


def _find_fixed_settings(harness: Harness) -> Iterator[str]:
    across, back = harness.translations.forward, harness.translations.backward
    for way in (across, back):
        yield from (
            setting for setting in way.source_program.settings if way.names.find_new_name("setting", setting) is None
        )


def _has_data_only_state(program: Program, procedure: str) -> bool:
    if list(program.kinds) != [_PLAYER_KIND] or program.boards or program.relations or program.external_terms:
        return False
    known = dict(executable_declarations(program))
    used = (
        known[reachable_declaration]
        for reachable_declaration in reachable_declarations(program, procedure)
        if reachable_declaration in known
    )
    return not any(_is_player_node(node) for item in used for node in walk_nodes(item))


def _is_player_node(node: Any) -> bool:
    return isinstance(node, InPlay | Removed) or getattr(node, "type", None) == ThingType(_PLAYER_KIND)


def is_cut_short(play: PairedPlay) -> bool:
    """Whether a play met a limit of the machine, or the limit of answers."""
    return len(play.turns) >= MAX_ANSWERS_PER_PLAY or bool(play.limit_codes)


@dataclass
class _AnswerOdometer:
    """Odometer over the answers to all questions of a play; the last question varies fastest."""

    max_answers: int  # per question
    is_unbounded: bool = False  # whether a question has more answers, or infinitely many
    has_next: bool = True
    _positions: list[int] = field(default_factory=list)
    _sizes: list[int] = field(default_factory=list)

    def current_answer(self, question: SharedQuestion, common: CommonForm) -> Iterator[ValuePair]:
        every = _list_all_answers(question, common, self.max_answers)
        if every is None:
            self.is_unbounded = True
            return
        number = len(self._sizes)
        self._sizes.append(len(every))
        if number == len(self._positions):
            self._positions.append(0)
        if every:
            yield every[self._positions[number]]

    def advance_position(self) -> None:
        del self._positions[len(self._sizes) :]
        while self._positions and self._positions[-1] + 1 >= self._sizes[len(self._positions) - 1]:
            self._positions.pop()
        self.has_next = bool(self._positions)
        if self._positions:
            self._positions[-1] += 1
        self._sizes.clear()


def _list_all_answers(question: SharedQuestion, common: CommonForm, most: int) -> Sequence[ValuePair] | None:
    match question.sort:
        case sort if sort in LISTED_QUESTION_SORTS or sort == "draw":
            return question.pairs
        case "roll":
            if prod(len(die) for die in question.dice) > most:
                return None
            throws = product(*question.dice)
            return [(tuple(old for old, _ in throw), tuple(new for _, new in throw)) for throw in throws]
        case "pick" | "split" | "order" | "handlers":
            return _list_item_answers(question, common, most)
        case _:
            return None


def _list_item_answers(question: SharedQuestion, common: CommonForm, most: int) -> Sequence[ValuePair] | None:
    assert question.old_request.question is not None
    listed = list(islice(question.old_request.question.iterate_answers(), most + 1))
    pairs = [
        (value, answer[0])
        for value in listed
        for answer in [
            translate_answer(
                value, question.old_request, question.new_request, question.paused[1], common, turned=False
            )
        ]
        if answer is not None
    ]
    return None if len(listed) > most or len(pairs) < len(listed) else pairs
