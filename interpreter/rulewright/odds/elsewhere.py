"""What externals come to, each answer as likely as somebody says: the rules themselves say nothing of it."""

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import accumulate
from math import lcm

from rulewright.drivers.chance import Chance
from rulewright.files import Provider, read as read_file
from rulewright.frozen import dataclass
from rulewright.inputs.answers import read_answer
from rulewright.inputs.document_schemas import shapes_of
from rulewright.inputs.findings import Findings, Read, did_you_mean, quoted, there_are
from rulewright.inputs.names import Names, spellings
from rulewright.inputs.nodes import Items, Key, Mapping as MappingNode, Node, Scalar, data_of
from rulewright.inputs.policies import POLICY, Policy, policies_at
from rulewright.inputs.state_file import NO_TEXT
from rulewright.inputs.yaml_places import read
from rulewright.machine.run import Paused
from rulewright.machine.values import Value
from rulewright.program.declarations import ExternalProcedure, ExternalTerm, Procedure, Program
from rulewright.program.walk import mentioned
from rulewright.source import Text

LIKELIHOODS = ".odds.yaml"
"""How the names of files of likelihoods end."""
_FRACTION = re.compile(r"([0-9]{1,30})\s*/\s*([0-9]{1,30})")
_PERCENT = re.compile(r"([0-9]{1,30}(?:\.[0-9]{1,30})?)\s*%")
_DECIMAL = re.compile(r"[0-9]{1,30}(?:\.[0-9]{1,30})?")
_PARTS = ("answer", "likely")
_FORM = "write `{ANSWER: 2/3, ANSWER: 1/3}`, or `[{answer: …, likely: 2/3}, …]` for answers that are not single values"


@dataclass(frozen=True, slots=True)
class Likely:
    """One answer of an external, as it is written, and how likely it is."""

    answer: Node
    likely: Fraction


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """What is said of externals."""

    names: Names  # of the play
    # by the name of the external its answers, whose likelihoods add up to 1; some may be 0
    said: Mapping[str, tuple[Likely, ...]]

    def answers(self, paused: Paused) -> Read[tuple[tuple[Value, Fraction], ...]] | None:
        """The answers to a request with their likelihoods, or what is wrong with one; none where nothing is said."""
        told = self.said.get(paused.request.name)
        if told is None:
            return None
        found = [read_answer(paused.request, each.answer, self.names, paused) for each in told]
        wrong = tuple(each for read_ in found for each in read_.diagnostics)
        if wrong:
            return Read(None, wrong)
        return Read(tuple((each.value, one.likely) for each, one in zip(found, told, strict=True) if one.likely))


def fallen(answers: Sequence[tuple[Value, Fraction]], paused: Paused, occasion: int, chance: Chance) -> Value:
    """One of the answers to a request, as chance has it."""
    parts = lcm(*(likely.denominator for _, likely in answers))
    ends = accumulate(int(likely * parts) for _, likely in answers)
    number = chance.below(paused.asked.line, occasion, parts)
    return next(answer for (answer, _), end in zip(answers, ends, strict=True) if number < end)


def place_beside(place: str) -> str:
    """The file of likelihoods that belongs to a state or scenario: `border.odds.yaml` to `border.yaml`."""
    return f"{posixpath.splitext(place)[0].removesuffix('.scenario')}{LIKELIHOODS}"


def likelihoods_beside(place: str, files: Provider, texts: dict[str, Text]) -> Read[MappingNode]:
    """What a file of likelihoods beside a state or scenario says; none where there is no such file.

    What was read is added to `texts`. Reports what `likelihoods` and reading a file do.
    """
    beside = place_beside(place)
    if files.sort(beside) != "file":
        return Read(None)
    text = read_file(beside, files)
    if not isinstance(text, Text):
        return Read(None, (text,))
    texts[beside] = text
    return likelihoods(text)


def likelihoods(text: Text) -> Read[MappingNode]:
    """What a file of likelihoods says; reports RW1126, it is not a mapping, and what reading a text does."""
    found = read(text)
    if found.value is None or isinstance(found.value, MappingNode):
        return Read(found.value, found.diagnostics)
    findings = Findings()
    message = f"`{text.name}` is not a mapping from externals to answers with likelihoods"
    remedy = "write lines such as `attack_test: {hit: 2/3, miss: 1/3}`"
    findings.error("RW1126", found.value, message, help=remedy)
    return Read(None, tuple(findings.found))


def policies_said(given: MappingNode | None) -> Read[tuple[Policy, ...]]:
    """Who chooses, as a file of likelihoods says it under `policy`; those first that count, which are the later.

    An external of that name has answers there, no texts.

    Reports RW1126 for what is no policy.
    """
    node, findings, found = None if given is None else _policy_of(given), Findings(), list[Policy]()
    for each, policy in policies_at(node):
        if isinstance(policy, str):
            findings.error("RW1126", each, f"{quoted(each.written)} is not a policy; {policy}")
        else:
            found.append(policy)
    return findings.read(tuple(reversed(found)))


def _policy_of(given: MappingNode) -> Node | None:
    node = given.get(POLICY)
    texts = node.items if isinstance(node, Items) else (node,)
    return node if texts and all(isinstance(each, Scalar) for each in texts) else None


