"""The first screen of `diff` as text: behaviour changes in a line or two each, and the options that show more."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice, product

from rulewright.base.diagnostics import format_counted_noun, make_visible
from rulewright.base.frozen import replace
from rulewright.cli.diff_odds import render_odds_section
from rulewright.cli.diff_result import ComparedPair, DiffResult
from rulewright.cli.diff_warnings import list_warnings
from rulewright.cli.diff_witnesses import describe_migrated_game, describe_value_witness, first_difference
from rulewright.cli.output import Output
from rulewright.cli.text_layout import TitledList, name_first, shorten_line, wrap_lines
from rulewright.diff.change_rows import CHANGED, GONE, NEW, ChangeRow, UneditedClause
from rulewright.diff.comparison import PROVED_VERDICTS, REUSED_TITLES
from rulewright.diff.edit_report import RenderedEdit
from rulewright.diff.edit_wording import cut_to_differences
from rulewright.diff.edits import IMPLIED_SECTION
from rulewright.wording.english import join_words

MAX_SCREEN_LINES, MAX_REWRITTEN_SCREEN_LINES = 45, 64
SCREEN_WIDTH = 120
_STATED_LABEL, _REWORDED_LABEL = "STATED    ", "REWORDED  "
_KIND_LABELS = {CHANGED: "", NEW: "NEW  ", GONE: "GONE  "}
_INDENT = " " * 7
_ROW_WIDTH = SCREEN_WIDTH - len(_INDENT)
_LABEL = " " * 8
_ROW_LEVELS = (1, 2, 3, 4, 5, 6)
"""Lines that a row may take, level by level."""
_MAX_REASON_WIDTH = 90
_REASON_PREFIX = re.compile("^(it has an error|the old revision does not play it): ")
_MAX_STATED_LINES, _MAX_REWORDED_LINES = 9, 3
_MAX_LISTED_EDITS = 12
_MAX_CITED_CLAUSES = 3
_VERDICT_HEADLINES = {"changed": "PLAY CHANGED", "unknown": "PLAY UNKNOWN"}
_READ_MARK_MEANING = "read from the text, no play of its own found"
_SAME_HEADLINE, _SAME_RULES_HEADLINE = "PLAY THE SAME", "RULES THE SAME"
_VALUES_HEADLINE = "RULES CHANGED"
_MAX_NAMED_FILES = 4


def render_first_screen(diff: DiffResult, out: Output) -> Iterator[str]:
    """The screen, at most `MAX_SCREEN_LINES` lines, or `MAX_REWRITTEN_SCREEN_LINES` for a document with new clauses.

    Rows grow together while there is room, those of changed rules before others; if there is too little, the last are
    left out. What exists only with overlays or in other rulesets stands below a heading, which is left out if it
    is all that there is to say and there is no room.
    """
    head, tail = [*render_heading(diff, out)], [*_render_tail(diff, out)]
    room = (MAX_REWRITTEN_SCREEN_LINES if diff.screen.stated else MAX_SCREEN_LINES) - len(head) - len(tail)
    amended = (one for one in diff.amended_results if one.screen.rows or one.whole.verdict.word in _VERDICT_HEADLINES)
    parts = (diff, *amended)
    rows = [(part, row) for part in parts for row in part.screen.rows]
    laid = [_lay_out_row(*row, 0) for row in rows]
    room -= sum(bool(part.screen.rows) for part in parts[1:])
    changed_first = sorted(range(len(rows)), key=lambda number: rows[number][1].kind != CHANGED)
    for level, number in product(range(1, len(_ROW_LEVELS)), changed_first):
        longer = _lay_out_row(*rows[number], level)
        if sum(map(len, laid)) - len(laid[number]) + len(longer) <= room:
            laid[number] = longer
    while laid and sum(map(len, laid)) + (len(laid) < len(rows)) > room:
        laid.pop()
    yield from head
    room -= sum(map(len, laid)) + (len(laid) < len(rows))
    numbered = enumerate(zip((row for _, row in rows), laid, strict=False), 1)
    for part in parts:
        if part.part_name and (part.screen.rows or not rows or room > 0):
            room -= not part.screen.rows
            yield make_visible(shorten_line(_head_amended(part), SCREEN_WIDTH))
        for number, (row, lines) in islice(numbered, len(part.screen.rows)):
            mark = out.paint("*", "warning") if row.is_shown else out.paint("?", "dim")
            first, *others = map(make_visible, lines)
            yield from (f"{number:>2} {mark} {first}", *(f"{_INDENT}{other}" for other in others))
    if len(laid) < len(rows):
        yield f"     and {len(rows) - len(laid)} more, with --edits"
    yield from () if rows or parts[1:] else _render_without_rows(diff)
    yield from tail


def _head_amended(part: DiffResult) -> str:
    word, basis = part.whole.verdict.word, _verdict_basis(part)
    counts = _change_counts(part) or ("play differs" if word == "changed" else "play may differ")
    labels = ", ".join([*([] if word == "changed" else [word]), counts])
    return f"{part.part_name[0].upper()}{part.part_name[1:]}: {labels}{f'   ({basis})' if basis else ''}"


def render_heading(diff: DiffResult, out: Output) -> Iterator[str]:
    """The two revisions, and the verdict with the counts."""
    yield out.paint(make_visible(comparison_title(diff)), "strong")
    headline = verdict_headline(diff)
    notes = (one for one in (*diff.one_sided, *diff.uncompared) if one not in headline)
    yield from _wrap_entry("; ".join((headline, *notes)), _INDENT, 4)
    marks = {row.is_shown for part in diff.parts for row in part.screen.rows}
    if marks:
        legends = {True: f"*  {evidence_mark_meaning(diff)}", False: f"?  {_READ_MARK_MEANING}"}
        basis = _verdict_basis(diff) if diff.screen.rows else ""
        told = "   ".join([*(legends[mark] for mark in legends if mark in marks), *([f"({basis})"] if basis else [])])
        yield from (out.paint(line, "dim") for line in _wrap_entry(f" {told}", _INDENT, 4))


def _wrap_entry(text: str, label: str, most: int) -> list[str]:
    """An entry of the screen in at most `most` lines; those after the first begin below what follows its label."""
    return [*map(make_visible, wrap_lines(text, SCREEN_WIDTH, most, indent=len(label)))]


def comparison_title(pair: ComparedPair | DiffResult) -> str:
    """The title of the ruleset and the names of both revisions."""
    titles = " → ".join(dict.fromkeys((pair.old.program.title, pair.new.program.title)))
    sides = (f"{side.request.display_name} (revision {side.revision})" for side in (pair.old, pair.new))
    return f"{titles}   {' → '.join(sides)}"


def verdict_headline(diff: DiffResult) -> str:
    """The verdict in a designer's words, with the count of changes by sort."""
    verdict, counts = diff.verdict, _change_counts(diff)
    if _shows_values_alone(diff):
        return f"{_VALUES_HEADLINE}  {counts}; no play was found that reaches it"
    same = _SAME_RULES_HEADLINE if verdict.meaning == REUSED_TITLES else _SAME_HEADLINE
    head = _VERDICT_HEADLINES.get(verdict.word, same)
    if verdict.word in _VERDICT_HEADLINES and diff.amended_results and not diff.screen.rows and not diff.one_sided:
        head = f"{head}  not by the rules alone, but as they are amended"
    elif verdict.word not in _VERDICT_HEADLINES or not diff.screen.rows:
        head = f"{head}  {verdict}: {verdict.meaning}"
    return f"{head}  {counts}".rstrip()


