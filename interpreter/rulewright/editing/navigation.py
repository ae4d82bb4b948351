"""From a name to where it is given, to all places that have it, and to another spelling of it."""

import posixpath
import re
from collections.abc import Iterator
from functools import partial

from rulewright.diagnostics import Edit
from rulewright.editing import data_files
from rulewright.editing.answers import Symbol
from rulewright.editing.desk import Desk, Known, Open
from rulewright.files import Provider
from rulewright.references.gathering import Gathered
from rulewright.references.index import DECLARING, Occurrence, Role, Target
from rulewright.references.renaming import Refused, renamed
from rulewright.references.spelling import words
from rulewright.source import Span
from rulewright.workspace.locate import RULES

_USED = re.compile(r'^\s*(?:use|amends)\s+"(?P<path>[^"\n]*)"')


def definition(opened: Open, offset: int) -> tuple[Span, ...]:
    """Where what stands at an offset is given: a name, a clause in its list, or the file of a `use` line."""
    text = opened.live.text
    line = text.content[text.content.rfind("\n", 0, offset) + 1 :].partition("\n")[0]
    used = _USED.match(line)
    if used is not None:
        return tuple(_file(opened, used["path"]))
    found = opened.occurrence(offset)
    if found is None:
        return ()
    known, occurrence = found
    return tuple(_given(opened, known, occurrence.target))


def _file(opened: Open, path: str) -> Iterator[Span]:
    for name in opened.now.loaded.texts:
        if name.rpartition("/")[2] == path.rpartition("/")[2]:
            yield Span(name, 0, 0)


def _given(opened: Open, known: Known, target: Target) -> Iterator[Span]:
    linked = known.loaded.linked
    for entries in linked.clauses.values() if target.sort == "clause" and linked is not None else ():
        yield from (each.span for each in entries if each.id == target.address and each.span is not None)
    for each in known.index.of(target):
        if each.role in DECLARING or each.role is Role.LISTED:
            place = opened.placed(known, each.span)
            if place is not None:
                yield place


def named(desk: Desk, place: str, offset: int) -> tuple[Target, Span] | None:
    """What the name at an offset of an open text stands for, and where it stands; none where no name is."""
    if not place.endswith(RULES):
        noted = data_files.names(desk, place).at(place, offset)
        return None if noted is None else (noted.target, noted.span)
    opened = desk.opened(place)
    found = opened.occurrence(offset)
    span = None if found is None else opened.placed(found[0], found[1].span)
    return None if found is None or span is None else (found[1].target, span)


def highlights(desk: Desk, place: str, offset: int) -> tuple[Occurrence, ...]:
    """The places of the same text that have the name at an offset."""
    if not place.endswith(RULES):
        noted = data_files.names(desk, place)
        at = noted.at(place, offset)
        return () if at is None else noted.of(at.target)
    opened = desk.opened(place)
    found = opened.occurrence(offset)
    if found is None:
        return ()
    known, occurrence = found
    placed = ((each, opened.placed(known, each.span)) for each in known.index.of(occurrence.target))
    return tuple(
        Occurrence(each.target, each.role, span, each.sure)
        for each, span in placed
        if span is not None and span.source == opened.name
    )


def references(desk: Desk, place: str, offset: int) -> tuple[Occurrence, ...]:
    """Everywhere what stands at an offset occurs: in rules, overlays, scenarios, states, scripts and clause lists.

    All is read as what stands of it; places are those of the texts as they are written.
    """
    found = named(desk, place, offset)
    if found is None:
        return ()
    target = found[0]
    gathered = desk.gathered(_around(desk, place), words(target.name), desk.standing_files(data=True))
    noted = gathered.index.of(_same(target, gathered))
    return tuple(each for one in noted if (each := desk.as_written(one)) is not None)


def _around(desk: Desk, place: str) -> str:
    """What is searched for names: the ruleset of a text, and where that lies elsewhere the folder around both."""
    if place.endswith(RULES):
        return desk.home(place).main or place
    located = data_files.home(desk, place)
    main = located.main if located is not None else None
    folder = posixpath.dirname(main or place)
    inside = main is None or not folder or place.startswith(f"{folder}/")
    return (main or place) if inside else posixpath.commonpath([folder, posixpath.dirname(place)]) or "."


def _same(target: Target, gathered: Gathered) -> Target:
    """A target as it is known where other files are read too."""
    if gathered.index.of(target):
        return target
    alike = (each for each in gathered.index.targets if (each.sort, each.address) == (target.sort, target.address))
    return next(alike, target)


def rename(desk: Desk, place: str, offset: int, name: str) -> tuple[Edit, ...] | Refused | None:
    """The edits in all files that give what stands at an offset another name, or why it cannot have it.

    None where no name stands there. A name by which anything would stand for something else is refused, as `rulewright
    rename --no-test` does; scenarios are not played.
    """
    found = named(desk, place, offset)
    if found is None:
        return None
    target, around, files = found[0], _around(desk, place), desk.files()

    def gathering(provider: Provider) -> Gathered:
        return desk.gathered(around, words(target.name, name), provider)

    made = renamed(_same(target, gathering(files)), name, gathering, files)
    return made if isinstance(made, Refused) else made.edits


def symbols(opened: Open) -> tuple[Symbol, ...]:
    """What has a name in a text, in order, each with what stands inside it."""
    known = opened.now if opened.now.loaded.linked is not None else opened.best
    titles = opened.best.kept("titles", partial(_titles, opened.best))
    heads = {
        each.target: each for each in known.index.occurrences if each.role in DECLARING or each.role is Role.AMENDED
    }
    made: list[tuple[Span, Symbol]] = []
    for target, extent in known.extents.items():
        place = opened.placed(known, extent) if extent.source == opened.name else None
        head = opened.placed(known, heads[target].span) if target in heads else None
        if place is not None and head is not None and head.source == opened.name:
            title = titles.get(target.address, "")
            made.append((place, Symbol(target.name, target.sort, title, place, head)))
    made.sort(key=lambda each: (each[0].start, -each[0].end))
    return _nested([each for _, each in made])


def _titles(known: Known) -> dict[str, str]:
    return {each.address: each.title for each in known.outline.every() if each.title}


def _nested(found: list[Symbol]) -> tuple[Symbol, ...]:
    """Symbols in the order of their places, each put into that which it lies in."""
    done: list[Symbol] = []
    at = 0
    while at < len(found):
        each = found[at]
        last = at + 1
        while last < len(found) and found[last].place.end <= each.place.end:
            last += 1
        inside = _nested(found[at + 1 : last])
        done.append(Symbol(each.name, each.sort, each.title, each.place, each.head, inside))
        at = last
    return tuple(done)