def both_said(first: MappingNode, beside: MappingNode | None) -> MappingNode:
    """What is said of externals in one place, and of all others in another."""
    kept = tuple((key, node) for key, node in beside or () if key.text not in first)
    return MappingNode((*first.entries, *kept), (beside or first).span, (beside or first).pointer)


def read_elsewhere(given: MappingNode, program: Program, names: Names) -> Read[Elsewhere]:
    """What externals come to, from a mapping of their names to answers with likelihoods; reports as `read_likely`."""
    found = read_likely(given, program)
    return Read(None if found.value is None else Elsewhere(names, found.value), found.diagnostics)


def read_likely(given: MappingNode, program: Program) -> Read[Mapping[str, tuple[Likely, ...]]]:
    """By the name of each external its answers with their likelihoods.

    Reports RW1126 (there is no such external, or its answers are not well said) and what `Shapes.answers` tells of
    answers. Whether an answer is legal is found when it is asked for.
    """
    findings, shapes = Findings(), shapes_of(program)
    known = spellings([*program.external_procedures, *program.external_terms])
    said: dict[str, tuple[Likely, ...]] = {}
    policy = _policy_of(given)
    for key, node in given:
        if node is policy:
            continue
        name = known.get(key.text)
        if name is None:
            remedy = did_you_mean(key.text, known) or there_are(list(known))
            findings.error("RW1126", key, f"there is no external {quoted(key.text)}", help=remedy)
            continue
        term = program.external_terms.get(name)
        if term is not None and term.default is not None:
            message = f"{quoted(key.text)} has a default, so its likelihoods are never used"
            findings.error("RW1126", key, message, help="leave it out, or take its `default` out of the rules")
        said[name] = tuple(_likely(node, key, findings))
        for each in said[name]:
            shapes.answers[name].judge(each.answer, findings, f"an answer of {quoted(key.text)}")
        total = sum((each.likely for each in said[name]), Fraction(0))
        if total != 1 and not findings.found:
            message = f"the likelihoods of {quoted(key.text)} add up to {total}, not to 1"
            findings.error("RW1126", key, message, help="write how likely each answer is")
    return findings.read(said)


def _likely(node: Node, key: Key, findings: Findings) -> Iterator[Likely]:
    pairs: Iterable[tuple[Node | None, Node | None]] = ()
    match node:
        case MappingNode(entries) if entries:
            pairs = ((scalar_of(answer), likely) for answer, likely in entries)
        case Items(items) if items:
            for other in (one for each in items if isinstance(each, MappingNode) for one, _ in each):
                if other.text not in _PARTS:
                    message = f"an answer of {quoted(key.text)} with its likelihood has no {quoted(other.text)}"
                    findings.error("RW1126", other, message, help=did_you_mean(other.text, _PARTS) or _FORM)
            pairs = (
                (each.get("answer"), each.get("likely")) if isinstance(each, MappingNode) else (None, None)
                for each in items
            )
        case _:
            findings.error("RW1126", key, f"{quoted(key.text)} has no answers with likelihoods", help=_FORM)
    said = set[str]()
    for answer, likely in pairs:
        number = None if likely is None else _number(likely)
        if answer is None or number is None:
            message = f"an answer of {quoted(key.text)} has no likelihood from 0 to 1"
            findings.error("RW1126", key if likely is None else likely, message, help=_FORM)
        elif repr(data_of(answer)) in said:
            message = f"an answer of {quoted(key.text)} is listed twice"
            findings.error("RW1126", answer, message, help="write once how likely each answer is")
        else:
            said.add(repr(data_of(answer)))
            yield Likely(answer, number)


def scalar_of(key: Key) -> Scalar:
    """A key as the value that it would be read as."""
    found = read(Text(NO_TEXT, key.text)).value
    value = found.value if isinstance(found, Scalar) else key.text
    return Scalar(value, key.text, key.span, key.pointer)


def _number(node: Node) -> Fraction | None:
    """A likelihood: `2/3`, `0.25`, `25 %`."""
    if not isinstance(node, Scalar) or isinstance(node.value, bool):
        return None
    if isinstance(node.value, int | Fraction):
        return Fraction(node.value) if 0 <= node.value <= 1 else None
    return likelihood(node.written)


def likelihood(written: str) -> Fraction | None:
    """A likelihood as it is written, `2/3`, `0.25` or `25 %`; none where it is not a number from 0 to 1."""
    text, number = written.strip(), Fraction(-1)
    if (found := _FRACTION.fullmatch(text)) and int(found[2]):
        number = Fraction(int(found[1]), int(found[2]))
    elif found := _PERCENT.fullmatch(text):
        number = Fraction(found[1]) / 100
    elif _DECIMAL.fullmatch(text):
        number = Fraction(text)
    return number if 0 <= number <= 1 else None


def externals_of(procedure: Procedure, program: Program) -> tuple[str, ...]:
    """The externals that a play may ask for, in the order in which it mentions them; not those with a default."""
    met = (each for each in mentioned(procedure, program) if isinstance(each, ExternalProcedure | ExternalTerm))
    return tuple(each.name for each in met if isinstance(each, ExternalProcedure) or each.default is None)
