"""Witnesses: what plays say of a change, the two sides of one, and the scenario that tells it."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from rulewright.comparing.playing.answers import Plain, made
from rulewright.comparing.playing.bench import COMBINED, DIFFERS, REACHED, WANTED, Bench, Hit
from rulewright.comparing.playing.data import (
    Entrance,
    Evidence,
    Settled,
    Side,
    Subject,
    Tried,
    ValueWitness,
    Verdict,
    Witness,
)
from rulewright.comparing.playing.points import Point
from rulewright.comparing.playing.replays import Found, standing
from rulewright.comparing.playing.searching import key
from rulewright.comparing.playing.side_by_side import LIMITS, Played
from rulewright.comparing.playing.spreading import session_of
from rulewright.comparing.playing.states import lacks
from rulewright.comparing.playing.tables import bits
from rulewright.drivers.session import Session
from rulewright.drivers.sources import Given
from rulewright.files import Provider
from rulewright.inputs.answers import answer_json, read_answer
from rulewright.inputs.nodes import Json, unplaced
from rulewright.inputs.save import Answered
from rulewright.inputs.state_json import state_json
from rulewright.machine import codes
from rulewright.machine.compile import compile_program
from rulewright.machine.executable import Executable
from rulewright.machine.request import CHANCE, ELSEWHERE, Ended, Faulted, Refused, Request
from rulewright.machine.run import Paused
from rulewright.program.declarations import Program
from rulewright.scenarios.opening import Ruled
from rulewright.scenarios.play import play_under
from rulewright.scenarios.recording import differing, recording
from rulewright.scenarios.suite_reader import read_suite
from rulewright.situations.values import NoValueError
from rulewright.source import Text
from rulewright.telling.conditions import listed

Hits = Counter[tuple[int, Hit]]


def evidence(bench: Bench, hits: Hits, plays: int) -> tuple[Evidence, ...]:
    """What plays came to of every changed place, then of every expression that is held against another."""
    return (*_places(bench, hits, plays), *(_of_point(*each, hits) for each in enumerate(bench.points)))


def _places(bench: Bench, hits: Hits, plays: int) -> Iterator[Evidence]:
    for side, addresses in enumerate(bench.changed):
        for address in sorted(addresses):
            number = hits[side, (address, REACHED)]
            often = {0: "was never reached", 1: "was reached only once", 2: "was reached only twice"}
            said = often.get(number, f"was reached only {number} times")
            lacking = "" if number >= WANTED[REACHED] else f"`{address}` {said} in {plays} plays"
            at = (address, "") if side == 0 else ("", address)
            yield Evidence(at, plays=number, lacking=lacking)


def _of_point(number: int, point: Point, hits: Hits) -> Evidence:
    side = 0 if point.roots[1] is None and not point.role else 1
    address = point.addresses[side]
    reached, differing = hits[side, (address, REACHED)], hits[side, (address, f"{number} {DIFFERS}")]
    found = Evidence(point.addresses, point.texts, differing=differing, plays=reached)
    if point.open:
        return replace(found, lacking=point.open)
    if point.role:
        return replace(found, lacking=f"plays without `{point.role}`, whose default is another, did not differ")
    if differing:
        apart = point.table is None or any(
            hits[side, (address, f"{number} {each}")] for each in bits(point.table.apart)
        )
        otherwise = "gave different results" if apart else "read other things"
        said = f"`{point.texts[side]}` at `{address}` {otherwise} in {differing} plays, and none of them differed"
        return replace(found, lacking=said)
    if point.table is None:
        lacking = "" if point.is_pair else f"`{point.texts[side]}` at `{address}` reads more than can be tried"
        return replace(found, lacking=lacking)
    if not point.table.atoms and point.is_pair:
        said = f"`{point.texts[1]}` in place of `{point.texts[0]}`" if all(point.texts) else "the change"
        return replace(found, lacking=f"{said} at `{address}` made no difference in {reached} plays that came there")
    wanted = [each for each in range(point.table.count) if point.table.differing >> each & 1]
    met = [each for each in wanted if hits[side, (address, f"{number} {each}")] >= COMBINED]
    reads = tuple(dict.fromkeys(each.text for each in point.table.atoms))
    missing = next((each for each in wanted if each not in met), None)
    lacking = "" if missing is None else _missing(point, side, missing, hits[side, (address, f"{number} {missing}")])
    return replace(found, reads=reads, combinations=len(wanted), tried=len(met), lacking=lacking)


def _missing(point: Point, side: int, combination: int, times: int) -> str:
    assert point.table is not None
    often = {0: "was never tried", 1: "was tried only once"}.get(times, "was tried only twice")
    words = point.table.told(combination)
    return f"`{point.texts[side]}` at `{point.addresses[side]}` {often}{f' with {words}' if words else ''}"


def verdict(  # noqa: PLR0913
    *,
    witnesses: Sequence[Witness],
    values: Sequence[ValueWitness],
    entrances: Sequence[Entrance],
    spaces: Mapping[tuple[str, str], str],
    functions: Sequence[Tried],
    settled: Sequence[Settled],
    evidence: Sequence[Evidence],
    differed: bool,
    strayed: str,
    limits: Mapping[str, int],
    plays: int,
    seed: int,
    unsure: str,
) -> Verdict:
    """Changed where anything differs; equivalent where all was tried, or enough came to what changed; else unknown.

    What was tried in every way proves more than drawn plays: `exhausted` counts arguments, combinations and plays.
    """
    if witnesses or values:
        return Verdict("changed")
    again = "plays differed that do not differ when they are played again" if differed else ""
    if again or unsure:
        return Verdict("unknown", limit=again or unsure)
    equal = [each for each in functions if each.equal]
    tried = sum(each.number for each in equal) + sum(each.number for each in settled)
    space = (*(each.space for each in equal), *dict.fromkeys(map(_space, settled)))
    if not entrances:
        return Verdict("equivalent", "exhausted" if tried else "unreached", tried, space=space)
    if all(each.exhausted for each in entrances):
        number = tried + sum(each.plays for each in entrances)
        return Verdict("equivalent", "exhausted", number, space=(*space, *spaces.values()))
    if limits or strayed:
        ended = f"{stopped_plays(limits, plays)}; nothing differed until then" if limits else ""
        return Verdict("unknown", limit=ended or f"nothing differed in {plays} plays but the way past `{strayed}`")
    limit = _lacking([each for each in entrances if not each.exhausted], evidence)
    return Verdict("unknown", limit=limit) if limit else Verdict("equivalent", "sampled", plays, seed)


_STOPPED = {
    codes.WORK: f"{LIMITS.work:,} steps (`--max-steps`, {codes.WORK})",
    codes.DEPTH: f"{LIMITS.depth:,} calls inside each other (`--max-depth`, {codes.DEPTH})",
    codes.MEMBERS: f"{LIMITS.members:,} members of a collection (`--max-members`, {codes.MEMBERS})",
    codes.DICE: f"{LIMITS.dice:,} dice of a roll (`--max-dice`, {codes.DICE})",
    codes.SIZE: f"a size of {LIMITS.size:,} or 4,000 digits (`--max-size`, {codes.SIZE})",
    codes.WAYS: f"10,000 cells of a path ({codes.WAYS})",
}
"""The limits of plays that are compared, in words, with the options of `run` that are called so."""


def stopped_plays(limits: Mapping[str, int], plays: int) -> str:
    """How many plays each limit of the machine ended: `8 of 9 plays ended at 300,000 steps (…)`."""
    ended = [f"{number} of {plays} plays ended at {_STOPPED[code]}" for code, number in sorted(limits.items())]
    return listed(ended)


def _space(each: Settled) -> str:
    """Of what a place that is settled was computed, in words."""
    reads, kept = listed([f"`{one}`" for one in each.reads]), listed([f"`{one}`" for one in each.kept])
    every = f" for every {'combination of ' if len(each.reads) > 1 else ''}{reads}" if reads else ""
    return f"`{each.new}`{every}" + (f", with {kept} as written" if kept else "")


def _lacking(entrances: Sequence[Entrance], evidence: Sequence[Evidence]) -> str:
    """Why the plays do not suffice, in words; empty where they do."""
    silent = next((each for each in entrances if each.plays == 0), None)
    if silent is not None:
        return f"`{silent.new}` never began"
    lacking = [each for each in evidence if each.lacking]
    first = min(lacking, key=_shortfall, default=None)
    return "" if first is None else first.lacking


def _shortfall(each: Evidence) -> tuple[bool, bool, bool, int]:
    """What was never reached comes first, then what came out differently, combinations, what was seldom met."""
    return each.plays > 0, each.differing == 0, each.combinations == each.tried, each.plays


_OUTCOMES = {Paused: "asks", Ended: "ends", Refused: "refuses", Faulted: "faults"}


def witness(
    play: Played, data: Found, executables: tuple[Executable, Executable], subject: Subject | None = None
) -> Witness:
    """The witness a play is, with the edits it is about."""
    old, new = (_side(play, data, number, executables[number]) for number in (0, 1))
    return Witness(data.sort, old, new, play.opened.common.ways.across.names.addresses, data.touched, subject)


def _side(play: Played, data: Found, number: int, executable: Executable) -> Side:
    session = session_of(play, number, executable)
    start = data.starts[number]
    return Side(
        procedure=session.begun.procedure.name,
        state=start.state,
        roles=start.roles,
        answers=tuple(Answered(*each) for each in session.answers()),
        outcome=_OUTCOMES[type(session.outcome)],
        address=standing(session.outcome) or (session.entries[-1].address if session.entries else ""),
        changes=_changes(session),
        session=session,
    )


def _changes(session: Session) -> Mapping[str, Json]:
    state, begun = session.state, session.begun
    if state is None:
        return {}
    program = begun.executable.program
    return differing(state_json(begun.situation, program), state_json(state.situation(), program), program, begun.names)


def chosen(found: Iterable[Found], most: int) -> tuple[Found, ...]:
    """At most so many, one of each kind of difference.

    First one for each changed place that is seen alone, then other kinds; among equals the smallest.
    """
    best: dict[object, Found] = {}
    for each in found:
        known = best.get(key(each))
        if known is None or each.size < known.size:
            best[key(each)] = each
    return tuple(_spread(list(best.values()), most))


def _spread(every: list[Found], most: int) -> Sequence[Found]:
    taken: list[Found] = []
    seen: set[object] = set()

    def order(each: Found) -> tuple[object, ...]:
        """First what is least like what is taken: in its places, its sort, where it parts; then the smallest."""
        known = (each.touched in seen, each.sort in seen, each.addresses in seen)
        return *known, sum(map(len, each.touched)), each.size, repr(each.starts)

    while every and len(taken) < most:
        every.sort(key=order)
        first = every.pop(0)
        taken.append(first)
        seen |= {first.sort, first.addresses, first.touched}
    return taken


_LONGEST = 200


def finished(session: Session) -> Session | None:
    """The session at its end; none where no answer is found, or the end is far."""
    for number in range(_LONGEST):
        if not isinstance(session.outcome, Paused):
            return session
        answer = _plainest(session.outcome.request, session, number)
        after = None if answer is None else session.answered(Given(answer[0], "person"), session.sources)
        if after is None or isinstance(after, Refused):
            return None
        session = after
    return None


def _plainest(request: Request, session: Session, number: int) -> tuple[Any] | None:
    """The first answer, of dice one further each time so that no tie lasts; in a tuple, none where there is none."""
    question = request.question
    assert question is not None
    if request.sort in CHANCE:
        return (question.outcome(number % question.outcomes),)
    if request.sort in ELSEWHERE:
        return _elsewhere(request, session)
    found = tuple(islice(question.answers(), 1))
    return (found[0],) if found else None


def _elsewhere(request: Request, session: Session) -> tuple[Any] | None:
    try:
        written = made(request, session.begun.names, Plain())
    except NoValueError:
        return None
    found = read_answer(request, unplaced(written), session.begun.names)
    return None if found.diagnostics else (found.value,)


def scenario_of(witness: Witness, ruleset: str, overlays: Sequence[str], file: str, provider: Provider) -> str | None:
    """The text of a scenario file that should pass under the old revision and fail under the new one.

    The old play is brought to its end with plain answers. What the new revision does otherwise is among what is
    expected: who is asked and what is offered are written down where that is the difference. There is none where the
    old play comes to no end or lacks an argument, or where only the faces of dice differ and the new revision has more
    of them.

    Args:
        witness: where the revisions part.
        ruleset: the old ruleset, as its user names it.
        overlays: files that amend it.
        file: where the scenario will stand.
        provider: for the way from there to the ruleset.
    """
    session = finished(witness.old.session)
    if session is None or _is_more_faces(witness) or lacks(session.begun.procedure, witness.old.roles):
        return None
    old = witness.old
    return recording(session, ruleset, overlays, file, provider, old.state, _parting(witness, session), old.roles)


def tells_apart(text: str, file: str, old: Program, new: Program, provider: Provider) -> bool:
    """Whether a scenario just played passes under the old revision, and can be played under the new one but fails."""
    suite = read_suite(Text(file, text), provider, {})
    if suite.value is None:
        return False
    (case,) = suite.value.cases
    was, now = (play_under(case, Ruled(compile_program(each, traced=True), frozenset())) for each in (old, new))
    return was is not None and was.outcome == "passed" and now is not None and now.outcome != "passed"


def _is_more_faces(witness: Witness) -> bool:
    old, new = witness.old.session.outcome, witness.new.session.outcome
    if witness.sort != "dice" or not isinstance(old, Paused) or not isinstance(new, Paused):
        return False
    counts = [[each.count for each in one.request.dice] for one in (old, new)]
    return counts[0] == counts[1]


def _parting(witness: Witness, whole: Session) -> dict[str, Json]:
    """What is expected of the question at which they part; nothing where the rest of the whole play tells enough."""
    outcome = witness.old.session.outcome
    if witness.sort == "start" and isinstance(outcome, Ended):
        program = witness.old.session.begun.executable.program
        return {"state": state_json(outcome.state.situation(), program)}
    if not isinstance(outcome, Paused):
        return {}
    request = outcome.request
    same = [each.request for each in whole.turns if each.request.address == request.address]
    if witness.sort == "asked":
        names = witness.old.session.begun.names
        if len({each.player for each in same}) == 1 and request.player is not None:
            return {"asked_of": {request.address: names.thing("player", request.player)}}
        asked = [(each.request.address, each.request.player) for each in whole.turns]
        by = [None if player is None else names.thing("player", player) for _, player in asked]
        return {"asked": [{"at": at, "by": who} for (at, _), who in zip(asked, by, strict=True)]}
    if witness.sort == "options" and request.choices and same[0] is request:
        names = witness.old.session.begun.names
        legal = [each.value for each in request.choices if each.reason is None]
        return {"offered": {request.address: [answer_json(request, each, names) for each in legal]}}
    return {}
