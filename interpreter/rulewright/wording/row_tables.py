"""Rows of tallies, decisions, tables and conditions as grids."""

from collections.abc import Sequence
from itertools import product

from rulewright.program import declarations as d, rows as r, statements as st
from rulewright.program.conditions import split_conjuncts
from rulewright.program.expressions import Binding, Expression
from rulewright.wording.chapter_document import ChapterGrid, Paragraph, drop_empty_columns
from rulewright.wording.english import first_upper
from rulewright.wording.phrases import PhraseGenerator

_MAX_INLINE_CONDITIONS = 2
_CHANGE_FORMATS = {
    "plus": "{0}",
    "times": "×{0}",  # noqa: RUF001 - a product
    "becomes": "becomes {0}",
    "at least": "at least {0}",
    "at most": "at most {0}",
}


class RowTableGenerator:
    """Grids of rows; `say` renders their conditions and values."""

    def __init__(self, say: PhraseGenerator) -> None:
        self._phrases = say

    def make_rule_table(self, rule: d.Tally | d.Decide | st.TallyLine | st.DecideLine) -> Paragraph:
        """Rows of a tally or decision, with how they are read."""
        match rule:
            case d.Tally(start=start, rows=rows) | st.TallyLine(start=start, rows=rows):
                sentence = f"Begin at {self._phrases.noun_phrase(start)}; each row that applies changes it, in order:"
                return Paragraph(sentence, grid=self.make_tally_grid(rows))
            case d.Decide(rows=rows) | st.DecideLine(rows=rows):
                return Paragraph("The first row that applies decides:", grid=self.make_decision_grid(rows))

    def make_tally_grid(self, rows: Sequence[r.TallyRow]) -> ChapterGrid:
        """Modifiers of a tally."""
        return drop_empty_columns(
            ("Change", "When", "Why"),
            tuple(
                (self.modifier_phrase(row), self.applicability_phrase(row.guard, row.binding), row.title)
                for row in rows
            ),
            tuple(row.cites for row in rows),
        )

    def modifier_phrase(self, row: r.TallyRow) -> str:
        """`+2`, `at most 6`."""
        amount = self._phrases.noun_phrase(row.amount)
        if row.change == "plus":
            return amount if amount.startswith(("−", "-")) else f"+{amount}"  # noqa: RUF001
        each = " for each" if row.binding is not None else ""
        return f"{_CHANGE_FORMATS[row.change].format(amount)}{each}"

    def applicability_phrase(self, guard: Expression | None, binding: Binding | None = None) -> str:
        """`always`, or the condition of a modifier."""
        if binding is not None:
            return f"for each {self._phrases.filtered_member_phrase(binding)}"
        return "always" if guard is None else self._phrases.condition_clause(guard)

    def make_decision_grid(self, rows: Sequence[r.DecideRow]) -> ChapterGrid:
        """Rows of a decision."""
        return drop_empty_columns(
            ("Result", "If", "Why"),
            tuple(
                (
                    self._phrases.value_phrase(row.value),
                    "otherwise" if row.guard is None else self._phrases.condition_clause(row.guard),
                    row.title,
                )
                for row in rows
            ),
            tuple(row.cites for row in rows),
        )

    def make_lookup_grid(self, heads: tuple[str, ...], rows: Sequence[r.TableRow]) -> ChapterGrid:
        """Rows of a table; as a two-way grid if two inputs meet in all combinations."""
        cells = [tuple(self.cell_phrase(cell) for cell in row.cells) for row in rows]
        results = [self._phrases.noun_phrase(row.result) for row in rows]
        if len(heads) == _MAX_INLINE_CONDITIONS:
            down, across = (tuple(dict.fromkeys(column)) for column in zip(*cells, strict=True))
            if min(len(down), len(across)) > 1 and cells == [*product(down, across)]:
                return _make_two_way_grid(heads, (down, across), results, [row.cites for row in rows])
        grid_rows = tuple((*texts, result) for texts, result in zip(cells, results, strict=True))
        return ChapterGrid((*heads, "Result"), grid_rows, tuple(row.cites for row in rows))

    def cell_phrase(self, cell: r.Cell) -> str:
        """`4 or more`, `2 to 3`."""

        def bound_phrase(node: Expression | None) -> str:
            return "" if node is None else self._phrases.noun_phrase(node)

        if cell.value is not None:
            return bound_phrase(cell.value)
        if cell.low is None and cell.high is None:
            return "any"
        if cell.high is None:
            return f"{bound_phrase(cell.low)} or more"
        if cell.low is None:
            return f"{bound_phrase(cell.high)} or less"
        low, high = bound_phrase(cell.low), bound_phrase(cell.high)
        return low if low == high else f"{low} to {high}"

    def make_condition_grid(self, rows: Sequence[r.ConditionRow], else_: str) -> ChapterGrid:
        """Conditions with the words of their refusal."""
        return drop_empty_columns(
            ("Condition", else_),
            tuple((first_upper(self.guarded_condition_phrase(row)), row.title and f"“{row.title}”") for row in rows),
            tuple(row.cites for row in rows),
        )

    def make_guard_paragraph(self, guard: Expression) -> Paragraph:
        """Guard of a step; operands of a long one as a list."""
        parts = split_conjuncts(guard)
        if len(parts) <= _MAX_INLINE_CONDITIONS:
            return Paragraph(f"Only if {self._phrases.condition_clause(guard)}; else this step is skipped.")
        inside = tuple(Paragraph(f"{first_upper(self._phrases.condition_clause(part))}.") for part in parts)
        return Paragraph("Only if all of these hold; else this step is skipped:", inside)

    def guarded_condition_phrase(self, row: r.ConditionRow) -> str:
        """Condition of a row, with its guard."""
        when = f" (asked only if {self._phrases.condition_clause(row.guard)})" if row.guard is not None else ""
        return f"{self._phrases.condition_clause(row.condition)}{when}"


def _make_two_way_grid(
    heads: tuple[str, ...],
    inputs: tuple[tuple[str, ...], tuple[str, ...]],
    results: Sequence[str],
    cites: Sequence[tuple[str, ...]],
) -> ChapterGrid:
    down, across = inputs
    lines = [slice(first, first + len(across)) for first in range(0, len(results), len(across))]
    return ChapterGrid(
        (" \\ ".join(heads), *across),
        tuple((value, *results[line]) for value, line in zip(down, lines, strict=True)),
        tuple(tuple(dict.fromkeys(cite for item in cites[line] for cite in item)) for line in lines),
    )
