"""What an expression reads, by what it is typed to and, before types are known, by the names that it mentions."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from functools import cache
from typing import Any, TypeVar

from rulewright.analysis.symbols import Linked
from rulewright.program import expressions as ex
from rulewright.program.effects import called_by, read_by
from rulewright.program.expressions import Expression
from rulewright.program.types import GRIDS, PoolType
from rulewright.program.walk import inside
from rulewright.source import Span
from rulewright.syntax.nodes import declarations as d, expressions as e
from rulewright.syntax.nodes.expressions import Name

_F = TypeVar("_F", bound=Callable[..., Any])


_MEMORIES: list[Callable[[], None]] = []


def by_identity(most: int) -> Callable[[_F], _F]:
    """Gives a function a memory: what was wanted neither in this check nor in the one before is forgotten.

    So many answers count as a check, too. Only for pure functions of frozen values, which are held as long as their
    answer is remembered.
    """

    def with_memory(function: _F) -> _F:
        before: dict[tuple[int, ...], tuple[Any, Any]] = {}
        known: dict[tuple[int, ...], tuple[Any, Any]] = {}

        def forget() -> None:
            nonlocal before, known
            before, known = known, {}

        def remembered(*values: Any) -> Any:  # as the function
            place = tuple(map(id, values))
            found = known.get(place)
            if found is None:
                found = before.get(place) or (values, function(*values))
                if len(known) >= most:
                    forget()
                known[place] = found
            return found[1]

        _MEMORIES.append(forget)
        return remembered  # type: ignore[return-value]

    return with_memory


def forget_older() -> None:
    """Says that a check begins; every version of an edited declaration would be held, were nothing forgotten."""
    for forget in _MEMORIES:
        forget()


ANYTHING = "*"
_NONE: Mapping[str, frozenset[str]] = {}


def reads(expression: Expression, functions: Mapping[str, frozenset[str]] = _NONE) -> frozenset[str]:
    """Everything whose change can change the value.

    Given as `Kind/attribute`, `Kind/gone`, `game/field`, `board/attribute`, names of relations, `local/<index>`,
    `dice`, or `*` for anything of the game: so of external terms and of functions whose reads are not in `functions`.
    """
    own, called = _read_in(expression)
    return own.union(*(functions.get(name, (unless_known,)) for name, unless_known in called)) if called else own


@by_identity(most=20_000)
def _read_in(expression: Expression) -> tuple[frozenset[str], tuple[tuple[str, str], ...]]:
    """What is read outside functions, and the functions called, each with what counts while nothing is known of it."""
    parts = tuple(inside(expression))
    named = {(name, name if isinstance(part, ex.Builtin) else ANYTHING) for part in parts if (name := called_by(part))}
    return frozenset(each for part in parts for each in _own(part)), tuple(named)


def written_out(expression: Expression) -> bool:
    """Whether a value is known before any play: literals, what is built of them, sums, cells and points."""
    match expression:
        case ex.Literal() | ex.WordLiteral():
            return True
        case ex.Narrowed(operand=operand) | ex.Negation(operand=operand) | ex.Rounded(operand=operand):
            return written_out(operand)
        case ex.Arithmetic(operator=operator, left=left, right=right):
            return written_out(left) and (isinstance(right, ex.Literal) if operator == "/" else written_out(right))
        case ex.MakeRecord(parts=parts) | ex.MakeTuple(parts=parts) | ex.MakeCollection(items=parts):
            return all(map(written_out, parts))
        case ex.Builtin(name=name, arguments=arguments):
            return name in {*GRIDS, "point"} and all(map(written_out, arguments))
    return False


def _own(part: Expression) -> Iterator[str]:
    yield from read_by(part)
    match part:
        case ex.Local(variable=variable):
            yield f"local/{variable.index}"
            if isinstance(part.type, PoolType):
                yield "dice"
        case ex.DieAttribute() | ex.Builtin(name="total"):
            yield "dice"
        case ex.ExternalValue():
            yield ANYTHING


_PLAIN = frozenset({str, int, bool, Span, Name})


@cache
def _holding(kind: Any) -> tuple[str, ...]:  # a class of nodes
    """The fields of a class of nodes that can hold nodes."""
    return tuple(each.name for each in fields(kind) if each.type not in _PLAIN)


@by_identity(most=5_000)
def nodes_of(declaration: Any) -> tuple[Any, ...]:  # a declaration or header
    """As `nodes_in`; found once for all that pass over the same declaration."""
    return tuple(nodes_in(declaration))


def nodes_in(*roots: Any) -> Iterator[Any]:  # any nodes, or tuples of them
    """The roots and all nodes in them, names left out, in no particular order."""
    waiting: list[Any] = list(roots)
    while waiting:
        node = waiting.pop()
        if node is None or isinstance(node, str | int):
            continue
        if isinstance(node, tuple):
            waiting.extend(node)
            continue
        yield node
        waiting.extend([getattr(node, name) for name in _holding(type(node))])  # type: ignore[arg-type]


class Mentions:
    """What expressions read, by plain names, with the bodies of the functions they call."""

    def __init__(self, linked: Linked) -> None:
        self._bodies: dict[str, list[Any]] = {}
        self._plurals: set[str] = set()
        for module in linked.modules:
            for declaration in module.declarations:
                self._collect(declaration)

    def _collect(self, declaration: d.Declaration) -> None:
        match declaration:
            case d.Kind(plural=plural, fields=parts) | d.Record(name=plural, fields=parts):
                self._plurals.add(plural.text)
                for part in parts:
                    if not isinstance(part, d.StoredField):
                        self._bodies.setdefault(part.name.text, []).append(part)
            case d.Term() | d.Relation() | d.Tally() | d.Decide() | d.Table() | d.Paths():
                self._bodies.setdefault(declaration.name.text, []).append(declaration)
            case d.ExternalTerm():
                self._plurals.add(ANYTHING)
                self._bodies.setdefault(declaration.name.text, []).append(e.Reference(ANYTHING, declaration.span))
            case _:
                return

    def of(self, *nodes: Any) -> frozenset[str]:  # any nodes
        """Every name mentioned, `gone` where things in play are, and `*` where anything may be read."""
        found: set[str] = set()
        waiting = list(nodes)
        while waiting:
            for name in mentioned(waiting.pop()) - found:
                found.add(name)
                waiting.extend(self._bodies.get(name, ()))
        implied = {"at", "gone"} if "occupants" in found else {"gone"} if found & self._plurals else set[str]()
        return frozenset(found | implied)


def mentioned(*nodes: Any) -> frozenset[str]:  # any nodes
    """The plain names that stand in nodes themselves."""
    found = [each for each in nodes_in(*nodes) if isinstance(each, e.Reference | e.Attribute)]
    return frozenset(each.name if isinstance(each, e.Reference) else each.name.text for each in found)
