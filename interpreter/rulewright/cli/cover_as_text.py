"""What scenarios reach, as text: a table, then what is missing with its place, then what was left out."""

from collections.abc import Iterator, Mapping

from rulewright.cli.output import Output
from rulewright.coverage.report import Report, counts, percent_text, who
from rulewright.coverage.unit import SORTS, Unit
from rulewright.diagnostics.as_text import place
from rulewright.diagnostics.visible import visible
from rulewright.scenarios.results import OUTCOMES
from rulewright.source import Text


def lines(found: Report, texts: Mapping[str, Text], out: Output) -> Iterator[str]:
    """The lines to print."""
    yield from _table(found, out)
    yield from _section("Missing", [(each, each.text) for each in found.missing], texts, out)
    yield from _section("Left out", [(each.unit, each.because) for each in found.excluded], texts, out)
    yield from _section("Cannot be reached", [(each, each.dead) for each in found.dead], texts, out)
    yield ""
    yield from _scenarios(found, out)


def summed(found: Report, out: Output) -> Iterator[str]:
    """The numbers alone."""
    yield from _table(found, out)
    yield ""
    yield _numbers(found)


def reached(address: str, found: Report, texts: Mapping[str, Text], out: Output) -> Iterator[str]:
    """The lines that tell who reached what of an address, with all that is inside."""
    hits = [each for each in found.reached if each.unit.is_at(address)]
    for each in hits:
        yield f"{each.unit.sort} {out.paint(each.unit.name, 'strong')}{_at(each.unit, texts, out)}"
        for name in who(each.by, found.results):
            yield f"  {visible(name)}"
    for unit in found.missing:
        if unit.is_at(address):
            yield f"{unit.sort} {out.paint(unit.name, 'strong')}{_at(unit, texts, out)}"
            yield f"  {out.paint('nobody', 'warning')}"


def _table(found: Report, out: Output) -> Iterator[str]:
    for count in counts(found):
        if count.whole:
            role = "good" if count.reached == count.whole else "warning"
            share = out.paint(f"{percent_text(count.percent):>7}", role)
            yield f"{count.sort:<11} {f'{count.reached} of {count.whole}':>13} {share}  {SORTS[count.sort]}"


def _section(title: str, units: list[tuple[Unit, str]], texts: Mapping[str, Text], out: Output) -> Iterator[str]:
    if not units:
        return
    yield ""
    yield out.paint(f"{title}:", "strong")
    for unit, text in units:
        note = out.paint(f"  {visible(text)}", "dim") if text else ""
        yield f"  {unit.sort:<11} {unit.name}{_at(unit, texts, out)}{note}"


def _at(unit: Unit, texts: Mapping[str, Text], out: Output) -> str:
    return f"  {out.paint(place(unit.span, texts), 'place')}" if unit.span else ""


def _scenarios(found: Report, out: Output) -> Iterator[str]:
    for each in found.results:
        if each.outcome in {"failed", "wrong"}:
            yield f"{out.paint(each.outcome, 'error')} {visible(each.case.file)}: {visible(each.case.name)}"
    yield _numbers(found)


def _numbers(found: Report) -> str:
    numbers = {outcome: sum(each.outcome == outcome for each in found.results) for outcome in OUTCOMES}
    return ", ".join(f"{number} {outcome}" for outcome, number in numbers.items() if number)
