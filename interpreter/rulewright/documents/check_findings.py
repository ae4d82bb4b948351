"""Findings of `check`: rules and style, without silenced ones, weighted by the project; and their automatic fixes.

Hints of style are about questions, names and steps that play as well either way and read worse.

A silence is a comment beside the rule, at the end of its line or on a line of its own above: `# quiet RW0535: the
count is for people`. It holds for that line and what is indented below it.
"""

import dataclasses
import posixpath
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from rulewright.base.diagnostics import (
    SUPPRESSION_COMMENT,
    Diagnostic,
    DiagnosticCollector,
    Label,
    Remedy,
    Severity,
    has_errors,
    sort_by_place,
)
from rulewright.base.diagnostics.remedies import (
    apply_diagnostic_edits,
    find_nearest_name,
    locate_edits,
    make_deletion_edits,
    make_respelling_remedy,
    select_disjoint_fixes,
    suggest_name,
)
from rulewright.base.files import FileProvider, RevisedFiles
from rulewright.base.frozen import dataclass
from rulewright.base.source import COMMENT_OR_STRING, Span, Text, count_leading_blanks
from rulewright.checker.lint import find_checked_sources
from rulewright.checker.read_sets import list_declaration_nodes
from rulewright.checker.symbols import LinkedProgram
from rulewright.documents.findings import join_alternatives
from rulewright.documents.ruleset_loading import LoadedRuleset, LoadRuleset, load_ruleset
from rulewright.documents.ruleset_location import locate_ruleset
from rulewright.program.declarations import Procedure, Program, Setting
from rulewright.program.outline.items import render_default_reading
from rulewright.program.statements import Proceed
from rulewright.program.types import FlagType, WordType
from rulewright.program.walk import has_unreachable_end, walk_block_lines
from rulewright.syntax.nodes import MAX_MISTAKES, declarations as d
from rulewright.syntax.nodes.expressions import Name
from rulewright.syntax.nodes.statements import Ask, Option

if TYPE_CHECKING:
    from rulewright.documents.project_file import ProjectSettings

FALL_THROUGH_STEP_CODE = "RW0593"
"""A step that is jumped over and fallen into: common in rulebooks, so reported only where a project asks for it."""
_DEFAULT_WEIGHTS = {FALL_THROUGH_STEP_CODE: "off"}


@dataclass(frozen=True, slots=True)
class FindingSilence:
    """A comment that silences findings."""

    codes: tuple[str, ...]
    reason: str  # "" where none is written
    comment: Span
    covers: Span  # its line, with what is indented below

    def is_silencing(self, diagnostic: Diagnostic) -> bool:
        """Whether a finding is silenced by this comment; errors never are."""
        if diagnostic.code not in self.codes or diagnostic.severity is Severity.ERROR or diagnostic.primary is None:
            return False
        place = diagnostic.primary.span
        return place.source == self.covers.source and self.covers.start <= place.start < self.covers.end


ProjectWeights = Callable[[str], Mapping[str, str]]
"""Weights of findings by code, from the place of a ruleset: `off`, `hint`, `warning` or `error`."""
PublishedReadings = Mapping[str, Mapping[str, str]]
"""Published reading by ruleset and setting, as rules write it."""


def load_and_check(
    name: str,
    overlays: tuple[str, ...],
    weights: ProjectWeights,
    provider: FileProvider,
    load: LoadRuleset = load_ruleset,
) -> LoadedRuleset:
    """Ruleset with all findings that `check` reports."""
    located = locate_ruleset(name, provider)
    return apply_silences_and_weights(load(located, overlays, provider), weights(located.main or name))


def apply_silences_and_weights(loaded: LoadedRuleset, weights: Mapping[str, str]) -> LoadedRuleset:
    """Ruleset with the findings that remain.

    Reports RW0594 (a silence without effect) and RW0595 (a silence without a reason).
    """
    style = check_house_style(loaded.linked, loaded.program) if loaded.linked and loaded.program else ()
    items = (*loaded.diagnostics, *style)
    silences = [finding_silence for text in loaded.texts.values() for finding_silence in _find_silences(text)]
    unsilenced = [
        diagnostic for diagnostic in items if not any(silence.is_silencing(diagnostic) for silence in silences)
    ]
    about = [
        *_report_without_reason(silences),
        *(_report_needless(silences, items) if loaded.program is not None else ()),
    ]
    weighed = sort_by_place(_apply_weights([*unsilenced, *about], {**_DEFAULT_WEIGHTS, **weights}))
    program = None if has_errors(weighed) else loaded.program
    return dataclasses.replace(
        loaded, program=program, diagnostics=weighed, silenced_count=len(items) - len(unsilenced)
    )


