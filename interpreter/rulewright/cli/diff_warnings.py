"""Warnings of `diff`: new faults, titles that changed places, answers no longer secret or in another order, settings that nothing reads any more."""

from collections.abc import Iterator, Mapping
from dataclasses import field
from itertools import chain

from rulewright.base.diagnostics import Diagnostic, Severity
from rulewright.base.frozen import dataclass
from rulewright.base.node_roles import walk_nodes
from rulewright.cli.diff_result import ComparedSide, DiffResult
from rulewright.cli.text_layout import name_first
from rulewright.diff.differential_testing.altered_places import executable_declarations
from rulewright.diff.edits import find_reused_titles
from rulewright.program import expressions as ex, statements as st
from rulewright.program.declarations import Program
from rulewright.program.outline.items import DeclaredName
from rulewright.wording.english import join_words

_MAX_LISTED_FINDINGS = 2


def list_warnings(diff: DiffResult) -> tuple[str, ...]:
    """Distinct warnings, one line each; those found only with overlays name these."""
    warnings: dict[str, str] = {}
    finders = (_fault_warnings, _title_warnings, _secrecy_warnings, _answer_order_warnings, _unread_setting_warnings)
    for part in diff.parts:
        for line in chain.from_iterable(find_warnings(part) for find_warnings in finders):
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
    for edit in find_reused_titles(diff.comparison.edits):
        owner = edit.new.address.rpartition("/")[0]
        yield f"TITLE   “{edit.new.title}” of {owner} is now `{edit.new.id}`, which was called “{edit.old.title}”"


def _secrecy_warnings(diff: DiffResult) -> Iterator[str]:
    """Warnings on answers that are no longer secret, or that are now shown."""
    old, new = (_collect_question_secrecy(side.program) for side in (diff.old, diff.new))
    names = diff.comparison.correspondence.names
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
            for name in sorted(still_secret & now.asked_before_reveal.keys() - was.asked_before_reveal.keys())
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
    # by question that is shown: names asked before
    asked_before_reveal: Mapping[str, frozenset[str]] = field(default_factory=dict)


def _collect_question_secrecy(program: Program) -> dict[DeclaredName, _QuestionSecrecy]:
    result: dict[DeclaredName, _QuestionSecrecy] = {}
    for owner, declared in executable_declarations(program):
        of_all, secret, openly, shown = set[str](), set[str](), set[str](), dict[str, frozenset[str]]()
        for node in walk_nodes(declared):
            match node:
                case st.AskAll():
                    of_all.add(node.question.variable.name)
                case st.Ask():
                    (secret if node.secret else openly).add(node.variable.name)
                case st.Reveal():
                    shown[node.variable.name] = frozenset(secret | openly)
                case _:
                    pass
        result[owner] = _QuestionSecrecy(frozenset(of_all | secret), frozenset(openly - of_all), shown)
    return result


def _answer_order_warnings(diff: DiffResult) -> Iterator[str]:
    for offered in diff.comparison.answer_order.reordered:
        what = (
            f"the options of `{offered.question}` of {offered.owner.name}"
            if offered.question
            else f"the handlers of {offered.owner.name}"
        )
        yield f"ORDER   {what} stand in another order: a policy that takes the first may choose another"


def _unread_setting_warnings(diff: DiffResult) -> Iterator[str]:
    names, read = diff.comparison.correspondence.names, []
    for program in (diff.old.program, diff.new.program):
        nodes = (node for _, declared in executable_declarations(program) for node in walk_nodes(declared))
        read.append({node.name for node in nodes if isinstance(node, ex.SettingValue)})
    for name in sorted(read[0]):
        now = names.get(DeclaredName("setting", name))
        if now is not None and now.name in diff.new.program.settings and now.name not in read[1]:
            yield f"DEAD    no line reads the setting `{now.name}` any more: its readings play alike"


def _new_check_warnings(diff: DiffResult) -> Iterator[str]:
    known = {(one.code, one.message) for part in diff.parts for one in _side_warnings(part.old)}
    new = {
        (
            one.code,
            one.message,
        ): f"warns of NEW, and not of OLD: {one.code}{_format_warned_place(one, part.new)}: {one.message}"
        for part in diff.parts
        for one in _side_warnings(part.new)
        if (one.code, one.message) not in known
    }
    places = name_first(new.values(), _MAX_LISTED_FINDINGS, "warns of {} more places of NEW, and not of OLD")
    yield from (f"CHECK   {place}" for place in places)


def _side_warnings(side: ComparedSide) -> tuple[Diagnostic, ...]:
    return tuple(one for one in side.loaded.diagnostics if one.severity is Severity.WARNING)


def _format_warned_place(warning: Diagnostic, side: ComparedSide) -> str:
    if warning.primary is None:
        return ""
    text = side.loaded.texts[warning.primary.span.source]
    return f" at {text.name}:{text.get_position(warning.primary.span.start).line}"
