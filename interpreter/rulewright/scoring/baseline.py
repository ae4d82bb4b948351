"""The rules as they are: what each scenario comes to, what can be changed, and which scenarios can notice it."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rulewright.coverage.playing import Played, Player
from rulewright.diagnostics import Diagnostic, Label, Severity
from rulewright.inputs.findings import Read, quoted
from rulewright.mutations.mutant import Mutant
from rulewright.mutations.operators import mutants, numbered
from rulewright.mutations.visiting import known_of
from rulewright.scenarios.opening import Which, which
from rulewright.scenarios.suite import Case
from rulewright.source import Span, Text
from rulewright.syntax.parser import parse
from rulewright.workspace import Loaded

_PATIENCE = 10
_LEAST = 10_000


@dataclass(frozen=True)
class Run:
    """A case as it went with the rules as they are.

    Attributes:
        case: it.
        seconds: how long it took.
        limit: steps it may take with other rules.
        files: names of the texts its ruleset is made of.
        come_to: places of the lines it came to.
    """

    case: Case
    seconds: float
    limit: int
    files: frozenset[str]
    come_to: frozenset[Span]

    @property
    def ruleset(self) -> Which:
        """The same for cases that play the same ruleset with the same overlays and conditions."""
        return which(self.case)


@dataclass(frozen=True)
class Baseline:
    """What changes of the rules are held against.

    Attributes:
        runs: of every case that was not skipped, in order.
        texts: the texts of rules that are changed, by name.
        mutants: all changes, in order of file and place.
        told: places of all lines that runs can tell of.
        dead: places that no play can come to, with the reason.
    """

    runs: tuple[Run, ...]
    texts: Mapping[str, Text]
    mutants: tuple[Mutant, ...]
    told: frozenset[Span]
    dead: Mapping[Span, str]


def baseline(player: Player, played: Sequence[Played]) -> Read[Baseline]:
    """What came of the cases, and all mutants of the rules in the folders of the rulesets they play.

    Reports RW1060 for the first case that does not pass.
    """
    failed = next((each for each in played if each.result.outcome not in {"passed", "skipped"}), None)
    if failed is not None:
        return Read(None, (*failed.result.wrong, _fails(failed)))
    rulesets = {id(each.loaded): each.loaded for each in played if each.loaded is not None}
    texts = _texts(tuple(rulesets.values()), player)
    return Read(
        Baseline(
            runs=tuple(_run(each, each.loaded) for each in played if each.loaded is not None),
            texts=texts,
            mutants=numbered(one for each in texts.values() for one in _mutants(each, tuple(rulesets.values()))),
            told=frozenset(
                unit.span for one in player.listings for unit in one.units if unit.sort == "lines" and unit.span
            ),
            dead=_dead(player),
        )
    )


def _fails(played: Played) -> Diagnostic:
    case = played.result.case
    message = f"{quoted(case.name)} fails already with the rules as they are"
    return Diagnostic("RW1060", Severity.ERROR, message, Label(case.place.span), help="`rulewright test` shows why")


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

    Outside of lines all of them. A run that does not come to a line goes as before whatever stands there.
    Rulesets with most runs first, since each is read anew; in one ruleset the quickest first.
    """
    runs = with_text(mutant, baseline)
    if mutant.line is not None and mutant.line in baseline.told:
        runs = [each for each in runs if mutant.line in each.come_to]
    return _ordered(runs)


def with_text(mutant: Mutant, baseline: Baseline) -> list[Run]:
    """The runs whose ruleset holds the text of a mutant."""
    return [each for each in baseline.runs if mutant.place.source in each.files]


def plainest(mutant: Mutant, baseline: Baseline) -> Run:
    """A run with the fewest overlays among those with the text of a mutant."""
    return min(with_text(mutant, baseline), key=lambda each: [len(part) for part in each.ruleset[1:]])


def _ordered(runs: Sequence[Run]) -> tuple[Run, ...]:
    counts = Counter(each.ruleset for each in runs)
    return tuple(sorted(runs, key=lambda each: (-counts[each.ruleset], each.ruleset, each.seconds)))
