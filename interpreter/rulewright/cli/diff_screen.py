"""The first screen of `diff` as text: behaviour changes in a line or two each, and the options that show more."""

import re
from collections.abc import Iterator, Mapping, Sequence
from textwrap import wrap

from rulewright.base.diagnostics import make_visible
from rulewright.cli.diff_odds import render_odds_section
from rulewright.cli.diff_result import ComparedSide, DiffResult
from rulewright.cli.diff_warnings import list_warnings
from rulewright.cli.diff_witnesses import TitledList, describe_migrated_game, describe_value_witness, first_difference
from rulewright.cli.output import Output
from rulewright.diff.change_rows import CHANGED, GONE, NEW, ChangeRow, UneditedClause
from rulewright.diff.comparison import PROVED_VERDICTS, REUSED_TITLES
from rulewright.diff.edits import IMPLIED_SECTION
from rulewright.wording.condition_rendering import join_words

MAX_SCREEN_LINES, MAX_REWRITTEN_SCREEN_LINES = 45, 64
SCREEN_WIDTH = 120
_STATED_LABEL, _REWORDED_LABEL = "STATED    ", "REWORDED  "
_LABELLED_WIDTH = SCREEN_WIDTH - len(_STATED_LABEL)
_KIND_LABELS = {CHANGED: "", NEW: "NEW  ", GONE: "GONE  "}
_INDENT = " " * 7
_ROW_WIDTH = SCREEN_WIDTH - len(_INDENT)
_ELLIPSIS = " …"
_PLAY_PREFIX = "in a play: "
_ROW_LINES, _MORE_ROW_LINES = (4, 3, 2), 2
"""Lines that every row may take, and how many more where some are left."""
_MAX_REASON_WIDTH = 90
_REASON_PREFIX = re.compile("^(it has an error|the old revision does not play it): ")
_MAX_NOTE_LINES = 3
_MAX_STATED_LINES, _MAX_REWORDED_LINES = 9, 3
_MAX_LISTED_EDITS = 12
_MAX_CITED_CLAUSES = 3
_VERDICT_HEADLINES = {"changed": "PLAY CHANGED", "unknown": "PLAY UNKNOWN"}
_READ_MARK_MEANING = "read from the text, no play of its own found"
_SAME_HEADLINE, _SAME_RULES_HEADLINE = "PLAY THE SAME", "RULES THE SAME"
_VALUES_HEADLINE = "RULES CHANGED"
_MAX_RESERVED_LINES, _MIN_SECTION_LINES, _MAX_NAMED_FILES, _WARNING_LABEL_WIDTH = 3, 2, 4, 8


def render_first_screen(diff: DiffResult, out: Output) -> Iterator[str]:
    """The screen, at most `MAX_SCREEN_LINES` lines, or `MAX_REWRITTEN_SCREEN_LINES` for a document with new clauses."""
    head, tail = [*render_heading(diff, out)], [*_render_tail(diff, out)]
    rows = diff.screen.rows or ()
    amended = [
        amended_result
        for amended_result in diff.amended_results
        if amended_result.screen.rows or amended_result.whole.verdict.word in _VERDICT_HEADLINES
    ]
    room = (MAX_REWRITTEN_SCREEN_LINES if diff.screen.stated else MAX_SCREEN_LINES) - len(head) - len(tail)
    # what differs with overlays too has room where it is what a play shows, or where there is some
    reserved_lines = sum(any(row.is_shown for row in diff_result.screen.rows) for diff_result in amended)
    body = _fit_rows(rows, room - min(reserved_lines, _MAX_RESERVED_LINES), _row_play_lines(diff), out) if rows else []
    others = [*_render_amended(amended, len(rows), room - len(body), out)] if room > len(body) else []
    if not body and not others:
        body = [*_render_without_rows(diff)]
    yield from (*head, *body, *others, *tail)


