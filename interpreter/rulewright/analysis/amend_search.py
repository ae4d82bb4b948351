"""Addresses that lead nowhere: what was probably meant."""

from collections.abc import Iterable

from rulewright.analysis.addresses import Node, line_id, lines, name_of, parts
from rulewright.analysis.report import Report
from rulewright.diagnostics.suggest import nearest
from rulewright.syntax.nodes.names import Name


def missing(address: Name, declarations: Iterable[Node], report: Report) -> None:
    """Reports an address that nothing has: RW0614 where a line without id was meant, else RW0610."""
    declared = list(declarations)
    known = [found for declaration in declared for found, _ in parts(declaration)]
    if _is_unnamed(address.text, declared):
        last = address.text.rpartition("/")[2]
        report.error(
            "RW0614",
            address.span,
            f"the line `{last}` has no id",
            help=f"give it one in the base (`name: {last.partition('.')[0]} …`), or insert beside a line that has one",
        )
        return
    guess = _guess(address.text, known)
    remedy = f"did you mean `{guess}`?" if guess else ""
    report.error("RW0610", address.span, f"there is no `{address.text}`", help=remedy)


def _is_unnamed(address: str, declared: list[Node]) -> bool:
    """Whether a line of that declaration is called so by its verb alone."""
    first, last = address.partition("/")[0], address.rpartition("/")[2]
    for declaration in declared:
        name = name_of(declaration)
        if name is not None and name.text == first:
            return any(name_of(line) is None and line_id(line) == last for line in lines(declaration))
    return False


def _guess(address: str, known: list[str]) -> str | None:
    """The nearest address below the longest part of this one that exists, else the nearest of all."""
    elements = address.split("/")
    for length in range(len(elements) - 1, 0, -1):
        above = "/".join(elements[:length])
        if above in known:
            below = [each for each in known if each.startswith(f"{above}/")]
            here = {each.removeprefix(f"{above}/"): each for each in below}
            guess = nearest("/".join(elements[length:]), here)
            return here[guess] if guess else nearest(address, below)
    return nearest(address, known)
