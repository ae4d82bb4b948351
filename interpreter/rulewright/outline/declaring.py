"""What the items of all declarations share."""

import re
from collections.abc import Mapping

from rulewright.frozen import dataclass
from rulewright.outline.items import Item, Part
from rulewright.outline.lines import Lines
from rulewright.outline.names import Name, Within
from rulewright.outline.writing import Writer
from rulewright.program import declarations as d
from rulewright.program.describe import describe
from rulewright.program.expressions import Variable
from rulewright.source import Span, Text

_MARGIN = re.compile(r" @[\w.:-]+")
_OPENED = re.compile(r"(?<=[(\[{])\s*\n\s*")
_CLOSED = re.compile(r"\s*\n\s*(?=[)\]}])")
_NOWHERE = Span("", 0, 0)


@dataclass(frozen=True, slots=True)
class Declaring:
    """Makes items of the declarations of one program."""

    program: d.Program
    texts: Mapping[str, Text]

    def text(self, span: Span) -> str:
        """The text of a span on one line, without margins; empty where it is not known."""
        found = self.texts.get(span.source)
        if found is None:
            return ""
        lines = _CLOSED.sub("", _OPENED.sub("", found.content[span.start : span.end]))
        return _MARGIN.sub("", " ".join(lines.split()))

    def lines(self, owner: str, seen: tuple[Variable, ...] = ()) -> Lines:
        """Makes items of the lines of a declaration; callers see these of its variables."""
        within = Within(self.program, owner, frozenset(each.name for each in seen))
        return Lines(Writer(within, self.text), self.text)

    def item(
        self, node: d.Declared, sort: str, word: str, parts: tuple[Part, ...], items: tuple[Item, ...] = ()
    ) -> Item:
        """A whole declaration: the sort of its name, and the word for what it is."""
        return Item(
            word,
            node.name,
            node.name,
            self.text(node.span),
            node.span,
            name=Name(sort, node.name),
            title=node.title,
            cites=node.cites,
            parts=parts,
            items=items,
        )

    def parameters(
        self, variables: tuple[Variable, ...], lines: Lines, defaults: tuple[object, ...] = ()
    ) -> tuple[Item, ...]:
        """The parameters of a declaration with their defaults, none where nothing is given."""
        given = defaults or (None,) * len(variables)
        return tuple(self._parameter(each, lines, default) for each, default in zip(variables, given, strict=True))

    def _parameter(self, variable: Variable, lines: Lines, default: object) -> Item:
        writer = lines.writer
        return Item(
            "parameter",
            variable.name,
            f"{writer.within.owner}/{variable.name}",
            f"{variable.name}: {describe(variable.type)}",
            _NOWHERE,
            name=writer.within.variable(variable.name),
            parts=writer.parts(("type", variable.type), ("default", default)),
            ordered=True,
        )
