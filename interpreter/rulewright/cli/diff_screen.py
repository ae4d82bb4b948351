"""The first screen of `diff` as text: what changed in play, a line or two each, and where the rest is."""

import re
from collections.abc import Iterator, Mapping, Sequence
from textwrap import wrap

from rulewright.cli.diff_found import Found, Side
from rulewright.cli.diff_odds import screen_lines
from rulewright.cli.diff_warnings import warnings
from rulewright.cli.diff_witnesses import Left, comes_to, game_told, value_told
from rulewright.cli.output import Output
from rulewright.comparing.edits import IMPLIED
from rulewright.comparing.report.rows import CHANGED, GONE, NEW, Row, Unedited
from rulewright.diagnostics.terminal import visible

MOST, MOST_REWRITTEN = 45, 64
WIDTH = 120
_STATED, _REWORDED = "STATED    ", "REWORDED  "
_IN_LABEL = WIDTH - len(_STATED)
_LABELS = {CHANGED: "", NEW: "NEW  ", GONE: "GONE  "}
_INDENT = " " * 7
_ROOM = WIDTH - len(_INDENT)
_CUT = " …"
_PLAY = "in a play: "
_FEWEST = 5
_REASON = 90
_BEFORE_REASON = re.compile("^(it has an error|the old revision does not play it): ")
_WHY = 3
_LINES, _FEW_LINES = 9, 3
_EDITS = 12
_CLAUSES = 3
_UNTOLD = re.compile(r"\+ (\d+ more|[\w-]+\.)")
_NAMED = 2
"""How many clauses are named that a row has no room to say; of more it is said how many."""
_HEADS = {"changed": "PLAY CHANGED", "unknown": "PLAY UNKNOWN"}
_READ = "read from the text, no play of its own found"
_SAME = "PLAY THE SAME"
_HEADINGS, _LEAST, _FILES, _WARNED = 3, 2, 4, 8
_PROVED = frozenset({"identical", "cosmetic", "renumbered", "equivalent"})


def lines(found: Found, out: Output) -> Iterator[str]:
    """The whole screen, at most `MOST` lines; of a document that says more than before at most `MOST_REWRITTEN`."""
    head, tail = [*heading(found, out)], [*_tail(found, out)]
    rows = found.screen.rows or ()
    amended = [each for each in found.amended if each.screen.rows or each.whole.verdict.word in _HEADS]
    room = (MOST_REWRITTEN if found.screen.stated else MOST) - len(head) - len(tail)
    # what differs with overlays too has room where it is what a play shows, or where there is some
    wanted = sum(any(row.shown for row in each.screen.rows) for each in amended)
    body = _fitted(rows, room - min(wanted, _HEADINGS), _plays(found), out) if rows else []
    others = [*_amended(amended, len(rows), room - len(body), out)] if room > len(body) else []
    if not body and not others:
        body = [*_instead(found)]
    yield from (*head, *body, *others, *tail)


def _amended(amended: Sequence[Found], before: int, most: int, out: Output) -> Iterator[str]:
    """What only overlays bring, and other rulesets of the folders: a heading for each, and rows as far as they fit."""
    left = most
    for number, each in enumerate(amended):
        if left < _LEAST and number + 1 < len(amended):
            yield f"and {len(amended) - number} more, with --all"
            return
        yield visible(_short(_amended_head(each), WIDTH))
        rows = each.screen.rows
        share = left // (len(amended) - number) - 1
        told = _fitted(rows, share, _plays(each), out, before) if rows and share > 0 else []
        yield from told
        left -= 1 + len(told)
        before += len(rows)


def _amended_head(found: Found) -> str:
    """With what both were compared, and how much differs then."""
    rests, word = _rests(found), found.whole.verdict.word
    counts = _counts(found) or ("play differs" if word == "changed" else "play may differ")
    said = [*([] if word == "changed" else [word]), counts]
    return f"{found.called[0].upper()}{found.called[1:]}: {', '.join(said)}{f'   ({rests})' if rests else ''}"


