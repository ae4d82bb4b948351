"""Rows of tallies, decisions and conditions as tables."""

from collections.abc import Sequence

from rulewright.chapter.document import Grid, Paragraph, grid
from rulewright.chapter.english import first_upper
from rulewright.chapter.phrases import Phrases
from rulewright.program import declarations as d
from rulewright.program import rows as r
from rulewright.program import statements as st
from rulewright.program.expressions import Binding, Expression

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
            tuple((self._change(each), self._when(each.guard, each.binding), each.title) for each in rows),
            tuple(each.cites for each in rows),
        )

    def _change(self, row: r.TallyRow) -> str:
        amount = self._say.noun(row.amount)
        if row.change == "plus":
            return amount if amount.startswith(("−", "-")) else f"+{amount}"  # noqa: RUF001
        each = " for each" if row.binding is not None else ""
        return f"{_CHANGES[row.change].format(amount)}{each}"

    def _when(self, guard: Expression | None, binding: Binding | None = None) -> str:
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

    def conditions(self, rows: Sequence[r.ConditionRow], else_: str) -> Grid:
        """Conditions with the words of their refusal."""
        return grid(
            ("Condition", else_),
            tuple((first_upper(self._guarded(each)), each.title) for each in rows),
            tuple(each.cites for each in rows),
        )

    def _guarded(self, row: r.ConditionRow) -> str:
        when = f" (asked only if {self._say.sentence(row.guard)})" if row.guard is not None else ""
        return f"{self._say.sentence(row.condition)}{when}"
