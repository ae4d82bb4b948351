"""How many cells the rows of a table have, and how many they need."""

from collections.abc import Sequence

from rulewright.analysis.addresses import column_ids
from rulewright.analysis.scope import Scope
from rulewright.diagnostics.remedies import wrapped
from rulewright.syntax.nodes import declarations as nodes


def miscounted(node: nodes.Table, inputs: Sequence[str], scope: Scope) -> bool:
    """Whether rows have too few or too many cells; reports each, or the one line `across` that all of them miss."""
    heads = None if node.across is None else column_ids(node.across)
    wanted = len(inputs) + (1 if heads is None else len(heads))
    wrong = [row for row in node.rows if len(row.cells) != wanted]
    if not wrong or (heads is None and _across_forgotten(node, inputs, scope)):
        return bool(wrong)
    needed = f"`{node.name.text}` has {_several(len(inputs), 'input')} and 1 result"
    if heads is not None:
        needed = f"{wanted} are needed, one for each of {_listed([*inputs, *heads])}"
    for row in wrong:
        message = f"this row has {_several(len(row.cells), 'cell')}; {needed}"
        scope.report.error("RW0328", row.span, message, help="cells are divided by `|`, and the last is the result")
    return True


def _across_forgotten(node: nodes.Table, inputs: Sequence[str], scope: Scope) -> bool:
    """Whether a table of several inputs has rows for a table with columns, with no line that heads them; reports it."""
    widths = {len(row.cells) for row in node.rows[1:]}
    if len(inputs) < 2 or len(widths) != 1:  # noqa: PLR2004 - several
        return False
    row, width = node.rows[0], min(widths)
    results = width - len(inputs) + 1
    if row.name is not None and row.name.text in inputs and len(row.cells) == results:
        message = f"what heads the columns of `{row.name.text}` begins with `across`"
        edits = wrapped("across ", row.name.span, "", safe=True)
        scope.report.error("RW0328", row.name.span, message, help=f"write `across {row.name.text}: …`", edits=edits)
        return True
    if len(row.cells) != width or results < 3:  # noqa: PLR2004 - the result of a plain row, and what it has too many
        return False
    message = f"these rows have {width} cells, and no line `across` says what heads their columns"
    heads = " | ".join("…" for _ in range(min(results, 3)))
    remedy = f"write `across {inputs[-1]}: {heads}` above them, with {results} values"
    scope.report.error("RW0328", row.span, message, help=remedy)
    return True


def _listed(parts: Sequence[str]) -> str:
    return f"{', '.join(f'`{each}`' for each in parts[:-1])} and `{parts[-1]}`"


def _several(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