def heading(found: Found, out: Output) -> Iterator[str]:
    """The revisions, and the verdict with the counts."""
    yield out.paint(visible(title(found.old, found.new)), "strong")
    line = headline(found)
    for each in (*found.lone, *found.open):
        if len(f"{line}; {each}") <= WIDTH and found.screen.rows:
            line = f"{line}; {each}"
            continue
        yield visible(line)
        first, *rest = _wrapped(each, _ROOM, _WHY)
        yield from (visible(f"{_INDENT}{one}") for one in (first, *rest)[:-1])
        line = f"{_INDENT}{(first, *rest)[-1]}"
    yield visible(line)
    marks = {row.shown for each in found.parts for row in each.screen.rows}
    if marks:
        told = [f"*  {evidence(found)}" if True in marks else "", f"?  {_READ}" if False in marks else ""]
        marks_told, rests = f" {'   '.join(filter(None, told))}", _rests(found) if found.screen.rows else ""
        whole = f"{marks_told}   ({rests})" if rests else marks_told
        apart = [marks_told, *(f"{_INDENT}{each}" for each in _wrapped(rests, _ROOM, _WHY))]
        yield from (out.paint(visible(each), "dim") for each in ([whole] if len(whole) <= WIDTH else apart))


def title(old: Side, new: Side) -> str:
    """What is compared: the title, and what the revisions are called."""
    was, now = old.program.title, new.program.title
    return f"{now if was == now else f'{was} → {now}'}   {_revision(old)} → {_revision(new)}"


def _revision(side: Side) -> str:
    return f"{side.asked.written} (revision {side.revision})"


def headline(found: Found) -> str:
    """The verdict in a designer's words, and how many changes of each sort there are."""
    verdict, counts = found.verdict, _counts(found)
    head = _HEADS.get(verdict.word, _SAME)
    if verdict.word in _HEADS and found.amended and not found.screen.rows and not found.lone:
        head = f"{head}  not by the rules alone, but as they are amended"
    elif verdict.word not in _HEADS or not found.screen.rows:
        head = f"{head}  {verdict}: {verdict.says}"
    return f"{head}  {counts}".rstrip()


def _counts(found: Found) -> str:
    """How many changes of each sort there are."""
    shown, word = found.screen, found.whole.verdict.word
    counts = [
        _counted(len(shown.of(CHANGED)), "rule differs", "rules differ")
        if word == "changed"
        else _counted(len(shown.of(CHANGED)), "rule edited", "rules edited"),
        _counted(len(shown.of(NEW)), "new", "new"),
        _counted(len(shown.of(GONE)), "gone", "gone"),
    ]
    others = [
        _counted(len(shown.names), "renamed", "renamed"),
        _counted(len(shown.reworded) + len(shown.folded.wording), "reworded", "reworded"),
        _counted(len(shown.stated), "stated anew", "stated anew"),
    ]
    return "; ".join(filter(None, (", ".join(filter(None, part)) for part in (counts, others))))


def evidence(found: Found) -> str:
    """What the mark of a row that is more than read means."""
    values = any(each.whole.behaviour is not None and each.whole.behaviour.values for each in found.parts)
    return "a play or a value shows it" if values else "a play shows it"


def _rests(found: Found) -> str:
    """What the verdict rests on, with the seed: `5 witnesses, seed 0`."""
    behaviour = found.whole.behaviour
    if found.whole.verdict.word not in _HEADS:
        return ""
    seed = f"seed {behaviour.seed}" if behaviour is not None and behaviour.entrances else ""
    how = found.whole.verdict.how
    is_cut = behaviour is not None and behaviour.cut and not how.startswith("cut after")
    return ", ".join(filter(None, (how, seed, f"cut after {behaviour.cut:g} s" if behaviour and is_cut else "")))


def _counted(number: int, one: str, more: str) -> str:
    return f"{number} {one if number == 1 else more}" if number else ""


def said(row: Row) -> tuple[str, str]:
    """What a row says: all of it, or its first half and its second."""
    name = f"{row.name}: " if row.name else ""
    if row.kind != CHANGED:
        return f"{name}{row.was or row.now}".removesuffix(": "), ""
    if not row.was or not row.now:
        if row.whole:
            return f"{name}{row.now}", ""
        what = _now(row.now) if row.now else _no_longer(row.was) if row.was else "means something else"
        return f"{name}{what}", ""
    return f"{name}{row.was}", f"→ {row.now}"


def _now(half: str) -> str:
    return f"now{':' * half[0].isupper()} {half}"


def _no_longer(half: str) -> str:
    return f"no longer{':' * half[0].isupper()} {half}"


