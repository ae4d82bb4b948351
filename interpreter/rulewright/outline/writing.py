"""Parts of items: expressions, places and types as rows of tokens to compare by, and in words to show.

Places in the text, proofs and types inside an expression leave no token. A declared name is a `Name`, so that names
can be translated; everything else is text.
"""

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

from rulewright.outline.items import Part
from rulewright.outline.names import NAMED, Name, Token, Tokens, Within
from rulewright.program import expressions as ex
from rulewright.program import statements as st
from rulewright.program.describe import describe
from rulewright.program.types import Type
from rulewright.program.wording import Wording
from rulewright.roles import Role, is_node, names
from rulewright.source import Span

_LEFT_OUT = (Role.PLACE, Role.PROOF, Role.MARGIN, Role.FACT)


def tokens(node: object, within: Within) -> Tokens:
    """What a part of a declaration says, as a row of tokens; equal for what is written alike."""
    return tuple(_tokens(node, within))


def _tokens(node: object, within: Within) -> Iterator[Token]:
    if isinstance(node, tuple):
        yield "("
        for each in node:
            yield from _tokens(each, within)
        yield ")"
    elif isinstance(node, ex.Narrowed):
        yield from _tokens(node.operand, within)
    elif isinstance(node, ex.Variable):
        yield within.variable(node.name)
    elif is_node(type(node)):
        yield from _node(node, within)
    else:
        yield repr(node)


def _node(node: Any, within: Within) -> Iterator[Token]:  # noqa: ANN401 - any class of the program
    sort = type(node)
    yield sort.__name__
    named = NAMED.get(sort, {})
    if sort in _COLLECTIONS:
        yield type(node.type).__name__
    for name in names(sort, *_LEFT_OUT):
        yield from named[name](node, within) if name in named else _tokens(getattr(node, name), within)
    yield "."


_COLLECTIONS = (ex.MakeCollection, ex.Comprehension)


_PLACES = (st.VariablePlace, st.EntryPlace, st.PartPlace, st.AttributePlace, st.GamePlace, st.CellPlace)


class Writer:
    """Writes the parts of one declaration.

    Args:
        within: the declaration.
        written: the text of a span, on one line; empty where it is not known.
    """

    def __init__(self, within: Within, written: Callable[[Span], str]) -> None:
        self.within = within
        self._written = written
        self._wording = Wording(within.program)

    def part(self, name: str, node: object) -> Part:
        """What a value of the program says; what has no words of its own is told by the whole line."""
        return Part(name, tokens(node, self.within), self._text(node))

    def field(self, name: str, node: object, field: str) -> Part:
        """What a field of a line says, which may be a name."""
        value = getattr(node, field)
        naming = NAMED.get(type(node), {}).get(field)
        form = naming(node, self.within) if naming else tokens(value, self.within)
        return Part(name, form, self._text(value))

    def parts(self, *named: tuple[str, object]) -> tuple[Part, ...]:
        """Parts by name; those that are not there are left out."""
        return tuple(self.part(name, node) for name, node in named if node is not None and node != ())

    def mention(self, name: str, sort: str, mentioned: str) -> Part:
        """A declared name."""
        return Part(name, (Name(sort, mentioned),), mentioned)

    def places(self, name: str, changes: tuple[str, ...]) -> Part:
        """What an external may change: attributes, fields of `game`, and what may leave play."""
        named = (
            Name("field", each.partition("/")[2]) if each.startswith("game/") else Name("attribute", each)
            for each in changes
        )
        return Part(name, tuple(named), ", ".join(each.replace("/", ".") for each in changes))

    def _text(self, node: object) -> str:  # noqa: PLR0911 - one case for each sort
        match node:
            case bool():
                return "yes" if node else "no"
            case int() | str() | Fraction():
                return str(node)
            case ex.Binding():
                return self._wording.binding(node)
            case ex.Variable(name=name):
                return name
            case ex.Typed():
                return self._written(node.span) or self._wording.text(node)  # type: ignore[arg-type]
            case tuple():
                texts = [self._text(each) for each in node]
                return ", ".join(texts) if all(texts) else ""
            case _ if isinstance(node, _PLACES):
                return self._wording.place(node)
            case _ if isinstance(node, Type):
                return describe(node)
            case _:
                return ""
