"""Warnings of `diff`: new faults, titles that changed places, answers no longer secret or in another order, settings that nothing reads any more."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field

from rulewright.base.diagnostics import Diagnostic, Severity
from rulewright.base.frozen import dataclass
from rulewright.base.node_roles import walk_nodes
from rulewright.cli.diff_result import ComparedSide, DiffResult
from rulewright.diff.differential_testing.altered_places import executable_declarations
from rulewright.diff.edits import find_reused_titles
from rulewright.program import expressions as ex, statements as st
from rulewright.program.declarations import Program
from rulewright.program.outline.items import DeclaredName
from rulewright.wording.condition_rendering import join_words

_MAX_LISTED_FINDINGS = 2


def list_warnings(diff: DiffResult) -> tuple[str, ...]:
    """Distinct warnings, one line each; those found only with overlays name these."""
    warnings: dict[str, str] = {}
    for part in diff.parts:
        for line in (
            *_fault_warnings(part),
            *_title_warnings(part),
            *_secrecy_warnings(part),
            *_answer_order_warnings(part),
            *_unread_setting_warnings(part),
        ):
            warnings.setdefault(line, f"{line}, {part.part_name}" if part.part_name else line)
    return (*warnings.values(), *_new_check_warnings(diff))


def _fault_warnings(diff: DiffResult) -> Iterator[str]:
    scenarios = [scenario for scenario in diff.scenarios if scenario.sort == "fault" and not diff.part_name]
    for fault in diff.whole.behaviour.faults if diff.whole.behaviour else ():
        often = f", in {fault.times} of the {fault.faces} faces of `{fault.roll}`" if fault.roll else ""
        shown = sum(one.addresses[1] == fault.address for one in scenarios)
        also = f"; so {'does' if shown == 1 else 'do'} {shown} of the scenarios" if shown else ""
        yield f"FAULT   plays now end in {fault.code} at {fault.address}{often}: {fault.message}{also}"


def _title_warnings(diff: DiffResult) -> Iterator[str]:
    """Titles of words and options that now stand for what another one stood for."""
    for edit in find_reused_titles(diff.whole.comparison.edits):
        owner = edit.new.address.rpartition("/")[0]
        yield f"TITLE   “{edit.new.title}” of {owner} is now `{edit.new.id}`, which was called “{edit.old.title}”"


def _secrecy_warnings(diff: DiffResult) -> Iterator[str]:
    """Warnings on answers that are no longer secret, or that are now shown."""
    old, new = (_collect_question_secrecy(compared_side.program) for compared_side in (diff.old, diff.new))
    names = diff.whole.comparison.correspondence.names
    for owner, was in old.items():
        now = new.get(names.get(owner, owner), _QuestionSecrecy())
        opened = sorted(now.open - was.open)
        for name in sorted(was.secret - now.secret):
            if opened:
                also = "" if name in opened else f": {join_words([f'`{item}`' for item in opened])} is asked openly"
                yield f"SECRET  `{name}` of {owner.name} is no longer secret{also}"
        still_secret = was.secret & now.secret
        yield from (
            f"SECRET  `{name}` of {owner.name} is shown now"
            for name in sorted(still_secret & now.revealed - was.revealed)
        )
        for name, asked_before in was.asked_before_reveal.items():
            sooner = sorted((asked_before - now.asked_before_reveal.get(name, asked_before)) & (now.secret | now.open))
            if sooner:
                later = join_words([f"`{item}`" for item in sooner])
                yield f"SECRET  `{name}` of {owner.name} is shown before {later} is asked"
        yield from (f"SECRET  `{name}` of {owner.name} is secret now" for name in sorted(was.open & now.secret))


@dataclass(frozen=True, slots=True)
class _QuestionSecrecy:
    """Question names of a declaration by secrecy: secret, open, shown."""

    secret: frozenset[str] = frozenset()
    open: frozenset[str] = frozenset()
    asked_before_reveal: Mapping[str, frozenset[str]] = field(
        default_factory=dict
    )  # by question: names asked before it is shown

    @property
    def revealed(self) -> frozenset[str]:
        return frozenset(self.asked_before_reveal)


def _collect_question_secrecy(program: Program) -> dict[DeclaredName, _QuestionSecrecy]:
    result: dict[DeclaredName, _QuestionSecrecy] = {}
    for owner, declared in executable_declarations(program):
        every = [*walk_nodes(declared)]
        asked_of_all = {ask_all.question.variable.name for ask_all in every if isinstance(ask_all, st.AskAll)}
        single_questions = [ask for ask in every if isinstance(ask, st.Ask) and ask.variable.name not in asked_of_all]
        result[owner] = _QuestionSecrecy(
            frozenset(asked_of_all.union(ask.variable.name for ask in single_questions if ask.secret)),
            frozenset(ask.variable.name for ask in single_questions if not ask.secret),
            dict(_revealed_questions(every)),
        )
    return result


def _revealed_questions(every: Sequence[object]) -> Iterator[tuple[str, frozenset[str]]]:
    asked_before: set[str] = set()
    for item in every:
        if isinstance(item, st.Ask):
            asked_before.add(item.variable.name)
        elif isinstance(item, st.Reveal):
            yield item.variable.name, frozenset(asked_before)


def _answer_order_warnings(diff: DiffResult) -> Iterator[str]:
    for offered in diff.whole.comparison.answer_order.reordered:
        what = (
            f"the options of `{offered.question}` of {offered.owner.name}"
            if offered.question
            else f"the handlers of {offered.owner.name}"
        )
        yield f"ORDER   {what} stand in another order: a policy that takes the first may choose another"


def _unread_setting_warnings(diff: DiffResult) -> Iterator[str]:
    names = diff.whole.comparison.correspondence.names
    read = [_read_settings(compared_side.program) for compared_side in (diff.old, diff.new)]
    for name in sorted(read[0]):
        now = names.get(DeclaredName("setting", name))
        if now is not None and now.name in diff.new.program.settings and now.name not in read[1]:
            yield f"DEAD    no line reads the setting `{now.name}` any more: its readings play alike"


def _read_settings(program: Program) -> frozenset[str]:
    every = (node for _, declared in executable_declarations(program) for node in walk_nodes(declared))
    return frozenset(setting_value.name for setting_value in every if isinstance(setting_value, ex.SettingValue))


def _new_check_warnings(diff: DiffResult) -> Iterator[str]:
    known = {
        (side_warning.code, side_warning.message) for part in diff.parts for side_warning in _side_warnings(part.old)
    }
    new = {
        (side_warning.code, side_warning.message): _format_check_warning(side_warning, part.new)
        for part in diff.parts
        for side_warning in _side_warnings(part.new)
        if (side_warning.code, side_warning.message) not in known
    }
    warnings = [*new.values()]
    yield from (f"CHECK   {item}" for item in warnings[:_MAX_LISTED_FINDINGS])
    if len(warnings) > _MAX_LISTED_FINDINGS:
        yield f"CHECK   warns of {len(warnings) - _MAX_LISTED_FINDINGS} more places of NEW, and not of OLD"


def _side_warnings(side: ComparedSide) -> tuple[Diagnostic, ...]:
    return tuple(diagnostic for diagnostic in side.loaded.diagnostics if diagnostic.severity is Severity.WARNING)


def _format_check_warning(diagnostic: Diagnostic, side: ComparedSide) -> str:
    if diagnostic.primary is None:
        return f"warns of NEW, and not of OLD: {diagnostic.code}: {diagnostic.message}"
    text = side.loaded.texts[diagnostic.primary.span.source]
    line = text.get_position(diagnostic.primary.span.start).line
    return f"warns of NEW, and not of OLD: {diagnostic.code} at {text.name}:{line}: {diagnostic.message}"