def _plays(found: Found) -> dict[int, str]:
    """What a play comes to in OLD and in NEW, of rows that are shown by one of their own, by the places of the rows."""
    behaviour, rows = found.whole.behaviour, found.screen.rows
    plays: dict[int, str] = {}
    for number, row in enumerate(rows):
        for each in behaviour.witnesses if behaviour and row.shown and row.kind == CHANGED else ():
            if len(rows) == 1 or (each.subject and set(each.subject.edits) <= set(row.edits)):
                told = comes_to(each)
                if told and len(f"{_PLAY}{told}") <= _ROOM:
                    plays[number] = f"{_INDENT}{_PLAY}{visible(told)}"
                break
    return plays


def _fitted(rows: Sequence[Row], most: int, plays: Mapping[int, str], out: Output, before: int = 0) -> list[str]:
    """Rows in at most so many lines: each with one for each half, then more for those that are cut, then for plays."""
    room = [len(_halves(each)) for each in rows]
    kept = len(rows)
    while sum(room[:kept]) + (kept < len(rows)) > most and kept > 1:
        kept -= 1
    cut = sorted(range(kept), key=lambda number: rows[number].kind == CHANGED)
    while sum(room[:kept]) + (kept < len(rows)) < most:
        cut = [number for number in cut if _is_cut(_lines(rows[number], room[number]))]
        if not cut:
            break
        room[cut[0]] += 1
        cut.append(cut.pop(0))
    left = len(rows) - kept
    spare = max(most - sum(room[:kept]) - bool(left), 0)
    told = {number: plays[number] for number in [each for each in sorted(plays) if each < kept][:spare]}
    made = [
        line
        for number in range(kept)
        for line in (*_row(before + number + 1, rows[number], room[number], out), *filter(None, [told.get(number, "")]))
    ]
    return [*made, f"     and {left} more, with --edits"] if left else made


def _is_cut(lines: Sequence[str]) -> bool:
    return any(each.endswith(_CUT) or f"{_CUT};" in each or _UNTOLD.search(each) for each in lines)


def _halves(row: Row) -> tuple[str, ...]:
    """What stands on lines of its own: all of a row where it is short, else one half and the other."""
    first, second = said(row)
    whole = f"{_LABELS[row.kind]}{first} {second}".rstrip()
    if not second or len(f"{whole}{_cited(row)}") <= _ROOM:
        return (whole,)
    both = f"{row.was} {second}"
    return (f"{row.name}:", both) if len(first) > _ROOM and len(both) <= _ROOM - 2 else (first, second)


def _lines(row: Row, room: int) -> list[str]:
    """A row in so many lines: sentences as far as they fit, and the clauses of the others."""
    *before, last = _halves(row)
    width = _ROOM - 2 * len(before)
    whole = [line for each in before for line in _laid(each, _ROOM)]
    whole += _laid(f"{'; '.join([last, *row.more])}{'' if row.more else _cited(row)}", width)
    if len(whole) <= room:
        return whole
    for told in range(len(row.more), -1, -1):
        text = "; ".join([last, *row.more[:told]])
        rest = row.cited[told + 1 :] if told < len(row.more) else ()
        also = f"; + {_ids(rest) if len(rest) <= _NAMED else f'{len(rest)} more'}" if rest else ""
        for cite in ("",) if row.more else (_cited(row), ""):
            found = _laid(f"{text}{also}{cite}", width)
            if len(found) <= room - len(before):
                return [*(_short(each, _ROOM) for each in before), *found]
    first = [_short(each, _ROOM) for each in before]
    words = last.split(" ")
    for kept in range(len(words) - 1, _FEWEST, -1):
        found = _laid(f"{' '.join(words[:kept])}{_CUT}{also}", width)
        if len(found) <= room - len(before):
            return [*first, *found]
    return [*first, *_wrapped(f"{last}{also}", width, room - len(before))]


def _laid(text: str, width: int) -> list[str]:
    return wrap(text, width, break_long_words=False, break_on_hyphens=False) or [""]


def _ids(clauses: Sequence[str]) -> str:
    """Clauses after each other, what several begin with said once: `declare: count (base, dual), split`."""
    heads = [each.rpartition(".")[0] for each in clauses] if len(clauses) > 1 else [""]
    head = next((each for each in _outward(heads[0]) if all(f"{one}.".startswith(f"{each}.") for one in heads)), "")
    found: list[list[str]] = []
    for each in (one.removeprefix(f"{head}.") if head else one for one in clauses):
        if found and each.startswith(f"{found[-1][0]}."):
            found[-1].append(each.removeprefix(f"{found[-1][0]}."))
        else:
            found.append([each])
    told = ", ".join(f"{one} ({', '.join(inside)})" if inside else one for one, *inside in found)
    return f"{head}: {told}" if head else told


