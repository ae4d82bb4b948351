"""Whole programs in one way of writing: their lines, branches and names of variables."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import fields, replace
from functools import cache
from typing import Any

from rulewright.comparing.meaning.calm import Calm
from rulewright.comparing.meaning.inlining import Inlining
from rulewright.comparing.meaning.values import Values
from rulewright.comparing.named import Tokens, Within
from rulewright.comparing.naming import Name
from rulewright.comparing.partners import translated
from rulewright.comparing.tokens import tokens
from rulewright.program import declarations as d
from rulewright.program import expressions as ex
from rulewright.program import statements as st
from rulewright.program.expressions import Expression, Variable
from rulewright.source import Span

_SORTS = (
    *("values", "dice", "kinds", "records", "boards", "game", "settings", "relations", "functions", "measures"),
    *("external_procedures", "external_terms", "invariants", "events", "handlers", "rules", "procedures"),
)


def canonical(
    program: d.Program, names: Mapping[Name, Name], lone: Collection[str] = (), *, narrowed: bool = False
) -> d.Program:
    """A program that plays alike, written in one way.

    Variables are called by their numbers, lines lose their labels, titles and clauses, rulings are left out. Names are
    translated where they decide an order, so that both revisions of a text sort alike. Standing rules are in the order
    in which they are tried. Terms that the other revision lacks are put in where they are named. That a value must fit
    bounds is left out, unless `narrowed`: both revisions have the bounds of what it is for.
    """
    calm = Calm(program)
    inlining = Inlining(program, calm, lone)
    changed: dict[str, Any] = {
        sort: {
            name: _Lines(
                _values(Within(program, name, _seen(each)), calm, names, narrowed=narrowed), inlining, name, _seen(each)
            ).rebuilt(each)
            for name, each in getattr(program, sort).items()
        }
        for sort in _SORTS
    }
    changed["rules"] = dict(sorted(changed["rules"].items(), key=lambda rule: rule[1].priority))
    return replace(program, **changed, accounts=(), rulings=())


def _seen(node: Any) -> frozenset[str]:  # noqa: ANN401
    """The names of a declaration that others write."""
    return frozenset(each.name for each in node.parameters) if isinstance(node, d.Procedure) else frozenset()


def _values(within: Within, calm: Calm, names: Mapping[Name, Name], *, narrowed: bool) -> Values:
    def key(expression: Expression) -> Tokens:
        return tuple(map(str, translated(tokens(expression, within), names)))

    return Values(calm, key, narrowed=narrowed)


class _Lines:
    """Rewrites one declaration; its lines keep of their addresses only whose they are."""

    def __init__(self, values: Values, inlining: Inlining, owner: str, seen: frozenset[str]) -> None:
        self._values = values
        self._inlining = inlining
        self._address = f"{owner}/"
        self._seen = seen

    def rebuilt(self, node: Any) -> Any:  # noqa: ANN401, PLR0911
        """A part of a declaration in one way of writing."""
        match node:
            case Variable(name=name, index=index):
                return node if name in self._seen else replace(node, name=f"v{index}")
            case ex.Typed():
                return self._values.expression(self._named(self._inlining.of(node)))  # type: ignore[type-var]
            case ex.Binding():
                return self._values.binding(self._named(self._inlining.of(node)))
            case tuple():
                return tuple(self._items(node))
            case str() | int() | Span() | None:
                return node
            case _ if hasattr(node, "__dataclass_fields__") and not _is_type(node):
                return self._record(node)
            case _:
                return node

    def _named(self, node: Any) -> Any:  # noqa: ANN401
        """Variables called by their numbers, in an expression and all inside it."""
        if isinstance(node, Variable):
            return self.rebuilt(node)
        if isinstance(node, tuple):
            return tuple(map(self._named, node))
        if isinstance(node, ex.Typed | ex.Binding):
            return replace(node, **{name: self._named(getattr(node, name)) for name in _names(type(node))})  # type: ignore[arg-type]
        return node

    def _record(self, node: Any) -> Any:  # noqa: ANN401
        made = replace(node, **{name: self.rebuilt(getattr(node, name)) for name in _names(type(node))})  # type: ignore[arg-type]
        match made:
            case d.Step(guard=guard, block=block) if guard is not None:
                branch = st.Branch(guard, block, (), made.span)
                return replace(made, guard=None, block=tuple(self._line(self._if(made.span, branch, None))))
            case _:
                return made

    def _items(self, items: tuple[Any, ...]) -> Iterator[Any]:
        for each in items:
            if isinstance(each, st.Ruling | st.Nothing):
                continue
            made = self.rebuilt(each)
            if isinstance(made, st.Line):
                yield from self._line(replace(made, address=self._address))  # type: ignore[arg-type]
            else:
                yield made

    def _line(self, line: st.Statement) -> Iterator[st.Statement]:
        match line:
            case st.If():
                yield from self._branches(line)
            case st.ForEach(binding=ex.Binding(where=where)) if where is not None:
                branch = st.Branch(where, line.block, (), line.span)
                block = tuple(self._line(self._if(line.span, branch, None)))
                yield replace(line, binding=replace(line.binding, where=None), block=block)
            case _:
                yield line

    def _branches(self, line: st.If) -> Iterator[st.Statement]:
        """One branch and one else: the rest stands in the else; what only holds another `if` becomes an `and`."""
        first, rest = line.branches[0], line.branches[1:]
        otherwise = tuple(self._branches(replace(line, branches=rest))) if rest else line.otherwise
        condition, block = first.condition, first.block
        if isinstance(condition, ex.Literal):
            yield from (block if condition.value else otherwise or ())
            return
        if otherwise and self._values.is_denial(condition):
            condition, block, otherwise = self._values.opposite(condition), otherwise, block
        match block:
            case (st.If(branches=(inner,), otherwise=None),) if not otherwise:
                joined = ex.Logical(
                    type=condition.type, span=condition.span, operator="and", left=condition, right=inner.condition
                )
                condition, block = self._values.expression(joined), inner.block
        yield self._if(line.span, st.Branch(condition, block, (), line.span), otherwise or None)

    def _if(self, span: Span, branch: st.Branch, otherwise: st.Block | None) -> st.If:
        return st.If(address=self._address, cites=(), span=span, branches=(branch,), otherwise=otherwise)


@cache
def _names(sort: Any) -> tuple[str, ...]:  # noqa: ANN401
    return tuple(each.name for each in fields(sort) if each.name not in {"span", "type"})


def _is_type(node: object) -> bool:
    return type(node).__module__.endswith("program.types")
