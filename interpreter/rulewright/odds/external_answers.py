"""Stated probabilities of the answers of externals, about which the rules say nothing."""

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import accumulate, chain, combinations, product
from math import lcm, prod
from typing import Any

from rulewright.base.bounded_files import read_text_file
from rulewright.base.files import FileProvider
from rulewright.base.frozen import dataclass
from rulewright.base.source import Text
from rulewright.documents.answer_scripts import POLICY_KEY, PlayerPolicy, read_policies
from rulewright.documents.answers import read_answer
from rulewright.documents.document_nodes import (
    DocumentNode,
    ListNode,
    MapKey,
    MapNode,
    ScalarNode,
    node_to_data,
)
from rulewright.documents.document_schemas import document_shapes
from rulewright.documents.findings import Findings, ReadResult, describe_choices, did_you_mean, quote_name
from rulewright.documents.name_table import GAME, NameTable, map_spellings
from rulewright.documents.state_file import NO_TEXT_NAME
from rulewright.documents.yaml_reader import parse_yaml
from rulewright.play.seeded_random import SeededRandom
from rulewright.program import types as ty
from rulewright.program.declarations import ExternalProcedure, ExternalTerm, Procedure, Program
from rulewright.program.types import Type
from rulewright.program.walk import walk_reachable_nodes
from rulewright.runtime.run import Paused
from rulewright.runtime.state import State
from rulewright.runtime.values import Value, make_set

LIKELIHOODS_SUFFIX = ".odds.yaml"
"""Suffix of files of likelihoods."""
_FRACTION_PATTERN = re.compile(r"([0-9]{1,30})\s*/\s*([0-9]{1,30})")
_PERCENT_PATTERN = re.compile(r"([0-9]{1,30}(?:\.[0-9]{1,30})?)\s*%")
_DECIMAL_PATTERN = re.compile(r"[0-9]{1,30}(?:\.[0-9]{1,30})?")
_ANSWER_KEYS = ("answer", "likely")
_FORM_HELP = (
    "write `{ANSWER: 2/3, ANSWER: 1/3}`, or `[{answer: …, likely: 2/3}, …]` for answers that are not single values"
)


@dataclass(frozen=True, slots=True)
class LikelyAnswer:
    """An answer of an external as written, with its probability."""

    answer: DocumentNode
    probability: Fraction


@dataclass(frozen=True, slots=True)
class ExternalOdds:
    """Distributions of the answers of externals."""

    names: NameTable
    answers_by_external: Mapping[str, tuple[LikelyAnswer, ...]]  # probabilities add up to 1; some may be 0

    def read_request_answers(self, paused: Paused) -> ReadResult[tuple[tuple[Value, Fraction], ...]] | None:
        """Answers to a request with their probabilities, or findings about them; None where nothing is stated."""
        likely_answers = self.answers_by_external.get(paused.request.name)
        if likely_answers is None:
            return None
        items = [read_answer(paused.request, answer.answer, self.names, paused) for answer in likely_answers]
        wrong = tuple(diagnostic for read_ in items for diagnostic in read_.diagnostics)
        if wrong:
            return ReadResult(None, wrong)
        return ReadResult(
            tuple(
                (read_result.value, one.probability)
                for read_result, one in zip(items, likely_answers, strict=True)
                if one.probability
            )
        )


def draw_weighted_answer(
    answers: Sequence[tuple[Value, Fraction]], paused: Paused, occasion: int, chance: SeededRandom
) -> Value:
    """One of the answers to a request, drawn from `chance`."""
    parts = lcm(*(probability.denominator for _, probability in answers))
    ends = accumulate(int(probability * parts) for _, probability in answers)
    number = chance.below(paused.asked.line_address, occasion, parts)
    return next(answer for (answer, _), end in zip(answers, ends, strict=True) if number < end)


def likelihoods_file_beside(place: str) -> str:
    """File of likelihoods that belongs to a state or scenario: `border.odds.yaml` to `border.yaml`."""
    return f"{posixpath.splitext(place)[0].removesuffix('.scenario')}{LIKELIHOODS_SUFFIX}"


