"""Parts of items: what something says, in tokens to compare by and in words to show."""

from collections.abc import Callable
from fractions import Fraction

from rulewright.comparing.named import NAMED, Within
from rulewright.comparing.naming import Name
from rulewright.comparing.outline import Part
from rulewright.comparing.tokens import tokens
from rulewright.machine.wording import Wording
from rulewright.program import expressions as ex
from rulewright.program import statements as st
from rulewright.program.describe import describe
from rulewright.program.types import Type
from rulewright.source import Span

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
