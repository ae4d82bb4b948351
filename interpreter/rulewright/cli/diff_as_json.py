"""What differs between two revisions, as JSON data; `grammar/schemas/diff.schema.json` describes the form."""

from collections.abc import Mapping, Sequence
from typing import Any

from rulewright.cli.diff_found import Found, Side, as_json
from rulewright.cli.diff_screen import headline
from rulewright.cli.diff_witnesses import places
from rulewright.comparing.edit_report import Told
from rulewright.comparing.edits import IMPLIED
from rulewright.comparing.playing.data import DIFFERENCES, Behaviour, Evidence, Migrated, Separated, ValueWitness
from rulewright.comparing.playing.data import Side as Played
from rulewright.outline.items import Name
from rulewright.source import Span, Text

VERSION = 2


def document(found: Found) -> dict[str, Any]:
    """The whole document; every key is always there."""
    verdict, remaining = found.whole.verdict, found.whole.comparison.remaining
    return {
        "version": VERSION,
        "old": _side(found.old),
        "new": _side(found.new),
        "verdict": {"word": verdict.word, "how": verdict.how},
        "layers": found.whole.layers,
        "screen": _screen(found),
        "played": _played(found.whole.behaviour, found),
        "games": [_game(each) for each in found.games],
        "addresses": as_json(found.addresses),
        "edits": [_edit(each, found) for each in found.told if each.section != IMPLIED],
        "unproved": {"old": [_name(each) for each in remaining.old], "new": [_name(each) for each in remaining.new]},
    }


def _screen(found: Found) -> dict[str, Any]:
    """The first screen: its headline, its rows, and the edits that it folds."""
    shown = found.screen
    folded = shown.folded
    return {
        "headline": headline(found),
        "rows": [
            {
                "number": number,
                "kind": each.kind,
                "shown": each.shown,
                "name": each.name,
                "was": each.was,
                "now": each.now,
                "more": list(each.more),
                "clauses": {"old": list(each.clauses[0]), "new": list(each.clauses[1])},
                "edits": places(each.edits, found),
            }
            for number, each in enumerate(shown.rows, 1)
        ],
        "also": [{"old": old or None, "new": new} for old, new in shown.also],
        "names": [{"old": old, "new": new} for old, new in shown.names],
        "folded": {
            "readings": places(folded.readings, found),
            "helpers": places(folded.helpers, found),
            "same": places(folded.same, found),
            "rewritten": places(folded.rewritten, found),
            "wording": places(folded.wording, found),
            "margins": places(folded.margins, found),
        },
    }


def _played(behaviour: Behaviour | None, found: Found) -> dict[str, Any] | None:
    if behaviour is None:
        return None
    return {
        "seed": behaviour.seed,
        "work": behaviour.work,
        "cut": behaviour.cut,
        "plays": behaviour.plays,
        "limits": [{"code": code, "plays": plays} for code, plays in behaviour.limits],
        "entrances": [
            {"old": each.old, "new": each.new, "plays": each.plays, "exhausted": each.exhausted}
            for each in behaviour.entrances
        ],
        "space": list(behaviour.verdict.space),
        "spared": list(behaviour.spared),
        "functions": [
            {"old": each.old, "new": each.new, "number": each.number, "equal": each.equal, "space": each.space}
            for each in behaviour.functions
        ],
        "settled": [
            {"old": each.old, "new": each.new, "reads": list(each.reads), "combinations": each.number}
            for each in behaviour.settled
        ],
        "evidence": [_evidence(each) for each in behaviour.evidence],
        "values": [_value(each) for each in behaviour.values],
        "witnesses": [
            {
                "sort": each.sort,
                "says": DIFFERENCES[each.sort],
                "shows": places(each.subject.edits, found) if each.subject else [],
                "needs": places(each.subject.needed, found) if each.subject else [],
                "old": _play(each.old),
                "new": _play(each.new),
            }
            for each in behaviour.witnesses
        ],
        "separated": _separated(behaviour.separated, found),
        "scenarios": _scenarios(behaviour.scenarios),
    }


def _scenarios(played: Sequence[Migrated]) -> dict[str, Any]:
    return {
        "same": sum(each.outcome == "same" for each in played),
        "differing": [_game(each) for each in played if each.outcome == "differs"],
        "incomparable": [_game(each) for each in played if each.outcome == "lost"],
    }


def _evidence(each: Evidence) -> dict[str, Any]:
    old, new = ({"address": at, "text": text} for at, text in zip(each.addresses, each.texts, strict=True))
    return {
        "old": old,
        "new": new,
        "plays": each.plays,
        "reads": list(each.reads),
        "combinations": each.combinations,
        "tried": each.tried,
        "differing": each.differing,
        "lacking": each.lacking,
    }


def _separated(separated: Separated | None, found: Found) -> dict[str, Any] | None:
    if separated is None:
        return None
    return {
        "seen": places(separated.seen, found),
        "hidden": places(separated.hidden, found),
        "whole": places(separated.whole, found),
        "silent": places(separated.silent, found),
        "untried": places(separated.untried, found),
    }


def _game(each: Migrated) -> dict[str, Any]:
    return {
        "name": each.name,
        "outcome": each.outcome,
        "sort": each.sort,
        "answers": each.answers,
        "old": each.addresses[0],
        "new": each.addresses[1],
        "message": each.message,
    }


def _value(each: ValueWitness) -> dict[str, Any]:
    states = each.states or (None, None)
    sides = zip((each.old, each.new), each.arguments, each.settings, states, each.values, strict=True)
    old, new = (
        {
            "function": name,
            "arguments": dict(given),
            "settings": dict(settings),
            "state": None if state is None else dict(state),
            "value": value,
        }
        for name, given, settings, state, value in sides
    )
    return {"old": old, "new": new}


def _play(side: Played) -> dict[str, Any]:
    return {
        "procedure": side.procedure,
        "state": dict(side.state),
        "roles": dict(side.roles),
        "answers": [{"at": each.at, "by": each.by, "answer": each.answer} for each in side.answers],
        "outcome": side.outcome,
        "address": side.address,
        "changes": dict(side.changes),
    }


def _side(side: Side) -> dict[str, Any]:
    program = side.program
    return {
        "place": side.asked.written,
        "name": program.name,
        "title": program.title,
        "revision": program.revision,
        "overlays": [{"file": file, "revision": revision} for file, revision in side.overlays],
        "fingerprint": program.fingerprint,
    }


def _edit(each: Told, found: Found) -> dict[str, Any]:
    return {
        "section": each.section,
        "sort": each.sort,
        "group": each.group,
        "title": each.title,
        "place": each.place,
        "text": each.text,
        "cites": list(each.cites),
        "old": _place(each.old, found.old.loaded.texts),
        "new": _place(each.new, found.new.loaded.texts),
    }


def _place(span: Span | None, texts: Mapping[str, Text]) -> dict[str, Any] | None:
    if span is None:
        return None
    position = texts[span.source].position(span.start)
    return {"file": span.source, "line": position.line, "column": position.column}


def _name(name: Name) -> dict[str, str]:
    return {"sort": name.sort, "name": name.name}