def read_likelihoods_beside(place: str, files: FileProvider, texts: dict[str, Text]) -> ReadResult[MapNode]:
    """Content of the file of likelihoods beside a state or scenario; None without such a file.

    The text is added to `texts`. Reports what `parse_likelihoods` and reading a file do.
    """
    beside = likelihoods_file_beside(place)
    if files.get_file_type(beside) != "file":
        return ReadResult(None)
    text = read_text_file(beside, files)
    if not isinstance(text, Text):
        return ReadResult(None, (text,))
    texts[beside] = text
    return parse_likelihoods(text)


def parse_likelihoods(text: Text) -> ReadResult[MapNode]:
    """Content of a file of likelihoods; reports RW1126, it is not a mapping, and what `parse_yaml` does."""
    result = parse_yaml(text)
    if result.value is None or isinstance(result.value, MapNode):
        return ReadResult(result.value, result.diagnostics)
    findings = Findings()
    message = f"`{text.name}` is not a mapping from externals to answers with likelihoods"
    remedy = "write lines such as `attack_test: {hit: 2/3, miss: 1/3}`"
    findings.add_error("RW1126", result.value, message, help=remedy)
    return ReadResult(None, tuple(findings.collected))


def read_stated_policies(given: MapNode | None) -> ReadResult[tuple[PlayerPolicy, ...]]:
    """Policies under the key `policy` of a file of likelihoods, in order of precedence: the last line comes first.

    An external of that name has answers there, not texts. Reports RW1126 for what is no policy.
    """
    node, findings, result = None if given is None else _find_policy_node(given), Findings(), list[PlayerPolicy]()
    for scalar_node, policy in read_policies(node):
        if isinstance(policy, str):
            findings.add_error("RW1126", scalar_node, f"{quote_name(scalar_node.written)} is not a policy; {policy}")
        else:
            result.append(policy)
    return findings.make_result(tuple(reversed(result)))


def _find_policy_node(given: MapNode) -> DocumentNode | None:
    node = given.get(POLICY_KEY)
    texts = node.items if isinstance(node, ListNode) else (node,)
    return node if texts and all(isinstance(text, ScalarNode) for text in texts) else None


def merge_likelihoods(first: MapNode, beside: MapNode | None) -> MapNode:
    """`first`, with the externals that only `beside` has."""
    added = tuple((key, node) for key, node in beside or () if key.text not in first)
    return MapNode((*first.entries, *added), (beside or first).span, (beside or first).pointer)


def read_external_odds(given: MapNode, program: Program, names: NameTable) -> ReadResult[ExternalOdds]:
    """Distributions from a mapping of externals to answers with probabilities; reports as `read_likely_answers`."""
    result = read_likely_answers(given, program)
    return ReadResult(None if result.value is None else ExternalOdds(names, result.value), result.diagnostics)


def read_likely_answers(given: MapNode, program: Program) -> ReadResult[Mapping[str, tuple[LikelyAnswer, ...]]]:
    """Answers with their probabilities by the name of the external.

    Reports RW1126 (there is no such external, or its answers are badly written) and what `Shapes.answers` says of
    answers. Whether an answer is legal is found when it is asked for.
    """
    findings, shapes = Findings(), document_shapes(program)
    known = map_spellings([*program.external_procedures, *program.external_terms])
    likely_by_external: dict[str, tuple[LikelyAnswer, ...]] = {}
    policy = _find_policy_node(given)
    for key, node in given:
        if node is policy:
            continue
        name = known.get(key.text)
        if name is None:
            remedy = did_you_mean(key.text, known) or (
                describe_choices(list(known)) if known else "leave it out; in these rules nothing is external"
            )
            if key.text == POLICY_KEY:
                remedy = "write who chooses as a text or a list of texts: `policy: [first, red=random]`"
            findings.add_error("RW1126", key, f"there is no external {quote_name(key.text)}", help=remedy)
            continue
        term = program.external_terms.get(name)
        if term is not None and term.default is not None:
            message = f"{quote_name(key.text)} has a default, so its likelihoods are never used"
            findings.add_error("RW1126", key, message, help="leave it out, or take its `default` out of the rules")
        likely_by_external[name] = tuple(_parse_likely_answers(node, key, findings))
        for likely_answer in likely_by_external[name]:
            shapes.answers[name].validate_node(likely_answer.answer, findings, f"an answer of {quote_name(key.text)}")
        total = sum((item.probability for item in likely_by_external[name]), Fraction(0))
        if total != 1 and not findings.collected:
            message = f"the likelihoods of {quote_name(key.text)} add up to {total}, not to 1"
            findings.add_error("RW1126", key, message, help="write how likely each answer is")
    return findings.make_result(likely_by_external)