def _render_amended(amended: Sequence[DiffResult], row_offset: int, most: int, out: Output) -> Iterator[str]:
    """Headings and, as far as they fit, rows of changes that exist only with overlays or in other rulesets."""
    lines_left = most
    for number, diff_result in enumerate(amended):
        if lines_left < _MIN_SECTION_LINES and number + 1 < len(amended):
            yield f"and {len(amended) - number} more, with --all"
            return
        yield make_visible(_shorten_to_width(_amended_heading(diff_result), SCREEN_WIDTH))
        rows = diff_result.screen.rows
        share = lines_left // (len(amended) - number) - 1
        row_lines = _fit_rows(rows, share, _row_play_lines(diff_result), out, row_offset) if rows and share > 0 else []
        yield from row_lines
        lines_left -= 1 + len(row_lines)
        row_offset += len(rows)


def _amended_heading(diff: DiffResult) -> str:
    rests, word = _verdict_basis(diff), diff.whole.verdict.word
    counts = _change_counts(diff) or ("play differs" if word == "changed" else "play may differ")
    labels = [*([] if word == "changed" else [word]), counts]
    return f"{diff.part_name[0].upper()}{diff.part_name[1:]}: {', '.join(labels)}{f'   ({rests})' if rests else ''}"


def render_heading(diff: DiffResult, out: Output) -> Iterator[str]:
    """The two revisions, and the verdict with the counts."""
    yield out.paint(make_visible(comparison_title(diff.old, diff.new)), "strong")
    line = verdict_headline(diff)
    for item in (*diff.one_sided, *diff.uncompared):
        if len(f"{line}; {item}") <= SCREEN_WIDTH and diff.screen.rows:
            line = f"{line}; {item}"
            continue
        yield make_visible(line)
        first, *rest = _wrap_to_lines(item, _ROW_WIDTH, _MAX_NOTE_LINES)
        yield from (make_visible(f"{_INDENT}{one}") for one in (first, *rest)[:-1])
        line = f"{_INDENT}{(first, *rest)[-1]}"
    yield make_visible(line)
    marks = {row.is_shown for part in diff.parts for row in part.screen.rows}
    if marks:
        parts = [
            f"*  {evidence_mark_meaning(diff)}" if True in marks else "",
            f"?  {_READ_MARK_MEANING}" if False in marks else "",
        ]
        marks_told, rests = f" {'   '.join(filter(None, parts))}", _verdict_basis(diff) if diff.screen.rows else ""
        whole = f"{marks_told}   ({rests})" if rests else marks_told
        lines = [marks_told, *(f"{_INDENT}{each}" for each in _wrap_to_lines(rests, _ROW_WIDTH, _MAX_NOTE_LINES))]
        yield from (out.paint(make_visible(each), "dim") for each in ([whole] if len(whole) <= SCREEN_WIDTH else lines))


def comparison_title(old: ComparedSide, new: ComparedSide) -> str:
    """The title of the ruleset and the names of both revisions."""
    was, now = old.program.title, new.program.title
    return f"{now if was == now else f'{was} → {now}'}   {_side_title(old)} → {_side_title(new)}"


def _side_title(side: ComparedSide) -> str:
    return f"{side.request.display_name} (revision {side.revision})"


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
    played = [part.whole.behaviour for part in diff.parts if part.whole.behaviour is not None]
    return (
        diff.verdict.word == "changed"
        and any(behaviour.values for behaviour in played)
        and not any(behaviour.witnesses for behaviour in played)
        and not any(scenario.outcome == "differs" for scenario in diff.scenarios)
        and not any(part.whole.odds_comparison and part.whole.odds_comparison.shows_change for part in diff.parts)
        and not one_sided
        and not diff.one_sided
    )


def _change_counts(diff: DiffResult) -> str:
    shown, word = diff.screen, diff.whole.verdict.word
    counts = [
        _format_count(len(shown.rows_of_kind(CHANGED)), "rule differs", "rules differ")
        if word == "changed"
        else _format_count(len(shown.rows_of_kind(CHANGED)), "rule edited", "rules edited"),
        _format_count(len(shown.rows_of_kind(NEW)), "new", "new"),
        _format_count(len(shown.rows_of_kind(GONE)), "gone", "gone"),
    ]
    others = [
        _format_count(len(shown.names), "renamed", "renamed"),
        _format_count(len(shown.reworded) + len(shown.folded.wording), "reworded", "reworded"),
        _format_count(len(shown.stated), "stated anew", "stated anew"),
    ]
    return "; ".join(filter(None, (", ".join(filter(None, part)) for part in (counts, others))))


