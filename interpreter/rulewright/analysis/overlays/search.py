"""Addresses that lead nowhere: what was probably meant."""

from collections.abc import Iterable

from rulewright.analysis.addresses import Node, parts
from rulewright.analysis.report import Report
from rulewright.diagnostics.suggest import Remedy, is_slip, nearest, respelt
from rulewright.syntax.nodes.names import Name


def missing(address: Name, declarations: Iterable[Node], report: Report) -> None:
    """Reports an address that nothing has (RW0610)."""
    known = [found for declaration in declarations for found, _ in parts(declaration)]
    guess = _guess(address.text, known)
    safe = guess is not None and is_slip(address.text, guess, known)
    remedy = respelt(address.span, guess, safe=safe) if guess else Remedy()
    message = f"there is no `{_absent(address.text, known)}`"
    report.error("RW0610", address.span, message, help=remedy.help, edits=remedy.edits)


def _absent(address: str, known: list[str]) -> str:
    """An address up to its first element that is not there."""
    elements = address.split("/")
    ways = ("/".join(elements[:length]) for length in range(1, len(elements)))
    return next((each for each in ways if not any(f"{one}/".startswith(f"{each}/") for one in known)), address)


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
