"""What `check` tells of a ruleset: its findings and those of style, without those silenced, as a project weighs them.

A silence is a comment beside the rule, at the end of its line or on a line of its own above: `# quiet RW0535: the
count is for people`. It holds for that line and what is indented below it.
"""

import dataclasses
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from rulewright.analysis.house_style import SURPRISING, house_style
from rulewright.diagnostics import Diagnostic, Label, Severity, has_errors
from rulewright.diagnostics.model import SILENCE, by_place
from rulewright.diagnostics.remedies import Remedy, left_out, nearest, respelt, suggested
from rulewright.files import Provider
from rulewright.frozen import dataclass
from rulewright.inputs.findings import any_of
from rulewright.outline.items import reading
from rulewright.program.declarations import Program, Setting
from rulewright.program.types import FlagType, WordType
from rulewright.source import COMMENT_OR_STRING, Span, Text, indentation
from rulewright.workspace.load import Loaded, load
from rulewright.workspace.locate import locate

if TYPE_CHECKING:
    from rulewright.inputs.project_file import Project

_UNLESS_SAID = {SURPRISING: "off"}


@dataclass(frozen=True, slots=True)
class Silence:
    """A comment that keeps findings from being told."""

    codes: tuple[str, ...]  # of the findings
    reason: str  # why they are not told; empty where none is written
    comment: Span  # where it stands
    covers: Span  # the line that it is about, with what is indented below it

    def is_about(self, found: Diagnostic) -> bool:
        """Whether a finding is one of these, which no error is."""
        if found.code not in self.codes or found.severity is Severity.ERROR or found.primary is None:
            return False
        place = found.primary.span
        return place.source == self.covers.source and self.covers.start <= place.start < self.covers.end


Weights = Callable[[str], Mapping[str, str]]
"""From the place of a ruleset to what findings weigh in its project, by code: `off`, `hint`, `warning` or `error`."""
Published = Mapping[str, Mapping[str, str]]
"""By ruleset and setting the reading that a project publishes, as rules write it."""


def judged(name: str, overlays: tuple[str, ...], weights: Weights, provider: Provider) -> Loaded:
    """A ruleset, read and checked, with all that `check` tells of it."""
    located = locate(name, provider)
    return told_of(load(located, overlays, provider), weights(located.main or name))


def told_of(loaded: Loaded, weights: Mapping[str, str]) -> Loaded:
    """The ruleset with what there is to tell of it.

    Reports RW0594 where a silence silences nothing and RW0595 where it gives no reason.
    """
    style = house_style(loaded.linked, loaded.program) if loaded.linked and loaded.program else ()
    found = (*loaded.diagnostics, *style)
    silences = [each for text in loaded.texts.values() for each in _silences(text)]
    told = [each for each in found if not any(silence.is_about(each) for silence in silences)]
    about = [*_unexplained(silences), *(_needless(silences, found) if loaded.program is not None else ())]
    weighed = by_place(_weighed([*told, *about], {**_UNLESS_SAID, **weights}))
    program = None if has_errors(weighed) else loaded.program
    return dataclasses.replace(loaded, program=program, diagnostics=weighed, silenced=len(found) - len(told))


def held_to(loaded: Loaded, projects: "Sequence[Project]") -> Loaded:
    """The ruleset with where it does not take the readings that the last of some projects to name it publishes.

    Reports RW1200, another reading is the default, and RW1201, there is no such setting.
    """
    program = loaded.program
    project = next((each for each in reversed(projects) if program and program.name in each.published), None)
    if program is None or project is None:
        return loaded
    found = [*loaded.diagnostics, *unpublished(program, project)]
    found += read_otherwise(program, project.published[program.name])
    sound = program if len(found) == len(loaded.diagnostics) else None
    texts = {**loaded.texts, project.text.name: project.text}
    return dataclasses.replace(loaded, program=sound, diagnostics=by_place(found), texts=texts)


def read_otherwise(program: Program, wanted: Mapping[str, str]) -> Iterator[Diagnostic]:
    """RW1200 for each setting of which rules take another reading than the one that is published."""
    for name, value in wanted.items():
        setting = program.settings.get(name)
        possible = () if setting is None else _readings(setting, program)
        if setting is not None and possible and value not in possible:
            message = f"the project publishes `{name}` as `{value}`, which is none of its readings"
            remedy = f"its readings are {any_of(possible)}; write one of them into `rulewright.toml`"
            yield Diagnostic("RW1200", Severity.ERROR, message, Label(setting.span), help=remedy)
        elif setting is not None and reading(setting, program) != value:
            message = f"the project publishes `{name}` as `{value}`, and the rules take `{reading(setting, program)}`"
            remedy = "write the published reading here, or the other into `rulewright.toml`"
            yield Diagnostic("RW1200", Severity.ERROR, message, Label(setting.span), help=remedy)