def evidence_mark_meaning(diff: DiffResult) -> str:
    """Legend of the mark on rows that plays have shown."""
    if _shows_values_alone(diff):
        return "a value shows it"
    values = any(part.whole.behaviour is not None and part.whole.behaviour.values for part in diff.parts)
    return "a play or a value shows it" if values else "a play shows it"


def _verdict_basis(diff: DiffResult) -> str:
    """`5 witnesses, seed 0`."""
    behaviour = diff.whole.behaviour
    if diff.whole.verdict.word not in _VERDICT_HEADLINES:
        return ""
    seed = f"seed {behaviour.seed}" if behaviour is not None and behaviour.entrances else ""
    how = diff.whole.verdict.basis
    is_cut = behaviour is not None and behaviour.cut_after_seconds and not how.startswith("cut after")
    return ", ".join(
        filter(None, (how, seed, f"cut after {behaviour.cut_after_seconds:g} s" if behaviour and is_cut else ""))
    )


def _format_count(number: int, one: str, more: str) -> str:
    return f"{number} {one if number == 1 else more}" if number else ""


def split_row_statement(row: ChangeRow) -> tuple[str, str]:
    """The statement of a row whole, or its first half and its second."""
    name = f"{row.name}: " if row.name else ""
    if row.kind == CHANGED and row.was and row.now:
        return f"{name}{row.was}", f"→ {row.now}"
    return f"{name}{row.halves.statement if row.kind == CHANGED else row.was or row.now}".removesuffix(": "), ""


def _row_play_lines(diff: DiffResult) -> dict[int, str]:
    """Ends of the witness under OLD and NEW, by index of the row."""
    behaviour, rows = diff.whole.behaviour, diff.screen.rows
    plays: dict[int, str] = {}
    for number, row in enumerate(rows):
        for witness in behaviour.witnesses if behaviour and row.is_shown and row.kind == CHANGED else ():
            if len(rows) == 1 or (witness.subject and set(witness.subject.edits) <= set(row.edits)):
                difference = first_difference(witness)
                if difference and len(f"{_PLAY_PREFIX}{difference}") <= _ROW_WIDTH:
                    plays[number] = f"{_INDENT}{_PLAY_PREFIX}{make_visible(difference)}"
                break
    return plays


def _fit_rows(
    rows: Sequence[ChangeRow], most: int, plays: Mapping[int, str], out: Output, row_offset: int = 0
) -> list[str]:
    """Rows in at most `most` lines, all with equal room; then more for what changed, what is new, clauses, and ends of plays."""
    room = next((room for room in _ROW_LINES if sum(len(_layout_row(row, room)) for row in rows) <= most), 1)
    laid = [_layout_row(row, room) for row in rows]
    while len(laid) > 1 and sum(map(len, laid)) + (len(laid) < len(rows)) > most:
        laid.pop()
    spare = most - sum(map(len, laid)) - (len(laid) < len(rows))
    changed_first = sorted(range(len(laid)), key=lambda number: rows[number].kind != CHANGED)
    rooms = [room] * len(laid)
    tried = [(number, room + more, False) for more in range(1, _MORE_ROW_LINES + 1) for number in changed_first]
    for number, more_room, has_clauses in [*tried, *((number, 0, True) for number in changed_first)]:
        longer = _layout_row(rows[number], max(rooms[number], more_room), has_clauses=has_clauses)
        if len(longer) - len(laid[number]) <= spare:
            spare -= len(longer) - len(laid[number])
            laid[number], rooms[number] = longer, max(rooms[number], more_room)
    shown_plays = [number for number in plays if number < len(laid)][: max(spare, 0)]
    lines = []
    for number, (row, row_lines) in enumerate(zip(rows, laid, strict=False)):
        mark = out.paint("*", "warning") if row.is_shown else out.paint("?", "dim")
        first, *others = map(make_visible, row_lines)
        lines += [f"{row_offset + number + 1:>2} {mark} {first}", *(f"{_INDENT}{other}" for other in others)]
        lines += [plays[number]] if number in shown_plays else []
    hidden_count = len(rows) - len(laid)
    return [*lines, f"     and {hidden_count} more, with --edits"] if hidden_count else lines


