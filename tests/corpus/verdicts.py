"""Looks for verdicts of `rulewright diff` that are false, over mutants of the shipped rulesets and the language cases.

`python tests/corpus/verdicts.py --count 3000 --work 20000 --workers 2 --resume FILE`: so many mutants that the checker
takes are drawn by a seed, and each is compared with what it was made from, with a small budget of work. `diff` sees no
scenarios.
Where it does not say `changed`, judges that know nothing of it try to tell the two apart: the scenarios of the ruleset,
or many plays of a language case by the reference interpreter. A word that calls both alike is false where one succeeds.

A line of JSON is written for each mutant as soon as it is known; the same command goes on from there. It ends with 1
where a verdict was false.
"""

import argparse
import io
import json
import os
import re
import shutil
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import asdict, dataclass
from functools import cache
from itertools import islice
from multiprocessing import Pool
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

ROOT = Path(__file__).parents[2]
if __name__ == "__main__":
    sys.path[:0] = [str(ROOT / "tests")]

import yaml

from corpus.apart import Staged, brute, parting, staged
from rulewright import api
from rulewright.base.files import DISK
from rulewright.base.source import Text
from rulewright.cli.main import run_command_line
from rulewright.cli.output import ExitCode
from rulewright.diff.mutants import Mutant, collect_ruleset_names
from rulewright.diff.mutation_operators import make_mutants
from rulewright.documents.ruleset_loading import load_ruleset
from rulewright.documents.ruleset_location import locate_ruleset
from rulewright.scenarios.case_opening import RulesetLoader
from rulewright.scenarios.scenario_files import read_cases
from rulewright.syntax.parser import parse_rules_text
from support.language_cases import list_cases, split_blocks

ALIKE = frozenset({"identical", "cosmetic", "renumbered", "equivalent"})
_LINES, _PLAYS, _SHARE = 60, 400, 6


@dataclass(frozen=True)
class Subject:
    """A text that is changed.

    Attributes:
        name: of the ruleset with the file, or of the language case.
        place: the folder of a ruleset, or the case.
        file: in that folder.
        overlay: whether it amends the ruleset.
    """

    name: str
    place: Path
    file: str
    overlay: bool = False

    @property
    def is_case(self) -> bool:
        """Whether it is a case of the language."""
        return self.place.suffix == ".md"

    @property
    def home(self) -> str:
        """The name of the folder it stands in."""
        return "case" if self.is_case else self.place.name

    def texts(self) -> dict[str, str]:
        """The files that make the ruleset, and the states beside it; no scenarios."""
        if self.is_case:
            return {self.file: next(split_blocks(self.place.read_text(encoding="utf-8"), "rules"))["content"]}
        found = [each for each in self.place.rglob("*") if each.suffix in {".rules", ".yaml"}]
        kept = (each for each in sorted(found) if not each.name.endswith(".scenario.yaml"))
        return {each.relative_to(self.place).as_posix(): each.read_text(encoding="utf-8") for each in kept}

    def mutants(self) -> tuple[Mutant, ...]:
        """All small changes of the text."""
        text = Text(self.file, self.texts()[self.file])
        main = str(self.place if not self.overlay else self.place / self.file)
        if self.is_case:
            file = parse_rules_text(text).file
            declared = file.declarations if file else ()
        else:
            linked = load_ruleset(locate_ruleset(main), (), DISK).linked
            assert linked is not None
            declared = tuple(each for module in linked.modules for each in module.declarations)
        file = parse_rules_text(text).file
        return make_mutants(file, text, collect_ruleset_names(declared)) if file else ()


@dataclass(frozen=True)
class Outcome:
    """What became of a mutant.

    Attributes:
        subject: what was changed.
        mutant: the name of the change.
        word: of the verdict; `refused` where the checker finds errors.
        how: it is known, or why not.
        apart: how a judge tells the two apart; empty where none does, or none was asked.
        seconds: of the processor.
    """

    subject: str
    mutant: str
    word: str
    how: str
    apart: str
    seconds: float

    @property
    def false(self) -> bool:
        """Whether the verdict is false."""
        return self.word in ALIKE and bool(self.apart)


def subjects() -> Iterator[Subject]:
    """The texts of the shipped rulesets, then small language cases of one file."""
    for folder in sorted(each for each in (ROOT / "rulesets").iterdir() if each.is_dir()):
        for path in sorted(folder.glob("*.rules")):
            overlay = path.read_text(encoding="utf-8").lstrip().startswith("amends")
            yield Subject(f"{folder.name}/{path.name}", folder, path.name, overlay)
    for each in list_cases():
        written = each.read_text()
        rules = list(split_blocks(written, "rules"))
        if each.good and len(rules) == 1 and rules[0]["name"] is None and rules[0]["content"].count("\n") <= _LINES:
            yield Subject(each.name, each.path, "example.rules")