def _outward(head: str) -> Iterator[str]:
    """The beginning of a clause, and what that begins with: `declare.count`, `declare`."""
    while head:
        yield head
        head = head.rpartition(".")[0]


def _wrapped(text: str, width: int, most: int) -> list[str]:
    found = _laid(text, width)
    if len(found) <= most:
        return found
    last = wrap(found[most - 1], width - 2, break_long_words=False, break_on_hyphens=False)[0]
    return [*found[: most - 1], f"{last.rstrip(' ;,')}{_CUT}"]


def _short(text: str, most: int) -> str:
    return _wrapped(text, most, 1)[0]


def _row(number: int, row: Row, room: int, out: Output) -> Iterator[str]:
    first, *others = _lines(row, room)
    mark = "*" if row.shown else "?"
    yield f"{number:>2} {out.paint(mark, 'warning' if row.shown else 'dim')} {visible(first)}"
    yield from (f"{_INDENT}{visible(each)}" for each in others)


def _cited(row: Row) -> str:
    if not row.cited:
        return ""
    more = len(row.cited) - _CLAUSES
    return f"  [{', '.join(row.cited[:_CLAUSES])}{f', +{more}' if more > 0 else ''}]"


def _instead(found: Found) -> Iterator[str]:
    """What there is to tell where no rule is edited: rules written otherwise, else titles and questions."""
    for section, label in (("rewritten", "WRITTEN DIFFERENTLY"), ("declarations", "DECLARED"), ("wording", "REWORDED")):
        told = found.section(section)
        if told:
            yield label
            yield from (f"  {visible(_short(str(each), WIDTH - 2))}" for each in told[:_EDITS])
            if len(told) > _EDITS:
                yield f"  and {len(told) - _EDITS} more, with --edits"
            return


def _tail(found: Found, out: Output) -> Iterator[str]:
    behaviour = found.whole.behaviour
    if behaviour is not None and behaviour.values and not any(each.shown for each in found.screen.rows):
        more = len(behaviour.values) - 1
        told = _short(value_told(behaviour.values[0], found), WIDTH - (30 if more else 8))
        yield f"VALUES  {told}{f'   and {more} more, with --all' if more else ''}"
    for each in warnings(found):
        label, text = each[:_WARNED], each[_WARNED:]
        lines = _wrapped(text, WIDTH - _WARNED, 2)
        yield from (visible(f"{' ' * _WARNED if number else label}{line}") for number, line in enumerate(lines))
    yield from (visible(_short(each, WIDTH)) for each in screen_lines(found))
    names = f"NAMES   {'   '.join(f'{old} → {new}' for old, new in found.screen.names)}" if found.screen.names else ""
    beside = scenarios_line(found)
    if names and beside and len(f"{names}      {beside}") <= WIDTH:
        yield f"{names}      {beside}"
    else:
        yield from (_short(each, WIDTH) for each in (names, beside) if each)
    if found.games:
        yield "GAMES"
        yield from (f"  {game_told(each)}" for each in found.games)
    yield from _besides(found)
    if found.unread and found.verdict.word in _PROVED:
        yield visible(_short(unread(found), WIDTH))
    yield out.paint(_more(found), "dim")


def unread(found: Found) -> str:
    """Files that differ and are no part of what was compared; empty where there are none."""
    names = found.unread
    if not names:
        return ""
    more = f" and {len(names) - _FILES} more" if len(names) > _FILES else ""
    verb = "differs, and is" if len(names) == 1 else "differ, and are"
    return f"NOT COMPARED  {', '.join(names[:_FILES])}{more} {verb} no part of the rules"


def _besides(found: Found) -> Iterator[str]:
    """Clauses that no row is about, as their lines stand: what only the new document says, and what it words anew."""
    stated, reworded = ([_restated(each) for each in some] for some in (found.screen.stated, found.screen.reworded))
    if stated:
        yield from _labelled(_STATED, _fitting(stated, _LINES))
    if reworded:
        titles = _counted(len(found.screen.folded.wording), "title or question", "titles and questions")
        others = f"; {titles} (--edits)" if titles else ""
        yield from _labelled(_REWORDED, f"{_fitting(reworded, _FEW_LINES)}{others}")


