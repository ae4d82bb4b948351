"""Shows what `test --accept` would write, asks, and writes it."""

import sys
from collections.abc import Sequence
from pathlib import Path

from rulewright.cli.differing import difference
from rulewright.cli.output import Output
from rulewright.cli.stop import Stop, complaint
from rulewright.cli.writing import write
from rulewright.diagnostics import Diagnostic
from rulewright.frozen import dataclass
from rulewright.scenarios.accepting.accepting import Accepted, accepted
from rulewright.scenarios.beginning import Rules
from rulewright.scenarios.results import Result
from rulewright.scenarios.suite import Suite

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_YES = frozenset({"y", "yes"})


@dataclass(frozen=True, slots=True)
class Blessing:
    """What can be accepted of some failures.

    Attributes:
        files: every file with a failure, in order.
        written: whether it was written.
    """

    files: tuple[Accepted, ...]
    written: bool

    @property
    def left(self) -> tuple[Diagnostic, ...]:
        """Warnings about expectations that stay as they are."""
        return tuple(one for each in self.files for one in each.left)


def bless(suites: Sequence[Suite], played: Sequence[Result], rules: Rules, out: Output, *, yes: bool) -> Blessing:
    """Shows the difference and writes it, where `yes` says so or somebody at a terminal does.

    Raises:
        Stop: RW1053, a file has changed since it was read; RW0011, it cannot be written.
    """
    failed = [each for each in played if each.outcome == "failed"]
    files = {each.file: each for each in suites}
    names = dict.fromkeys(each.case.file for each in failed)
    found = tuple(accepted(files[name], [each for each in failed if each.case.file == name], rules) for name in names)
    if out.form != "json":
        _show(found, rules, out)
    written = any(each.proposals for each in found) and (yes or _agreed_to(found, out))
    if written:
        for each in found:
            _write(each)
    return Blessing(found, written)


def after(blessing: Blessing, played: Sequence[Result]) -> list[Result]:
    """The results as they are now."""
    if not blessing.written:
        return list(played)
    new = {(each.case.file, each.case.name): each for one in blessing.files for each in one.results}
    return [new.get((each.case.file, each.case.name), each) for each in played]


def _show(found: Sequence[Accepted], rules: Rules, out: Output) -> None:
    for each in found:
        for sign, line in difference(each.before, each.after):
            out.say(out.paint(line, _COLOURS[sign]) if sign else line)
        out.report(each.left, rules.texts)
    if not any(each.proposals for each in found):
        out.say("there is nothing to accept")


_COLOURS = {"-": "error", "+": "good"}


def _agreed_to(found: Sequence[Accepted], out: Output) -> bool:
    if out.form == "json":
        return False
    count = sum(len(each.proposals) for each in found)
    what = "this expectation" if count == 1 else f"these {count} expectations"
    if not (sys.stdin and sys.stdin.isatty() and out.stream.isatty()):
        out.say(f"nothing is written; `--accept --yes` writes {what}")
        return False
    out.write(out.paint(f"write {what}? (yes or no) ", "ask"))
    return sys.stdin.readline().strip().lower() in _YES


def _write(each: Accepted) -> None:
    """Puts the new text in the place of the old one, which must still be there.

    Raises:
        Stop: it is not; RW1053.
    """
    if not each.proposals:
        return
    path, old = Path(each.before.name), each.before.content.encode()
    try:
        held = path.read_bytes()
    except OSError:
        held = b""
    mark = _BYTE_ORDER_MARK if held.startswith(_BYTE_ORDER_MARK) else b""
    if held.removeprefix(mark) != old:
        message = f"`{each.before.name}` has changed since it was read"
        raise Stop([complaint("RW1053", message, "accept again, with what it says now")])
    write(path, mark.decode() + each.after.content)