def _row_statement_lines(row: ChangeRow) -> tuple[str, ...]:
    first, second = split_row_statement(row)
    whole = f"{_KIND_LABELS[row.kind]}{first} {second}".rstrip()
    if not second or len(f"{whole}{_format_citations(row)}") <= _ROW_WIDTH:
        return (whole,)
    both = f"{row.was} {second}"
    return (f"{row.name}:", both) if len(first) > _ROW_WIDTH and len(both) <= _ROW_WIDTH - 2 else (first, second)


def _layout_row(row: ChangeRow, room: int, *, has_clauses: bool = False) -> list[str]:
    """A row in at most `room` lines, or one for each half: its most telling sentences, and the count of the others.

    Its clauses stand behind them where they need no other line, or with `has_clauses`.
    """
    *before, last = _row_statement_lines(row)
    width = _ROW_WIDTH - 2 * len(before)
    head = [line for item in before for line in _wrap_words(item, _ROW_WIDTH)]
    name, sentences = "", [last, *row.further_sentences]
    if row.kind != CHANGED and row.name:
        name, sentences = last[: len(last) - len(row.was or row.now)], [row.was or row.now, *row.further_sentences]
    cite = "" if row.further_sentences else _format_citations(row)
    for count in range(len(sentences), 0, -1):
        chosen = sorted((row.telling or range(len(sentences)))[:count])
        more = f" (+ {len(sentences) - count} more)" if count < len(sentences) else ""
        text = f"{name}{'. '.join(sentences[number] for number in chosen)}{more}"
        lines = [*head, *_wrap_words(text, width)]
        cited = [*head, *_wrap_words(f"{text}{cite}", width)]
        if len(lines) <= room:
            return cited if has_clauses or len(cited) == len(lines) else lines
    head = [_shorten_to_width(item, _ROW_WIDTH) for item in before]
    return [*head, *_wrap_to_lines(text, width, max(room - len(head), 1))]


def _wrap_words(text: str, width: int) -> list[str]:
    return wrap(text, width, break_long_words=False, break_on_hyphens=False) or [""]


def _wrap_to_lines(text: str, width: int, most: int) -> list[str]:
    result = _wrap_words(text, width)
    if len(result) <= most:
        return result
    last = wrap(result[most - 1], width - 2, break_long_words=False, break_on_hyphens=False)[0]
    return [*result[: most - 1], f"{last.rstrip(' ;,')}{_ELLIPSIS}"]


def _shorten_to_width(text: str, most: int) -> str:
    return _wrap_to_lines(text, most, 1)[0]


def _format_citations(row: ChangeRow) -> str:
    if not row.cited:
        return ""
    more = len(row.cited) - _MAX_CITED_CLAUSES
    return f"  [{', '.join(row.cited[:_MAX_CITED_CLAUSES])}{f', +{more}' if more > 0 else ''}]"


def _render_without_rows(diff: DiffResult) -> Iterator[str]:
    """The screen of a comparison without edited rules: rewritten rules, else titles and questions."""
    for section, label in (("rewritten", "WRITTEN DIFFERENTLY"), ("declarations", "DECLARED"), ("wording", "REWORDED")):
        edits = diff.edits_in_section(section)
        if edits:
            yield label
            yield from (
                f"  {make_visible(_shorten_to_width(str(rendered_edit), SCREEN_WIDTH - 2))}"
                for rendered_edit in edits[:_MAX_LISTED_EDITS]
            )
            if len(edits) > _MAX_LISTED_EDITS:
                yield f"  and {len(edits) - _MAX_LISTED_EDITS} more, with --edits"
            return