def drawn(seed: int) -> Iterator[tuple[Subject, Mutant]]:
    """All mutants, some of them from language cases, as many from each ruleset; in an order drawn by the seed."""
    draw = Random(seed)
    groups: dict[str, list[Subject]] = {}
    for subject in subjects():
        groups.setdefault(subject.home, []).append(subject)
    left = {name: _mixed(found, draw) for name, found in groups.items()}
    order = [name for name in left for _ in range(_SHARE if name == "case" else 1)]
    while left:
        for name in draw.sample(order, len(order)):
            found = next(left[name], None) if name in left else None
            if found is None:
                left.pop(name, None)
            else:
                yield found


def _mixed(found: Sequence[Subject], draw: Random) -> Iterator[tuple[Subject, Mutant]]:
    """All mutants of some texts; those of a text are made when one of them is drawn."""
    left: dict[Subject, list[Mutant]] = {}
    lengths = {each: len(each.texts()[each.file]) for each in found}
    while lengths:
        (subject,) = draw.choices(list(lengths), list(lengths.values()))
        if subject not in left:
            made = mutants_of(subject)
            left[subject] = draw.sample(made, len(made))
        if left[subject]:
            yield subject, left[subject].pop()
        else:
            del lengths[subject]


@cache
def mutants_of(subject: Subject) -> tuple[Mutant, ...]:
    """The mutants of a text, made once."""
    return subject.mutants()


class Judging:
    """Compares texts with mutants of them, and judges what is said.

    Attributes:
        folder: where both are written.
    """

    def __init__(self, folder: Path, work: int, *, every: bool = True) -> None:
        """Judges in a folder, with so much work; `every` verdict but `changed`, or only those that may be false."""
        self.folder = folder
        self._judged = ALIKE | {"unknown"} if every else ALIKE
        self._work = work
        self._staged: dict[Subject, tuple[api.Ruleset, tuple[Staged, ...]]] = {}

    def outcome(self, subject: Subject, mutant: Mutant) -> Outcome:
        """What `diff` says of a mutant, and whether a judge says otherwise."""
        begun = process_time()
        word, how = self._verdict(subject, mutant)
        apart = self._apart(subject) if word in self._judged else ""
        return Outcome(subject.name, mutant.name, word, how, apart, round(process_time() - begun, 2))

    def lay(self, subject: Subject, mutant: Mutant) -> None:
        """Writes a text and the mutant of it, with all that belongs to them."""
        texts = subject.texts()
        changed = mutant.apply_to_text(Text(subject.file, texts[subject.file])).content
        for side, content in (("old", texts[subject.file]), ("new", changed)):
            folder = self.folder / side / subject.home
            shutil.rmtree(self.folder / side, ignore_errors=True)
            for name, each in {**texts, subject.file: content}.items():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                (folder / name).write_text(each, encoding="utf-8")

    def arguments(self, subject: Subject, workers: int = 1) -> tuple[str, ...]:
        """The command that compares the two, in the folder."""
        places = (self._place(side, subject).relative_to(self.folder).as_posix() for side in ("old", "new"))
        return ("diff", *places, "--format", "json", "--workers", str(workers), "--work", str(self._work))

    def _verdict(self, subject: Subject, mutant: Mutant) -> tuple[str, str]:
        self.lay(subject, mutant)
        printed = io.StringIO()
        with chdir(self.folder), redirect_stdout(printed), redirect_stderr(io.StringIO()):
            ended = int(run_command_line(self.arguments(subject)))
        if ended == ExitCode.BAD_INPUT:
            return "refused", ""
        verdict: dict[str, str] = json.loads(printed.getvalue())["verdict"]
        return verdict["word"], verdict["how"]

    def _place(self, side: str, subject: Subject) -> Path:
        """What is compared: a ruleset, or an overlay, which brings its base."""
        folder = self.folder / side / subject.home
        return folder / subject.file if subject.overlay or subject.is_case else folder

    def _apart(self, subject: Subject) -> str:
        if subject.is_case:
            old, new = (api.load(str(self._place(side, subject))) for side in ("old", "new"))
            return brute(old.program, new.program, written_states(subject), _PLAYS)
        old, scenarios = self._scenarios(subject)
        new = api.load(str(self._place("new", subject)))
        found = ((each.name, parting(each, old, new)) for each in scenarios)
        return next((f"{name}: {where}" for name, where in found if where), "")

    def _scenarios(self, subject: Subject) -> tuple[api.Ruleset, tuple[Staged, ...]]:
        """The ruleset as it is, and the scenarios that play it as it is amended here."""
        key = subject if subject.overlay else Subject(subject.place.name, subject.place, "")
        if key not in self._staged:
            old = api.load(str(subject.place / subject.file if subject.overlay else subject.place))
            read = read_cases((str(subject.place),), RulesetLoader(DISK)).value or ()
            wanted = [subject.file] if subject.overlay else []
            plays = (
                staged(each, old)
                for each in read
                if [Path(one.text).name for one in each.overlays] == wanted
                and not each.skip
                and locate_ruleset(each.ruleset, DISK).main == locate_ruleset(str(subject.place), DISK).main
            )
            self._staged[key] = old, tuple(each for each in plays if each is not None)
        return self._staged[key]


