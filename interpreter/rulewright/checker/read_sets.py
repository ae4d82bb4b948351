"""Read sets: state that an expression depends on, from types or, before typing, from the names it mentions."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeVar

from rulewright.base.node_roles import walk_nodes
from rulewright.checker.symbols import LinkedProgram
from rulewright.program import expressions as ex
from rulewright.program.effects import get_called_name, list_read_places
from rulewright.program.expressions import Expression
from rulewright.program.types import GRID_STEPS, PoolType
from rulewright.program.walk import walk_subexpressions
from rulewright.syntax.nodes import declarations as d, expressions as e
from rulewright.syntax.nodes.expressions import walk_written_nodes

_Function = TypeVar("_Function", bound=Callable[..., Any])


_CACHE_RESETTERS: list[Callable[[], None]] = []


def cache_by_identity(most: int) -> Callable[[_Function], _Function]:
    """Decorator: caches results by the identity of the arguments, for pure functions of frozen values.

    Two generations: what was used neither in this check nor in the one before is dropped; `most` results begin a
    generation, too. Arguments are kept alive as long as their result.
    """

    def add_cache(function: _Function) -> _Function:
        before: dict[object, tuple[Any, Any]] = {}  # arguments and result, by their identity
        known: dict[object, tuple[Any, Any]] = {}

        def drop_older() -> None:
            nonlocal before, known
            before, known = known, {}

        def call_cached(*values: Any) -> Any:  # as the function
            place = id(values[0]) if len(values) == 1 else tuple(map(id, values))
            items = known.get(place)
            if items is None:
                items = before.get(place) or (values, function(*values))
                if len(known) >= most:
                    drop_older()
                known[place] = items
            return items[1]

        _CACHE_RESETTERS.append(drop_older)
        return call_cached  # type: ignore[return-value]

    return add_cache


def rotate_identity_caches() -> None:
    """Begins a new generation of all identity caches."""
    for forget in _CACHE_RESETTERS:
        forget()


def unite_known(sets: Iterable[frozenset[str] | None]) -> frozenset[str] | None:
    """Union of some sets; None where one is not known."""
    items = tuple(sets)
    return None if None in items else frozenset().union(*items)  # type: ignore[arg-type]


ANY_STATE = "*"
_NO_FUNCTIONS: Mapping[str, frozenset[str]] = {}


def collect_reads(expression: Expression, functions: Mapping[str, frozenset[str]] = _NO_FUNCTIONS) -> frozenset[str]:
    """Keys of all state whose change can change the value.

    `Kind/attribute`, `Kind/gone`, `game/field`, `board/attribute`, names of relations, `local/<index>`, `dice`, or `*`
    for anything of the game: so of external terms and of functions whose reads are not in `functions`.
    """
    direct_reads, called = _collect_direct_reads(expression)
    return (
        direct_reads.union(*(functions.get(name, (unless_known,)) for name, unless_known in called))
        if called
        else direct_reads
    )


@cache_by_identity(most=20_000)
def _collect_direct_reads(expression: Expression) -> tuple[frozenset[str], tuple[tuple[str, str], ...]]:
    parts = tuple(walk_subexpressions(expression))
    named = {
        (name, name if isinstance(part, ex.Builtin) else ANY_STATE) for part in parts if (name := get_called_name(part))
    }
    return frozenset(read for part in parts for read in _iterate_own_reads(part)), tuple(named)


def is_written_out(expression: Expression) -> bool:
    """Whether a value is constant: literals, collections and sums of them, cells and points."""
    return all(map(_is_written_form, walk_subexpressions(expression)))


def _is_written_form(part: Expression) -> bool:
    match part:
        case ex.Arithmetic(operator="/", right=divisor):
            return isinstance(divisor, ex.Literal)
        case ex.Builtin(name=name):
            return name in {*GRID_STEPS, "point"}
        case _:
            return isinstance(part, ex.WrittenForm)


def _iterate_own_reads(part: Expression) -> Iterator[str]:
    yield from list_read_places(part)
    match part:
        case ex.Local(variable=variable):
            yield f"local/{variable.index}"
            if isinstance(part.type, PoolType):
                yield "dice"
        case ex.DieAttribute() | ex.Builtin(name="total"):
            yield "dice"
        case ex.ExternalValue():
            yield ANY_STATE


@cache_by_identity(most=5_000)
def list_declaration_nodes(declaration: Any) -> tuple[Any, ...]:  # a declaration or header
    """`walk_written_nodes` of one declaration, cached."""
    return tuple(walk_written_nodes(declaration))


class MentionIndex:
    """Plain names that expressions mention, with the bodies of the functions they call."""

    def __init__(self, linked: LinkedProgram) -> None:
        self._bodies: dict[str, list[Any]] = {}
        self._plurals: set[str] = set()
        for module in linked.modules:
            for declaration in module.declarations:
                self._collect_declaration(declaration)

    def _collect_declaration(self, declaration: d.Declaration) -> None:
        match declaration:
            case d.Kind(plural=plural, fields=parts) | d.Record(name=plural, fields=parts):
                self._plurals.add(plural.text)
                for part in parts:
                    if not isinstance(part, d.StoredField):
                        self._bodies.setdefault(part.name.text, []).append(part)
            case d.Term() | d.Relation() | d.Tally() | d.Decide() | d.Table() | d.Paths():
                self._bodies.setdefault(declaration.name.text, []).append(declaration)
            case d.ExternalTerm():
                self._plurals.add(ANY_STATE)
                self._bodies.setdefault(declaration.name.text, []).append(e.Reference(ANY_STATE, declaration.span))
            case _:
                return

    def names_mentioned(self, *nodes: Any) -> frozenset[str]:  # any nodes
        """Names mentioned, transitively; `gone` where things in play are, `*` where anything may be read."""
        members: set[str] = set()
        waiting = list(nodes)
        while waiting:
            for name in collect_plain_names(waiting.pop()) - members:
                members.add(name)
                waiting.extend(self._bodies.get(name, ()))
        implied = {"at", "gone"} if "occupants" in members else {"gone"} if members & self._plurals else set[str]()
        return frozenset(members | implied)


def collect_plain_names(*nodes: Any) -> frozenset[str]:  # any nodes
    """Plain names in nodes themselves."""
    items = [node for node in walk_nodes(nodes) if isinstance(node, e.Reference | e.Attribute)]
    return frozenset(mention.name if isinstance(mention, e.Reference) else mention.name.text for mention in items)