def _parse_likely_answers(node: DocumentNode, key: MapKey, findings: Findings) -> Iterator[LikelyAnswer]:
    pairs: Iterable[tuple[DocumentNode | None, DocumentNode | None]] = ()
    match node:
        case MapNode(entries) if entries:
            pairs = ((scalar_from_key(answer), probability) for answer, probability in entries)
        case ListNode(items) if items:
            for other in (one for item in items if isinstance(item, MapNode) for one, _ in item):
                if other.text not in _ANSWER_KEYS:
                    message = f"an answer of {quote_name(key.text)} with its likelihood has no {quote_name(other.text)}"
                    findings.add_error(
                        "RW1126", other, message, help=did_you_mean(other.text, _ANSWER_KEYS) or _FORM_HELP
                    )
            pairs = (
                (item.get("answer"), item.get("likely")) if isinstance(item, MapNode) else (None, None)
                for item in items
            )
        case _:
            findings.add_error(
                "RW1126", key, f"{quote_name(key.text)} has no answers with likelihoods", help=_FORM_HELP
            )
    answers_before = set[str]()
    for answer, probability in pairs:
        number = None if probability is None else _read_probability(probability)
        if answer is None or number is None:
            message = f"an answer of {quote_name(key.text)} has no likelihood from 0 to 1"
            findings.add_error("RW1126", key if probability is None else probability, message, help=_FORM_HELP)
        elif repr(node_to_data(answer)) in answers_before:
            message = f"an answer of {quote_name(key.text)} is listed twice"
            findings.add_error("RW1126", answer, message, help="write once how likely each answer is")
        else:
            answers_before.add(repr(node_to_data(answer)))
            yield LikelyAnswer(answer, number)


def scalar_from_key(key: MapKey) -> ScalarNode:
    """Key of a mapping as the scalar that it would be read as."""
    result = parse_yaml(Text(NO_TEXT_NAME, key.text)).value
    value = result.value if isinstance(result, ScalarNode) else key.text
    return ScalarNode(value, key.text, key.span, key.pointer)


def _read_probability(node: DocumentNode) -> Fraction | None:
    if not isinstance(node, ScalarNode) or isinstance(node.value, bool):
        return None
    if isinstance(node.value, int | Fraction):
        return Fraction(node.value) if 0 <= node.value <= 1 else None
    return parse_probability(node.written)


def parse_probability(written: str) -> Fraction | None:
    """Probability from `2/3`, `0.25` or `25 %`; None where it is not a number from 0 to 1."""
    text, number = written.strip(), Fraction(-1)
    if (result := _FRACTION_PATTERN.fullmatch(text)) and int(result[2]):
        number = Fraction(int(result[1]), int(result[2]))
    elif result := _PERCENT_PATTERN.fullmatch(text):
        number = Fraction(result[1]) / 100
    elif _DECIMAL_PATTERN.fullmatch(text):
        number = Fraction(text)
    return number if 0 <= number <= 1 else None


def list_asked_externals(procedure: Procedure, program: Program) -> tuple[str, ...]:
    """Externals without a default that a play may ask for, in the order of the rules."""
    met = (
        reachable_node
        for reachable_node in walk_reachable_nodes(procedure, program)
        if isinstance(reachable_node, ExternalProcedure | ExternalTerm)
    )
    return tuple(
        external.name for external in met if isinstance(external, ExternalProcedure) or external.default is None
    )


MAX_LISTED_ANSWERS = 1_000
"""Limit of the answers of an external that are enumerated."""


class UnlistedError(Exception):
    """The answers of an external are too many or cannot be listed; says why."""


def list_possible_answers(paused: Paused, names: NameTable) -> tuple[Value, ...]:
    """All answers of the right types to an external procedure or term, in order.

    Of a procedure: each result with each combination of all that it may change, which is every value of each attribute
    of each thing in play, the present one too.

    Raises:
        UnlistedError: they are not few, or cannot be listed.
    """
    result = tuple(_generate_answers(paused, ValueLister(names, paused.state)))
    if not result:
        raise UnlistedError("has nothing to choose from")
    return result


