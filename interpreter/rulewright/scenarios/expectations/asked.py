"""Which questions were asked, in order, of whom, and what was given to externals."""

from collections.abc import Iterable, Sequence
from itertools import zip_longest

from rulewright.drivers.session import Turn
from rulewright.frozen import dataclass
from rulewright.inputs.findings import Wrong
from rulewright.inputs.nodes import Items, Mapping, Node, Scalar
from rulewright.inputs.value_reader import ValueReader
from rulewright.inputs.wording import did_you_mean, one_of, quoted
from rulewright.machine.values import Value
from rulewright.program.types import Type
from rulewright.scenarios.expectations.judging import Judging
from rulewright.scenarios.expectations.moments import of_turn
from rulewright.scenarios.expectations.questions import player, player_of, question_at
from rulewright.scenarios.results import Miss
from rulewright.telling.values import show

_Argument = tuple[str, Value, Type]


@dataclass(frozen=True, slots=True)
class Question:
    """A question that is expected.

    Attributes:
        at: its address.
        by: the player: empty where nobody is asked, none where nothing is said of him.
        given: what is said of the arguments: a name, the value and its type.
    """

    at: str
    by: str | None
    given: tuple[_Argument, ...] = ()

    def fits(self, turn: Turn, judging: Judging) -> bool:
        """Whether that was asked."""
        held = turn.request.arguments
        return (
            self.at == turn.request.address
            and self.by in {None, player_of(turn, judging)}
            and all(name in held and held[name][0] == value for name, value, _ in self.given)
        )


def asked(judging: Judging) -> tuple[Miss, ...]:
    """Every question, roll and draw that was not forced, in order; `{at: …, by: …, with: …}` says more of one."""
    if not isinstance(judging.node, Items):
        judging.wrong(judging.node, "a list of questions")
        return ()
    got = judging.session.turns
    expected = [each for node in judging.node.items if (each := question(judging, node)) is not None]
    if len(expected) < len(judging.node.items):
        return ()
    at = _first_wrong(expected, got, judging)
    if at is None:
        return ()
    before = f"after {got[at - 1].request.address}" if at else "at the start"
    moment = of_turn(judging.session, at) if at < len(got) else None
    came = [_came(each, wanted, judging) for each, wanted in zip_longest(got[at:], expected[at:]) if each]
    return (Miss("asked", _all(_told(each, judging) for each in expected[at:]), _all(came), before, moment),)


def _first_wrong(expected: Sequence[Question], got: Sequence[Turn], judging: Judging) -> int | None:
    pairs = enumerate(zip(expected, got, strict=False))
    wrong = next((number for number, (each, turn) in pairs if not each.fits(turn, judging)), None)
    if wrong is None and len(expected) != len(got):
        return min(len(expected), len(got))
    return wrong


def question(judging: Judging, node: Node) -> Question | None:
    """What is expected; none where something is wrong in it, which is reported."""
    match node:
        case Scalar(written=written):
            address = question_at(judging, written, node)
            return None if address is None else Question(address, None)
        case Mapping():
            at, by, given = node.get("at"), node.get("by"), node.get("with")
            if isinstance(at, Scalar) and isinstance(by, Scalar | None) and isinstance(given, Mapping | None):
                address = question_at(judging, at.written, at)
                values = _given(judging, given, address) if given and address else ()
                return Question(address, player(by) if by else None, values) if address and values is not None else None
    judging.wrong(node, "a question, or `{at: …, by: …, with: {…: …}}`")
    return None


def _given(judging: Judging, node: Mapping, address: str) -> tuple[_Argument, ...] | None:
    """What is said of arguments; nothing where nothing was asked there."""
    turn = next((each for each in judging.session.turns if each.request.address == address), None)
    if turn is None:
        return ()
    held, reader = turn.request.arguments, ValueReader(judging.names, judging.findings)
    found: list[_Argument] = []
    for key, inner in node:
        if key.text not in held:
            remedy = did_you_mean(key.text, held) or (
                f"it has {one_of(list(held))}" if held else "nothing is given to it"
            )
            judging.findings.error("RW1007", key, f"{quoted(address)} is given no {quoted(key.text)}", help=remedy)
            return None
        value = reader.read(inner, held[key.text][1], f"{quoted(key.text)} of {quoted(address)}")
        if isinstance(value, Wrong):
            return None
        found.append((key.text, value, held[key.text][1]))
    return tuple(found)


def _came(turn: Turn, wanted: Question | None, judging: Judging) -> str:
    """What was asked, with as much of its arguments as was expected."""
    held = turn.request.arguments
    given = tuple((name, *held[name]) for name, *_ in (wanted.given if wanted else ()) if name in held)
    return _told(Question(turn.request.address, player_of(turn, judging), given), judging)


def _told(question: Question, judging: Judging) -> str:
    of = "" if question.by is None else f" of {question.by or 'nobody'}"
    given = ", ".join(f"{name} {show(value, type_, judging.names)}" for name, value, type_ in question.given)
    return f"{question.at}{of}{given and f' with {given}'}"


def _all(told: Iterable[str]) -> str:
    return ", ".join(told) or "nothing more"
