"""The report of `diff` as JSON (`grammar/schemas/diff.schema.json`)."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from rulewright.base.diagnostics.renderings import encode_span_start
from rulewright.base.json_keys import JsonKeys, KeyedEncoder
from rulewright.cli.diff_odds import summarize_shifts
from rulewright.cli.diff_result import ComparedSide, DiffResult
from rulewright.cli.diff_screen import verdict_headline
from rulewright.cli.diff_warnings import list_warnings
from rulewright.cli.diff_witnesses import UNSHOWN_EDIT_REASONS, edit_positions, shorten_shipped_path
from rulewright.diff.change_rows import ChangeRow, UneditedClause
from rulewright.diff.comparison import ComparisonVerdict
from rulewright.diff.differential_testing.results import (
    DIFFERENCE_KINDS,
    BehaviourComparison,
    EntryPoint,
    MigratedPlay,
    NewFault,
    OddsComparison,
    OddsShift,
    PlaceEvidence,
    PlayShift,
    PlayWitness,
    TriedFunction,
    ValueWitness,
    WitnessSide,
)
from rulewright.diff.edit_report import RenderedEdit
from rulewright.diff.edits import IMPLIED_SECTION
from rulewright.diff.equivalence_proofs import UnprovedDeclarations
from rulewright.diff.outdated_addresses import OutdatedAddress
from rulewright.documents.saved_sessions import RecordedAnswer
from rulewright.program.outline.items import DeclaredName
from rulewright.runtime.type_codecs import fraction_to_json

if TYPE_CHECKING:
    from rulewright.cli.witness_stories import LikeScenarioFinder

DIFF_FORMAT_VERSION = 3
_FOLDED_FIELDS = ("readings", "helpers", "same", "rewritten", "wording", "margins")
_KEYS: JsonKeys = {
    BehaviourComparison: (
        "seed work cut=cut_after_seconds plays entrances spared=unaffected_procedures functions evidence values faults"
    ),
    ChangeRow: "kind shown=is_shown name was now more=further_sentences",
    ComparisonVerdict: "word how=basis",
    DeclaredName: "sort name",
    EntryPoint: "old new plays",
    MigratedPlay: "name outcome sort answers message without=unknown_attributes",
    NewFault: "address code message roll? times faces",
    OddsComparison: (
        "proved=is_proved policy moments=explored_states left_out=skipped_measures apart=inseparable_reason? unvisited"
    ),
    OddsShift: "of=expression",
    PlaceEvidence: "plays differing lacking=missing",
    PlayShift: "decided=uses_policy measures=shifts",
    PlayWitness: "sort",
    RecordedAnswer: "at by answer",
    RenderedEdit: "section sort=kind group title place text cites",
    TriedFunction: "old new number=argument_count equal space",
    UneditedClause: "old? new says=new_sentence",
    UnprovedDeclarations: "old new",
    WitnessSide: "procedure state roles answers outcome address changes",
}


def _encode(value: Any) -> Any:
    return KeyedEncoder(_KEYS, more=_MORE).encode(value)


def _evidence_places(evidence: PlaceEvidence) -> dict[str, Any]:
    return dict(zip(("old", "new"), evidence.addresses, strict=True))


def _migrated_play_ends(game: MigratedPlay) -> dict[str, Any]:
    return {"says": DIFFERENCE_KINDS.get(game.sort, ""), "old": game.addresses[0], "new": game.addresses[1]}


def _value_sides(witness: ValueWitness) -> dict[str, Any]:
    states = witness.states or (None, None)
    sides = zip((witness.old, witness.new), witness.arguments, witness.settings, states, witness.values, strict=True)
    keys = ("function", "arguments", "settings", "state", "value")
    old, new = ({key: _encode(part) for key, part in zip(keys, side, strict=True)} for side in sides)
    return {"old": old, "new": new}


def _shift_values(shift: OddsShift) -> dict[str, Any]:
    def encode_pair(pair: tuple[Fraction, Fraction] | None) -> dict[str, Any] | None:
        return None if pair is None else dict(zip(("old", "new"), map(fraction_to_json, pair), strict=True))

    return {
        "shifts": None if shift.has_unexplored and not shift.is_certain else shift.is_certain,
        "open": {"old": str(shift.unexplored[0]), "new": str(shift.unexplored[1])},
        "values": [
            {"value": share.value, "old": str(share.old), "new": str(share.new)}
            | ({} if share.is_value else {"lost": True})
            for share in shift.shares
        ],
        "means": encode_pair(shift.means),
    }


_MORE: Mapping[type, Any] = {
    BehaviourComparison: lambda one: {
        "limits": [{"code": code, "plays": plays} for code, plays in one.limits],
        "space": list(one.verdict.space),
    },
    PlaceEvidence: _evidence_places,
    MigratedPlay: _migrated_play_ends,
    ValueWitness: _value_sides,
    OddsShift: _shift_values,
    PlayShift: lambda one: {"unknown": [{"of": of or None, "why": why} for of, why in one.unknown_odds]},
}
"""What the JSON objects of classes have besides `_KEYS`."""


def diff_json(diff: DiffResult, *, with_scenes: bool = False) -> dict[str, Any]:
    """The whole JSON document; every key is always there, but what `with_scenes` adds to witnesses."""
    finder = None
    if with_scenes:
        from rulewright.cli.witness_stories import LikeScenarioFinder  # noqa: PLC0415 - seldom wanted

        finder = LikeScenarioFinder(diff.old, [game.name for game in diff.scenarios if game.outcome == "differs"])
    counted = [len(part.screen.rows) for part in diff.parts]
    return {
        "version": DIFF_FORMAT_VERSION,
        "old": side_json(diff.old),
        "new": side_json(diff.new),
        **_part_json(diff, 0, finder),
        "verdict": _encode(diff.verdict),
        "layers": dict(diff.layers),
        "odds": _odds_json(diff),
        "games": _encode(diff.games),
        "addresses": [_outdated_address_json(address) for address in diff.outdated_addresses],
        "amended": [
            {"called": amended.part_name, "old": side_json(amended.old), "new": side_json(amended.new)}
            | _part_json(amended, sum(counted[:number]), finder)
            for number, amended in enumerate(diff.amended_results, 1)
        ],
        "scenarios": _scenarios_json(diff.scenarios),
        "warnings": list(list_warnings(diff)),
        "lone": list(diff.one_sided),
        "open": list(diff.uncompared),
        "unread": list(diff.unread_files),
    }


def side_json(side: ComparedSide) -> dict[str, Any]:
    """JSON object of one compared side."""
    program = side.program
    return {
        "place": side.request.display_name,
        "name": program.name,
        "title": program.title,
        "revision": program.revision,
        "overlays": [{"file": file, "revision": revision} for file, revision in side.overlays],
        "fingerprint": program.fingerprint,
    }


def _part_json(diff: DiffResult, row_offset: int, finder: "LikeScenarioFinder | None") -> dict[str, Any]:
    """JSON object of a ruleset or amended ruleset; its rows are numbered after `row_offset` others."""
    texts = diff.old.loaded.texts, diff.new.loaded.texts
    return {
        "verdict": _encode(diff.whole.verdict),
        "layers": diff.whole.layer_verdicts,
        "screen": _screen_json(diff, row_offset),
        "played": _behaviour_json(diff, finder),
        "edits": [
            _encode(edit) | {"old": encode_span_start(edit.old, texts[0]), "new": encode_span_start(edit.new, texts[1])}
            for edit in diff.worded_edits
            if edit.section != IMPLIED_SECTION
        ],
        "unproved": _encode(diff.comparison.unproved),
    }


def _screen_json(diff: DiffResult, row_offset: int) -> dict[str, Any]:
    shown = diff.screen
    return {
        "headline": verdict_headline(diff),
        "rows": [
            {"number": number}
            | _encode(row)
            | {
                "clauses": {"old": list(row.clauses[0]), "new": list(row.clauses[1])},
                "edits": edit_positions(row.edits, diff),
            }
            for number, row in enumerate(shown.rows, row_offset + 1)
        ],
        "also": _encode((*shown.stated, *shown.reworded)),
        "names": [{"old": old, "new": new} for old, new in shown.names],
        "folded": {name: edit_positions(getattr(shown.folded, name), diff) for name in _FOLDED_FIELDS},
    }


def _behaviour_json(diff: DiffResult, finder: "LikeScenarioFinder | None") -> dict[str, Any] | None:
    behaviour = diff.whole.behaviour
    if behaviour is None:
        return None
    separated, with_scene = behaviour.separated, finder is not None
    encoded: dict[str, Any] = _encode(behaviour)
    return encoded | {
        "witnesses": [
            {
                **_encode(one),
                "says": DIFFERENCE_KINDS[one.sort],
                "shows": edit_positions(one.subject.edits, diff) if one.subject else [],
                "needs": edit_positions(one.subject.needed, diff) if one.subject else [],
                "old": _encode(one.old) | (_scene_json(one.old) if with_scene else {}),
                "new": _encode(one.new) | (_scene_json(one.new) if with_scene else {}),
                **({} if finder is None else {"like": finder.find_like_scenario(one)}),
            }
            for one in behaviour.witnesses
        ],
        "separated": separated
        and {
            "seen": edit_positions(separated.shown, diff),
            **{name: edit_positions(getattr(separated, name), diff) for name in UNSHOWN_EDIT_REASONS},
        },
        "scenarios": _scenarios_json(diff.scenarios),
    }


def _scene_json(side: WitnessSide) -> dict[str, Any]:
    from rulewright.cli.witness_stories import witness_scene_json  # noqa: PLC0415 - seldom wanted

    return {"scene": witness_scene_json(side)}


def _scenarios_json(played: Sequence[MigratedPlay]) -> dict[str, Any]:
    differing, lost = ([_encode(one) for one in played if one.outcome == word] for word in ("differs", "lost"))
    return {"same": len(played) - len(differing) - len(lost), "differing": differing, "incomparable": lost}


def _outdated_address_json(outdated: OutdatedAddress) -> dict[str, Any]:
    change = outdated.change
    start = encode_span_start(change.span, {outdated.text.name: outdated.text}) or {}
    return {**start, "written": change.written, "old": change.old, "new": change.new or None}


def _odds_json(diff: DiffResult) -> dict[str, Any] | None:
    """JSON object of the odds shifts of every situation; None if not asked for."""
    odds = diff.whole.odds_comparison
    if odds is None:
        return None
    return {
        "says": summarize_shifts(odds),
        **_encode(odds),
        "situations": [
            {
                "scenarios": [shorten_shipped_path(name) for name in each.names],
                **_encode(each.joint_shift),
                "without": list(each.unknown_attributes),
                "alone": [
                    {"edits": edit_positions(one.edits, diff), **_encode(one.play_shift)}
                    for one in each.isolated_shifts
                ],
            }
            for each in odds.situations
        ],
    }
