"""The verb `find`: occurrences of a name, as text by file and line and as JSON (`grammar/schemas/find.schema.json`)."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from rulewright.base.bounded_files import read_text_file
from rulewright.base.diagnostics import Diagnostic, format_counted_noun, make_visible
from rulewright.base.diagnostics.remedies import suggest_name
from rulewright.base.diagnostics.renderings import format_place
from rulewright.base.files import FileProvider
from rulewright.base.source import Text
from rulewright.cli.command_files import files_for
from rulewright.cli.options import allow_option, argument, format_option, verb_command
from rulewright.cli.output import CommandStop, ExitCode, Output, diagnostics_exit, error_output, make_error, make_output
from rulewright.cli.text_layout import name_first
from rulewright.editor.name_index import DECLARING_ROLES, NameOccurrence, NameRole, NameTarget, list_effects
from rulewright.editor.navigation import (
    NameQuery,
    find_meant_targets,
    find_mentions,
    find_unnamed_occurrences,
    find_unnamed_targets,
    make_search_words,
    parse_name_query,
    suggest_target,
)
from rulewright.editor.ruleset_gathering import GatheredRulesets, gather_rulesets

_FIND_FORMAT_VERSION = 1
_MAX_LISTED_TARGETS = 12


@verb_command("find")
def command(
    *, ruleset: str = argument(), target: str = argument(), _allow: Any = allow_option, form: str | None = format_option
) -> int:
    """Shows where a name, step, row or clause of RULESET is used, and what it does there.

    It searches the rules, overlays, scenarios, scripts, states and clause lists.

    TARGET is a name (`armies`, `Territory.armies`), an address as reports print it (`battle/1`, `60/push`, `loss/11`),
    a title (`A unit`), a clause (`50.e`), or a place (`FILE:LINE:COLUMN`). For each place it shows what the name does
    there. If TARGET is a declaration, a step, a row or a line, it first shows what TARGET itself does.

    Exits with 1 if the rules have errors, and with 2 if a file cannot be read, because a place may then be missing.

    Example: `rulewright find mel Unit.health`.
    """
    out = make_output(form)
    gathered, name_target = resolve_find_target(ruleset, target, files_for(ruleset), is_read_only=True)
    out.print_report(lambda: _target_json(name_target, gathered), _render_target(name_target, gathered, out))
    if out.form != "json":
        if gathered.rule_errors:
            one = len(gathered.rule_errors) == 1
            have, them = ("an error", "it") if one else (f"{len(gathered.rule_errors)} errors", "them")
            lack = "what states and answers name is not known"
            error_output().print_line(f"note: the rules have {have}, so {lack}; `rulewright check` shows {them}")
        error_output().print_diagnostics(gathered.unread_errors, gathered.texts)
    return diagnostics_exit((*gathered.rule_errors, *gathered.unread_errors), ExitCode.FINDINGS)


def resolve_find_target(
    ruleset: str, target: str, files: FileProvider, *, is_read_only: bool = False
) -> tuple[GatheredRulesets, NameTarget]:
    """The rulesets of a place with their scenario files, and the target in them; nameless ones only if `is_read_only`.

    Raises:
        CommandStop: the ruleset cannot be found; RW1150, nothing is called so; RW1151, several things are.
    """
    query = parse_name_query(target)
    text = read_text_file(query.source, files) if query.source else None
    if isinstance(text, Diagnostic):
        raise CommandStop([text])
    gathered = gather_rulesets(ruleset, files, query.search_words(text))
    if all(loaded.linked is None for loaded in gathered.readings):
        raise CommandStop(gathered.rule_errors, gathered.texts)
    items = find_meant_targets(query, gathered)
    unnamed = find_unnamed_targets(query, gathered) if is_read_only else ()
    if unnamed and (not items or (unnamed[0].address == target and all(one.address != target for one in items))):
        items = unnamed
        gathered = (
            gather_rulesets(ruleset, files, make_search_words(unnamed[0].address)) if len(unnamed) == 1 else gathered
        )
    if len(items) == 1:
        return gathered, items[0]
    raise CommandStop(
        [_ambiguous_target_error(query, items, gathered) if items else _unknown_target_error(query, ruleset, files)],
        gathered.texts,
    )


def _unknown_target_error(query: NameQuery, ruleset: str, files: FileProvider) -> Diagnostic:
    if query.source:
        message = f"there is no name that {make_visible(ruleset)} declares at `{query.text}`"
        return make_error("RW1150", message, "point at a letter of the name; lines and columns are counted from 1")
    everything = gather_rulesets(ruleset, files)
    close = suggest_target(query, everything.index.list_targets)
    remedy = suggest_name(close, "write a name, an address, a clause, or FILE:LINE:COLUMN")
    return make_error("RW1150", f"nothing here is called `{query.text}`", remedy)


def _ambiguous_target_error(query: NameQuery, targets: Sequence[NameTarget], gathered: GatheredRulesets) -> Diagnostic:
    addresses = [one.address for one in targets]
    commands = [one.address if addresses.count(one.address) == 1 else _first_place(one, gathered) for one in targets]
    notes = (
        f"`{way}`: {target.sort}, {_first_place(target, gathered)}"
        for way, target in zip(commands, targets, strict=True)
    )
    message = f"`{query.text}` stands for {len(targets)} things"
    remedy = f"write one of them, such as `{commands[0]}`"
    return make_error("RW1151", message, remedy, name_first(notes, _MAX_LISTED_TARGETS))


def _first_place(target: NameTarget, gathered: GatheredRulesets) -> str:
    result = _target_occurrences(target, gathered)
    declared = next((one for one in result if one.role in DECLARING_ROLES), result[0])
    return format_place(declared.span, gathered.texts)


def _target_occurrences(target: NameTarget, gathered: GatheredRulesets) -> tuple[NameOccurrence, ...]:
    return gathered.index.find_occurrences(target) or find_unnamed_occurrences(target, gathered)


def _render_target(target: NameTarget, gathered: GatheredRulesets, out: Output) -> Iterator[str]:
    result = _target_occurrences(target, gathered)
    prose = find_mentions(target, gathered) if gathered.index.find_occurrences(target) else ()
    yield out.paint(f"{make_visible(target.address)}  {target.sort}", "strong")
    for effect, names in list_effects(target, gathered.index, gathered.extents).items():
        yield f"  {effect}: {', '.join(map(make_visible, names))}"
    yield from _render_by_file(result, target, gathered.texts, out)
    if prose:
        yield ""
        yield "Mentioned in words, which a rename leaves as they are:"
        yield from _render_by_file(prose, target, gathered.texts, out)
    yield ""
    files = len({one.span.source for one in result})
    in_words = f", and {format_counted_noun(len(prose), 'mention')} in words" if prose else ""
    yield f"{format_counted_noun(len(result), 'place')} in {format_counted_noun(files, 'file')}{in_words}"


def _render_by_file(
    occurrences: Sequence[NameOccurrence], target: NameTarget, texts: Mapping[str, Text], out: Output
) -> Iterator[str]:
    ordered = sorted(occurrences, key=lambda one: (one.span.source != target.source, one.span))
    for source, iterator in groupby(ordered, lambda one: one.span.source):
        yield ""
        yield out.paint(make_visible(source), "strong")
        text = texts[source]
        for number, on_line in groupby(iterator, lambda one: text.get_position(one.span.start).line):  # noqa: B023 - at once
            does = dict.fromkeys(one.role.value + ("" if one.is_sure else ", perhaps") for one in on_line)
            yield f"  {number:>4}  {make_visible(text.get_line(number).strip())}"
            if does.keys() != {NameRole.MENTIONED.value}:
                yield f"        {', '.join(does)}"


def _target_json(target: NameTarget, gathered: GatheredRulesets) -> dict[str, Any]:
    named = bool(gathered.index.find_occurrences(target))
    result = (*_target_occurrences(target, gathered), *(find_mentions(target, gathered) if named else ()))
    return {
        "version": _FIND_FORMAT_VERSION,
        "target": {"sort": target.sort, "address": target.address, "name": target.name},
        "does": list_effects(target, gathered.index, gathered.extents),
        "places": [
            _occurrence_json(each, gathered.texts[each.span.source])
            for each in sorted(result, key=lambda one: one.span)
        ],
        "complete": not gathered.rule_errors,
    }


def _occurrence_json(occurrence: NameOccurrence, text: Text) -> dict[str, Any]:
    start = text.get_position(occurrence.span.start)
    return {
        "file": occurrence.span.source,
        "line": start.line,
        "column": start.column,
        "length": occurrence.span.end - occurrence.span.start,
        "role": occurrence.role.name.lower(),
        "sure": occurrence.is_sure,
        "text": text.get_line(start.line),
    }
