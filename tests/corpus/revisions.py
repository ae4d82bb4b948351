"""Looks for verdicts and witnesses of `rulewright diff` that are false, over revisions as people make them.

`python tests/corpus/revisions.py --count 1000 --work 20000 --resume FILE`: so many texts, language cases and rulesets
made at random, get one to three edits of their lines (`line_edits`) that the checker takes, and are compared. What is
not called changed is played by the reference interpreter; what is shown as a witness is replayed on both sides, and has
to part: in what is asked, of whom, about what, what may be answered, what is thrown, who sees it, or how it ends.

A line of JSON is written for each revision; the same command goes on from there. It ends with 1 where something was
false.
"""

import argparse
import io
import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

ROOT = Path(__file__).parents[2]
if __name__ == "__main__":
    sys.path[:0] = [str(ROOT / "tests")]

from corpus.apart import brute, stands
from corpus.line_edits import RENAMED, drawn, renamed
from corpus.verdicts import ALIKE, Subject, subjects, written_states
from rulewright import api
from rulewright.cli.main import run_command_line
from support.random_programs import write_program

_PLAYS, _MADE = 300, 0.1
_TRIED, _SECONDS = 200, 20


@dataclass(frozen=True)
class Judged:
    """What became of a revision.

    Attributes:
        seed: it was drawn by.
        subject: what was edited.
        edits: what was done to it, in order.
        word: of the verdict.
        how: it is known, or why not.
        apart: how the reference interpreter tells the two apart; empty where it does not, or was not asked.
        witnesses: the sorts of those that were replayed.
        alike: of these the ones that come to the same on both sides, as their sort and place.
    """

    seed: int
    subject: str
    edits: Sequence[str]
    word: str
    how: str
    apart: str = ""
    witnesses: Sequence[str] = ()
    alike: Sequence[str] = ()

    @property
    def false(self) -> bool:
        """Whether the verdict, or a witness, is false."""
        return bool(self.alike) or (self.word in ALIKE and bool(self.apart))


@dataclass(frozen=True)
class Revision:
    """Two texts, one made of the other by edits.

    Attributes:
        seed: it was drawn by.
        subject: what was edited.
        old: its text.
        new: the text with the edits.
        edits: what was done.
        states: written beside it.
    """

    seed: int
    subject: str
    old: str
    new: str
    edits: tuple[str, ...] = ()
    states: Sequence[dict[str, Any]] = ()


def revision(seed: int, folder: Path) -> Revision:
    """One that the checker takes on both sides; tried in the folder."""
    draw = Random(seed)
    for _ in range(_TRIED):
        name, text, states = _source(draw)
        new, edits = drawn(text, draw)
        if new == text:
            continue
        (folder / "new.rules").write_text(new, encoding="utf-8")
        try:
            api.load(str(folder / "new.rules"))
        except api.WrongInputError:
            continue
        return Revision(seed, name, text, new, edits, states)
    message = f"no revision in {_TRIED} tries"
    raise AssertionError(message)


@cache
def _cases() -> tuple[Subject, ...]:
    return tuple(each for each in subjects() if each.is_case)


def _source(draw: Random) -> tuple[str, str, list[dict[str, Any]]]:
    if draw.random() < _MADE:
        number = draw.randrange(10**6)
        return f"made {number}", write_program("random", number), []
    case = draw.choice(_cases())
    return case.name, case.texts()[case.file], written_states(case)


def judged(made: Revision, folder: Path, work: int, plays: int = _PLAYS) -> Judged:
    """What `diff` says of a revision, and what plays of it say."""
    for side, content in (("old", made.old), ("new", made.new)):
        (folder / f"{side}.rules").write_text(content, encoding="utf-8")
    printed, asked = io.StringIO(), ("--format", "json", "--workers", "1", "--work", str(work))
    with chdir(folder), redirect_stdout(printed), redirect_stderr(io.StringIO()):
        run_command_line(("diff", "old.rules", "new.rules", *asked))
    found = json.loads(printed.getvalue())
    said = Judged(made.seed, made.subject, made.edits, found["verdict"]["word"], found["verdict"]["how"])
    if said.word != "changed":
        return replace(said, apart=_apart(made, folder, plays))
    witnesses = (found["played"] or {}).get("witnesses") or []
    old, new = (api.load(str(folder / f"{side}.rules")) for side in ("old", "new"))
    alike = [each for each in witnesses if replayed(each["old"], old) == replayed(each["new"], new)]
    named = tuple(f"{each['sort']} at {each['old']['address'] or 'the end'}" for each in alike)
    return replace(said, witnesses=tuple(each["sort"] for each in witnesses), alike=named)


def _apart(made: Revision, folder: Path, plays: int) -> str:
    """How the reference interpreter parts them; what was renamed has its new name in both."""
    (folder / "renamed.rules").write_text(renamed(made.old, made.new), encoding="utf-8")
    try:
        old = api.load(str(folder / "renamed.rules"))
    except api.WrongInputError:
        return ""  # the name stood for something else too
    states = json.loads(renamed(json.dumps(made.states), made.new))
    return brute(old.program, api.load(str(folder / "new.rules")).program, states, plays, made.seed, _SECONDS)


def replayed(side: dict[str, Any], ruleset: api.Ruleset) -> str:
    """What one side of a witness comes to, in names of the old text."""
    try:
        play = api.start(ruleset, side["procedure"], side["state"], side["roles"])
    except api.WrongInputError as refused:
        return f"not begun: {refused}"
    for number, each in enumerate(side["answers"]):
        if play.request is None:
            return f"over before answer {number + 1}"
        try:
            play = play.answered(each["answer"])
        except api.WrongInputError:
            return f"answer {number + 1} refused"
    return repr(stands(play)).replace(RENAMED, "")


def told(found: Sequence[Judged]) -> Iterator[str]:
    """The numbers, then all that is false."""
    yield ", ".join(f"{number} {word}" for word, number in Counter(each.word for each in found).most_common())
    unknown = [each for each in found if each.word == "unknown"]
    yield f"unknown: {sum(bool(each.apart) for each in unknown)} of {len(unknown)} told apart by plain play"
    yield f"witnesses: {sum(len(each.witnesses) for each in found)}, alike {sum(len(each.alike) for each in found)}"
    yield f"false: {sum(each.false for each in found)}"
    for each in found:
        if each.false:
            why = each.apart or f"witness alike: {', '.join(each.alike)}"
            yield f"  seed {each.seed}: {each.subject}, {' + '.join(each.edits)}: {each.word} ({each.how}), but {why}"


def kept(file: Path | None) -> dict[int, Judged]:
    """What is known from runs before, by seed."""
    lines = file.read_text(encoding="utf-8").splitlines() if file is not None and file.exists() else []
    found = (Judged(**json.loads(line)) for line in lines)
    return {each.seed: each for each in found}


def main() -> int:
    """Prints the numbers; 1 where something was false."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--count", type=int, default=60)
    asked.add_argument("--seed", type=int, default=0)
    asked.add_argument("--work", type=int, default=20_000)
    asked.add_argument("--resume", type=Path)
    given = asked.parse_args()
    known, found = kept(given.resume), []
    for seed in range(given.seed, given.seed + given.count):
        if seed not in known:
            with TemporaryDirectory() as made:
                known[seed] = judged(revision(seed, Path(made)), Path(made), given.work)
            if given.resume is not None:
                with given.resume.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(asdict(known[seed]), ensure_ascii=False) + "\n")
        found.append(known[seed])
    for line in told(found):
        print(line)
    return int(any(each.false for each in found))


if __name__ == "__main__":
    sys.exit(main())
