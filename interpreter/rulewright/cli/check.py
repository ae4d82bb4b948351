"""The verb `check`: its output for unchanged files comes from the disk cache."""

import dataclasses
import json
import os
from io import StringIO
from typing import Any

import click

from rulewright.base.disk_cache import CacheBucket, fingerprint_toolchain, make_cache_key
from rulewright.base.files import RecordingFiles, is_recording_current
from rulewright.cli.command_files import CommandPlaces, files_for, read_project, rulesets_or_missing
from rulewright.cli.options import allow_option, flag, format_option, overlay_option, paths_argument, verb_command
from rulewright.cli.output import ExitCode, Output, make_output

CHECK_CACHE = CacheBucket("checks", max_entries=300, max_bytes=16_000_000)


@verb_command("check")
def command(  # noqa: PLR0913 - one parameter for each option
    *,
    paths: tuple[str, ...] = paths_argument,
    fixing: bool = flag("--fix", "apply the safe remedies, then check again"),
    showing: bool = flag("--diff", "show what `--fix` would change, without writing it"),
    unsafe: bool = flag("--unsafe", "with `--fix` or `--diff`: also remedies that may change the meaning"),
    overlays: tuple[str, ...] = overlay_option,
    _allow: Any = allow_option,
    form: str | None = format_option,
) -> int:
    """Finds mistakes and gaps in rules, and shows where they are and how to mend them.

    PATH is a .rules file, a shipped ruleset, or a folder. Without one, it checks the rulesets that the
    `rulewright.toml` of this folder names. The scenarios of a folder are checked too, but not played: `test` does that.

    Exits with 1 if there is an error; warnings and hints do not count. With `--fix` and `--diff` it also exits with 1
    if a safe remedy is left to apply.

    Example: `rulewright check pig`.
    """
    paths = rulesets_or_missing(paths)
    if fixing and showing:
        raise click.UsageError("`--fix` writes and `--diff` does not; give one of them")
    if unsafe and not (fixing or showing):
        raise click.UsageError("`--unsafe` does nothing without `--fix` or `--diff`")
    out = make_output(form)
    projects = tuple(one for one in map(read_project, paths) if one is not None)
    places = CommandPlaces(paths, overlays, files_for(*paths, *overlays), projects)
    if not (fixing or showing):
        return _check_with_cache(places, out)
    from rulewright.cli.check_report import fix_and_report  # noqa: PLC0415 - what was checked before needs none of it

    return fix_and_report(places, out, unsafe=unsafe, writing=fixing)


def _check_with_cache(places: CommandPlaces, out: Output) -> int:
    files = places.files
    readable = (
        files.get_identity("."),
        sorted(files.named_files),
        files.folders,
        files.rules_only_folders,
        files.weights,
    )
    readings = sorted((project.folder, sorted(project.published_readings.items())) for project in places.projects)
    parts = (places.paths, places.overlays, *readable, readings, out.form, out.paint, out.width)
    key = make_cache_key(fingerprint_toolchain(), repr(parts))
    content = CHECK_CACHE.load_bytes(key) if _has_only_regular_files(places) else None
    readings, text, ended = json.loads(content) if content else ([], "", 0)
    answers = {tuple(question): tuple(answer) if isinstance(answer, list) else answer for question, answer in readings}
    if not content or not is_recording_current(answers, files):
        text, ended = _check_and_cache(key, places, out)
    out.print_text(text)
    return int(ended)


def _check_and_cache(key: str, places: CommandPlaces, out: Output) -> tuple[str, int]:
    from rulewright.cli.check_report import check_and_report  # noqa: PLC0415 - seldom needed, and it takes long to load

    listening, text_stream = RecordingFiles(places.files), StringIO()
    ended = check_and_report(places, listening, dataclasses.replace(out, stream=text_stream))
    if ended in {ExitCode.SUCCESS, ExitCode.FINDINGS} and _has_only_regular_files(places):
        CHECK_CACHE.store_bytes(
            key, json.dumps((list(listening.answers.items()), text_stream.getvalue(), ended)).encode()
        )
    return text_stream.getvalue(), ended


def _has_only_regular_files(command_places: CommandPlaces) -> bool:
    places = (*command_places.paths, *command_places.overlays)
    return not any(os.path.exists(place) and not (os.path.isfile(place) or os.path.isdir(place)) for place in places)  # noqa: PTH110, PTH112, PTH113
