"""The first screen, of `rulewright` without a verb: commands to type next in this folder."""

from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path

from rulewright.base.diagnostics.terminal import make_visible

_MAX_NAMED_RULESETS = 5
_MAX_SCANNED_ENTRIES = 1000
_INTRODUCTION = """\
Write your game's rules once, in plain structured English. rulewright finds the gaps, plays them,
works out the odds, and shows what each edit changes."""


def render_welcome(folder: Path) -> str:
    """Commands for the rulesets of a folder and of its subfolders, else for a new one."""
    rulesets = list(islice(_find_folder_rulesets(folder), _MAX_NAMED_RULESETS + 1))
    if rulesets:
        more = " and more" if len(rulesets) > _MAX_NAMED_RULESETS else ""
        first, named = rulesets[0], ", ".join(rulesets[:_MAX_NAMED_RULESETS])
        about = f"Rules in this folder: {named}{more}"
        commands = [
            ("rulewright studio", "open the workbench in your browser"),
            (f"rulewright play {first}", "play at this terminal"),
            ("rulewright check .", "find mistakes and gaps"),
            ("rulewright test .", "play the scenarios and compare their results"),
        ]
    else:
        about = "There are no rules in this folder yet."
        commands = [
            ("rulewright studio", "open the workbench in your browser, with games to copy"),
            ("rulewright new skirmish --from hex-combat", "start from a small game of hexes and counters"),
            ("rulewright new NAME", "start from a ruleset of three steps"),
        ]
    widest = max(len(command) for command, _ in commands)
    lines = [f"  {command.ljust(widest)}   {description}" for command, description in commands]
    return "\n".join([_INTRODUCTION, "", about, *lines, "", "All commands: rulewright --help"])


def _find_folder_rulesets(folder: Path) -> Iterator[str]:
    """Rulesets as arguments of commands: folders with rules, then files."""
    with suppress(OSError):
        entries = sorted(islice(folder.iterdir(), _MAX_SCANNED_ENTRIES))
        for entry in entries:
            if entry.is_dir() and not entry.name.startswith(".") and next(entry.glob("*.rules"), None) is not None:
                yield make_visible(entry.name)
        for path in entries:
            if path.suffix == ".rules" and path.is_file():
                yield make_visible(path.name)