def _shows_values_alone(diff: DiffResult) -> bool:
    """Whether a function has another value, and no play, scenario or odds show it."""
    whole = diff.whole
    one_sided = (*whole.only_in_old, *whole.only_in_new, *whole.startable_only_in_old, *whole.startable_only_in_new)
    return (
        diff.verdict.word == "changed"
        and any(part.values for part in diff.parts)
        and not any(part.witnesses for part in diff.parts)
        and not any(scenario.outcome == "differs" for scenario in diff.scenarios)
        and not any(part.whole.odds_comparison and part.whole.odds_comparison.shows_change for part in diff.parts)
        and not one_sided
        and not diff.one_sided
    )


def _change_counts(diff: DiffResult) -> str:
    shown, differs = diff.screen, diff.whole.verdict.word == "changed"
    rules = ("rule differs", "rules differ") if differs else ("rule edited", "rules edited")
    rows = (
        (len(shown.rows_of_kind(CHANGED)), *rules),
        (len(shown.rows_of_kind(NEW)), "new", "new"),
        (len(shown.rows_of_kind(GONE)), "gone", "gone"),
    )
    others = (
        (len(shown.names), "renamed", "renamed"),
        (len(shown.reworded) + len(shown.folded.wording), "reworded", "reworded"),
        (len(shown.stated), "stated anew", "stated anew"),
    )
    counts = (", ".join(format_counted_noun(*count) for count in part if count[0]) for part in (rows, others))
    return "; ".join(filter(None, counts))


