"""The verb `new`."""

import os
import re
from pathlib import Path
from string import Template

import click

from rulewright.cli.exits import Exit
from rulewright.cli.options import format_option, verb
from rulewright.cli.output import Output, output
from rulewright.cli.stop import Stop, complaint
from rulewright.cli.writing import write
from rulewright.diagnostics.visible import visible

_SEEDLING = Path(__file__).parent / "seedling"
_NAME = re.compile(r"[a-z][a-z0-9_-]*")


@verb("new")
@click.argument("name")
@format_option
def command(name: str, form: str | None) -> int:
    """Makes the folder NAME with a small ruleset, scenarios and a README, ready to play."""
    folder = Path(name)
    if name and os.path.lexists(folder):
        raise Stop([complaint("RW0787", f"`{name}` is already there", "take another name")])
    if not _NAME.fullmatch(folder.name):
        remedy = "begin with a small letter; then small letters, digits, `_` and `-`"
        raise Stop([complaint("RW0786", f"`{folder.name}` is no name for a ruleset", remedy)])
    files = _files(folder)
    _make(folder)
    for path, content in files.items():
        write(path, content)
    _tell(folder, list(files), output(form))
    return Exit.FINE


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True)
    except OSError as error:
        reason = (error.strerror or "no reason given").lower()
        raise Stop([complaint("RW0011", f"`{folder}` cannot be written: {reason}")]) from None


def _files(folder: Path) -> dict[Path, str]:
    """What to write: the seedling under the names of the new ruleset."""
    ruleset = folder.name.replace("-", "_")
    words = {"folder": str(folder), "ruleset": ruleset, "title": ruleset.replace("_", " ").capitalize()}
    seeds = {path: path.read_text(encoding="utf-8") for path in sorted(_SEEDLING.iterdir())}
    return {
        folder / path.name.replace("ruleset.", f"{ruleset}."): Template(content).substitute(words)
        for path, content in seeds.items()
    }


def _tell(folder: Path, files: list[Path], out: Output) -> None:
    if out.form == "json":
        out.data({"version": 1, "folder": str(folder), "files": [str(path) for path in files]})
        return
    for path in files:
        out.say(f"wrote {visible(str(path))}")
    out.say(f"next: rulewright check {visible(str(folder))}")
