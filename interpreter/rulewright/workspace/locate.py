"""From what somebody types to the main file of a ruleset."""

import os
import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain

from rulewright.diagnostics import Diagnostic, Label
from rulewright.diagnostics.remedies import nearest, suggested
from rulewright.files import DATA, DISK, Provider, complaint, read
from rulewright.files.providers import folders_below
from rulewright.frozen import dataclass
from rulewright.source import Text

_HEADER = re.compile(
    r"\A(?:[ \t]*(?:#[^\n]*)?\r?\n)*(?P<word>ruleset|amends)[ \t]+"
    r'(?:(?P<name>[A-Za-z_]\w*)|"(?P<path>[^"\n]*)")'
)
_USE = re.compile(r'^use[ \t]+"([^"\n]*)"', re.MULTILINE)
_LEADS = re.compile(r'^(?:use|amends)[ \t]+"([^"\n]*)"', re.MULTILINE)
RULES = ".rules"
"""How the name of a file of rules ends."""

ELSEWHERE = re.compile(r"\A(?:\Z|/|~|[A-Za-z]:|[A-Za-z][A-Za-z0-9+.-]*://|.*\\)")
"""What is no way from one file to another."""


@dataclass(frozen=True, slots=True)
class Located:
    """Where a ruleset is."""

    main: str | None  # place of its main file; none where there is none, and the diagnostics say why
    overlays: tuple[str, ...] = ()  # places of the overlays that were asked for with it
    diagnostics: tuple[Diagnostic, ...] = ()  # why nothing was found


def locate(name: str, provider: Provider = DISK) -> Located:
    """The ruleset of a name: a `.rules` file, a folder, or the name of a shipped ruleset.

    A file that begins with `amends` brings its base with it: the file whose path it gives, or the ruleset of that name
    in its folder, else a shipped one. Reports RW0006 (a folder without rules), RW0007 (several rulesets in a folder,
    or several that an overlay may mean), RW0008 (no such name), RW0009
    (no base for an overlay), RW0014 (a file of data) and what `read` does.
    """
    match provider.sort(name) if name else "":
        case "file":
            return _file(name, provider)
        case "folder":
            return _folder(name, provider)
        case "closed" | "special":
            return _unread(name, provider)
        case "outside" if "/" in name or name.endswith(RULES):
            return _unread(name, provider)
        case _:
            return _shipped(name, provider)


@dataclass(frozen=True, slots=True)
class Found:
    """The rulesets of a place."""

    names: tuple[str, ...]  # what `locate` takes for each of them, in order
    # files of rules below the place that begin with neither `ruleset` nor `amends`; for some ruleset to use
    loose: tuple[str, ...] = ()


def rulesets_of(name: str, provider: Provider = DISK) -> Found:
    """The ruleset of a name; of a folder that is not one ruleset itself, every ruleset in it and below.

    A folder that is one ruleset stands for it; where a folder holds several, each goes by its file. Folders that begin
    with a dot are left out. A folder without any is answered as it is, for `locate` to tell, and so is every file of
    rules that cannot be read, which may be a ruleset or an overlay.
    """
    if provider.sort(name) != "folder":
        return Found((name,))
    if (main := _folder(name, provider).main) is not None:
        unread = _unread_beside(main, folders_below(name, provider), provider)
        return Found((name, *unread), _loose(name, provider))
    rulesets: list[str] = []
    loose: list[str] = []
    for folder in folders_below(name, provider):
        begun = {place: begins(place, provider)[0] for place in _rules_in(folder, provider)}
        loose.extend(place for place, word in begun.items() if not word and isinstance(read(place, provider), Text))
        rulesets.extend([*([folder] if provider.sort(folder) == "closed" else []), *_unread_in(folder, provider)])
        if folder != name and _folder(folder, provider).main is not None:
            rulesets.append(folder)
        else:
            rulesets.extend(place for place, word in begun.items() if word == "ruleset")
    return Found(tuple(rulesets) or (name,), tuple(loose) if rulesets else ())


def _loose(folder: str, provider: Provider) -> tuple[str, ...]:
    """Files of rules in a folder that begin with neither `ruleset` nor `amends`, and that none beside them uses."""
    places = [each for each in _rules_in(folder, provider) if provider.sort(each) == "file"]
    texts = {place: text for place in places if isinstance(text := read(place, provider), Text)}
    used = {
        posixpath.normpath(posixpath.join(folder, way)) for each in texts.values() for way in ways(each.content)[1:]
    }
    return tuple(place for place in texts if posixpath.normpath(place) not in used and not begins(place, provider)[0])


def overlays_below(name: str, provider: Provider = DISK) -> tuple[str, ...]:
    """The overlays in a folder and below, in order."""
    rules = (place for folder in folders_below(name, provider) for place in _rules_in(folder, provider))
    return tuple(place for place in rules if begins(place, provider)[0] == "amends")


