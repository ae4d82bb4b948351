"""The verb `rename`: another name for a target, shown as the lines that differ, or written into all files at once."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import click

from rulewright.cli.find import target_of
from rulewright.cli.named_files import can_write, files_for, write
from rulewright.cli.options import allow_option, format_option, verb
from rulewright.cli.output import Exit, Output, Stop, difference, output
from rulewright.diagnostics.terminal import visible
from rulewright.files import Provider
from rulewright.references.gathering import Gathered, gather
from rulewright.references.index import Target
from rulewright.references.playing import outcomes
from rulewright.references.renaming import Refused, Renamed, renamed
from rulewright.references.spelling import mentions, words
from rulewright.source import Text

_VERSION = 1
_SIGNS = {"+": "good", "-": "bad"}


@verb("rename")
@click.argument("ruleset")
@click.argument("target")
@click.argument("name")
@click.option("--write", "writing", is_flag=True, help="write the new name into all files")
@click.option("--no-test", "untested", is_flag=True, help="skip playing the scenarios before and after")
@allow_option
@format_option
def command(  # noqa: PLR0913 - one parameter for each option
    *, ruleset: str, target: str, name: str, writing: bool, untested: bool, form: str | None
) -> int:
    """Changes a name everywhere: in the rules, overlays, scenarios, states, scripts and clause lists of RULESET.

    TARGET is written as for `find`. Without `--write` it only shows the lines that would change. It refuses a name
    that would change what something else means, or how a scenario ends.

    Exits with 1 if the name is refused.

    Example, after `rulewright new skirmish`: `rulewright rename skirmish Knight.shield buckler`.
    """
    out, files = output(form), files_for(ruleset)
    searched, found = target_of(ruleset, target, files)
    new = name.removeprefix(found.address.removesuffix(found.name))

    def gathering(provider: Provider) -> Gathered:
        return gather(ruleset, provider, words(found.name, new))

    playing = None if untested else partial(outcomes, searched.folders)
    made = renamed(found, new, gathering, files, playing)
    if isinstance(made, Refused):
        raise Stop(made.findings, made.texts, Exit.FOUND)
    if writing:
        _write(made)
    if out.form == "json":
        out.data(_as_json(found, new, made, written=writing))
        return Exit.FINE
    out.tell((*_lines(made, out), *_summary(found, new, made, len(mentions(found, searched)), written=writing)))
    return Exit.FINE


def _write(made: Renamed) -> None:
    """Writes every file, or none: what can be written is looked at first, and what was is put back."""
    for place in made.after:
        can_write(place)
    done: list[str] = []
    try:
        for place, content in made.after.items():
            write(Path(place), content)
            done.append(place)
    except BaseException:
        for place in done:
            write(Path(place), made.before[place].content)
        raise


def _as_json(target: Target, name: str, made: Renamed, *, written: bool) -> dict[str, Any]:
    return {
        "version": _VERSION,
        "target": {"sort": target.sort, "address": target.address, "name": target.name},
        "name": name,
        "written": written,
        "files": [{"file": place, "content": content} for place, content in made.after.items()],
    }


def _lines(made: Renamed, out: Output) -> Iterator[str]:
    for place, text in made.before.items():
        for sign, line in difference(text, Text(place, made.after[place])):
            yield out.paint(line, _SIGNS[sign]) if sign in _SIGNS else line


def _summary(target: Target, name: str, made: Renamed, left: int, *, written: bool) -> Iterator[str]:
    files = f"{len(made.after)} file{'' if len(made.after) == 1 else 's'}"
    yield f"{'renamed' if written else 'would rename'} {visible(target.address)} to {name} in {files}"
    if left:
        mentions_ = f"{left} mention{'' if left == 1 else 's'} in words"
        yield f"{mentions_} left as they are; `rulewright find` lists them"
    if not written:
        yield "nothing is written; `--write` writes it"
