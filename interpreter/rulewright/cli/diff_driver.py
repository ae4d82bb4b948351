"""`diff` for git: one changed file at a time, told on standard output whatever is wrong with it."""

from collections.abc import Iterator

from rulewright.cli import diff_as_text
from rulewright.cli.diff_found import compared
from rulewright.cli.diff_places import Written, places_of
from rulewright.cli.diff_sides import read_side
from rulewright.cli.differing import difference
from rulewright.cli.exits import Exit
from rulewright.cli.output import Output, PrintError
from rulewright.cli.reading import read_text
from rulewright.cli.stop import Stop, complaint
from rulewright.diagnostics.visible import visible
from rulewright.files.replaced import NOWHERE
from rulewright.source import Text

_USUAL = 7
_RENAMED = 9


def drive(arguments: tuple[str, ...], out: Output) -> Exit:
    """Shows what a file of git became, between other files as they are now; git would stop at any exit but 0.

    Raises:
        Stop: RW1106, these are not the arguments that git gives.
    """
    if len(arguments) == 1:
        out.say(f"{visible(arguments[0])}: not merged yet")
        return Exit.FINE
    if len(arguments) not in {_USUAL, _RENAMED}:
        remedy = "`git config diff.rulewright.command 'rulewright diff --driver'` lets git give them"
        raise Stop([complaint("RW1106", f"git gives a diff driver 7 arguments, and here are {len(arguments)}", remedy)])
    place, old, new = arguments[-2] if len(arguments) == _RENAMED else arguments[0], arguments[1], arguments[4]
    try:
        for line in _lines(place, old, new, out):
            out.say(line)
        out.say()
    except PrintError as trouble:
        raise PrintError(trouble.reason, Exit.FINE) from None
    return Exit.FINE


def _lines(place: str, old: str, new: str, out: Output) -> Iterator[str]:
    alone = on_one_side(place, old, new)
    if alone:
        yield alone
        return
    try:
        before, after = places_of(Written((old, new), None, place, (), (), ()))
        yield from diff_as_text.lines(compared(read_side(before), read_side(after), lambda _: None), out, whole=False)
    except Stop as stop:
        out.report(stop.diagnostics, stop.texts)
        yield from _line_by_line(place, old, new)


def on_one_side(place: str, old: str, new: str) -> str:
    """What to say of a file that came or went; nothing of one with two versions."""
    if old in NOWHERE or new in NOWHERE:
        return f"{visible(place)}: {'added' if old in NOWHERE else 'removed'}"
    return ""


def _line_by_line(place: str, old: str, new: str) -> Iterator[str]:
    """Both texts as they are, where they are texts."""
    try:
        before, after = read_text(old), read_text(new)
    except Stop:
        yield f"{visible(place)}: no text, so it is not shown"
        return
    yield from (line for _, line in difference(Text(place, before.content), Text(place, after.content)))