def rulesets_called(folders: Iterable[str], provider: Provider) -> Mapping[str, str]:
    """The main files of the rulesets in some folders, by the names that these give themselves."""
    places = (each for folder in folders for each in rulesets_of(folder, provider).names)
    mains = (main for each in places if (main := locate(each, provider).main) is not None)
    return {name: each for each in mains if (name := begins(each, provider)[1])}


def whole_files(place: str, provider: Provider = DISK) -> tuple[str, ...]:
    """The file itself where it begins with `ruleset` or `amends`; else those of its folder and of those beside."""
    if begins(place, provider)[0]:
        return (place,)
    own = posixpath.dirname(place)
    around = posixpath.normpath(posixpath.join(own or ".", ".."))
    folders = dict.fromkeys(
        [own, *(posixpath.normpath(posixpath.join(around, each)) for each in provider.files(around))]
    )
    found = chain.from_iterable(_rules_in(each, provider) for each in folders)
    return tuple(each for each in found if begins(each, provider)[0])


def _failed(diagnostic: Diagnostic) -> Located:
    return Located(None, (), (diagnostic,))


def _unread(place: str, provider: Provider) -> Located:
    """Why a place cannot be read."""
    failed = read(place, provider)
    assert isinstance(failed, Diagnostic)
    return _failed(failed)


def begins(place: str, provider: Provider) -> tuple[str, str]:
    """The first word of a rules file, `ruleset` or `amends`, and the name after it; else nothing."""
    text = read(place, provider)
    found = _HEADER.match(text.content) if isinstance(text, Text) else None
    return (found["word"], found["name"] or "") if found else ("", "")


def ways(content: str) -> tuple[str, ...]:
    """What a text of rules says of where it belongs and what it uses: its header and its `use` lines as written."""
    found = _HEADER.match(content)
    return (found[0][found.start("word") :] if found else "", *_USE.findall(content))


def _file(place: str, provider: Provider) -> Located:
    text = read(place, provider)
    if isinstance(text, Diagnostic):
        return _failed(text)
    found = _HEADER.match(text.content)
    if found is None and place.endswith(DATA):
        remedy = f"name a file that ends in `{RULES}`, or its folder"
        return _failed(complaint("RW0014", f"`{place}` holds no rules", remedy))
    if found is None or found["word"] != "amends":
        return Located(place)
    if found["path"] is not None:
        return _amended_at(found["path"], place, provider)
    return _amended(found["name"], place, provider)


def _amended(name: str, overlay: str, provider: Provider) -> Located:
    """An overlay with the ruleset it amends: the one of that name beside it, else a shipped one."""
    shipped = provider.shipped()
    around = [posixpath.join(shipped, each) for each in provider.files(shipped)] if shipped else []
    beside = _called(name, [posixpath.dirname(overlay)], provider)
    bases = beside or _called(name, around, provider)
    if len(beside) > 1:
        names = " and ".join(f"`{each}`" for each in beside)
        message = f"`{overlay}` amends `{name}`, and {names} have this name"
        return _failed(complaint("RW0007", message, f"name one of them, with `--overlay {overlay}`"))
    if not bases:
        message = f"`{overlay}` amends `{name}`, but no such ruleset is beside it or shipped"
        return _failed(complaint("RW0009", message, "put both into one folder"))
    return Located(bases[0], (overlay,))


def _amended_at(path: str, overlay: str, provider: Provider) -> Located:
    """An overlay with the ruleset that it names by the way to its file."""
    if ELSEWHERE.match(path):
        return _failed(leads_nowhere(path, "amends"))
    base = posixpath.normpath(posixpath.join(posixpath.dirname(overlay), path))
    text = read(base, provider)
    if isinstance(text, Diagnostic):
        return _failed(text)
    if begins(base, provider)[0] != "ruleset":
        message = f"`{overlay}` amends `{path}`, which does not begin with `ruleset`"
        return _failed(complaint("RW0009", message, "name the main file of the ruleset"))
    return Located(base, (overlay,))


def leads_nowhere(path: str, word: str, label: Label | None = None) -> Diagnostic:
    """What is said of a path that is no way from one file to another (RW0010)."""
    message = f"`{path}` does not lead from this file to another"
    remedy = f'write the way from this file with `/`, such as `{word} "../base/base.rules"`'
    return complaint("RW0010", message, remedy, label)


def _called(name: str, folders: Sequence[str], provider: Provider) -> list[str]:
    """The main files of rulesets of a name in folders."""
    found = chain.from_iterable(_rules_in(each, provider) for each in folders)
    return [place for place in found if begins(place, provider) == ("ruleset", name)]


def _rules_in(place: str, provider: Provider) -> list[str]:
    named = (_inside(place, name) for name in provider.files(place) if name.endswith(RULES))
    return [each for each in named if provider.sort(each) != "folder"]


