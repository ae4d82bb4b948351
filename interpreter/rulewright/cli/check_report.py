"""What `check` finds, mends and tells: of rulesets, and of the scenarios that stand beside them."""

import os
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from difflib import unified_diff
from functools import partial
from pathlib import Path
from typing import Any

from rulewright.cli.loading import rulesets_in
from rulewright.cli.named_files import Named, can_write, unchanged, write
from rulewright.cli.output import Exit, Output, complaint, errors, exit_of
from rulewright.diagnostics import Diagnostic, Severity, has_errors
from rulewright.diagnostics.renderings import diagnostics_json
from rulewright.diagnostics.terminal import visible
from rulewright.files import DISK, Provider
from rulewright.files.providers import Revised
from rulewright.frozen import dataclass
from rulewright.source import Text
from rulewright.workspace import Found, Loaded
from rulewright.workspace.judgement import held_to, judged, of_no_ruleset
from rulewright.workspace.locate import begins, locate, overlays_below, rulesets_called
from rulewright.workspace.mend import Mended, mend

_FINE = "fine"


@dataclass(frozen=True, slots=True)
class Made:
    """Remedies carried out in memory, to be written or shown."""

    mended: Mended  # what came of them
    writing: bool  # whether they are written
    unsafe: bool  # whether all were wanted
    others: int  # how many more may change what the rules mean, and were left out for that

    def lines(self) -> Iterator[str]:
        """A line for each file, then why something was left."""
        for place, number in self._numbers().items():
            verb = "applied" if self.writing else "would be applied"
            yield f"{visible(place)}: {_counted(number)} {verb}"
        if self._shipped():
            yield "shipped rulesets are not written; copy one to change it"
        if self.others:
            them = "it" if self.others == 1 else "them"
            yield f"{_counted(self.others)} may change what the rules mean: `--unsafe` takes {them} too"

    def as_json(self) -> dict[str, Any]:
        """What is added to the document of `check`."""
        return {
            "written": self.writing,
            "mended": [
                {"file": place, "remedies": number, "diff": "".join(_diff(place, self.mended))}
                for place, number in self._numbers().items()
            ],
        }

    def is_anything_left(self) -> bool:
        """Whether a remedy that was asked for is not in its file."""
        return self._shipped() or (bool(self.mended.after) and not self.writing)

    def _numbers(self) -> dict[str, int]:
        """How many remedies touched each file."""
        places = Counter(place for each in self.mended.done for place in {edit.span.source for edit in each.edits})
        return {place: places[place] for place in self.mended.after}

    def _shipped(self) -> bool:
        """Whether safe remedies were left out because they stand in a shipped ruleset."""
        wanted = [each for each in self.mended.left if self.unsafe or each.is_safe_to_mend]
        return any(not _is_own(edit.span.source) for each in wanted for edit in each.edits)


def _counted(number: int) -> str:
    return f"{number} remed{'y' if number == 1 else 'ies'}"


def remedied(names: Sequence[str], asked: Named, *, unsafe: bool, writing: bool) -> Made:
    """Carries out the remedies of rulesets in memory; shipped rulesets stay as they are."""
    files = asked.files
    loads = [partial(judged, name, asked.overlays, files.weights_at) for name in names]
    mended = mend(loads, files, _is_own, unsafe=unsafe)
    if unsafe or all(each.is_safe_to_mend for each in mended.left):
        return Made(mended, writing, unsafe, 0)
    found = Revised(files, mended.after) if writing else files
    also = mend(loads, found, _is_own, unsafe=True).done
    return Made(mended, writing, unsafe, sum(not each.is_safe_to_mend for each in also))


def _is_own(place: str) -> bool:
    """Whether a file is none of those that ship."""
    shipped = DISK.shipped()
    return not shipped or not Path(DISK.identity(place)).is_relative_to(os.path.realpath(shipped))


