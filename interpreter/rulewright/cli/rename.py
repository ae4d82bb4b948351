"""The verb `rename`: another name for a target, as a diff or written into all files at once."""

from collections.abc import Iterator
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from rulewright.base.diagnostics import format_counted_noun, make_visible
from rulewright.base.files import FileProvider
from rulewright.base.source import Text
from rulewright.cli.command_files import files_for, require_writable, write_file
from rulewright.cli.find import resolve_find_target
from rulewright.cli.options import allow_option, argument, flag, format_option, verb_command
from rulewright.cli.output import CommandStop, ExitCode, make_output, render_numbered_diff
from rulewright.editor.name_index import NameTarget
from rulewright.editor.navigation import find_mentions, make_search_words
from rulewright.editor.played_answers import play_all_scenarios
from rulewright.editor.refactoring import RenameRefusal, RenameResult, rename_target
from rulewright.editor.ruleset_gathering import GatheredRulesets, gather_rulesets

_RENAME_FORMAT_VERSION = 1


@verb_command("rename")
def command(  # noqa: PLR0913 - one parameter for each option
    *,
    ruleset: str = argument(),
    target: str = argument(),
    name: str = argument(),
    writing: bool = flag("--write", "write the new name into all files"),
    untested: bool = flag("--no-test", "skip playing the scenarios before and after"),
    _allow: Any = allow_option,
    form: str | None = format_option,
) -> int:
    """Changes a name everywhere: in the rules, overlays, scenarios, states, scripts and clause lists of RULESET.

    TARGET is written as for `find`. Without `--write` it only shows the lines that would change. It refuses a name
    that would change what something else means, or how a scenario ends.

    Exits with 1 if the name is refused.

    Example, after `rulewright new skirmish`: `rulewright rename skirmish Knight.shield buckler`.
    """
    out, files = make_output(form), files_for(ruleset)
    searched, name_target = resolve_find_target(ruleset, target, files)
    new = name.removeprefix(name_target.address.removesuffix(name_target.name))

    def gather_for_rename(provider: FileProvider) -> GatheredRulesets:
        return gather_rulesets(ruleset, provider, make_search_words(name_target.name, new))

    playing = None if untested else partial(play_all_scenarios, searched.folders)
    renaming = rename_target(name_target, new, gather_for_rename, files, playing)
    if isinstance(renaming, RenameRefusal):
        raise CommandStop(renaming.findings, renaming.texts, ExitCode.FINDINGS)
    if writing:
        _write_all_files(renaming)
    out.print_report(
        lambda: _rename_json(name_target, new, renaming, written=writing),
        chain(
            *(
                render_numbered_diff(old, Text(place, renaming.after[place]), out)
                for place, old in renaming.before.items()
            ),
            _summarize_rename(name_target, new, renaming, len(find_mentions(name_target, searched)), written=writing),
        ),
    )
    return ExitCode.SUCCESS


def _write_all_files(renaming: RenameResult) -> None:
    """Write every file, or none: they are checked first, and restored after an error."""
    for place in renaming.after:
        require_writable(place)
    written_places: list[str] = []
    try:
        for place, content in renaming.after.items():
            write_file(Path(place), content)
            written_places.append(place)
    except BaseException:
        for place in written_places:
            write_file(Path(place), renaming.before[place].content)
        raise


def _rename_json(target: NameTarget, name: str, renaming: RenameResult, *, written: bool) -> dict[str, Any]:
    return {
        "version": _RENAME_FORMAT_VERSION,
        "target": {"sort": target.sort, "address": target.address, "name": target.name},
        "name": name,
        "written": written,
        "files": [{"file": place, "content": content} for place, content in renaming.after.items()],
    }


def _summarize_rename(
    target: NameTarget, name: str, renaming: RenameResult, mention_count: int, *, written: bool
) -> Iterator[str]:
    files = format_counted_noun(len(renaming.after), "file")
    yield f"{'renamed' if written else 'would rename'} {make_visible(target.address)} to {name} in {files}"
    if mention_count:
        mentions = format_counted_noun(mention_count, "mention")
        yield f"{mentions} in words left as they are; `rulewright find` lists them"
    if not written:
        yield "nothing is written; `--write` writes it"