def evidence_mark_meaning(diff: DiffResult) -> str:
    """Legend of the mark on rows that plays have shown."""
    if _shows_values_alone(diff):
        return "a value shows it"
    return "a play or a value shows it" if any(part.values for part in diff.parts) else "a play shows it"


def _verdict_basis(diff: DiffResult) -> str:
    """`5 witnesses, seed 0`."""
    behaviour, how = diff.whole.behaviour, diff.whole.verdict.basis
    if diff.whole.verdict.word not in _VERDICT_HEADLINES or behaviour is None:
        return how if diff.whole.verdict.word in _VERDICT_HEADLINES else ""
    seed = f"seed {behaviour.seed}" if behaviour.entrances else ""
    is_cut = behaviour.cut_after_seconds and not how.startswith("cut after")
    cut = f"cut after {behaviour.cut_after_seconds:g} s" if is_cut else ""
    return ", ".join(filter(None, (how, seed, cut)))


def split_row_statement(row: ChangeRow) -> tuple[str, str]:
    """The statement of a row whole, or its first half and its second."""
    name = f"{row.name}: " if row.name else ""
    if row.kind == CHANGED and row.was and row.now:
        return f"{name}{row.was}", f"→ {row.now}"
    return f"{name}{row.halves.statement if row.kind == CHANGED else row.was or row.now}".removesuffix(": "), ""


def _describe_row_play(row: ChangeRow, part: DiffResult) -> str:
    """What the play of a row comes to under OLD and NEW: `in a play: …`; empty where that is too long, or unknown."""
    is_alone = len(part.screen.rows) == 1
    for witness in part.witnesses if row.is_shown and row.kind == CHANGED else ():
        if is_alone or (witness.subject and set(witness.subject.edits) <= set(row.edits)):
            difference = first_difference(witness)
            told = f"in a play: {difference}"
            return told if difference and len(told) <= _ROW_WIDTH else ""
    return ""


def _row_statement_lines(row: ChangeRow) -> tuple[str, ...]:
    first, second = split_row_statement(row)
    whole = f"{_KIND_LABELS[row.kind]}{first} {second}".rstrip()
    if not second or len(f"{whole}{_format_citations(row)}") <= _ROW_WIDTH:
        return (whole,)
    both = f"{row.was} {second}"
    return (f"{row.name}:", both) if len(first) > _ROW_WIDTH and len(both) <= _ROW_WIDTH - 2 else (first, second)


def _lay_out_row(part: DiffResult, row: ChangeRow, level: int) -> list[str]:
    """A row in the room of a level, or a line for each half: its most telling sentences, and the count of the others.

    Its clauses stand behind them where they need no other line; at the last level also in one, with what its play
    comes to below.
    """
    room, is_last = _ROW_LEVELS[level], level == len(_ROW_LEVELS) - 1
    *before, last = _row_statement_lines(row)
    width = _ROW_WIDTH - 2 * len(before)
    head = [line for item in before for line in wrap_lines(item, _ROW_WIDTH)]
    name, sentences = "", [last, *row.further_sentences]
    if row.kind != CHANGED and row.name:
        name, sentences = last[: len(last) - len(row.was or row.now)], [row.was or row.now, *row.further_sentences]
    cite = "" if row.further_sentences else _format_citations(row)
    for count in range(len(sentences), 0, -1):
        chosen = sorted((row.telling or range(len(sentences)))[:count])
        more = f" (+ {len(sentences) - count} more)" if count < len(sentences) else ""
        text = f"{name}{'. '.join(sentences[number] for number in chosen)}{more}"
        lines = [*head, *wrap_lines(text, width)]
        cited = [*head, *wrap_lines(f"{text}{cite}", width)]
        if len(lines) <= room:
            lines = cited if is_last or len(cited) == len(lines) else lines
            break
    else:
        head = [shorten_line(item, _ROW_WIDTH) for item in before]
        lines = [*head, *wrap_lines(text, width, max(room - len(head), 1))]
    return [*lines, *filter(None, [_describe_row_play(row, part)])] if is_last else lines


