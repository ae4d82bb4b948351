"""Remedies of findings as edits, to be chosen at the place of each."""

from collections.abc import Iterable, Iterator

from rulewright.diagnostics import Diagnostic
from rulewright.editing.answers import Fix
from rulewright.source import Span


def fixes(found: Iterable[Diagnostic], span: Span) -> tuple[Fix, ...]:
    """The remedies of the findings that touch a place, the safe ones first; all edits of one are made together."""
    made = [fix for each in found if each.primary is not None and _touch(each.primary.span, span) for fix in _fix(each)]
    return tuple(sorted(made, key=lambda each: not each.safe))


def safe_fixes(found: Iterable[Diagnostic]) -> tuple[Fix, ...]:
    """The remedies that change nothing of what rules mean, without those that overlap an earlier one."""
    taken: list[Span] = []
    kept: list[Fix] = []
    for each in found:
        for fix in _fix(each) if each.is_safe_to_mend else ():
            if not any(_touch(edit.span, span) for edit in fix.edits for span in taken):
                taken += [edit.span for edit in fix.edits]
                kept.append(fix)
    return tuple(kept)


def _fix(found: Diagnostic) -> Iterator[Fix]:
    if found.edits and found.primary is not None:
        yield Fix(found.code, found.message, found.primary.span, found.edits, found.is_safe_to_mend)


def _touch(one: Span, other: Span) -> bool:
    return one.source == other.source and one.start <= other.end and other.start <= one.end
