"""Rows of tallies, decisions and conditions as tables."""

from collections.abc import Sequence
from itertools import product

from rulewright.analysis.facts.knowledge import conjuncts
from rulewright.chapter.document import Grid, Paragraph, grid
from rulewright.chapter.english import first_upper
from rulewright.chapter.phrases import Phrases
from rulewright.program import declarations as d, rows as r, statements as st
from rulewright.program.expressions import Binding, Expression

_TWO = 2
_CHANGES = {
    "plus": "{0}",
    "times": "×{0}",  # noqa: RUF001 - a product
    "becomes": "becomes {0}",
    "at least": "at least {0}",
    "at most": "at most {0}",
}


class Rows:
    """Puts rows into tables; `say` puts their conditions and values into words."""

    def __init__(self, say: Phrases) -> None:
        self._say = say

    def figures(self, rule: d.Tally | d.Decide | st.TallyLine | st.DecideLine) -> Paragraph:
        """The rows of a tally or decision, with how they are read."""
        match rule:
            case d.Tally(start=start, rows=rows) | st.TallyLine(start=start, rows=rows):
                said = f"Begin at {self._say.noun(start)}; each row that applies changes it, in order:"
                return Paragraph(said, grid=self.tally(rows))
            case d.Decide(rows=rows) | st.DecideLine(rows=rows):
                return Paragraph("The first row that applies decides:", grid=self.decide(rows))

    def tally(self, rows: Sequence[r.TallyRow]) -> Grid:
        """The modifiers of a tally."""
        return grid(
            ("Change", "When", "Why"),
            tuple((self.change(each), self.when(each.guard, each.binding), each.title) for each in rows),
            tuple(each.cites for each in rows),
        )

    def change(self, row: r.TallyRow) -> str:
        """What a modifier does: `+2`, `at most 6`."""
        amount = self._say.noun(row.amount)
        if row.change == "plus":
            return amount if amount.startswith(("−", "-")) else f"+{amount}"  # noqa: RUF001
        each = " for each" if row.binding is not None else ""
        return f"{_CHANGES[row.change].format(amount)}{each}"

    def when(self, guard: Expression | None, binding: Binding | None = None) -> str:
        """When a modifier applies: `always`, or its condition."""
        if binding is not None:
            return f"for each {self._say.one_by_one(binding)}"
        return "always" if guard is None else self._say.sentence(guard)

    def decide(self, rows: Sequence[r.DecideRow]) -> Grid:
        """The rows of a decision, in order."""
        return grid(
            ("Result", "If", "Why"),
            tuple(
                (
                    self._say.value(each.value),
                    "otherwise" if each.guard is None else self._say.sentence(each.guard),
                    each.title,
                )
                for each in rows
            ),
            tuple(each.cites for each in rows),
        )

    def table(self, heads: tuple[str, ...], rows: Sequence[r.TableRow]) -> Grid:
        """The rows of a table; two inputs that all meet stand beside and above their results."""
        cells = [tuple(self.cell(each) for each in row.cells) for row in rows]
        results = [self._say.noun(row.result) for row in rows]
        if len(heads) == _TWO:
            down, across = (tuple(dict.fromkeys(column)) for column in zip(*cells, strict=True))
            if min(len(down), len(across)) > 1 and cells == [*product(down, across)]:
                return _two_way(heads, (down, across), results, [row.cites for row in rows])
        told = tuple((*texts, result) for texts, result in zip(cells, results, strict=True))
        return Grid((*heads, "Result"), told, tuple(row.cites for row in rows))

    def cell(self, cell: r.Cell) -> str:
        """What one input of a table must be: `4 or more`, `2 to 3`."""

        def noun(node: Expression | None) -> str:
            return "" if node is None else self._say.noun(node)

        if cell.value is not None:
            return noun(cell.value)
        if cell.low is None and cell.high is None:
            return "any"
        if cell.high is None:
            return f"{noun(cell.low)} or more"
        if cell.low is None:
            return f"{noun(cell.high)} or less"
        low, high = noun(cell.low), noun(cell.high)
        return low if low == high else f"{low} to {high}"

    def conditions(self, rows: Sequence[r.ConditionRow], else_: str) -> Grid:
        """Conditions with the words of their refusal."""
        return grid(
            ("Condition", else_),
            tuple((first_upper(self.guarded(each)), each.title and f"“{each.title}”") for each in rows),
            tuple(each.cites for each in rows),
        )

    def only(self, guard: Expression) -> Paragraph:
        """When a step is carried out; of many conditions each by itself."""
        parts = conjuncts(guard)
        if len(parts) <= _TWO:
            return Paragraph(f"Only if {self._say.sentence(guard)}; else this step is skipped.")
        inside = tuple(Paragraph(f"{first_upper(self._say.sentence(each))}.") for each in parts)
        return Paragraph("Only if all of these hold; else this step is skipped:", inside)

    def guarded(self, row: r.ConditionRow) -> str:
        """A condition with that under which it is asked."""
        when = f" (asked only if {self._say.sentence(row.guard)})" if row.guard is not None else ""
        return f"{self._say.sentence(row.condition)}{when}"


def _two_way(
    heads: tuple[str, ...],
    inputs: tuple[tuple[str, ...], tuple[str, ...]],
    results: Sequence[str],
    cites: Sequence[tuple[str, ...]],
) -> Grid:
    """A table with the values of its second input as columns, as a rulebook prints it."""
    down, across = inputs
    lines = [slice(first, first + len(across)) for first in range(0, len(results), len(across))]
    return Grid(
        (" \\ ".join(heads), *across),
        tuple((value, *results[line]) for value, line in zip(down, lines, strict=True)),
        tuple(tuple(dict.fromkeys(cite for each in cites[line] for cite in each)) for line in lines),
    )