def _generate_answers(paused: Paused, listed: "ValueLister") -> Iterator[Value]:
    request = paused.request
    if request.sort == "value":
        yield from listed.list_values(request.type, "gives")
        return
    results = listed.list_values(request.type, "gives")
    places = list(listed.list_changeable_places(request.changes))
    changes = [[(place, number, value) for value in values] for place, number, values in places]
    for result, *changed in listed.combine_parts([results, *changes]):
        yield result, tuple(changed)


class ValueLister:
    """Enumeration of values in one state of a play; without a state none of things are listed."""

    def __init__(self, names: NameTable, state: State | None = None) -> None:
        self._names = names
        self._state = state

    def list_values(self, type_: Type | None, does: str) -> list[Any]:
        """All values of a type; (None,) without a type."""
        result = [None] if type_ is None else self._list_type_values(type_)
        if result is None:
            raise UnlistedError(f"cannot list what it {does}, {type_}")
        return result

    def _list_type_values(self, type_: Type) -> list[Any] | None:
        """All values of a type; None where they cannot be listed."""
        program = self._names.program
        match type_:
            case ty.FlagType():
                return [False, True]
            case ty.NumberType() if (numbers := type_.list_numbers()) is not None:
                return _list_if_few(numbers, len(numbers))
            case ty.WordType(values):
                return list(range(len(program.values[values].words)))
            case ty.ThingType(kind):
                return None if self._state is None else list(self._things_in_play(kind))
            case ty.DirectionType():
                return list(range(type_.count))
            case ty.CellType(space):
                boards = [board.name for board in program.boards.values() if board.space == space]
                return [cell for board in boards for cell in self._names.base.boards[board]]
            case ty.OptionalType(inner):
                result = self._list_type_values(inner)
                return None if result is None else [None, *result]
            case ty.RecordType(record):
                return self._list_combinations([part.type for part in program.records[record].parts])
            case ty.TupleType(parts):
                return self._list_combinations(parts)
            case ty.SetType(item):
                members = self._list_type_values(item)
                return None if members is None else _list_subsets(members)
            case _:
                return None

    def _list_combinations(self, types: Iterable[Type]) -> list[Any] | None:
        parts = [self._list_type_values(type_) for type_ in types]
        known = [part for part in parts if part is not None]
        return self.combine_parts(known) if len(known) == len(parts) else None

    def combine_parts(self, parts: list[list[Any]]) -> list[Any]:
        """Cartesian product."""
        return _list_if_few(product(*parts), prod(map(len, parts)))

    def _things_in_play(self, kind: str) -> Iterator[int]:
        assert self._state is not None
        out_of_play = self._state.gone[self._state.layout.kind_index[kind]]
        return (number for number, is_out in enumerate(out_of_play) if not is_out)

    def list_changeable_places(self, changes: Iterable[str]) -> Iterator[tuple[str, int | None, list[Any]]]:
        """Places that may change, with the number of the thing and all values that each may have."""
        program = self._names.program
        for place in sorted(changes):
            owner, _, name = place.rpartition("/")
            if owner == GAME:
                yield place, None, self.list_values(program.game[name].type, f"changes, `{name}`:")
                continue
            type_ = next((field.type for field in program.kinds[owner].fields if field.name == name), None)
            if type_ is None:
                raise UnlistedError(f"does not say what goes out of play, `{owner}.{name}`")
            values = self.list_values(type_, f"changes, `{owner}.{name}`:")
            yield from ((place, number, values) for number in self._things_in_play(owner))


def _list_if_few(values: Iterable[Any], many: int) -> list[Any]:
    if many > MAX_LISTED_ANSWERS:
        raise UnlistedError(f"takes one of {MAX_LISTED_ANSWERS:,} answers at most, and here are more")
    return list(values)


def _list_subsets(members: list[Any]) -> list[Any]:
    sizes = range(len(members) + 1)
    every = chain.from_iterable(combinations(members, size) for size in sizes)
    return [make_set(item) for item in _list_if_few(every, 1 << len(members))]
