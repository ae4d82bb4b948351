"""The verb `find`, as text by file and line, and as JSON data (`grammar/schemas/find.schema.json`)."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

import click

from rulewright.cli.named_files import files_for
from rulewright.cli.options import allow_option, format_option, verb
from rulewright.cli.output import Exit, Output, Stop, complaint, errors, exit_of, output
from rulewright.diagnostics import Diagnostic
from rulewright.diagnostics.remedies import suggested
from rulewright.diagnostics.renderings import place
from rulewright.diagnostics.terminal import visible
from rulewright.files import Provider, read
from rulewright.references.gathering import Gathered, gather
from rulewright.references.index import DECLARING, Occurrence, Role, Target, doings
from rulewright.references.spelling import Query, addressed, meant, mentions, nameless, near, query, words
from rulewright.source import Text

_VERSION = 1
_MOST = 12


@verb("find")
@click.argument("ruleset")
@click.argument("target")
@allow_option
@format_option
def command(ruleset: str, target: str, form: str | None) -> int:
    """Shows where a name, step, row or clause of RULESET is used, and what it does there.

    It searches the rules, overlays, scenarios, scripts, states and clause lists.

    TARGET is a name (`armies`, `Territory.armies`), an address as reports print it (`battle/1`, `60/push`, `loss/11`),
    a title (`A unit`), a clause (`50.e`), or a place (`FILE:LINE:COLUMN`). For each place it shows what the name does
    there. If TARGET is a declaration, a step, a row or a line, it first shows what TARGET itself does.

    Exits with 1 if the rules have errors, and with 2 if a file cannot be read, because a place may then be missing.

    Example: `rulewright find mel Unit.health`.
    """
    out = output(form)
    gathered, found = target_of(ruleset, target, files_for(ruleset), is_read_only=True)
    if out.form == "json":
        out.data(_as_json(found, gathered))
    else:
        out.tell(_told(found, gathered, out))
        if gathered.errors:
            have = "an error" if len(gathered.errors) == 1 else f"{len(gathered.errors)} errors"
            lack = "what states and answers name is not known"
            shows = "shows it" if len(gathered.errors) == 1 else "shows them"
            errors().say(f"note: the rules have {have}, so {lack}; `rulewright check` {shows}")
        errors().report(gathered.unread, gathered.texts)
    return exit_of((*gathered.errors, *gathered.unread), Exit.FOUND)


def target_of(ruleset: str, target: str, files: Provider, *, is_read_only: bool = False) -> tuple[Gathered, Target]:
    """All that belongs to a ruleset and may name a target, and the target; if it is only read, what has no name too.

    Raises:
        Stop: the ruleset cannot be found; RW1150, nothing is called so; RW1151, several things are.
    """
    asked = query(target)
    text = read(asked.source, files) if asked.source else None
    if isinstance(text, Diagnostic):
        raise Stop([text])
    gathered = gather(ruleset, files, asked.words(text))
    if all(loaded.linked is None for loaded in gathered.readings):
        raise Stop(gathered.errors, gathered.texts)
    found = meant(asked, gathered)
    own = nameless(asked, gathered) if is_read_only else ()
    if own and (not found or (own[0].address == target and all(each.address != target for each in found))):
        found = own
        gathered = gather(ruleset, files, words(own[0].address)) if len(own) == 1 else gathered
    if len(found) == 1:
        return gathered, found[0]
    raise Stop([_several(asked, found, gathered) if found else _none(asked, ruleset, files)], gathered.texts)


def _none(asked: Query, ruleset: str, files: Provider) -> Diagnostic:
    if asked.source:
        message = f"there is no name that {visible(ruleset)} declares at `{asked.text}`"
        return complaint("RW1150", message, "point at a letter of the name; lines and columns are counted from 1")
    everything = gather(ruleset, files)
    close = near(asked, everything.index.targets)
    remedy = suggested(close, "write a name, an address, a clause, or FILE:LINE:COLUMN")
    return complaint("RW1150", f"nothing here is called `{asked.text}`", remedy)


def _several(asked: Query, found: Sequence[Target], gathered: Gathered) -> Diagnostic:
    """RW1151, with a way to write each."""
    addresses = [each.address for each in found]
    ways = [each.address if addresses.count(each.address) == 1 else _first(each, gathered) for each in found]
    notes = [f"`{way}`: {each.sort}, {_first(each, gathered)}" for way, each in zip(ways, found, strict=True)]
    more = [f"and {len(found) - _MOST} more"] if len(found) > _MOST else []
    message = f"`{asked.text}` stands for {len(found)} things"
    return complaint("RW1151", message, f"write one of them, such as `{ways[0]}`", [*notes[:_MOST], *more])


def _first(target: Target, gathered: Gathered) -> str:
    """Where it is declared, else where it first occurs."""
    found = _places(target, gathered)
    declared = next((each for each in found if each.role in DECLARING), found[0])
    return place(declared.span, gathered.texts)


def _places(target: Target, gathered: Gathered) -> tuple[Occurrence, ...]:
    return gathered.index.of(target) or addressed(target, gathered)


def _told(target: Target, gathered: Gathered, out: Output) -> Iterator[str]:
    found = _places(target, gathered)
    prose = mentions(target, gathered) if gathered.index.of(target) else ()
    yield out.paint(f"{visible(target.address)}  {target.sort}", "strong")
    for does, names in doings(target, gathered.index, gathered.extents).items():
        yield f"  {does}: {', '.join(map(visible, names))}"
    yield from _by_file(found, target, gathered.texts, out)
    if prose:
        yield ""
        yield "Mentioned in words, which a rename leaves as they are:"
        yield from _by_file(prose, target, gathered.texts, out)
    yield ""
    files = len({each.span.source for each in found})
    in_words = f", and {_count(len(prose), 'mention')} in words" if prose else ""
    yield f"{_count(len(found), 'place')} in {_count(files, 'file')}{in_words}"


def _by_file(found: Sequence[Occurrence], target: Target, texts: Mapping[str, Text], out: Output) -> Iterator[str]:
    ordered = sorted(found, key=lambda one: (one.span.source != target.source, one.span))
    for source, each in groupby(ordered, lambda one: one.span.source):
        yield ""
        yield out.paint(visible(source), "strong")
        yield from _lines(list(each), texts[source])


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _lines(found: Sequence[Occurrence], text: Text) -> Iterator[str]:
    """Each line of a file with what the name does there."""
    for number, each in groupby(found, lambda one: text.position(one.span.start).line):
        does = dict.fromkeys(one.role.value + ("" if one.sure else ", perhaps") for one in each)
        yield f"  {number:>4}  {visible(text.line(number).strip())}"
        if does.keys() != {Role.MENTIONED.value}:
            yield f"        {', '.join(does)}"


def _as_json(target: Target, gathered: Gathered) -> dict[str, Any]:
    named = bool(gathered.index.of(target))
    found = (*_places(target, gathered), *(mentions(target, gathered) if named else ()))
    return {
        "version": _VERSION,
        "target": {"sort": target.sort, "address": target.address, "name": target.name},
        "does": doings(target, gathered.index, gathered.extents),
        "places": [_place(each, gathered.texts[each.span.source]) for each in sorted(found, key=lambda one: one.span)],
        "complete": not gathered.errors,
    }


def _place(each: Occurrence, text: Text) -> dict[str, Any]:
    start = text.position(each.span.start)
    return {
        "file": each.span.source,
        "line": start.line,
        "column": start.column,
        "length": each.span.end - each.span.start,
        "role": each.role.name.lower(),
        "sure": each.sure,
        "text": text.line(start.line),
    }
