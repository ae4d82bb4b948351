"""What `check` finds and how it tells it: of rulesets, and of the scenarios that stand beside them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from rulewright.cli import mending
from rulewright.cli.exits import Exit, complaint, exit_of
from rulewright.cli.loading import load_ruleset, rulesets_in
from rulewright.cli.output import Output, errors
from rulewright.diagnostics import Diagnostic, Severity, as_json, has_errors
from rulewright.diagnostics.visible import visible
from rulewright.files import Bounded, Provider
from rulewright.frozen import dataclass
from rulewright.source import Text
from rulewright.workspace import Found, Loaded


@dataclass(frozen=True, slots=True)
class _Checked:
    """What was asked for, and what came of it."""

    name: str
    loaded: Loaded

    def count(self, severity: Severity) -> int:
        return sum(each.severity is severity for each in self.loaded.diagnostics)


@dataclass(frozen=True, slots=True)
class _Beside:
    """What stands beside the rulesets of a folder: what is wrong with it, its texts, how many scenario files."""

    diagnostics: tuple[Diagnostic, ...]
    texts: Mapping[str, Text]
    scenarios: int


def tell(paths: Sequence[str], overlays: Sequence[str], files: Provider, out: Output) -> Exit:
    """Checks the rulesets of some places and tells what is wrong."""
    found = rulesets_in(paths, overlays, files)
    checked = [_Checked(name, load_ruleset(name, overlays, files)) for name in _names(found)]
    return _told(checked, _beside(paths, found.values(), checked, files), out)


def mend(  # noqa: PLR0913 - what was asked for, and how
    paths: Sequence[str], overlays: Sequence[str], files: Bounded, out: Output, *, unsafe: bool, writing: bool
) -> Exit:
    """Writes remedies, or shows what it would write, and tells what came of it."""
    found = rulesets_in(paths, overlays, files)
    names = _names(found)
    made = mending.made(names, overlays, files, unsafe=unsafe, writing=writing)
    checked = [_Checked(name, each) for name, each in zip(names, made.mended.loaded, strict=True)]
    beside = _beside(paths, found.values(), checked, files)
    if writing:
        mending.write_all(made)
        ended = _told(checked, beside, out, made.done(written=True))
    else:
        ended = _shown(checked, beside, made, out)
    return max(ended, Exit.FOUND) if made.is_anything_left(written=writing) else ended


def _names(found: Mapping[str, Found]) -> list[str]:
    return list(dict.fromkeys(name for each in found.values() for name in each.names))


def _told(checked: Sequence[_Checked], beside: _Beside, out: Output, done: mending.Done | None = None) -> Exit:
    if out.form == "json":
        out.data(_document(checked, beside, **(done.as_json() if done else {})))
    else:
        _print(checked, beside, out, done)
    return _exit(checked, beside)


def _shown(checked: Sequence[_Checked], beside: _Beside, made: mending.Made, out: Output) -> Exit:
    """The diff alone where results go; what it leaves is told beside it."""
    if out.form == "json":
        return _told(checked, beside, out, made.done(written=False))
    for line in mending.diff(made, out):
        out.write(line)
    _print(checked, beside, errors(out.form), made.done(written=False))
    return _exit(checked, beside)


def _exit(checked: Sequence[_Checked], beside: _Beside) -> Exit:
    return max(exit_of(each, Exit.FOUND) for each in (beside.diagnostics, *(one.loaded.diagnostics for one in checked)))


def _beside(paths: Iterable[str], found: Iterable[Found], checked: Sequence[_Checked], files: Provider) -> _Beside:
    """Scenario files below the folders among some paths are read; nothing of them is played."""
    unread = _unread(found, checked)
    folders = [path for path in paths if files.sort(path) == "folder"]
    if not folders:
        return _Beside(unread, {}, 0)
    from rulewright.scenarios.loading import scenario_files, suites_of  # noqa: PLC0415
    from rulewright.scenarios.opening import Rules  # noqa: PLC0415 - only where there is a folder

    places = dict.fromkeys(place for folder in folders for place in scenario_files(folder, files))
    rules = Rules(files)
    wrong = suites_of(list(places), rules).diagnostics if places else ()
    return _Beside((*unread, *dict.fromkeys(wrong)), rules.texts, len(places))


def _unread(found: Iterable[Found], checked: Sequence[_Checked]) -> tuple[Diagnostic, ...]:
    """RW0016 for files of rules in a folder that are no rulesets, and that none there uses."""
    read = {place for each in checked for place in each.loaded.texts}
    message = "`{}` begins with neither `ruleset` nor `amends`, and no ruleset here uses it"
    remedy = 'begin it with `ruleset name "Title" revision "1"`, or bring it in with `use`'
    loose = dict.fromkeys(place for each in found for place in each.loose if place not in read)
    return tuple(complaint("RW0016", message.format(place), remedy) for place in loose)


def _print(checked: Sequence[_Checked], beside: _Beside, out: Output, done: mending.Done | None = None) -> None:
    told: set[Diagnostic] = set()
    for each in checked:
        out.report((one for one in each.loaded.diagnostics if one not in told), each.loaded.texts)
        told.update(each.loaded.diagnostics)
    out.report(beside.diagnostics, beside.texts)
    for line in done.lines() if done else ():
        out.say(line)
    for each in checked:
        fine = each.loaded.program is not None
        then = "once written, " if done and not done.written and done.mended.after else ""
        out.say(f"{then}{visible(each.name)}: {out.paint(_verdict(each), 'good' if fine else 'error')}")
    if beside.scenarios and not has_errors(beside.diagnostics):
        read = "1 scenario file is" if beside.scenarios == 1 else f"{beside.scenarios} scenario files are"
        out.say(out.paint(f"{read} read, not played: `rulewright test` plays them", "dim"))


def _verdict(each: _Checked) -> str:
    """`fine, 86 of 86 clauses answered`, or how many findings there are."""
    counts = [
        f"{each.count(severity)} {severity.value}{'s' if each.count(severity) > 1 else ''}"
        for severity in Severity
        if each.count(severity)
    ]
    start = [] if each.loaded.program is None else ["fine"]
    return ", ".join([*start, *counts, *_coverage(each.loaded)])


def _coverage(loaded: Loaded) -> Iterator[str]:
    if loaded.clauses and loaded.program is not None:
        yield f"{_answered(loaded)} of {loaded.clauses} clauses answered"


def _answered(loaded: Loaded) -> int:
    """How many clauses have a line or a reason: RW0603 names each of the others."""
    return loaded.clauses - sum(each.code == "RW0603" for each in loaded.diagnostics)


def _document(checked: Sequence[_Checked], beside: _Beside, **more: Any) -> dict[str, Any]:  # noqa: ANN401
    texts = {**beside.texts, **{name: text for each in checked for name, text in each.loaded.texts.items()}}
    found = dict.fromkeys([*(one for each in checked for one in each.loaded.diagnostics), *beside.diagnostics])
    return as_json.document(found, texts, files=[_file(each) for each in checked], **more)


def _file(each: _Checked) -> dict[str, Any]:
    program = each.loaded.program
    return {
        "path": each.name,
        "fine": program is not None,
        "ruleset": program.name if program else None,
        "fingerprint": program.fingerprint if program else None,
        "clauses": {"answered": _answered(each.loaded) if program else 0, "listed": each.loaded.clauses},
    }