def check_published_readings(loaded: LoadedRuleset, projects: "Sequence[ProjectSettings]") -> LoadedRuleset:
    """Ruleset with findings where it departs from the readings that a project publishes.

    The last project that names the ruleset counts. Reports RW1200 (another default) and RW1201 (no such setting).
    """
    program = loaded.program
    project = next(
        (settings for settings in reversed(projects) if program and program.name in settings.published_readings),
        None,
    )
    if program is None or project is None:
        return loaded
    result = [*loaded.diagnostics, *find_unknown_settings(program, project)]
    result += find_other_readings(program, project.published_readings[program.name])
    sound = program if len(result) == len(loaded.diagnostics) else None
    texts = {**loaded.texts, project.text.name: project.text}
    return dataclasses.replace(loaded, program=sound, diagnostics=sort_by_place(result), texts=texts)


def find_other_readings(program: Program, wanted: Mapping[str, str]) -> Iterator[Diagnostic]:
    """RW1200 for each setting whose default is not the published reading."""
    for name, value in wanted.items():
        setting = program.settings.get(name)
        possible = () if setting is None else _possible_readings(setting, program)
        if setting is not None and possible and value not in possible:
            message = f"the project publishes `{name}` as `{value}`, which is none of its readings"
            remedy = f"its readings are {join_alternatives(possible)}; write one of them into `rulewright.toml`"
            yield Diagnostic("RW1200", Severity.ERROR, message, Label(setting.span), help=remedy)
        elif setting is not None and render_default_reading(setting, program) != value:
            message = f"the project publishes `{name}` as `{value}`, and the rules take `{render_default_reading(setting, program)}`"
            remedy = "write the published reading here, or the other into `rulewright.toml`"
            yield Diagnostic("RW1200", Severity.ERROR, message, Label(setting.span), help=remedy)


def _possible_readings(setting: Setting, program: Program) -> tuple[str, ...]:
    """Readings of a setting, as rules write them; empty for numbers and the like."""
    match setting.type:
        case FlagType():
            return ("yes", "no")
        case WordType(values):
            return tuple(word.name for word in program.values[values].words)
        case _:
            return ()


def find_unknown_settings(program: Program, project: "ProjectSettings") -> Iterator[Diagnostic]:
    """RW1201 for each published reading of a setting that the ruleset does not have."""
    for name in (reading for reading in project.published_readings[program.name] if reading not in program.settings):
        message = f"the project publishes a reading of `{name}`, and `{program.name}` has no such setting"
        place = project.find_reading(program.name, name)
        yield _unused_publication("RW1201", message, name, program.settings, place)


def find_unknown_rulesets(project: "ProjectSettings", known: Collection[str]) -> Iterator[Diagnostic]:
    """RW1218 for each ruleset with published readings that a project cannot use."""
    for name in (reading for reading in project.published_readings if reading not in known):
        message = f"the project publishes readings of `{name}`, and there is no ruleset of this name"
        yield _unused_publication("RW1218", message, name, known, project.find_reading(name))


def _unused_publication(code: str, message: str, name: str, known: Iterable[str], place: Span | None) -> Diagnostic:
    label = None if place is None else Label(place)
    remedy = Remedy("take it out of `rulewright.toml`")
    close = find_nearest_name(name, known)
    if close:
        remedy = Remedy(suggest_name(close)) if place is None else make_respelling_remedy(place, close)
    return Diagnostic(code, Severity.ERROR, message, label, help=remedy.help, edits=remedy.edits)


def _find_silences(text: Text) -> Iterator[FindingSilence]:
    if "quiet" not in text.content:
        return
    for result in COMMENT_OR_STRING.finditer(text.content):
        silence = SUPPRESSION_COMMENT.search((result["comment"] or "").rstrip())
        if silence is not None:
            start = result.start() + silence.start()
            comment = Span(text.name, start, result.start() + silence.end())
            codes = tuple(re.findall(r"RW\d{4}", silence["codes"]))
            yield FindingSilence(codes, silence["reason"] or "", comment, _covered_span(text, start))


