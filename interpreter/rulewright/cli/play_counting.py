"""Monte Carlo counting in parts, by one process, several, or a cluster, until counts suffice; resumable from a file."""

import json
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from time import monotonic
from typing import Any

from rulewright.base.files import get_install_command
from rulewright.base.workers import ClusterError, DaskCluster, ProcessPool, WorkerPool, is_dask_installed
from rulewright.cli.command_files import read_text, require_overwritable, write_file
from rulewright.cli.odds_query import OddsArguments, OddsQuery, resolve_odds_query, undefined_condition_error
from rulewright.cli.output import CommandStop, format_duration, make_stop
from rulewright.cli.simulate_report import pair_value_json
from rulewright.documents.document_nodes import Json, data_to_node
from rulewright.documents.state_json import state_to_json
from rulewright.documents.value_reader import read_value
from rulewright.odds.end_measures import AskedMeasure, MeasuredPlay
from rulewright.odds.measure_syntax import ExcludedPlay, UndefinedConditionError, drop_excluded_plays
from rulewright.odds.monte_carlo import (
    PairedSide,
    PlayCountersByStart,
    PlayCounts,
    UnansweredError,
    compare_shares,
    confidence_interval,
    make_empty_counts,
)
from rulewright.runtime.type_codecs import value_to_json