def _readings(setting: Setting, program: Program) -> tuple[str, ...]:
    """The readings that a setting may have, as rules write them; none where they are numbers or the like."""
    match setting.type:
        case FlagType():
            return ("yes", "no")
        case WordType(values):
            return tuple(each.name for each in program.values[values].words)
        case _:
            return ()


def unpublished(program: Program, project: "Project") -> Iterator[Diagnostic]:
    """RW1201 for each setting that a ruleset has not, and of which a project publishes the reading."""
    for name in (each for each in project.published[program.name] if each not in program.settings):
        message = f"the project publishes a reading of `{name}`, and `{program.name}` has no such setting"
        place = project.reading_at(program.name, name)
        yield _published_for_nothing("RW1201", message, name, program.settings, place)


def of_no_ruleset(project: "Project", known: Collection[str]) -> Iterator[Diagnostic]:
    """RW1218 for each ruleset that a project cannot use, and of which it publishes readings."""
    for name in (each for each in project.published if each not in known):
        message = f"the project publishes readings of `{name}`, and there is no ruleset of this name"
        yield _published_for_nothing("RW1218", message, name, known, project.reading_at(name))


def _published_for_nothing(code: str, message: str, name: str, known: Iterable[str], place: Span | None) -> Diagnostic:
    label = None if place is None else Label(place)
    remedy = Remedy("take it out of `rulewright.toml`")
    close = nearest(name, known)
    if close:
        remedy = Remedy(suggested(close)) if place is None else respelt(place, close)
    return Diagnostic(code, Severity.ERROR, message, label, help=remedy.help, edits=remedy.edits)


def _silences(text: Text) -> Iterator[Silence]:
    if "quiet" not in text.content:
        return
    for found in COMMENT_OR_STRING.finditer(text.content):
        said = SILENCE.search((found["comment"] or "").rstrip())
        if said is not None:
            start = found.start() + said.start()
            comment = Span(text.name, start, found.start() + said.end())
            codes = tuple(re.findall(r"RW\d{4}", said["codes"]))
            yield Silence(codes, said["reason"] or "", comment, _covered(text, start))


def _covered(text: Text, comment: int) -> Span:
    """From the line of a comment, or the next that says something, to the last that is indented deeper."""
    begins = text.content.rfind("\n", 0, comment) + 1
    lines = _lines(text.content, begins)
    if not text.content[begins:comment].strip():
        lines = (each for each in lines if not _says_nothing(each[1]))
    start, first = next(lines, (len(text.content), ""))
    end = start + len(first)
    for place, line in _lines(text.content, end):
        if not _says_nothing(line) and indentation(line) <= indentation(first):
            break
        end = place + len(line)
    return Span(text.name, start, end)


def _lines(content: str, start: int) -> Iterator[tuple[int, str]]:
    for line in content[start:].splitlines(keepends=True):
        yield start, line
        start += len(line)


def _says_nothing(line: str) -> bool:
    return not line.strip() or line.lstrip().startswith("#")


def _unexplained(silences: Sequence[Silence]) -> Iterator[Diagnostic]:
    for each in silences:
        if not each.reason:
            remedy = f"write it behind the code: `# quiet {', '.join(each.codes)}: because …`"
            yield _warning("RW0595", each, "this silence gives no reason", remedy)


def _needless(silences: Sequence[Silence], found: Sequence[Diagnostic]) -> Iterator[Diagnostic]:
    for silence in silences:
        for code in silence.codes:
            one = dataclasses.replace(silence, codes=(code,))
            if not any(map(one.is_about, found)):
                yield _warning("RW0594", silence, _why_needless(code), "take it out", whole=len(silence.codes) == 1)


def _why_needless(code: str) -> str:
    from rulewright.diagnostics.pages import page  # noqa: PLC0415 - only where a silence is not needed

    known = page(code)
    if known is None:
        return f"there is no message {code} to silence"
    if known.severity == Severity.ERROR.value:
        return f"{code} is an error, and only warnings and hints can be silenced"
    return f"{code} is not reported here, so the silence is not needed"


def _warning(code: str, silence: Silence, message: str, remedy: str, *, whole: bool = False) -> Diagnostic:
    edits = left_out(silence.comment) if whole else ()
    return Diagnostic(code, Severity.WARNING, message, Label(silence.comment), help=remedy, edits=edits)


def _weighed(found: Sequence[Diagnostic], weights: Mapping[str, str]) -> Iterator[Diagnostic]:
    for each in found:
        weight = weights.get(each.code)
        if weight is None or each.severity is Severity.ERROR:
            yield each
        elif weight != "off":
            yield dataclasses.replace(each, severity=Severity(weight))