def _covered_span(text: Text, comment: int) -> Span:
    """Span from the line of a comment, or the next line of rules, through all lines indented deeper."""
    begins = text.content.rfind("\n", 0, comment) + 1
    lines = _lines_from(text.content, begins)
    if not text.content[begins:comment].strip():
        lines = (item for item in lines if not _is_blank_or_comment(item[1]))
    start, first = next(lines, (len(text.content), ""))
    end = start + len(first)
    for place, line in _lines_from(text.content, end):
        if not _is_blank_or_comment(line) and count_leading_blanks(line) <= count_leading_blanks(first):
            break
        end = place + len(line)
    return Span(text.name, start, end)


def _lines_from(content: str, start: int) -> Iterator[tuple[int, str]]:
    for line in content[start:].splitlines(keepends=True):
        yield start, line
        start += len(line)


def _is_blank_or_comment(line: str) -> bool:
    return not line.strip() or line.lstrip().startswith("#")


def _report_without_reason(silences: Sequence[FindingSilence]) -> Iterator[Diagnostic]:
    for silence in silences:
        if not silence.reason:
            remedy = f"write it behind the code: `# quiet {', '.join(silence.codes)}: because …`"
            yield _silence_warning("RW0595", silence, "this silence gives no reason", remedy)


def _report_needless(silences: Sequence[FindingSilence], diagnostics: Sequence[Diagnostic]) -> Iterator[Diagnostic]:
    for silence in silences:
        for code in silence.codes:
            one = dataclasses.replace(silence, codes=(code,))
            if not any(map(one.is_silencing, diagnostics)):
                yield _silence_warning(
                    "RW0594", silence, _explain_needless(code), "take it out", whole=len(silence.codes) == 1
                )


def _explain_needless(code: str) -> str:
    from rulewright.base.diagnostics.pages import find_page  # noqa: PLC0415 - only where a silence is not needed

    known = find_page(code)
    if known is None:
        return f"there is no message {code} to silence"
    if known.severity == Severity.ERROR.value:
        return f"{code} is an error, and only warnings and hints can be silenced"
    return f"{code} is not reported here, so the silence is not needed"


def _silence_warning(
    code: str, silence: FindingSilence, message: str, remedy: str, *, whole: bool = False
) -> Diagnostic:
    edits = make_deletion_edits(silence.comment) if whole else ()
    return Diagnostic(code, Severity.WARNING, message, Label(silence.comment), help=remedy, edits=edits)


def _apply_weights(diagnostics: Sequence[Diagnostic], weights: Mapping[str, str]) -> Iterator[Diagnostic]:
    for diagnostic in diagnostics:
        weight = weights.get(diagnostic.code)
        if weight is None or diagnostic.severity is Severity.ERROR:
            yield diagnostic
        elif weight != "off":
            yield dataclasses.replace(diagnostic, severity=Severity(weight))


MAX_RELOADS = 500
"""Most reloads of rulesets in one run of `check --fix`."""

LoadFromFiles = Callable[[FileProvider], LoadedRuleset]
"""Loads and checks one ruleset with the given files."""

_SYNTAX_CODE_PREFIXES = ("RW01", "RW0870")
"""Codes of syntax errors, which hide other errors of their declaration."""
_FIRST_CHARACTER_CODE = "RW0141"
"""First code of lexical errors, which hide other errors of their whole text."""


@dataclass(frozen=True, slots=True)
class FixResult:
    """Rulesets and texts after automatic fixes."""

    loaded: tuple[LoadedRuleset, ...]  # rulesets with the new texts, in the given order
    before: Mapping[str, Text]  # old texts of changed files, by place
    after: Mapping[str, str]  # new contents of these
    fixed: tuple[Diagnostic, ...]  # findings whose fixes were applied, in order
    # remaining findings with a fix that was not allowed or did not help
    remaining: tuple[Diagnostic, ...]