def _render_tail(diff: DiffResult, out: Output) -> Iterator[str]:
    behaviour = diff.whole.behaviour
    if behaviour is not None and behaviour.values and not any(row.is_shown for row in diff.screen.rows):
        more = len(behaviour.values) - 1
        value_text = _shorten_to_width(
            describe_value_witness(behaviour.values[0], diff), SCREEN_WIDTH - (30 if more else 8)
        )
        yield f"VALUES  {value_text}{f'   and {more} more, with --all' if more else ''}"
    for warning in list_warnings(diff):
        label, text = warning[:_WARNING_LABEL_WIDTH], warning[_WARNING_LABEL_WIDTH:]
        lines = _wrap_to_lines(text, SCREEN_WIDTH - _WARNING_LABEL_WIDTH, 2)
        yield from (
            make_visible(f"{' ' * _WARNING_LABEL_WIDTH if number else label}{line}")
            for number, line in enumerate(lines)
        )
    yield from (make_visible(_shorten_to_width(item, SCREEN_WIDTH)) for item in render_odds_section(diff))
    names = f"NAMES   {'   '.join(f'{old} → {new}' for old, new in diff.screen.names)}" if diff.screen.names else ""
    beside = scenarios_line(diff)
    if names and beside and len(f"{names}      {beside}") <= SCREEN_WIDTH:
        yield f"{names}      {beside}"
    else:
        yield from (_shorten_to_width(item, SCREEN_WIDTH) for item in (names, beside) if item)
    if diff.games:
        yield "GAMES"
        yield from (f"  {describe_migrated_game(game)}" for game in diff.games)
    yield from _render_unedited_clauses(diff)
    if diff.unread_files and diff.verdict.word in PROVED_VERDICTS:
        yield make_visible(_shorten_to_width(unread_files_line(diff), SCREEN_WIDTH))
    yield out.paint(_more_options_line(diff), "dim")


def unread_files_line(diff: DiffResult) -> str:
    """Line on differing files that are not part of the comparison; or empty."""
    names = diff.unread_files
    if not names:
        return ""
    more = f" and {len(names) - _MAX_NAMED_FILES} more" if len(names) > _MAX_NAMED_FILES else ""
    verb = "differs, and is" if len(names) == 1 else "differ, and are"
    return f"NOT COMPARED  {', '.join(names[:_MAX_NAMED_FILES])}{more} {verb} no part of the rules"


def _render_unedited_clauses(diff: DiffResult) -> Iterator[str]:
    stated, reworded = (
        [_format_unedited_clause(unedited_clause) for unedited_clause in some]
        for some in (diff.screen.stated, diff.screen.reworded)
    )
    if stated:
        yield from _render_labelled(_STATED_LABEL, _join_fitting(stated, _MAX_STATED_LINES))
    if reworded:
        titles = _format_count(len(diff.screen.folded.wording), "title or question", "titles and questions")
        others = f". {titles[0].upper()}{titles[1:]} (--edits)" if titles else ""
        yield from _render_labelled(_REWORDED_LABEL, f"{_join_fitting(reworded, _MAX_REWORDED_LINES)}{others}")


def _format_unedited_clause(clause: UneditedClause) -> str:
    """Text of a clause, with its old id if it was renumbered: `… [70.b → 70.c]`."""
    became = " → ".join(dict.fromkeys((clause.old, clause.new)))
    return f"{clause.new_sentence.rstrip(' .;')} [{became}]" if clause.old else clause.new_sentence.rstrip(" .;")


def list_unedited_clauses(diff: DiffResult) -> Iterator[TitledList]:
    """Full list of clauses that are new or reworded and that no row cites."""
    for title, some in (
        ("Stated by NEW for the first time, at lines that did not change:", diff.screen.stated),
        ("In other words, at lines that did not change:", diff.screen.reworded),
    ):
        if some:
            yield TitledList(
                title,
                tuple(
                    make_visible(
                        f"{unedited_clause.old_sentence} → {unedited_clause.new_sentence}   {unedited_clause.new}".removeprefix(
                            " → "
                        )
                    )
                    for unedited_clause in some
                ),
            )