def _write_all(found: Made) -> None:
    """Writes every text that changed, each whole; marks and line ends stay as they are."""
    before = found.mended.before
    again = "give the command again"
    marks = {each: unchanged(each, before[each].content, "RW0015", again) for each in found.mended.after}
    for place in marks:
        can_write(place)
    for place, mark in marks.items():
        write(Path(place), mark + found.mended.after[place])


def remedy_diff(found: Made, out: Output) -> Iterator[str]:
    """The lines of a unified diff of every text that changed, with their line ends."""
    roles = {"-": "error", "+": "good", "@": "place"}
    for place in found.mended.after:
        for line in _diff(place, found.mended):
            role = roles.get(line[:1])
            shown = line.removesuffix("\n")
            shown = visible(shown) if out.form == "human" or out.stream.isatty() else shown
            yield f"{out.paint(shown, role) if role and out.form == 'human' else shown}\n"


def _diff(place: str, mended: Mended) -> Iterator[str]:
    old, new = mended.before[place].content, mended.after[place]
    for line in unified_diff(_lines(old), _lines(new), f"a/{place}", f"b/{place}"):
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _lines(content: str) -> list[str]:
    return [f"{line}\n" for line in content.split("\n")[:-1]] + (
        [last] if (last := content.rpartition("\n")[2]) else []
    )


@dataclass(frozen=True, slots=True)
class _Checked:
    name: str
    loaded: Loaded

    def count(self, severity: Severity) -> int:
        return sum(each.severity is severity for each in self.loaded.diagnostics)


@dataclass(frozen=True, slots=True)
class _Told:
    checked: Sequence[_Checked]
    diagnostics: tuple[Diagnostic, ...]  # what is wrong with what stands beside the rulesets of a folder
    texts: Mapping[str, Text]  # of that
    scenarios: int = 0  # how many scenario files stand there
    overlays: tuple[str, ...] = ()  # overlays there that were not checked
    one: str = ""  # what `rulewright check` takes to check the first of them


def tell(asked: Named, files: Provider, out: Output) -> Exit:
    """Checks the rulesets of some places and tells what is wrong, also where readings are not the published ones."""
    found = rulesets_in(asked.paths, asked.overlays, files)
    loaded = ((name, judged(name, asked.overlays, asked.files.weights_at, files)) for name in _names(found))
    return _tell(_with_beside(asked, found.values(), _checked(loaded, asked), files), out)


def _checked(loaded: Iterable[tuple[str, Loaded]], asked: Named) -> list[_Checked]:
    """Rulesets held to the readings that projects publish."""
    return [_Checked(name, held_to(each, asked.projects)) for name, each in loaded]


def _of_none(asked: Named, checked: Collection[str], files: Provider) -> Iterator[Diagnostic]:
    """RW1218 for rulesets of which projects publish readings, and that are nowhere that these may look."""
    for project in {each.folder: each for each in asked.projects}.values():
        if not project.published.keys() <= set(checked):
            known = rulesets_called(filter(None, (project.folder, *project.lent, files.shipped())), files)
            yield from of_no_ruleset(project, known.keys())


def tell_mended(asked: Named, out: Output, *, unsafe: bool, writing: bool) -> Exit:
    """Writes remedies, or shows what it would write, and tells what came of it.

    A diff stands alone where results go; what it leaves is told beside it.
    """
    found = rulesets_in(asked.paths, asked.overlays, asked.files)
    names = _names(found)
    made = remedied(names, asked, unsafe=unsafe, writing=writing)
    told = _with_beside(
        asked, found.values(), _checked(zip(names, made.mended.loaded, strict=True), asked), asked.files
    )
    if writing:
        _write_all(made)
    elif out.form != "json":
        for line in remedy_diff(made, out):
            out.write(line)
        out = errors(out.form)
    ended = _tell(told, out, made)
    return max(ended, Exit.FOUND) if made.is_anything_left() else ended


def _names(found: Mapping[str, Found]) -> list[str]:
    return list(dict.fromkeys(name for each in found.values() for name in each.names))


