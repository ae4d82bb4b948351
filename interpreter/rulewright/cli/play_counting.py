"""What `simulate` counts, until counts suffice, and the file from which it goes on."""

import json
from collections.abc import Callable, Sequence
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from time import monotonic

from rulewright.base.files import get_install_command
from rulewright.base.workers import ClusterError, DaskCluster, is_dask_installed
from rulewright.cli.command_files import read_text, require_overwritable, write_file
from rulewright.cli.odds_query import OddsArguments, OddsQuery, resolve_odds_query, undefined_condition_error
from rulewright.cli.output import CommandStop, format_duration, make_stop
from rulewright.documents.document_nodes import Json
from rulewright.documents.state_json import state_to_json
from rulewright.odds.end_measures import MeasuredPlay
from rulewright.odds.measure_syntax import UndefinedConditionError
from rulewright.odds.monte_carlo import (
    PairedSide,
    PlayCountersByStart,
    PlayCounts,
    UnansweredError,
    make_empty_counts,
)
from rulewright.odds.simulation_parts import PLAYS_PER_PART, SimulationWorkers, estimate_needed_plays, is_precise_enough
from rulewright.odds.stored_counts import counts_to_json, parse_counts

_RESUME_FILE_PREFIX = '{"rulewright": "simulate"'
_WRITE_INTERVAL_S = 1.0
"""Seconds between writes of the file; heuristic."""
_QUESTION_PARTS = {"rules": "the rules", "asked": "what is asked", "starts": "the starts", "answers": "who answers"}


def digest_question(sides: Sequence[OddsQuery]) -> dict[str, str]:
    """Digests of what is counted, by field: equal only if plays with equal seeds are equal."""
    query, pairs = sides[0], len(sides)
    every = [play for side in sides for _, play in side.starts]
    answers = [side.answers for side in sides]
    external_answers = [
        None if answer.external_odds is None else answer.external_odds.answers_by_external for answer in answers
    ]
    return {
        "rules": _hash_json([side.opening.start.executable.program.fingerprint for side in sides]),
        "asked": _hash_json([pairs, [measure.text for measure in query.play.measures]]),
        "starts": _hash_json([_start_json(one) for one in every]),
        "answers": _hash_json(
            [repr((answer.script, answer.policy, sorted(answer.policies.items()))) for answer in answers]
        )
        + _hash_json([[one.written for one in side.opening.laid_policies.policies] for side in sides])
        + _hash_json(repr(external_answers)),
    }


def _start_json(play: MeasuredPlay) -> Json:
    start = play.start
    program = start.executable.program
    return [
        start.procedure.name,
        start.arguments_to_json(),
        state_to_json(start.situation, program),
        repr(start.limits),
    ]


def _hash_json(data: object) -> str:
    return sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()


class ResumeFile:
    """Counts of each start, and the file that stores them, if any.

    Attributes:
        seed: of the plays; that of the file, where it holds plays.
        counted: counts by number of the start.
        is_paired: whether plays are paired.
    """

    def __init__(self, file: str | None, sides: Sequence[OddsQuery], seed: int | None, fresh: int) -> None:
        """Read the counts of the file, if it is there.

        Raises:
            CommandStop: RW0013, the file holds something else; RW1136, it holds other plays; RW1137, it cannot be read.
        """
        self._file = file
        self._plays = [play for _, play in sides[0].starts]
        self.is_paired = len(sides) > 1
        self.counted = [make_empty_counts(len(play.measures)) for play in self._plays]
        self._question = digest_question(sides) if file is not None else {}
        self._written_at = monotonic()
        self.seed = fresh if seed is None else seed
        require_overwritable(file, _RESUME_FILE_PREFIX)
        if file is not None and Path(file).is_file() and Path(file).stat().st_size:
            self._load_counts(file, seed)

    def _load_counts(self, file: str, seed: int | None) -> None:
        try:
            data = json.loads(read_text(file).content)
            differing = [
                _QUESTION_PARTS[one] for one in _QUESTION_PARTS if data["question"][one] != self._question[one]
            ]
            stored_seed = int(data["seed"])
            if seed is not None and seed != stored_seed:
                differing.append(f"the seed, {stored_seed} there")
            if not differing:
                self.counted = [
                    parse_counts(*item, paired=self.is_paired) for item in zip(data["starts"], self._plays, strict=True)
                ]
        except (ValueError, KeyError, TypeError, IndexError, RecursionError):
            remedy = "name another file, or take this one away: its plays are counted anew"
            raise make_stop("RW1137", f"`{file}` holds no counts that `simulate` can continue", remedy) from None
        if differing:
            message = f"`{file}` holds plays of another kind; what differs: {', '.join(differing)}"
            raise make_stop("RW1136", message, "name another file, or ask what was asked then")
        self.seed = stored_seed

    def store_counts(self, start: int, counted: PlayCounts, *, now: bool = False) -> None:
        """Store the counts of a start; the file is written at intervals, or at once (`now`), atomically.

        Stops with RW0011 where it cannot be written.
        """
        self.counted[start] = counted
        if self._file is not None and (now or monotonic() - self._written_at >= _WRITE_INTERVAL_S):
            write_file(Path(self._file), self._render_counts())
            self._written_at = monotonic()

    def _render_counts(self) -> str:
        starts = [
            counts_to_json(play_counts, play, paired=self.is_paired)
            for play_counts, play in zip(self.counted, self._plays, strict=True)
        ]
        return (
            json.dumps({"rulewright": "simulate", "seed": self.seed, "question": self._question, "starts": starts})
            + "\n"
        )