def _restated(clause: Unedited) -> str:
    """What a clause says; of one that both documents have also which it was: `… [70.b → 70.c]`."""
    became = " → ".join(dict.fromkeys((clause.old, clause.new)))
    return f"{clause.says.rstrip(' .;')} [{became}]" if clause.old else clause.says.rstrip(" .;")


def unedited(found: Found) -> Iterator[Left]:
    """The same clauses at length."""
    for title, some in (
        ("Stated by NEW for the first time, at lines that did not change:", found.screen.stated),
        ("In other words, at lines that did not change:", found.screen.reworded),
    ):
        if some:
            yield Left(
                title, tuple(visible(f"{each.said} → {each.says}   {each.new}".removeprefix(" → ")) for each in some)
            )


def _fitting(sentences: Sequence[str], most: int) -> str:
    """The first of some sentences, as many as fit into so many lines, and how many there are more."""
    for told in range(len(sentences), 1, -1):
        text = "; ".join(sentences[:told])
        more = f"; + {len(sentences) - told} more (--margins)" if told < len(sentences) else ""
        if len(_laid(f"{text}{more}", _IN_LABEL)) <= most:
            return f"{text}{more}"
    return sentences[0]


def _labelled(label: str, text: str) -> Iterator[str]:
    for number, line in enumerate(_wrapped(text, _IN_LABEL, _LINES)):
        yield visible(f"{' ' * len(label) if number else label}{line}")


def folded(found: Found) -> Iterator[str]:
    """How much is not shown, and with which option it is."""
    left = found.screen.folded
    counts = (
        (len(left.readings), "reading", "readings", "--readings"),
        (
            len(left.helpers) + len(left.same),
            "helper or line that says the same",
            "helpers and lines that say the same",
            "--edits",
        ),
        (len(left.rewritten), "edit proved to say the same", "edits proved to say the same", "--edits"),
        (len(left.margins), "margin", "margins", "--margins"),
    )
    told = [f"{number} {one if number == 1 else more} ({flag})" for number, one, more, flag in counts if number]
    if told:
        yield f"FOLDED  {', '.join(told)}"


def scenarios_line(found: Found) -> str:
    """The same as `scenarios_told`, with the option that lists them."""
    told = scenarios_told(found)
    return f"{told}   --scenarios" if told else ""


def scenarios_told(found: Found) -> str:
    """What becomes of scenarios and scripts beside the old revision, in one line; empty where there are none."""
    played = found.scenarios
    differs, lost = (sum(each.outcome == word for each in played) for word in ("differs", "lost"))
    told = []
    if played and lost == len(played) + found.spared:
        why = {_BEFORE_REASON.sub("", each.message) for each in played}
        reason = f": {why.pop()}" if len(why) == 1 else ""
        told.append(visible(_short(f"none of {lost} can be compared{reason}", _REASON)))
    elif played:
        number = len(played) + found.spared
        told.append(f"{differs or 'none'} of {number} {'end' if differs > 1 else 'ends'} differently")
        told += [f"{lost} cannot be compared"] if lost else []
    elif found.spared and found.verdict.word in _PROVED:
        were = "was" if found.spared == 1 else "were"
        told.append(f"{found.spared} {were} not played, since both revisions are proved to play alike")
    moved = len(found.addresses)
    if moved:
        told.append(f"{'1 address has' if moved == 1 else f'{moved} addresses have'} another name now, or none")
    return f"SCENARIOS  {', '.join(told)}" if told else ""


def _more(found: Found) -> str:
    left = [each.screen.folded for each in found.parts]
    edits = sum(one.section != IMPLIED for each in found.parts for one in each.told)
    readings, margins = sum(len(each.readings) for each in left), sum(len(each.margins) for each in left)
    counts = (("--edits", edits), ("--readings", readings), ("--margins", margins))
    told = [f"{flag} ({number})" for flag, number in counts if number]
    show = ["--show 1 (its edits, its play)"] if any(each.screen.rows for each in found.parts) else []
    amended = f"{len(found.amended)} overlay{'' if len(found.amended) == 1 else 's'}"
    whole = f"--all (also with {amended})" if found.amended and found.screen.rows else "--all"
    return f"MORE    {'   '.join([*show, *told, whole])}"