def _tell(told: _Told, out: Output, made: Made | None = None) -> Exit:
    if out.form == "json":
        out.data(_document(told, **(made.as_json() if made else {})))
    else:
        _print(told, out, made)
    every = (told.diagnostics, *(each.loaded.diagnostics for each in told.checked))
    return max(exit_of(each, Exit.FOUND) for each in every)


def _with_beside(asked: Named, found: Iterable[Found], checked: Sequence[_Checked], files: Provider) -> _Told:
    """Scenario files below the folders among the paths are read; nothing of them is played."""
    astray = _of_none(asked, {each.loaded.program.name for each in checked if each.loaded.program}, files)
    unread, texts = (*_unread(found, checked), *astray), {each.text.name: each.text for each in asked.projects}
    folders = [path for path in asked.paths if files.sort(path) == "folder"]
    if not folders:
        return _Told(checked, unread, texts)
    from rulewright.scenarios.kept import KeptSuites  # noqa: PLC0415 - only where there is a folder
    from rulewright.scenarios.loading import scenario_files, suites_of  # noqa: PLC0415

    places = dict.fromkeys(place for folder in folders for place in scenario_files(folder, files))
    rules = KeptSuites(files)
    wrong = suites_of(list(places), rules).diagnostics if places else ()
    read = {place for each in checked for place in each.loaded.texts}
    below = (place for folder in folders for place in overlays_below(folder, files) if place not in read)
    overlays = tuple(dict.fromkeys(below))
    one = _checking(overlays[0], checked, files) if overlays else ""
    texts |= rules.texts
    return _Told(checked, (*unread, *dict.fromkeys(wrong)), texts, len(places), overlays, one)


def _checking(overlay: str, checked: Sequence[_Checked], files: Provider) -> str:
    """What `rulewright check` takes for an overlay: also a base, where several beside it are called as it says."""
    amended = begins(overlay, files)[1]
    bases = [each.name for each in checked if each.loaded.program and each.loaded.program.name == amended]
    alone = locate(overlay, files).main is not None or not bases
    return visible(overlay) if alone else f"{visible(bases[0])} --overlay {visible(overlay)}"


def _unread(found: Iterable[Found], checked: Sequence[_Checked]) -> tuple[Diagnostic, ...]:
    """RW0016 for files of rules in a folder that are no rulesets, and that none there uses."""
    read = {place for each in checked for place in each.loaded.texts}
    message = "`{}` begins with neither `ruleset` nor `amends`, and no ruleset here uses it"
    remedy = 'begin it with `ruleset name "Title" revision "1"`, or bring it in with `use`'
    loose = dict.fromkeys(place for each in found for place in each.loose if place not in read)
    return tuple(complaint("RW0016", message.format(place), remedy) for place in loose)


def _print(told: _Told, out: Output, made: Made | None) -> None:
    before: set[Diagnostic] = set()
    for each in told.checked:
        out.report((one for one in each.loaded.diagnostics if one not in before), each.loaded.texts)
        before.update(each.loaded.diagnostics)
    out.report(told.diagnostics, told.texts)
    if made:
        out.tell(made.lines())
    beside = _beside(told)
    for each in told.checked:
        fine = each.loaded.program is not None
        then = "once written, " if made and not made.writing and made.mended.after else ""
        said, role = _verdict(each), "good" if fine else "error"
        if beside and fine:
            said = f"the rules are {said}" if said.startswith(_FINE) else f"the rules have {said}"
            said, role = (f"{beside}; {said}", "error") if len(told.checked) == 1 else (said, role)
        out.say(f"{then}{visible(each.name)}: {out.paint(said, role)}")
    if beside and not (len(told.checked) == 1 and told.checked[0].loaded.program):
        out.say(out.paint(beside, "error"))
    if told.overlays:
        number = len(told.overlays)
        unchecked = "1 overlay is" if number == 1 else f"{number} overlays are"
        out.say(out.paint(f"{unchecked} not checked: `rulewright check {told.one}` checks one", "dim"))
    if told.scenarios and not has_errors(told.diagnostics):
        one = told.scenarios == 1
        read = "1 scenario file is" if one else f"{told.scenarios} scenario files are"
        out.say(out.paint(f"{read} not played here: `rulewright test` plays {'it' if one else 'them'}", "dim"))


