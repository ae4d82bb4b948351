"""What `simulate` counts, plays or pairs of plays, until counts suffice, and the file from which it goes on."""

import json
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from time import monotonic

from rulewright.base.files import DISK, FileProvider, FilesWithExtra, get_install_command
from rulewright.base.frozen import dataclass
from rulewright.base.workers import ClusterError, DaskCluster, is_dask_installed
from rulewright.cli.command_files import read_text, require_overwritable, write_file
from rulewright.cli.odds_query import OddsArguments, OddsQuery, resolve_odds_query, undefined_condition_error
from rulewright.cli.options import PolicyOption, flag, option, several
from rulewright.cli.output import CommandStop, format_duration, make_stop
from rulewright.cli.play_opening import PlayRequest, is_scenario_path
from rulewright.documents.state_json import state_to_json
from rulewright.odds.measure_syntax import UndefinedConditionError
from rulewright.odds.monte_carlo import PairedSide, PlayCountersByStart, PlayCounts, UnansweredError, make_empty_counts
from rulewright.odds.simulation_parts import PLAYS_PER_PART, SimulationWorkers, estimate_needed_plays, is_precise_enough
from rulewright.odds.stored_counts import counts_to_json, parse_counts
from rulewright.scenarios.scenario_files import resolve_shipped_place

_RESUME_FILE_PREFIX = '{"rulewright": "simulate"'
_WRITE_INTERVAL_S = 1.0
"""Seconds between writes of the file; heuristic."""
_QUESTION_PARTS = {"rules": "the rules", "asked": "what is asked", "starts": "the starts", "answers": "who answers"}


def digest_question(sides: Sequence[OddsQuery]) -> dict[str, str]:
    """Digests of what is counted, by field: equal only if plays with equal seeds are equal."""
    query, every = sides[0], [play.start for side in sides for _, play in side.starts]
    answers = [side.answers for side in sides]
    outcomes = [None if one.external_odds is None else one.external_odds.answers_by_external for one in answers]
    return {
        "rules": _hash_json([side.opening.start.executable.program.fingerprint for side in sides]),
        "asked": _hash_json([len(sides), [measure.text for measure in query.play.measures]]),
        "starts": _hash_json(
            [
                [
                    start.procedure.name,
                    start.arguments_to_json(),
                    state_to_json(start.situation, start.executable.program),
                    repr(start.limits),
                ]
                for start in every
            ]
        ),
        "answers": _hash_json([repr((one.script, one.policy, sorted(one.policies.items()))) for one in answers])
        + _hash_json([[one.written for one in side.opening.laid_policies.policies] for side in sides])
        + _hash_json(repr(outcomes)),
    }


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
            stored, asked = data["question"], self._question
            differing = [name for part, name in _QUESTION_PARTS.items() if stored[part] != asked[part]]
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
            pairs = zip(self.counted, self._plays, strict=True)
            starts = [counts_to_json(counts, play, paired=self.is_paired) for counts, play in pairs]
            document = {"rulewright": "simulate", "seed": self.seed, "question": self._question, "starts": starts}
            write_file(Path(self._file), f"{json.dumps(document)}\n")
            self._written_at = monotonic()


class SimulationPlan:
    """Plays, or pairs of plays, to count.

    Attributes:
        queries: the question; of pairs with that of the second play.
        is_paired: whether plays are paired.
        first_start: number of the first start that is counted.
        plays: what counts the plays, or pairs of plays, of each start.
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
        ours = [PairedSide(play, query.answers) for _, play in query.starts]
        others = [PairedSide(play, beside.answers) for _, play in beside.starts]
        if len(ours) != len(others):
            message = f"what is varied has {len(ours)} values here and {len(others)} there"
            raise make_stop("RW1135", message, "say which: `--vary PATH=VALUES`")
        if first and len(ours) == 1:
            message = "`--against-first` compares starts with the first of them, and there is no other"
            raise make_stop("RW1135", message, "vary more: `--vary PATH=1..3`")
        pairs = zip(ours[:1] * len(others) if first else ours, others, strict=True)
        self.plays = PlayCountersByStart(tuple(pairs) if self.is_paired else tuple((one,) for one in ours))


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


@dataclass(frozen=True, slots=True)
class SecondOfPair:
    """What the second of each pair of plays has instead, as written."""

    against: str | None = option(
        "--against", "RULESET|SCENARIO|REV:PLACE", "also play by these rules, on the same dice"
    )
    against_overlays: tuple[str, ...] = several("--against-overlay", "FILE", "an overlay for --against; repeatable")
    against_settings: tuple[str, ...] = several("--against-set", "SETTING=VALUE", "a reading for --against; repeatable")
    against_policies: tuple[str, ...] = several(
        "--against-policy", "[PLAYER[/QUESTION]=]POLICY", "how players choose for --against; repeatable", PolicyOption()
    )
    against_first: bool = flag("--against-first", "compare each start of --vary with the first")

    def make_arguments(self, arguments: OddsArguments) -> OddsArguments | None:
        """Question of the second of each pair; None if plays are not paired, or paired with the first start.

        Stops with RW1135 if it is unclear what is paired.
        """
        is_given = bool(self.against or self.against_overlays or self.against_settings or self.against_policies)
        if self.against_first and (is_given or not arguments.vary):
            message = "`--against-first` compares the starts of one sweep with the first of them"
            remedy = "leave out the other `--against` options" if is_given else "add `--vary PATH=VALUES`"
            raise make_stop("RW1135", message, remedy)
        if not is_given:
            return None
        play, place = arguments.play, self.against
        overlays, settings = (*play.overlays, *self.against_overlays), (*play.settings, *self.against_settings)
        play = replace(play, overlays=overlays, settings=settings)
        if place is not None:
            place, revision = _resolve_against_place(place, play)
            play = replace(play, revision=revision)
        if place is not None and (is_scenario_path(place) or not is_scenario_path(play.ruleset)):
            play = replace(play, ruleset=place)
        elif place is not None:
            play = replace(play, rules=place)
        return replace(arguments, play=play, policies=self.against_policies or arguments.policies)

    def describe(self) -> str:
        """All of it in one line."""
        parts = [self.against] if self.against else []
        parts += [f"with {item}" for item in self.against_overlays]
        parts += [f"by {item}" for item in self.against_settings]
        parts += [f"policy {item}" for item in self.against_policies]
        return " ".join(parts)


def _resolve_against_place(place: str, play: PlayRequest) -> tuple[str, FileProvider | None]:
    """Place and file provider of a place or `REV:PLACE`; a scenario that is played stays that of the disk."""
    from rulewright.cli.diff_result import resolve_side  # noqa: PLC0415 - seldom wanted

    if DISK.get_file_type(place) or ":" not in place:
        return place, None
    side_request = resolve_side("--against", place, ())
    if not is_scenario_path(play.ruleset) or is_scenario_path(side_request.place):
        return side_request.place, side_request.provider
    scenario = resolve_shipped_place(play.ruleset, DISK)
    return side_request.place, FilesWithExtra(side_request.provider, scenario, read_text(scenario).content)