def _format_citations(row: ChangeRow) -> str:
    named = name_first(row.cited, _MAX_CITED_CLAUSES, "+{}")
    return f"  [{', '.join(named)}]" if named else ""


def _fit_edit(edit: RenderedEdit) -> str:
    """An edit in at most two lines, cut to where before and after differ if it is long."""
    was, arrow, now = edit.text.partition(" → ")
    if arrow and len(str(edit)) > SCREEN_WIDTH:
        edit = replace(edit, text=" → ".join(cut_to_differences(was, now)))
    return "\n".join(wrap_lines(f"  {edit}", SCREEN_WIDTH, 2, indent=6))


def _render_without_rows(diff: DiffResult) -> Iterator[str]:
    """The screen of a comparison without edited rules: rewritten rules and declarations, else titles and questions."""
    labels = {"rewritten": "WRITTEN DIFFERENTLY", "declarations": "DECLARED", "wording": "REWORDED"}
    known = [(label, edits) for section, label in labels.items() if (edits := diff.edits_in_section(section))]
    for label, edits in [each for each in known if each[0] != labels["wording"]] or known:
        yield label
        for lines in name_first(map(_fit_edit, edits), _MAX_LISTED_EDITS, "  and {} more, with --edits"):
            yield from map(make_visible, lines.split("\n"))


def _render_tail(diff: DiffResult, out: Output) -> Iterator[str]:
    if diff.values and not any(row.is_shown for row in diff.screen.rows):
        more = f"   and {len(diff.values) - 1} more, with --all" if len(diff.values) > 1 else ""
        yield from _wrap_entry(f"VALUES  {describe_value_witness(diff.values[0], diff)}{more}", _LABEL, 2)
    for warning in list_warnings(diff):
        yield from _wrap_entry(warning, _LABEL, 2)
    yield from (make_visible(shorten_line(item, SCREEN_WIDTH)) for item in render_odds_section(diff))
    if diff.screen.names:
        yield from _wrap_entry(f"NAMES   {'   '.join(f'{old} → {new}' for old, new in diff.screen.names)}", _LABEL, 2)
    if scenarios := summarize_scenarios(diff):
        yield from _wrap_entry(f"{scenarios}   --scenarios", "SCENARIOS  ", 2)
    if diff.games:
        yield "GAMES"
        yield from (f"  {describe_migrated_game(game)}" for game in diff.games)
    stated, reworded = ([*map(_format_unedited_clause, some)] for some in (diff.screen.stated, diff.screen.reworded))
    if stated:
        yield from _wrap_entry(
            _join_fitting(_STATED_LABEL, stated, _MAX_STATED_LINES), _STATED_LABEL, _MAX_STATED_LINES
        )
    if reworded:
        counted = format_counted_noun(len(diff.screen.folded.wording), "title or question", "titles and questions")
        titles = f". {counted} (--edits)" if diff.screen.folded.wording else ""
        told = _join_fitting(_REWORDED_LABEL, reworded, _MAX_REWORDED_LINES)
        yield from _wrap_entry(f"{told}{titles}", _REWORDED_LABEL, _MAX_STATED_LINES)
    if diff.unread_files and diff.verdict.word in PROVED_VERDICTS:
        yield from _wrap_entry(unread_files_line(diff), _LABEL, 2)
    yield out.paint(_more_options_line(diff), "dim")


def unread_files_line(diff: DiffResult) -> str:
    """Line on differing files that are not part of the comparison; or empty."""
    names = diff.unread_files
    if not names:
        return ""
    verb = "differs, and is" if len(names) == 1 else "differ, and are"
    named = ", ".join(names[:_MAX_NAMED_FILES])
    more = f" and {len(names) - _MAX_NAMED_FILES} more" if len(names) > _MAX_NAMED_FILES else ""
    return f"NOT COMPARED  {named}{more} {verb} no part of the rules"


def _format_unedited_clause(clause: UneditedClause) -> str:
    """Text of a clause, with its old id if it was renumbered: `… [70.b → 70.c]`."""
    sentence, became = clause.new_sentence.rstrip(" .;"), " → ".join(dict.fromkeys((clause.old, clause.new)))
    return f"{sentence} [{became}]" if clause.old else sentence


