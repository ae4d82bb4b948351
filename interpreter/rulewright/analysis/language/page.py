"""The manual's page of the functions of the language, made from their table."""

from itertools import groupby

from rulewright.analysis.language.builtins import FUNCTIONS, Function


def builtins_page() -> str:
    """The page as Markdown: a table for each group of functions."""
    groups = (_group(name, list(rows)) for name, rows in groupby(FUNCTIONS, key=lambda each: each.group))
    return "# Functions of the language\n\n" + _OPENING + "".join(groups)


_OPENING = """\
Everything here is called in expressions, `name(…)`, and changes nothing. A *number* is a whole number or a fraction, a
*cell* a `hex`, `square` or `square8`; `T` stands for any type. On the plane a *base* is a thing with a base or a pose,
a *body* a base, a point or a polygon, a *spot* a thing, a pose or a point. `count`, `sum`, `min` and `max` also take
`each x in S where C: value`.
"""


def _group(name: str, rows: list[Function]) -> str:
    lines = "".join(_row(row) for row in rows)
    return f"\n## {name}\n\n| function | gives | meaning | example |\n|---|---|---|---|\n{lines}"


def _row(row: Function) -> str:
    return f"| `{row.name}({row.arguments})` | {row.result} | {row.meaning} | `{row.example}` |\n"