def _beside(told: _Told) -> str:
    """How many errors stand beside the rules, and in which file: `1 error in plays.scenario.yaml`; or nothing."""
    found = [each for each in told.diagnostics if each.severity is Severity.ERROR]
    if not found:
        return ""
    files = {each.primary.span.source if each.primary else "" for each in found}
    where = "beside the rules" if len(files) > 1 or "" in files else f"in {visible(*files)}"
    return f"{len(found)} error{'' if len(found) == 1 else 's'} {where}"


def _verdict(each: _Checked) -> str:
    """`fine, 86 of 86 clauses answered`, or how many findings there are and at how many of them a play may stop."""
    warned = [one.code for one in each.loaded.diagnostics if one.severity is Severity.WARNING]
    faults = len([code for code in warned if code in foreseeing]) if warned and (foreseeing := _foreseeing()) else 0
    counts = [
        f"{each.count(severity)} {severity.value}{'s' if each.count(severity) > 1 else ''}"
        for severity in Severity
        if each.count(severity)
    ]
    never = _never(each)
    is_fine = each.loaded.program is not None and not faults and not never
    silenced = [f"{each.loaded.silenced} silenced"] if each.loaded.silenced else []
    said = ", ".join([*([_FINE] if is_fine else []), *counts, *silenced, *_coverage(each.loaded)])
    if faults and each.loaded.program is not None:
        there = "there" if faults == len(each.loaded.diagnostics) == 1 else f"at {faults} of them"
        said = f"{said}; a play may stop {there}"
    return f"{said}; {never}" if never and each.loaded.program is not None else said


def _never(each: _Checked) -> str:
    """What is never reached, steps before lines, such as `steps 2 and 3 never happen`; or nothing."""
    steps = [one.address.split("/") for one in each.loaded.diagnostics if one.code == "RW0526"]
    lines = sum(one.code == "RW0504" for one in each.loaded.diagnostics)
    named = [visible(way[-1]) for way in steps] if len({way[0] for way in steps}) == 1 else []
    if len(steps) == 1:
        return f"step {named[0]} never happens"
    if steps:
        listed = f"{', '.join(named[:-1])} and {named[-1]}"
        return f"steps {listed} never happen" if named else f"{len(steps)} steps never happen"
    return "" if not lines else f"{'a line is' if lines == 1 else f'{lines} lines are'} never carried out"


def _foreseeing() -> frozenset[str]:
    """The codes of warnings that foresee a fault of a play."""
    from rulewright.diagnostics.pages import codes, page  # noqa: PLC0415 - only where something is found

    faults = (page(code) for code in codes() if code.startswith("RW08"))
    return frozenset(code for fault in faults if fault is not None for code in fault.foreseen)


def _coverage(loaded: Loaded) -> Iterator[str]:
    if loaded.clauses and loaded.program is not None:
        yield f"{_answered(loaded)} of {loaded.clauses} clauses answered"


def _answered(loaded: Loaded) -> int:
    """How many clauses have a line or a reason: RW0603 names each of the others."""
    return loaded.clauses - sum(each.code == "RW0603" for each in loaded.diagnostics)


def _document(told: _Told, **more: Any) -> dict[str, Any]:
    texts = {**told.texts, **{name: text for each in told.checked for name, text in each.loaded.texts.items()}}
    found = dict.fromkeys([*(one for each in told.checked for one in each.loaded.diagnostics), *told.diagnostics])
    return diagnostics_json(found, texts, files=[_file(each) for each in told.checked], **more)


def _file(each: _Checked) -> dict[str, Any]:
    program = each.loaded.program
    return {
        "path": each.name,
        "fine": program is not None,
        "ruleset": program.name if program else None,
        "fingerprint": program.fingerprint if program else None,
        "silenced": each.loaded.silenced,
        "clauses": {"answered": _answered(each.loaded) if program else 0, "listed": each.loaded.clauses},
    }