def apply_fixes(
    loads: Sequence[LoadFromFiles], provider: FileProvider, may_change: Callable[[str], bool], *, unsafe: bool
) -> FixResult:
    """Applies the safe fixes of rulesets (with `unsafe` all) until none is left.

    A fix is kept only if its finding is gone and no error is new. A syntax error may have hidden errors: these may come
    up, but never in the written text. A fix that may change the meaning of rules is applied only if its finding was
    there from the start. Texts change in memory; `may_change` says which. Overlapping edits wait for the next round.
    """
    mender = _Fixer(loads, provider, may_change, unsafe=unsafe)
    mender.fix_all()
    return mender.fix_result()


class _Fixer:
    def __init__(
        self, loads: Sequence[LoadFromFiles], provider: FileProvider, may_change: Callable[[str], bool], *, unsafe: bool
    ) -> None:
        self._loads = loads
        self._files = provider
        self._may_change = may_change
        self._unsafe = unsafe
        self._before: dict[str, Text] = {}
        self._after: dict[str, str] = {}
        self._done: list[Diagnostic] = []
        self._refused: set[tuple[str, str, str, str]] = set()
        self._loaded = [load(provider) for load in loads]
        self._reloads_left = MAX_RELOADS
        self._initial_findings = {
            self._finding_key(diagnostic) for loaded in self._loaded for diagnostic in loaded.diagnostics
        }

    def fix_all(self) -> None:
        while self._reloads_left > 0:
            batch = select_disjoint_fixes(self._list_candidates())
            if not batch:
                return
            if not self._try_fixes(batch):
                self._try_one_by_one(batch)

    def fix_result(self) -> FixResult:
        loaded = tuple(self._loaded)
        remaining = dict.fromkeys(diagnostic for one in loaded for diagnostic in one.diagnostics if diagnostic.edits)
        return FixResult(loaded, self._before, self._after, tuple(self._done), tuple(remaining))

    def _try_one_by_one(self, batch: Sequence[Diagnostic]) -> None:
        """Applies the first fix of a batch that helps by itself; those before it are not tried again."""
        for diagnostic in batch:
            if len(batch) > 1 and self._try_fixes([diagnostic]):
                return
            self._refused.add(self._finding_key(diagnostic))

    def _list_candidates(self) -> Iterator[Diagnostic]:
        for fromkey in dict.fromkeys(one for loaded in self._loaded for one in loaded.diagnostics):
            wanted = fromkey.is_safe_to_mend or (
                self._unsafe and fromkey.edits and self._finding_key(fromkey) in self._initial_findings
            )
            sources = {edit.span.source for edit in fromkey.edits}
            if wanted and self._finding_key(fromkey) not in self._refused and all(map(self._may_change, sources)):
                yield fromkey

    def _finding_key(self, each: Diagnostic) -> tuple[str, str, str, str]:
        """Identity of a finding while lines move: code, message and line."""
        place, line = _finding_line(each, self._all_texts())
        return each.code, each.message, place, self._all_texts()[place].get_line(line) if place else ""

    def _all_texts(self) -> dict[str, Text]:
        return {name: text for loaded in self._loaded for name, text in loaded.texts.items()}

    def _try_fixes(self, batch: Sequence[Diagnostic]) -> bool:
        texts = self._all_texts()
        new = apply_diagnostic_edits(batch, texts)
        provider = RevisedFiles(self._files, {**self._after, **new})
        loaded = [
            self._reload_ruleset(load, old, new, provider) for load, old in zip(self._loads, self._loaded, strict=True)
        ]
        if not _is_improvement(batch, self._loaded, loaded):
            return False
        for place in new:
            self._before.setdefault(place, texts[place])
        self._after.update(new)
        self._done.extend(batch)
        self._loaded = loaded
        return True

    def _reload_ruleset(
        self, load: LoadFromFiles, old: LoadedRuleset, new: Mapping[str, str], provider: FileProvider
    ) -> LoadedRuleset:
        if not any(posixpath.normpath(place) in map(posixpath.normpath, old.texts) for place in new):
            return old
        self._reloads_left -= 1
        return load(provider)


def _finding_line(each: Diagnostic, texts: Mapping[str, Text]) -> tuple[str, int]:
    if each.primary is None or each.primary.span.source not in texts:
        return "", 0
    span = each.primary.span
    return span.source, texts[span.source].get_position(span.start).line