class SimulationPlan:
    """Plays, or pairs of plays, to count.

    Attributes:
        queries: the question; of pairs with that of the second play.
        is_paired: whether plays are paired.
        earliest: number of the first start that is counted.
        plays: the measured play of each start.
    """

    def __init__(self, written: OddsArguments, other: OddsArguments | None, *, first: bool) -> None:
        """`first`: whether each start is paired with the first.

        Raises:
            CommandStop: RW1135, the second of a pair has other varied values; RW1209, pairs are conditioned; as in
                `resolve_odds_query`.
        """
        query = resolve_odds_query(written)
        beside = resolve_odds_query(other) if other is not None else query
        self.is_paired = first or other is not None
        if self.is_paired and query.play.conditions:
            message = "pairs of plays are compared whole, so a condition cannot choose among them"
            raise make_stop("RW1209", message, "count each by itself, with `--given` and without `--against`")
        self.queries: tuple[OddsQuery, ...] = (query, beside) if self.is_paired else (query,)
        self.first_start = 1 if first else 0
        first_sides = [PairedSide(play, query.answers) for _, play in query.starts]
        second_sides = [PairedSide(play, beside.answers) for _, play in beside.starts]
        if len(first_sides) != len(second_sides):
            message = f"what is varied has {len(first_sides)} values here and {len(second_sides)} there"
            raise make_stop("RW1135", message, "say which: `--vary PATH=VALUES`")
        if first and len(first_sides) == 1:
            message = "`--against-first` compares starts with the first of them, and there is no other"
            raise make_stop("RW1135", message, "vary more: `--vary PATH=1..3`")
        pairs = zip(first_sides[:1] * len(second_sides) if first else first_sides, second_sides, strict=True)
        self.plays = PlayCountersByStart(tuple(pairs) if self.is_paired else tuple((our,) for our in first_sides))


def connect_cluster(address: str, plays: PlayCountersByStart) -> DaskCluster:
    """The workers of a cluster.

    Raises:
        CommandStop: RW1221, the library for clusters is not installed; RW1222, the cluster cannot be worked with.
    """
    if not is_dask_installed():
        raise make_stop("RW1221", "the library for clusters is not installed", f"`{get_install_command('cluster')}`")
    try:
        return DaskCluster(address, plays)
    except ClusterError as error:
        raise make_stop("RW1222", error.message, error.remedy) from None


def count_until_precise(
    players: SimulationWorkers,
    number: int,
    enough: tuple[int, float | None],
    resume_file: ResumeFile,
    tell: Callable[[str], None],
) -> bool:
    """Count the plays of a start until all, enough, or an interruption; False if interrupted."""
    runs, within = enough
    begun_at, counted = monotonic(), resume_file.counted[number]
    count_before = counted.play_count

    def is_count_sufficient() -> bool:
        return (
            within is not None
            and counted.play_count > 0
            and is_precise_enough(counted, within, paired=resume_file.is_paired)
        )

    try:
        if counted.play_count < runs and not (counted.play_count % PLAYS_PER_PART == 0 and is_count_sufficient()):
            with closing(
                players.count_in_parts(
                    number, resume_file.seed, runs, counted.play_count, parts_may_grow=within is None
                )
            ) as parts:
                for part in parts:
                    counted = counted.add_counts(part)
                    resume_file.store_counts(number, counted)
                    rate = (counted.play_count - count_before) / max(monotonic() - begun_at, 0.001)
                    total = min(runs, estimate_needed_plays(counted, within or 0, paired=resume_file.is_paired) or runs)
                    time_left = format_duration((total - counted.play_count) / rate)
                    tell(f"{counted.play_count:,} of {total:,} plays, {rate:,.0f} a second, {time_left} left")
                    if is_count_sufficient():
                        break
    except KeyboardInterrupt:
        return False
    except UnansweredError as unanswered:
        raise CommandStop(unanswered.diagnostics) from None
    except UndefinedConditionError as lacking:
        raise CommandStop([undefined_condition_error(lacking.text)]) from None
    except ClusterError as lost:
        raise make_stop("RW1222", lost.message, lost.remedy) from None
    finally:
        resume_file.store_counts(number, counted, now=True)
    return True