def written_states(subject: Subject) -> list[dict[str, Any]]:
    """The states in a language case."""
    found = (
        yaml.safe_load(each["content"]) for each in split_blocks(subject.place.read_text(encoding="utf-8"), "yaml")
    )
    return [each for each in found if isinstance(each, dict) and ("players" in each or "game" in each)]


def told(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """The numbers, then every verdict that is false and why others are unknown."""
    words = Counter(each.word for each in outcomes)
    hows = Counter(_sort(each.how) for each in outcomes if each.word == "equivalent")
    yield ", ".join(f"{number} {word}" for word, number in words.most_common())
    yield "equivalent: " + (", ".join(f"{number} {how}" for how, number in hows.most_common()) or "none")
    unknown = [each for each in outcomes if each.word == "unknown"]
    yield f"unknown: {sum(bool(each.apart) for each in unknown)} of {len(unknown)} told apart by a judge"
    seconds = sum(each.seconds for each in outcomes)
    yield f"{seconds:.0f} seconds of the processor, {seconds / max(1, len(outcomes)):.1f} each"
    yield f"false: {sum(each.false for each in outcomes)}"
    for each in outcomes:
        if each.false:
            yield f"  {each.subject} {each.mutant}: {each.word} ({each.how}), but {each.apart}"


def _sort(how: str) -> str:
    return re.sub(r"[\s,\d].*", "", how) or how


def kept(file: Path | None) -> dict[tuple[str, str], Outcome]:
    """What is known from runs before."""
    lines = file.read_text(encoding="utf-8").splitlines() if file is not None and file.exists() else []
    found = (Outcome(**json.loads(line)) for line in lines)
    return {(each.subject, each.mutant): each for each in found}


def judged(judging: Judging, seed: int, count: int) -> Iterator[Outcome]:
    """What becomes of so many mutants that the checker takes."""
    return taken((judging.outcome(*each) for each in drawn(seed)), count)


def taken(found: Iterable[Outcome], count: int) -> Iterator[Outcome]:
    """So many outcomes of mutants that the checker takes."""
    return islice((each for each in found if each.word != "refused"), count)


def resumed(work: int, workers: int, seed: int, resume: Path | None) -> Iterator[Outcome]:
    """What becomes of all mutants in their order, each written down as soon as it is known."""
    known = kept(resume)
    waiting = [each for each in drawn(seed) if (each[0].name, each[1].name) not in known]
    with TemporaryDirectory() as made, Pool(workers, _begin, (made, work)) as pool:
        fresh = pool.imap(_outcome, waiting)
        for subject, mutant in drawn(seed):
            found = known.get((subject.name, mutant.name))
            if found is None:
                found = next(fresh)
                if resume is not None:
                    with resume.open("a", encoding="utf-8") as file:
                        file.write(json.dumps(asdict(found), ensure_ascii=False) + "\n")
            yield found


_judging: list[Judging] = []
"""The one of this process."""


def _begin(made: str, work: int) -> None:
    folder = Path(made) / str(os.getpid())
    folder.mkdir()
    _judging.append(Judging(folder, work))


def _outcome(given: tuple[Subject, Mutant]) -> Outcome:
    return _judging[0].outcome(*given)


def main() -> int:
    """Prints the numbers; 1 where a verdict was false."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--count", type=int, default=60)
    asked.add_argument("--seed", type=int, default=0)
    asked.add_argument("--work", type=int, default=100_000)
    asked.add_argument("--workers", type=int, default=1)
    asked.add_argument("--resume", type=Path)
    given = asked.parse_args()
    outcomes: list[Outcome] = []
    for each in taken(resumed(given.work, given.workers, given.seed, given.resume), given.count):
        outcomes.append(each)
        if sys.stderr.isatty():
            print(f"\r{len(outcomes)} of {given.count}", end="", file=sys.stderr, flush=True)
    for line in told(outcomes):
        print(line)
    return int(any(each.false for each in outcomes))


if __name__ == "__main__":
    sys.exit(main())