def _is_improvement(batch: Sequence[Diagnostic], old: Sequence[LoadedRuleset], new: Sequence[LoadedRuleset]) -> bool:
    """Whether the findings of a batch are gone, with no new error but those hidden by a syntax error."""
    were, are = _list_errors(old), _list_errors(new)
    moved = _LineShifts(batch, {name: text for loaded_ruleset in old for name, text in loaded_ruleset.texts.items()})
    known = {(diagnostic.code, diagnostic.message, *moved.shifted_line(diagnostic)) for diagnostic in (*were, *batch)}
    texts = {name: text for loaded_ruleset in new for name, text in loaded_ruleset.texts.items()}
    result = {
        (diagnostic.code, diagnostic.message, *_finding_line(diagnostic, texts))
        for one in new
        for diagnostic in one.diagnostics
    }
    if any((diagnostic.code, diagnostic.message, *moved.shifted_line(diagnostic)) in result for diagnostic in batch):
        return False
    causes = {(diagnostic.code, diagnostic.message) for diagnostic in batch}  # reported once
    fresh = [
        diagnostic
        for diagnostic in are
        if (diagnostic.code, diagnostic.message, *_finding_line(diagnostic, texts)) not in known
    ]
    fresh = [diagnostic for diagnostic in fresh if (diagnostic.code, diagnostic.message) not in causes]
    if not all(map(_is_syntax_error, batch)):
        return not fresh
    whole = any(_FIRST_CHARACTER_CODE <= diagnostic.code < "RW02" for diagnostic in batch) or len(were) >= MAX_MISTAKES
    return all(_was_hidden_error(diagnostic, texts, moved.written, whole=whole) for diagnostic in fresh)


def _is_syntax_error(each: Diagnostic) -> bool:
    """Whether a finding keeps a text from being parsed; one with an address comes from parsed text."""
    return each.code.startswith(_SYNTAX_CODE_PREFIXES) and not each.address


def _was_hidden_error(each: Diagnostic, texts: Mapping[str, Text], written: Sequence[Span], *, whole: bool) -> bool:
    """Whether an error is outside the written text: for syntax errors after it, else in an edited declaration.

    After lexical errors, or very many errors, other declarations were not parsed either.
    """
    if each.primary is None:
        return True
    span = each.primary.span
    beside = [one for one in written if one.source == span.source]
    if not _is_syntax_error(each):
        return not any(one.start < span.end and span.start < one.end for one in beside)
    text = texts[span.source]
    line = text.get_position(span.start).line
    if any(text.get_position(one.end).line == line and span.start <= one.end for one in beside):
        return False
    return whole or any(_declaration_line(text, one.start) == _declaration_line(text, span.start) for one in beside)


def _declaration_line(text: Text, offset: int) -> int:
    """Nearest line at or above an offset without indentation."""
    line = text.get_position(offset).line
    while line > 1 and text.get_line(line)[:1] in {"", " ", "\t", "#"}:
        line -= 1
    return line


def _list_errors(loaded: Iterable[LoadedRuleset]) -> list[Diagnostic]:
    result = dict.fromkeys(diagnostic for one in loaded for diagnostic in one.diagnostics)
    return [diagnostic for diagnostic in result if diagnostic.severity is Severity.ERROR]


@dataclasses.dataclass
class _LineShifts:
    """Line numbers after the edits of some findings."""

    batch: Sequence[Diagnostic]
    texts: Mapping[str, Text]
    written: list[Span] = dataclasses.field(default_factory=list)  # spans of the written text, after the edits

    def __post_init__(self) -> None:
        edits = {edit for diagnostic in self.batch for edit in diagnostic.edits}
        for name in {edit.span.source for edit in edits}:
            self.written += locate_edits(self.texts[name], (edit for edit in edits if edit.span.source == name))

    def shifted_line(self, each: Diagnostic) -> tuple[str, int]:
        """The text and the line of a finding after the edits."""
        source, line = _finding_line(each, self.texts)
        if not source or each.primary is None:
            return source, line
        return source, line + self._line_shift(self.texts[source], each.primary.span.start)

    def _line_shift(self, text: Text, offset: int) -> int:
        edits = {edit for diagnostic in self.batch for edit in diagnostic.edits if edit.span.source == text.name}
        return sum(
            edit.replacement.count("\n") - text.content.count("\n", edit.span.start, edit.span.end)
            for edit in edits
            if edit.span.end <= offset and edit.span.start < offset
        )


