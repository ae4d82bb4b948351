"""Mutants as text: a table, then what nobody would notice as lines before and after, then what was explained."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from rulewright.cli.output import Output
from rulewright.diagnostics.as_text import place
from rulewright.diagnostics.visible import visible
from rulewright.mutations.mutant import Mutant, change
from rulewright.scoring.report import STATES, Count, Scored, counts
from rulewright.source import Text

_MOST = 6


def lines(scored: Sequence[Scored], texts: Mapping[str, Text], out: Output) -> Iterator[str]:
    """The lines to print."""
    yield from _table(counts(scored), out)
    survivors = [each.mutant for each in scored if each.state == "survived"]
    if survivors:
        yield ""
        yield out.paint("No test would notice this:", "strong")
        for each in survivors:
            yield from _shown(each, texts, out)
    yield from _section("Explained", [(each.mutant, each.because) for each in scored if each.because], texts, out)
    equivalent = [(each.mutant, each.verdict.why) for each in scored if each.state == "equivalent"]
    yield from _section("Proved to play the same", equivalent, texts, out)
    yield ""
    yield from _sum(counts(scored)[-1])


def summed(scored: Sequence[Scored], out: Output) -> Iterator[str]:
    """The numbers alone."""
    yield from _table(counts(scored), out)
    yield ""
    yield from _sum(counts(scored)[-1])


def listed(mutants: Iterable[Mutant], texts: Mapping[str, Text], out: Output) -> Iterator[str]:
    """The mutants, without anything being tried."""
    number = 0
    for number, each in enumerate(mutants, 1):  # noqa: B007 - told at the end
        yield from _shown(each, texts, out)
    yield f"{number} changes"


def _table(found: Sequence[Count], out: Output) -> Iterator[str]:
    yield f"{'':<11}" + "".join(f"{state:>12}" for state in STATES) + f"{'noticed':>10}"
    for each in found:
        numbers = "".join(f"{number:>12}" for number in _numbers(each))
        role = "good" if not each.survived else "warning"
        yield f"{each.operator:<11}{numbers}{out.paint(f'{each.score:g} %'.rjust(10), role)}"


def _numbers(count: Count) -> tuple[int, ...]:
    return tuple(getattr(count, state) for state in STATES)


def _shown(mutant: Mutant, texts: Mapping[str, Text], out: Output) -> Iterator[str]:
    """The name, the place, and the lines before and after."""
    yield f"  {out.paint(visible(mutant.name), 'strong')}{_at(mutant, texts, out)}"
    found = change(mutant, texts[mutant.place.source])
    for sign, role, side in (("-", "error", found.old), ("+", "good", found.new)):
        for line in side[:_MOST]:
            yield out.paint(f"    {sign} {visible(line.strip())}", role)
        if len(side) > _MOST:
            yield out.paint(f"    {sign} … and {len(side) - _MOST} lines more", role)


def _section(
    title: str, mutants: Sequence[tuple[Mutant, str]], texts: Mapping[str, Text], out: Output
) -> Iterator[str]:
    if not mutants:
        return
    yield ""
    yield out.paint(f"{title}:", "strong")
    for mutant, why in mutants:
        yield f"  {visible(mutant.name)}{_at(mutant, texts, out)}{out.paint(f'  {visible(why)}', 'dim')}"


def _at(mutant: Mutant, texts: Mapping[str, Text], out: Output) -> str:
    return f"  {out.paint(place(mutant.place, texts), 'place')}"


def _sum(count: Count) -> Iterator[str]:
    tried = count.killed + count.survived + count.explained
    yield f"{count.killed} of {tried} changes are noticed, {count.score:g} %"
    if count.explained:
        rest = f"{count.killed} of {tried - count.explained}, {count.unexplained:g} %"
        yield f"without the {count.explained} explained ones {rest}"
    if count.equivalent or count.refused:
        yield f"not counted: {count.equivalent} that play the same, {count.refused} that the checker refuses"
