"""Evidence of plays, the verdict on behaviour, witnesses of divergence, and scenarios written from them."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

from rulewright.base.files import FileProvider
from rulewright.base.source import Text
from rulewright.diff.differential_testing.coverage_guided_search import difference_kind
from rulewright.diff.differential_testing.harness import (
    DIFFERS,
    REACHED,
    CoverageHit,
    Harness,
)
from rulewright.diff.differential_testing.paired_play import PLAY_LIMITS, PairedPlay
from rulewright.diff.differential_testing.replays import DifferingPlay, build_session, outcome_address
from rulewright.diff.differential_testing.results import (
    BehaviourVerdict,
    EditSubject,
    EntryPoint,
    PlaceEvidence,
    PlayWitness,
    TriedFunction,
    WitnessSide,
)
from rulewright.diff.differential_testing.revision_translation import find_missing_role
from rulewright.diff.differential_testing.shared_questions import FirstChooser, make_external_result
from rulewright.documents.answers import answer_to_json, read_answer
from rulewright.documents.document_nodes import Json, data_to_node
from rulewright.documents.saved_sessions import RecordedAnswer
from rulewright.documents.state_json import state_to_json
from rulewright.documents.value_sampling import NoValueError
from rulewright.play.answer_sources import SourcedAnswer
from rulewright.play.session import Session
from rulewright.program.declarations import Program
from rulewright.runtime import faults
from rulewright.runtime.executable import Executable, compile_program
from rulewright.runtime.request import CHANCE_SORTS, EXTERNAL_SORTS, Ended, Faulted, Refused, Request
from rulewright.runtime.run import Paused
from rulewright.scenarios.case_opening import CompiledRuleset
from rulewright.scenarios.case_play import play_case_under
from rulewright.scenarios.scenario_recording import diff_states, record_scenario
from rulewright.scenarios.suite_reader import read_suite
from rulewright.wording.english import join_words

HitCounts = Counter[tuple[int, CoverageHit]]


def gather_evidence(harness: Harness, hits: HitCounts, plays: int) -> tuple[PlaceEvidence, ...]:
    """Coverage of every changed place."""
    differing = Counter[str]()
    for number, changed in enumerate(harness.expressions):
        times = hits[1, (changed.address, f"{number} {DIFFERS}")]
        differing[changed.address] = max(differing[changed.address], times)
    return tuple(
        PlaceEvidence(
            ("", address) if side else (address, ""),
            hits[side, (address, REACHED)],
            plays,
            differing[address] if side else 0,
        )
        for side, addresses in enumerate(harness.changed)
        for address in sorted(addresses)
    )


def judge_behaviour(  # noqa: PLR0913
    *,
    has_witness: bool,
    entrances: Sequence[EntryPoint],
    functions: Sequence[TriedFunction],
    evidence: Sequence[PlaceEvidence],
    differed: bool,
    strayed: str,
    limits: Mapping[str, int],
    plays: int,
    unsure: str,
) -> BehaviourVerdict:
    """Verdict: changed where anything differs; equivalent where nothing reaches a change; else unknown.

    Drawn plays prove nothing; functions that were tried for all arguments do.
    """
    if has_witness:
        return BehaviourVerdict("changed")
    again = "plays differed that do not differ when they are played again" if differed else ""
    if again or unsure:
        return BehaviourVerdict("unknown", limit=again or unsure)
    if not entrances:
        equal = [function for function in functions if function.equal]
        tried = sum(tried_function.argument_count for tried_function in equal)
        space = tuple(tried_function.space for tried_function in equal)
        return BehaviourVerdict("equivalent", "exhausted" if tried else "unreached", tried, space=space)
    if limits:
        return BehaviourVerdict(
            "unknown", limit=f"{describe_stopped_plays(limits, plays)}; nothing differed until then"
        )
    nothing = f"nothing differed in {plays} {'play' if plays == 1 else 'plays'}"
    if strayed:
        return BehaviourVerdict("unknown", limit=f"{nothing} but the way past `{strayed}`")
    silent = next((entrance for entrance in entrances if entrance.plays == 0), None)
    if silent is not None:
        return BehaviourVerdict("unknown", limit=f"`{silent.new}` never began")
    first = min(evidence, key=lambda place: (place.plays > 0, not place.differing, place.plays), default=None)
    return BehaviourVerdict("unknown", limit=(first and first.missing) or nothing)


_LIMIT_DESCRIPTIONS = {
    faults.WORK_LIMIT: f"{PLAY_LIMITS.work:,} steps (`--max-steps`, {faults.WORK_LIMIT})",
    faults.DEPTH_LIMIT: f"{PLAY_LIMITS.depth:,} calls inside each other (`--max-depth`, {faults.DEPTH_LIMIT})",
    faults.MEMBER_LIMIT: f"{PLAY_LIMITS.members:,} members of a collection (`--max-members`, {faults.MEMBER_LIMIT})",
    faults.DICE_LIMIT: f"{PLAY_LIMITS.dice:,} dice of a roll (`--max-dice`, {faults.DICE_LIMIT})",
    faults.SIZE_LIMIT: f"a size of {PLAY_LIMITS.size:,} or 4,000 digits (`--max-size`, {faults.SIZE_LIMIT})",
    faults.PATH_LIMIT: f"10,000 cells of a path ({faults.PATH_LIMIT})",
}
"""Machine limits of compared plays in words, with the options of `run` of the same name."""


def describe_stopped_plays(limits: Mapping[str, int], plays: int) -> str:
    """Number of plays that each limit of the machine ended: `8 of 9 plays ended at 300,000 steps (…)`."""
    ended = [
        f"{number} of {plays} plays ended at {_LIMIT_DESCRIPTIONS[code]}" for code, number in sorted(limits.items())
    ]
    return join_words(ended)


_OUTCOME_VERBS = {Paused: "asks", Ended: "ends", Refused: "refuses", Faulted: "faults"}


def build_witness(
    play: PairedPlay,
    data: DifferingPlay,
    executables: tuple[Executable, Executable],
    subject: EditSubject | None = None,
) -> PlayWitness:
    """Witness of a play, with the edits it shows."""
    old, new = (_build_witness_side(play, data, number, executables[number]) for number in (0, 1))
    return PlayWitness(
        data.difference, old, new, play.start.common_form.translations.forward.names.addresses, data.touched, subject
    )


def _build_witness_side(play: PairedPlay, data: DifferingPlay, number: int, executable: Executable) -> WitnessSide:
    session = build_session(play, number, executable)
    start = data.starts[number]
    return WitnessSide(
        procedure=session.start.procedure.name,
        state=start.state,
        roles=start.roles,
        answers=tuple(RecordedAnswer(*answer) for answer in session.list_answers()),
        outcome=_OUTCOME_VERBS[type(session.outcome)],
        address=outcome_address(session.outcome) or (session.entries[-1].address if session.entries else ""),
        changes=_find_state_changes(session),
        session=session,
    )


def _find_state_changes(session: Session) -> Mapping[str, Json]:
    state, start = session.state, session.start
    if state is None:
        return {}
    program = start.executable.program
    return diff_states(
        state_to_json(start.situation, program), state_to_json(state.extract_situation(), program), program, start.names
    )


def choose_witnesses(plays: Iterable[DifferingPlay], most: int) -> tuple[DifferingPlay, ...]:
    """At most `most` plays, one of each kind of difference.

    First one for each changed place that is seen alone, then other kinds; among equals the smallest.
    """
    best: dict[object, DifferingPlay] = {}
    for differing_play in plays:
        known = best.get(difference_kind(differing_play))
        if known is None or differing_play.reading_size < known.reading_size:
            best[difference_kind(differing_play)] = differing_play
    return tuple(_choose_diverse(list(best.values()), most))


def _choose_diverse(every: list[DifferingPlay], most: int) -> Sequence[DifferingPlay]:
    chosen: list[DifferingPlay] = []
    covered: set[object] = set()

    def novelty_order(each: DifferingPlay) -> tuple[object, ...]:
        """First what is least like what is taken: in its places, its sort, where it parts; then the smallest."""
        known = (each.touched in covered, each.difference in covered, each.addresses in covered)
        return *known, sum(map(len, each.touched)), each.reading_size, repr(each.starts)

    while every and len(chosen) < most:
        every.sort(key=novelty_order)
        first = every.pop(0)
        chosen.append(first)
        covered |= {first.difference, first.addresses, first.touched}
    return chosen


_MAX_FINISHING_ANSWERS = 200


def finish_witness_session(session: Session) -> Session | None:
    """Session played to its end; None where no answer is found, or the end is too far."""
    for number in range(_MAX_FINISHING_ANSWERS):
        if not isinstance(session.outcome, Paused):
            return session
        answer = _find_plainest_answer(session.outcome.request, session, number)
        after = None if answer is None else session.apply_answer(SourcedAnswer(answer[0], "person"), session.sources)
        if after is None or isinstance(after, Refused):
            return None
        session = after
    return None


def _find_plainest_answer(request: Request, session: Session, number: int) -> tuple[Any] | None:
    question = request.question
    assert question is not None
    if request.sort in CHANCE_SORTS:
        return (question.outcome_at(number % question.outcome_count),)
    if request.sort in EXTERNAL_SORTS:
        return _make_external_answer(request, session)
    result = tuple(islice(question.iterate_answers(), 1))
    return (result[0],) if result else None


def _make_external_answer(request: Request, session: Session) -> tuple[Any] | None:
    try:
        written = make_external_result(request, session.start.names, FirstChooser())
    except NoValueError:
        return None
    result = read_answer(request, data_to_node(written), session.start.names)
    return None if result.diagnostics else (result.value,)


def write_witness_scenario(
    witness: PlayWitness, ruleset: str, overlays: Sequence[str], file: str, provider: FileProvider
) -> str | None:
    """Text of a scenario file that should pass under the old revision and fail under the new one.

    The old play is brought to its end with plain answers. What the new revision does differently is expected: who is
    asked and what is offered are written down where that is the difference. None where the old play does not end or
    lacks an argument, or where only the faces of dice differ and the new revision has more of them.

    Args:
        witness: the divergence.
        ruleset: the old ruleset, as its user names it.
        overlays: files that amend it.
        file: where the scenario will stand.
        provider: for the path from there to the ruleset.
    """
    session = finish_witness_session(witness.old.session)
    if session is None or _has_more_faces(witness) or find_missing_role(session.start.procedure, witness.old.roles):
        return None
    old = witness.old
    return record_scenario(
        session, ruleset, overlays, file, provider, old.state, _expect_difference(witness, session), old.roles
    )


def is_distinguishing_scenario(text: str, file: str, old: Program, new: Program, provider: FileProvider) -> bool:
    """Whether a scenario passes under the old revision, and can be played under the new one but fails."""
    suite = read_suite(Text(file, text), provider, {})
    if suite.value is None:
        return False
    (case,) = suite.value.cases
    was, now = (
        play_case_under(case, CompiledRuleset(compile_program(program, traced=True), frozenset()))
        for program in (old, new)
    )
    return was is not None and was.outcome == "passed" and now is not None and now.outcome != "passed"


def _has_more_faces(witness: PlayWitness) -> bool:
    old, new = witness.old.session.outcome, witness.new.session.outcome
    if witness.sort != "dice" or not isinstance(old, Paused) or not isinstance(new, Paused):
        return False
    counts = [[die.count for die in one.request.dice] for one in (old, new)]
    return counts[0] == counts[1]


def _expect_difference(witness: PlayWitness, whole: Session) -> dict[str, Json]:
    outcome = witness.old.session.outcome
    if witness.sort == "start" and isinstance(outcome, Ended):
        program = witness.old.session.start.executable.program
        return {"state": state_to_json(outcome.state.extract_situation(), program)}
    if not isinstance(outcome, Paused):
        return {}
    request = outcome.request
    same = [turn.request for turn in whole.turns if turn.request.address == request.address]
    if witness.sort == "asked":
        names = witness.old.session.start.names
        if len({item.player for item in same}) == 1 and request.player is not None:
            return {"asked_of": {request.address: names.thing_id("player", request.player)}}
        questions = [(turn.request.address, turn.request.player) for turn in whole.turns]
        by = [None if player is None else names.thing_id("player", player) for _, player in questions]
        return {"asked": [{"at": at, "by": who} for (at, _), who in zip(questions, by, strict=True)]}
    if witness.sort == "options" and request.choices and same[0] is request:
        names = witness.old.session.start.names
        legal = [choice.value for choice in request.choices if choice.reason is None]
        return {"offered": {request.address: [answer_to_json(request, item, names) for item in legal]}}
    return {}