_DOUBLED_LETTER_PATTERN = re.compile(r"([a-z])\1+")
_MIN_LENGTH_FOR_FUZZY_NAMES = 5  # letters


def check_house_style(linked: LinkedProgram, program: Program) -> tuple[Diagnostic, ...]:
    """Hints of style in the files of a ruleset, or in its overlays where there are some.

    Questions without a question mark (RW0590) or a text (RW0591), names too alike (RW0592), steps that are jumped over
    and fallen into (RW0593).
    """
    report, sources = DiagnosticCollector(), find_checked_sources(linked)
    for node in linked.main.declarations:
        if node.span.source in sources:
            report.address = node.name.text if hasattr(node, "name") and isinstance(node.name, Name) else ""
            _check_question_texts(node, report)
            _check_similar_names(_iterate_inner_names(node), report)
    report.address = ""
    spaces = ((d.Kind, d.Record, d.Values), (d.Term, d.Tally, d.Decide, d.Table, d.Paths, d.Setting, d.Procedure))
    for space in spaces:
        among = (declaration.name for declaration in linked.main.declarations if isinstance(declaration, space))
        _check_similar_names((name for name in among if name.span.source in sources), report)
    for procedure in program.procedures.values():
        if procedure.span.source in sources:
            report.address = procedure.name
            _check_fall_through_steps(procedure, report)
    return tuple(report.diagnostics)


def _check_question_texts(node: d.Declaration, report: DiagnosticCollector) -> None:
    for line in list_declaration_nodes(node):
        if not isinstance(line, Ask):
            continue
        if line.title is None:
            message, remedy = "this question has no text", 'write it behind the line: `"Push the losing unit?"`'
            report.hint("RW0591", line.asked.span, message, help=remedy)
        elif "?" not in line.title.text:
            remedy = "ask for what you want to know: people read it as a question"
            report.hint("RW0590", line.title.span, "this question has no question mark", help=remedy)


def _iterate_inner_names(node: d.Declaration) -> Iterator[Name]:
    match node:
        case d.Kind(fields=fields) | d.Record(fields=fields) | d.Game(fields=fields):
            yield from (field.name for field in fields)
        case d.Values(words=words):
            yield from (word.name for word in words)
        case d.Procedure(parameters=parameters):
            yield from (parameter.name for parameter in parameters)
            yield from (
                declaration_node.name
                for declaration_node in list_declaration_nodes(node)
                if isinstance(declaration_node, Option)
            )


def _check_similar_names(names: Iterable[Name], report: DiagnosticCollector) -> None:
    """Hints at names that a hasty reader confuses: `to_hit` and `tohit`, `barel` and `barrel`."""
    first_by_form: dict[str, Name] = {}
    for name in names:
        plain = name.text.replace("_", "").lower()
        first = first_by_form.setdefault(
            _DOUBLED_LETTER_PATTERN.sub(r"\1", plain) if len(plain) >= _MIN_LENGTH_FOR_FUZZY_NAMES else plain, name
        )
        if first.text != name.text:
            message = f"`{name.text}` and `{first.text}` are easily taken for each other"
            other, remedy = (Label(first.span, "the other one"),), "rename one of them"
            report.hint("RW0592", name.span, message, secondary=other, help=remedy)


def _check_fall_through_steps(procedure: Procedure, report: DiagnosticCollector) -> None:
    places = {step.id: place for place, step in enumerate(procedure.steps)}
    for place, step in enumerate(procedure.steps):
        before = (line for item in procedure.steps[:place] for line in walk_block_lines(item.block))
        jumps = (proceed for proceed in before if isinstance(proceed, Proceed) and places[proceed.step] > place)
        jump = next(jumps, None)
        if jump is not None and not has_unreachable_end(procedure.steps[place - 1].block):
            message = f"step {step.id} is jumped over, and step {procedure.steps[place - 1].id} runs on into it"
            remedy = f"end the step before it with a jump, or give step {step.id} a `when`"
            there = (Label(jump.span, "this line jumps over it"),)
            report.hint(FALL_THROUGH_STEP_CODE, step.span, message, secondary=there, help=remedy)