def _unread_in(folder: str, provider: Provider) -> list[str]:
    """The files of rules in a folder that cannot be read; what an editor or a system hides there is left out."""
    shown = (each for each in _rules_in(folder, provider) if not posixpath.basename(each).startswith("."))
    return [each for each in shown if isinstance(read(each, provider), Diagnostic)]


def _unread_beside(main: str, folders: Iterable[str], provider: Provider) -> Iterator[str]:
    """The files of rules in some folders that cannot be read, but for those that a ruleset uses."""
    used = {posixpath.normpath(each) for each in used_from(main, provider)}
    unread = chain.from_iterable(_unread_in(each, provider) for each in folders)
    return (each for each in unread if posixpath.normpath(each) not in used)


def unread_beside(name: str, provider: Provider = DISK) -> tuple[Diagnostic, ...]:
    """Why files of rules of a folder cannot be read that its ruleset does not use; nothing for any other name."""
    main = locate(name, provider).main if provider.sort(name) == "folder" else None
    failed = () if main is None else (read(each, provider) for each in _unread_beside(main, (name,), provider))
    return tuple(each for each in failed if isinstance(each, Diagnostic))


def _inside(place: str, name: str) -> str:
    return posixpath.join(place, name).removeprefix("./")


def _folder(place: str, provider: Provider) -> Located:
    name = posixpath.basename(posixpath.normpath(place))
    if name in {".", ".."}:
        name = os.path.basename(provider.identity(place))  # noqa: PTH119 - a provider's place, not a path
    main = _inside(place, name.replace("-", "_") + RULES)
    if provider.sort(main) == "file":
        return Located(main)
    rulesets = [each for each in _rules_in(place, provider) if begins(each, provider)[0] == "ruleset"]
    leading = [each for each in rulesets if each not in _used(rulesets, provider)]
    if len(leading) == 1:
        return Located(leading[0])
    if not rulesets and (unread := [read(each, provider) for each in _unread_in(place, provider)]):
        return Located(None, (), tuple(each for each in unread if isinstance(each, Diagnostic)))
    if not rulesets:
        message = f"no file of the folder `{place}` begins with `ruleset`"
        return _failed(complaint("RW0006", message, "name a folder that holds a `.rules` file, or the file itself"))
    names = ", ".join(f"`{each}`" for each in rulesets)
    message = f"`{place}` holds several rulesets"
    return _failed(complaint("RW0007", message, f"name one of {names}; a scenario file does so by a line `ruleset:`"))


def _used(places: Sequence[str], provider: Provider, lines: re.Pattern[str] = _USE) -> set[str]:
    """The files that some files say they use."""
    texts = ((each, read(each, provider)) for each in places)
    return {
        posixpath.normpath(posixpath.join(posixpath.dirname(place), name))
        for place, text in texts
        if isinstance(text, Text)
        for name in lines.findall(text.content)
    }


def used_from(main: str, provider: Provider) -> Iterator[str]:
    """A file and all that its lines `use` and `amends` lead to, as written, whatever else is wrong with them."""
    met, left = set[str](), [main]
    while left:
        place = left.pop()
        if provider.sort(place) == "folder":
            place = locate(place, provider).main or place
        if place not in met:
            met.add(place)
            left.extend(sorted(_used([place], provider, _LEADS)))
            yield place


def place_beside(folder: str, name: str) -> str:
    """A place in a folder, without `.` in it; `..` stays, for a folder may be a link."""
    return "/".join(each for each in posixpath.join(folder, name).split("/") if each != ".") or "."


def ruleset_named(name: str | None, document: str, provider: Provider) -> str:
    """What a document that names its ruleset so means: a file or folder beside it, a shipped ruleset, or any other.

    So it means the same wherever a command is given, whatever lies in that folder. Without a name it is the document's
    own folder.
    """
    folder = posixpath.dirname(document)
    if name is None:
        return folder or "."
    beside = place_beside(folder, name)
    if provider.sort(beside):
        return beside
    return (provider.sort(name) and _shipped_as(name, provider)) or name


def _shipped_as(name: str, provider: Provider) -> str:
    """The folder of the shipped ruleset of a name; nothing where there is none."""
    shipped = provider.shipped()
    if not name or "/" in name or name.endswith(RULES) or not shipped:
        return ""
    place = posixpath.join(shipped, name)
    return place if provider.sort(place) == "folder" else ""


def _shipped(name: str, provider: Provider) -> Located:
    place, shipped = _shipped_as(name, provider), provider.shipped()
    if place:
        return _folder(place, provider)
    if "/" in name or name.endswith(RULES) or not shipped:
        return _unread(name, provider)
    known = [each for each in provider.files(shipped) if provider.sort(posixpath.join(shipped, each)) == "folder"]
    close = nearest(name, [*known, *provider.files("")])
    remedy = suggested(close, f"shipped rulesets are {', '.join(f'`{n}`' for n in known)}")
    return _failed(complaint("RW0008", f"`{name}` is not a file, a folder or a shipped ruleset", remedy))
