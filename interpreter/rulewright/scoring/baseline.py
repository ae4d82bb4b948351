"""The rules as they are, what mutants are held against; verdicts kept in a file, so that an interrupted run goes on."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from types import TracebackType
from typing import Self, TextIO

from rulewright import __version__
from rulewright.coverage.reach import Played, Player
from rulewright.diagnostics import Diagnostic, Label, Severity
from rulewright.files import DISK, complaint
from rulewright.inputs.findings import Read, quoted
from rulewright.inputs.nodes import Items, Mapping as MappingNode, Node, Scalar
from rulewright.mutations.mutant import Mutant, known_of
from rulewright.mutations.operators import mutants, numbered
from rulewright.scenarios.expectations.shapes import ODDS
from rulewright.scenarios.opening import Which, which
from rulewright.scenarios.suite import ONLY_PLAYED, Case
from rulewright.scoring.report import OUTCOMES, Verdict
from rulewright.source import Span, Text
from rulewright.syntax.parser import parse
from rulewright.workspace import Loaded

_PATIENCE = 10
_LEAST = 10_000
_LONG = 24
_FIRST = {"verdicts": 1}

LARGEST = 64_000_000
"""How many bytes of it are read."""


@dataclass(frozen=True)
class Run:
    """A case as it went with the rules as they are."""

    case: Case
    seconds: float  # how long it took
    limit: int  # steps it may take with other rules
    files: frozenset[str]  # names of the texts its ruleset is made of
    come_to: frozenset[Span]  # places of the lines it came to

    @property
    def ruleset(self) -> Which:
        """The same for cases that play the same ruleset with the same overlays and conditions."""
        return which(self.case)


@dataclass(frozen=True)
class Baseline:
    """What changes of the rules are held against."""

    runs: tuple[Run, ...]  # of every case that is judged, in order
    texts: Mapping[str, Text]  # the texts of rules that are changed, by name
    mutants: tuple[Mutant, ...]  # all changes, in order of file and place
    told: frozenset[Span]  # places of all lines that runs can tell of
    dead: Mapping[Span, str]  # places that no play can come to, with the reason


def baseline(player: Player, played: Sequence[Played]) -> Read[Baseline]:
    """What came of the cases, and all mutants of the rules in the folders of the rulesets they play.

    Reports RW1060 for the first case that does not pass.
    """
    failed = next((each for each in played if each.result.outcome not in {"passed", "skipped", ONLY_PLAYED}), None)
    if failed is not None:
        case = failed.result.case
        message = f"{quoted(case.name)} fails already with the rules as they are"
        remedy = "`rulewright test` shows why"
        told = Diagnostic("RW1060", Severity.ERROR, message, Label(case.place.span), help=remedy)
        return Read(None, (*failed.result.wrong, told))
    judged = [(each, each.loaded) for each in played if each.loaded and each.result.outcome != ONLY_PLAYED]
    rulesets = {id(loaded): loaded for _, loaded in judged}
    texts = _texts(tuple(rulesets.values()), player)
    return Read(
        Baseline(
            runs=tuple(_run(each, loaded) for each, loaded in judged),
            texts=texts,
            mutants=numbered(one for each in texts.values() for one in _mutants(each, tuple(rulesets.values()))),
            told=frozenset(
                unit.span for one in player.listings for unit in one.units if unit.sort == "lines" and unit.span
            ),
            dead=_dead(player),
        )
    )


def _run(played: Played, loaded: Loaded) -> Run:
    limit = _PATIENCE * played.work + _LEAST
    return Run(played.result.case, played.result.seconds, limit, frozenset(loaded.texts), played.come_to)


def _texts(rulesets: Sequence[Loaded], player: Player) -> dict[str, Text]:
    """The rules of rulesets and overlays, first those of the main files."""
    found = {name: text for each in rulesets for name, text in each.texts.items() if each.linked}
    return {name: text for name, text in found.items() if name.endswith(".rules") and player.is_home(name)}


def _mutants(text: Text, rulesets: Sequence[Loaded]) -> tuple[Mutant, ...]:
    """The mutants of a text, with the names of the largest ruleset it is part of."""
    file = parse(text).file
    assert file is not None
    with_it = [each for each in rulesets if text.name in each.texts and each.linked]
    largest = max(with_it, key=lambda each: len(each.texts)).linked
    assert largest is not None
    return mutants(file, text, known_of(each for module in largest.modules for each in module.declarations))


def _dead(player: Player) -> dict[Span, str]:
    """Places that are dead in every ruleset that has them."""
    dead = {unit.span: unit.dead for one in player.listings for unit in one.units if unit.dead and unit.span}
    alive = {unit.span for one in player.listings for unit in one.units if not unit.dead}
    return {span: why for span, why in dead.items() if span not in alive}


def plays_of(mutant: Mutant, baseline: Baseline) -> tuple[Run, ...]:
    """The runs that can notice a mutant: those of rulesets with its text that come to its line.

    Outside of lines all of them. A run that does not come to a line goes as before whatever stands there; of odds it is
    not known to which lines their plays come.
    Rulesets with most runs first, since each is read anew; in one ruleset the quickest first.
    """
    runs = with_text(mutant, baseline)
    if mutant.line is not None and mutant.line in baseline.told:
        runs = [each for each in runs if mutant.line in each.come_to or ODDS in each.case.expect]
    counts = Counter(each.ruleset for each in runs)
    return tuple(sorted(runs, key=lambda each: (-counts[each.ruleset], each.ruleset, each.seconds)))


def with_text(mutant: Mutant, baseline: Baseline) -> list[Run]:
    """The runs whose ruleset holds the text of a mutant."""
    return [each for each in baseline.runs if mutant.place.source in each.files]


def plainest(mutant: Mutant, baseline: Baseline) -> Run:
    """A run with the fewest overlays among those with the text of a mutant."""
    return min(with_text(mutant, baseline), key=lambda each: [len(part) for part in each.ruleset[1:]])


def digest(parts: Iterable[object]) -> str:
    """The same for the same parts in the same order."""
    return sha256("\x00".join(map(repr, parts)).encode()).hexdigest()[:_LONG]


def rules_digest(texts: Iterable[Text]) -> str:
    """The same for the same rules, played by the same version of rulewright."""
    return digest([__version__, *sorted((each.name, each.content) for each in texts)])


def mutant_digest(mutant: Mutant, rules: str) -> str:
    """The same for the same change of the same rules."""
    return digest([rules, mutant.place.source, mutant.place.start, mutant.place.end, mutant.new])


def case_digest(case: Case) -> str:
    """The same for cases that play and expect the same, wherever they are written."""
    written = (case.roles, case.shared_roles, case.settings, case.state, case.patch, case.script, case.expect)
    overlays, policies = [each.text for each in case.overlays], [each.written for each in case.policies]
    return digest(
        [
            *(case.file, case.name, case.ruleset, overlays, case.procedure.text, case.seed, policies, case.plays),
            *(None if each is None else _plain(each) for each in written),
            *(() if case.after is None else [case_digest(case.after)]),
        ]
    )


def _plain(node: Node) -> object:
    match node:
        case MappingNode(entries=entries):
            return {key.text: _plain(value) for key, value in entries}
        case Items(items=items):
            return [_plain(each) for each in items]
        case Scalar(value=value, written=written):
            return (value, written)


Lines = tuple[Mapping[str, object], ...]
"""What is kept of mutants, one mapping for each."""


class Kept:
    """What is known of mutants from runs before.

    A mutant that a scenario noticed stays noticed while the rules and that scenario are the same; one that the checker
    refuses stays so while the rules and the overlays it is checked with are; any other verdict holds while the rules
    and all scenarios are the same.
    """

    def __init__(self, baseline: Baseline, lines: Lines) -> None:
        self._baseline = baseline
        self._rules = rules_digest(baseline.texts.values())
        self._cases = {(run.case.file, run.case.name): case_digest(run.case) for run in baseline.runs}
        self._all = digest(sorted(self._cases.values()))
        self._lines = {str(each.get("mutant")): each for each in lines}

    def verdict(self, mutant: Mutant) -> Verdict | None:
        """What became of a mutant, or none where that is not known any longer."""
        line = self._lines.get(mutant_digest(mutant, self._rules))
        if line is None or line.get("outcome") not in OUTCOMES:
            return None
        by, plays = (str(line.get("file", "")), str(line.get("name", ""))), line.get("plays")
        found = Verdict(str(line["outcome"]), str(line.get("why", "")), by, plays if isinstance(plays, int) else 0)
        return found if line.get("with") == self._hangs_on(mutant, found) else None

    def line(self, mutant: Mutant, verdict: Verdict) -> dict[str, object]:
        """What is kept of a verdict."""
        return {
            "mutant": mutant_digest(mutant, self._rules),
            "outcome": verdict.outcome,
            "why": verdict.why,
            "file": verdict.by[0],
            "name": verdict.by[1],
            "plays": verdict.plays,
            "with": self._hangs_on(mutant, verdict),
        }

    def _hangs_on(self, mutant: Mutant, verdict: Verdict) -> str | None:
        """What a verdict hangs on besides the rules."""
        match verdict.outcome:
            case "killed":
                return self._cases.get(verdict.by)
            case "refused":
                return digest(plainest(mutant, self._baseline).ruleset)
            case _:
                return self._all


class Unwritable(Exception):  # noqa: N818 - names what is wrong with the file
    """The file cannot be written; the argument says why."""


class Keeping:
    """A file that verdicts are added to as soon as they are known; without a place nothing is kept.

    Raises:
        Unwritable: the file cannot be opened or written.
    """

    def __init__(self, place: Path | None, kept: Kept) -> None:
        self._place = place
        self._kept = kept
        self._file: TextIO | None = None

    def __enter__(self) -> Self:
        if self._place is not None:
            try:
                self._file = self._place.open("a+", encoding="utf-8")
                begun = _cut(self._file) > 0
            except OSError as error:
                raise _unwritable(error) from None
            if not begun:
                self._write(_FIRST)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file is not None:
            self._file.close()

    def add(self, mutant: Mutant, verdict: Verdict) -> None:
        """Keeps a verdict."""
        self._write(self._kept.line(mutant, verdict))

    def _write(self, line: Mapping[str, object]) -> None:
        if self._file is not None:
            try:
                self._file.write(json.dumps(line, ensure_ascii=False) + "\n")
                self._file.flush()
            except OSError as error:
                raise _unwritable(error) from None


def _cut(file: TextIO) -> int:
    """Takes a last line away that was not written to its end; answers how many bytes are left."""
    file.buffer.seek(0)
    whole = file.buffer.read(LARGEST).rfind(b"\n") + 1
    file.truncate(whole)
    return whole


def _unwritable(error: OSError) -> Unwritable:
    return Unwritable((error.strerror or "no reason given").lower())


def lines_in(place: Path) -> Read[Lines]:
    """The lines that a file keeps; none where there is no file yet.

    Reports RW1067 (the file holds something else, or cannot be read) and RW0005 (it is too large). A last line that was
    cut off is passed over.
    """
    if not _is_there(place):
        return Read(())
    try:
        content = DISK.read(str(place), LARGEST + 1) if place.is_file() else b"\0"
        written = content.decode().splitlines()
    except (OSError, ValueError):
        return Read(None, (_other(place),))
    if len(content) > LARGEST:
        return Read(None, (complaint("RW0005", f"{quoted(str(place))} is larger than {LARGEST:,} bytes"),))
    found = [each for each in map(_line, written) if each is not None]
    if json.dumps(_FIRST).encode().startswith(content):
        return Read(())
    if written and (not found or found[0] != _FIRST):
        return Read(None, (_other(place),))
    return Read(tuple(found[1:]))


def _is_there(place: Path) -> bool:
    try:
        return place.exists()
    except OSError:
        return False


def _line(written: str) -> dict[str, object] | None:
    try:
        found = json.loads(written)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def _other(place: Path) -> Diagnostic:
    message = f"{quoted(str(place))} keeps no verdicts of `mutate`"
    return complaint("RW1067", message, "name another file, or one that is not there yet")