def _join_fitting(sentences: Sequence[str], most: int) -> str:
    for shown_count in range(len(sentences), 1, -1):
        text = ". ".join(sentences[:shown_count])
        more = f". And {len(sentences) - shown_count} more (--margins)" if shown_count < len(sentences) else ""
        if len(_wrap_words(f"{text}{more}", _LABELLED_WIDTH)) <= most:
            return f"{text}{more}"
    return sentences[0]


def _render_labelled(label: str, text: str) -> Iterator[str]:
    for number, line in enumerate(_wrap_to_lines(text, _LABELLED_WIDTH, _MAX_STATED_LINES)):
        yield make_visible(f"{' ' * len(label) if number else label}{line}")


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
    counts_shown = [f"{number} {one if number == 1 else more} ({flag})" for number, one, more, flag in counts if number]
    if counts_shown:
        yield f"FOLDED  {', '.join(counts_shown)}"


def scenarios_line(diff: DiffResult) -> str:
    """`summarize_scenarios` with the option that lists them."""
    summary = summarize_scenarios(diff)
    return f"{summary}   --scenarios" if summary else ""


def summarize_scenarios(diff: DiffResult) -> str:
    """One line on migrated scenarios and scripts beside the old revision; empty if there are none."""
    played = diff.scenarios
    differs, lost = (sum(migrated_play.outcome == word for migrated_play in played) for word in ("differs", "lost"))
    parts = []
    if played and lost == len(played) + diff.spared_scenarios:
        why = {_REASON_PREFIX.sub("", migrated_play.message) for migrated_play in played}
        reason = f": {why.pop()}" if len(why) == 1 else ""
        parts.append(make_visible(_shorten_to_width(f"none of {lost} can be compared{reason}", _MAX_REASON_WIDTH)))
    elif played:
        number = len(played) + diff.spared_scenarios
        parts.append(f"{differs or 'none'} of {number} {'play' if differs > 1 else 'plays'} differently")
        parts += [f"{lost} cannot be compared"] if lost else []
        unknown = [migrated_play.unknown_attributes for migrated_play in played if migrated_play.unknown_attributes]
        if unknown:
            called = join_words(tuple(dict.fromkeys(name.partition(" of ")[0] for one in unknown for name in one)))
            parts.append(f"{len(unknown)} in OLD without {called}")
    elif diff.spared_scenarios and diff.verdict.word in PROVED_VERDICTS:
        were = "was" if diff.spared_scenarios == 1 else "were"
        order = "" if diff.whole.comparison.answer_order.is_kept else " except for the order of answers"
        parts.append(f"{diff.spared_scenarios} {were} not played, since both revisions are proved to play alike{order}")
    moved = len(diff.outdated_addresses)
    if moved:
        parts.append(f"{'1 address has' if moved == 1 else f'{moved} addresses have'} another name now, or none")
    return f"SCENARIOS  {', '.join(parts)}" if parts else ""


def _more_options_line(diff: DiffResult) -> str:
    folded = [part.screen.folded for part in diff.parts]
    edits = sum(one.section != IMPLIED_SECTION for part in diff.parts for one in part.worded_edits)
    readings, margins = (
        sum(len(folded_edits.readings) for folded_edits in folded),
        sum(len(folded_edits.margins) for folded_edits in folded),
    )
    counts = (("--edits", edits), ("--readings", readings), ("--margins", margins))
    flags = [f"{flag} ({number})" for flag, number in counts if number]
    show = ["--show 1 (its edits, its play)"] if any(part.screen.rows for part in diff.parts) else []
    amended = f"{len(diff.amended_results)} overlay{'' if len(diff.amended_results) == 1 else 's'}"
    whole = f"--all (also with {amended})" if diff.amended_results and diff.screen.rows else "--all"
    return f"MORE    {'   '.join([*show, *flags, whole])}"