def list_unedited_clauses(diff: DiffResult) -> Iterator[TitledList]:
    """Full list of clauses that are new or reworded and that no row cites."""
    for title, some in (
        ("Stated by NEW for the first time, at lines that did not change:", diff.screen.stated),
        ("In other words, at lines that did not change:", diff.screen.reworded),
    ):
        lines = (f"{one.old_sentence} → {one.new_sentence}   {one.new}".removeprefix(" → ") for one in some)
        yield TitledList(title, tuple(map(make_visible, lines)))


def _join_fitting(label: str, sentences: Sequence[str], most: int) -> str:
    for shown_count in range(len(sentences), 1, -1):
        more = f". And {len(sentences) - shown_count} more (--margins)" if shown_count < len(sentences) else ""
        text = f"{label}{'. '.join(sentences[:shown_count])}{more}"
        if len(wrap_lines(text, SCREEN_WIDTH, indent=len(label))) <= most:
            return text
    return f"{label}{sentences[0]}"


def summarize_folded(diff: DiffResult) -> Iterator[str]:
    """What is not shown, with the options that show it."""
    folded = diff.screen.folded
    counts = (
        (len(folded.readings), "reading", "readings", "--readings"),
        (
            len(folded.helpers) + len(folded.same),
            "helper or line that says the same",
            "helpers and lines that say the same",
            "--edits",
        ),
        (len(folded.rewritten), "edit proved to say the same", "edits proved to say the same", "--edits"),
        (len(folded.margins), "margin", "margins", "--margins"),
    )
    shown = [f"{format_counted_noun(number, *words)} ({flag})" for number, *words, flag in counts if number]
    if shown:
        yield f"FOLDED  {', '.join(shown)}"


def summarize_scenarios(diff: DiffResult) -> str:
    """One line on migrated scenarios and scripts beside the old revision; empty if there are none."""
    played = diff.scenarios
    differs, lost = (sum(play.outcome == word for play in played) for word in ("differs", "lost"))
    parts, number = [], len(played) + diff.spared_scenarios
    if played and lost == number:
        why = {_REASON_PREFIX.sub("", play.message) for play in played}
        reason = f": {why.pop()}" if len(why) == 1 else ""
        parts.append(make_visible(shorten_line(f"none of {lost} can be compared{reason}", _MAX_REASON_WIDTH)))
    elif played:
        parts.append(f"{differs or 'none'} of {number} {'play' if differs > 1 else 'plays'} differently")
        parts += [f"{lost} cannot be compared"] if lost else []
        unknown = [play.unknown_attributes for play in played if play.unknown_attributes]
        if unknown:
            called = join_words(tuple(dict.fromkeys(name.partition(" of ")[0] for one in unknown for name in one)))
            parts.append(f"{len(unknown)} in OLD without {called}")
    elif diff.spared_scenarios and diff.verdict.word in PROVED_VERDICTS:
        were = format_counted_noun(number, "was", "were")
        order = "" if diff.comparison.answer_order.is_kept else " except for the order of answers"
        parts.append(f"{were} not played, since both revisions are proved to play alike{order}")
    if diff.outdated_addresses:
        moved = format_counted_noun(len(diff.outdated_addresses), "address has", "addresses have")
        parts.append(f"{moved} another name now, or none")
    return f"SCENARIOS  {', '.join(parts)}" if parts else ""


def _more_options_line(diff: DiffResult) -> str:
    counts = {
        "--edits": sum(edit.section != IMPLIED_SECTION for part in diff.parts for edit in part.worded_edits),
        "--readings": sum(len(part.screen.folded.readings) for part in diff.parts),
        "--margins": sum(len(part.screen.folded.margins) for part in diff.parts),
    }
    flags = [f"{flag} ({number})" for flag, number in counts.items() if number]
    show = ["--show 1 (its edits, its play)"] if any(part.screen.rows for part in diff.parts) else []
    overlays = format_counted_noun(len(diff.amended_results), "overlay")
    whole = f"--all (also with {overlays})" if diff.amended_results and diff.screen.rows else "--all"
    return f"MORE    {'   '.join([*show, *flags, whole])}"