_RESUME_FILE_PREFIX = '{"rulewright": "simulate"'
_OUT_KEY = "not asked of"
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
        "starts": _hash_json([_start_json(measured_play) for measured_play in every]),
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
    """

    def __init__(self, file: str | None, sides: Sequence[OddsQuery], seed: int | None, fresh: int) -> None:
        """Read the counts of the file, if it is there.

        Raises:
            CommandStop: RW0013, the file holds something else; RW1136, it holds other plays; RW1137, it cannot be read.
        """
        self._file = file
        self._plays = [play for _, play in sides[0].starts]
        self._is_paired = len(sides) > 1
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
                _QUESTION_PARTS[question_part]
                for question_part in _QUESTION_PARTS
                if data["question"][question_part] != self._question[question_part]
            ]
            stored_seed = int(data["seed"])
            if seed is not None and seed != stored_seed:
                differing.append(f"the seed, {stored_seed} there")
            if not differing:
                self.counted = [
                    _parse_counted(*item, paired=self._is_paired)
                    for item in zip(data["starts"], self._plays, strict=True)
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
            _counted_json(play_counts, play, paired=self._is_paired)
            for play_counts, play in zip(self.counted, self._plays, strict=True)
        ]
        return (
            json.dumps({"rulewright": "simulate", "seed": self.seed, "question": self._question, "starts": starts})
            + "\n"
        )


def _counted_json(counted: PlayCounts, play: MeasuredPlay, *, paired: bool) -> dict[str, Any]:
    return {
        "plays": counted.play_count,
        "values": [
            [[_counted_value_json(value, measure, play, paired=paired), often] for value, often in counts.items()]
            for counts, measure in zip(counted.value_counts, play.measures, strict=True)
        ],
        "faults": [[code, message, often] for (code, message), often in counted.fault_counts.items()],
        "left": None if counted.unused_lines is None else sorted(counted.unused_lines),
    }


def _counted_value_json(value: Any, measure: AskedMeasure, play: MeasuredPlay, *, paired: bool) -> Json:
    if paired:
        return [{"fraction": str(item)} if isinstance(item, Fraction) else pair_value_json(item) for item in value]
    return (
        {_OUT_KEY: True}
        if value is ExcludedPlay.EXCLUDED
        else None
        if value is None
        else value_to_json(value, measure.type, play.start.names)
    )


def _parse_counted(data: Any, play: MeasuredPlay, *, paired: bool) -> PlayCounts:
    """The inverse of `_counted_json`."""
    values = tuple(
        {_parse_counted_value(value, measure, play, paired=paired): int(often) for value, often in counts}
        for counts, measure in zip(data["values"], play.measures, strict=True)
    )
    faults = {(code, message): int(often) for code, message, often in data["faults"]}
    unused_lines = data.get("left")
    return PlayCounts(
        int(data["plays"]), values, faults, None if unused_lines is None else frozenset(map(int, unused_lines))
    )


def _parse_counted_value(data: Any, measure: AskedMeasure, play: MeasuredPlay, *, paired: bool) -> Any:
    if paired:
        first, other = (Fraction(item["fraction"]) if isinstance(item, dict) else item for item in data)
        return first, other
    if data is None or data == {_OUT_KEY: True}:
        return ExcludedPlay.EXCLUDED if data else None
    result = read_value(data_to_node(data), measure.type, play.start.names)
    if result.value is None:
        raise ValueError
    return result.value


PLAYS_PER_PART = 500
"""Plays counted together; the stopping rule is applied between parts."""
_MIN_BATCH_PLAYS = 2_000
"""Least number of plays for the batch path, whose start has a cost; heuristic."""
_MAX_SINGLE_PROCESS_PLAYS = 2_000_000
"""Plays of the batch path that take less time than the start of other processes; heuristic."""
_MAX_PART_PLAYS = 1 << 17
_FAST_PART_S = 0.1
"""A part that took fewer seconds may be followed by one twice as large; heuristic."""
_CLUSTER_CHUNK_S = 1.0
"""Target duration in seconds of a task of a cluster, so that its scheduler keeps up; heuristic."""
_MAX_PARTS_PER_CHUNK = 4_000
"""Limit of parts per task of a cluster; heuristic."""


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


class SimulationWorkers:
    """Executor of parts: this process, several of this machine, or a cluster."""

    def __init__(self, table: SimulationPlan, workers: int, cluster: str | None = None) -> None:
        """`cluster` is the address of a cluster that replaces the processes of this machine.

        Raises:
            CommandStop: RW1221, the library for clusters is not installed; RW1222, the cluster cannot be worked with.
        """
        self.table = table
        self._count = workers
        self._is_far = cluster is not None
        self._workers: WorkerPool | None = None if cluster is None else _connect_cluster(cluster, table.plays)

    def count_in_parts(
        self, start: int, seed: int, runs: int, done_count: int = 0, *, parts_may_grow: bool = False
    ) -> Generator[PlayCounts, None, None]:
        """Counts of the plays of a start by parts, in order, without the first `done_count`.

        `parts_may_grow`: no stopping rule is applied between parts, so that they may grow while they are fast.

        Raises:
            CannotBeginError: the procedure cannot begin there.
            CommandStop: a play stops at a question that nobody answers; RW1222, the cluster is lost.
        """
        plays, batch, end = (
            self.table.plays,
            runs - done_count >= _MIN_BATCH_PLAYS,
            min(done_count - done_count % PLAYS_PER_PART + PLAYS_PER_PART, runs),
        )
        try:
            begun_at = monotonic()
            yield plays.count_plays_from(start, seed, range(done_count, end), batch=batch)
            duration = monotonic() - begun_at
            batch = plays.uses_batch_from(start)
            if end < runs and (
                self._is_far or (self._count > 1 and not (batch and runs - end <= _MAX_SINGLE_PROCESS_PLAYS))
            ):
                size = _MAX_PART_PLAYS if batch and parts_may_grow else PLAYS_PER_PART
                parts = ((start, seed, range(at, min(at + size, runs)), batch) for at in range(end, runs, size))
                self._workers = self._workers or ProcessPool(self._count, plays)
                yield from self._workers.map(
                    _count_part, parts, max(1, min(_MAX_PARTS_PER_CHUNK, int(_CLUSTER_CHUNK_S / max(duration, 0.001))))
                )
                return
            size = PLAYS_PER_PART
            while end < runs:
                begun_at, first = monotonic(), end
                end = min(end + size, runs)
                yield plays.count_plays_from(start, seed, range(first, end), batch=batch)
                if batch and parts_may_grow and monotonic() - begun_at < _FAST_PART_S:
                    size = min(2 * size, _MAX_PART_PLAYS)
        except UnansweredError as unanswered:
            raise CommandStop(unanswered.diagnostics) from None
        except UndefinedConditionError as lacking:
            raise CommandStop([undefined_condition_error(lacking.text)]) from None
        except ClusterError as lost:
            raise make_stop("RW1222", lost.message, lost.remedy) from None

    def close(self) -> None:
        if self._workers is not None:
            self._workers.close()


def _connect_cluster(address: str, plays: PlayCountersByStart) -> DaskCluster:
    if not is_dask_installed():
        raise make_stop("RW1221", "the library for clusters is not installed", f"`{get_install_command('cluster')}`")
    try:
        return DaskCluster(address, plays)
    except ClusterError as error:
        raise make_stop("RW1222", error.message, error.remedy) from None


def _count_part(plays: PlayCountersByStart, part: tuple[int, int, range, bool]) -> PlayCounts:
    start, seed, numbers, batch = part
    return plays.count_plays_from(start, seed, numbers, batch=batch)


def is_precise_enough(counted: PlayCounts, precision: float, table: SimulationPlan) -> bool:
    """Whether the confidence interval of every share is within `precision` to either side."""
    return all(width <= 2 * precision for width in _interval_widths(counted, table))


def _interval_widths(counted: PlayCounts, table: SimulationPlan) -> Iterator[float]:
    """Widths of the interval of each share, of pairs of each difference."""
    if table.is_paired:
        yield from (
            compare_share.high - compare_share.low
            for joint in counted.value_counts
            for compare_share in compare_shares(joint, counted.play_count)
        )
        return
    for counts in counted.value_counts:
        shares = drop_excluded_plays(counts)
        plays = sum(shares.values()) if len(shares) < len(counts) else counted.play_count
        for often in shares.values() or (0,):
            low, high = confidence_interval(often, plays)
            yield high - low
    for often in counted.fault_counts.values():
        low, high = confidence_interval(often, counted.play_count)
        yield high - low


def estimate_needed_plays(counted: PlayCounts, precision: float, table: SimulationPlan) -> int | None:
    """Number of plays, to two figures, whose intervals are narrow enough; None if no number is."""
    if not precision or not counted.play_count:
        return None
    plays = round(counted.play_count * (max(_interval_widths(counted, table), default=0.0) / (2 * precision)) ** 2) + 1
    rounding: int = 10 ** max(len(str(plays)) - 2, 0)
    return -(-plays // rounding) * rounding


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
        return within is not None and counted.play_count > 0 and is_precise_enough(counted, within, players.table)

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
                    total = min(runs, estimate_needed_plays(counted, within or 0, players.table) or runs)
                    time_left = format_duration((total - counted.play_count) / rate)
                    tell(f"{counted.play_count:,} of {total:,} plays, {rate:,.0f} a second, {time_left} left")
                    if is_count_sufficient():
                        break
    except KeyboardInterrupt:
        return False
    finally:
        resume_file.store_counts(number, counted, now=True)
    return True
