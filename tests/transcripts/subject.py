"""What a transcript is taken of: a shipped ruleset or starter, and what can be asked of it by its files."""

import re
import shlex
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import yaml

from transcripts.capture import ROOT

SORTS = {"rulesets": ROOT / "rulesets", "starters": ROOT / "interpreter" / "rulewright" / "starters"}
_LARGE = 8_000
_COMMAND = re.compile(r"^(?:\$ )?(rulewright .*)$", re.MULTILINE)
_DECLARED = re.compile(r"^(procedure|kind|term|tally|decide|event|values|board|measure|setting) (\w+)", re.MULTILINE)
_ATTRIBUTE = re.compile(r"^  (\w+): ", re.MULTILINE)
_CLAUSE = re.compile(r"@([\w.]+\w)")


@dataclass(frozen=True)
class Case:
    """A scenario of a file."""

    path: str
    name: str
    file: Mapping[str, Any]

    @property
    def data(self) -> Mapping[str, Any]:
        return {**self.file, **(self.file["scenarios"][self.name] or {})}

    @property
    def typed(self) -> str:
        """Its answers as somebody types them, with other things that can be typed."""
        script = self.data.get("script") or []
        answers = list(script.values() if isinstance(script, dict) else script)
        said = [_typed(each) for each in answers[:12]]
        return (
            "\n".join(["help", "hint", *said[:1], "why", "undo", "nonsense", *said, "look", "log", "state", "quit"])
            + "\n"
        )

    @property
    def expressions(self) -> list[str]:
        """What it says that changes, as an expression; else its result."""
        changes = (self.data.get("expect") or {}).get("changes") or {}
        return list(_changed(changes))[:2] or ["result"]


@dataclass(frozen=True)
class Subject:
    """A ruleset or a starter."""

    sort: str
    name: str

    @property
    def place(self) -> str:
        """Its folder, from where work is done."""
        return f"{self.sort}/{self.name}"

    def copy_to(self, folder: Path) -> None:
        """Copies it to its place in a folder."""
        shutil.copytree(self.source, folder / self.place, ignore=shutil.ignore_patterns("__pycache__"))

    @property
    def source(self) -> Path:
        """Where it is shipped."""
        return SORTS[self.sort] / self.name

    @cached_property
    def texts(self) -> dict[str, str]:
        """Its rules by name of file, those of the ruleset itself first."""
        found = {each.name: each.read_text(encoding="utf-8") for each in sorted(self.source.glob("*.rules"))}
        return dict(sorted(found.items(), key=lambda each: not re.search(r"^ruleset ", each[1], re.MULTILINE)))

    @property
    def is_large(self) -> bool:
        """Whether each command takes so long that fewer have to do."""
        return sum(map(len, self.texts.values())) > _LARGE

    @property
    def main(self) -> str:
        """The file of the ruleset itself."""
        return next(iter(self.texts))

    @property
    def overlays(self) -> list[str]:
        """The files that amend it."""
        return [name for name, text in self.texts.items() if re.search(r"^amends ", text, re.MULTILINE)]

    @property
    def commands(self) -> list[list[str]]:
        """The command lines that its README shows, without those that follow each other at a keyboard."""
        page = (self.source / "README.md").read_text(encoding="utf-8")
        return [shlex.split(each)[1:] for each in dict.fromkeys(_COMMAND.findall(page))]

    @cached_property
    def cases(self) -> list[Case]:
        """All scenarios, by files."""
        return [
            Case(f"{self.place}/{path.name}", str(name), data)
            for path in sorted(self.source.glob("*.scenario.yaml"))
            for data in [yaml.safe_load(path.read_text(encoding="utf-8"))]
            for name in data["scenarios"]
        ]

    @property
    def scenario_files(self) -> list[str]:
        """Its files of scenarios, the smallest first."""
        found = sorted(self.source.glob("*.scenario.yaml"), key=lambda each: each.stat().st_size)
        return [f"{self.place}/{each.name}" for each in found]

    def declared(self, sort: str = "") -> list[str]:
        """The names of what its own texts declare, of one sort or of all."""
        every = [found for text in self.texts.values() for found in _DECLARED.findall(text)]
        return list(dict.fromkeys(name for each, name in every if sort in {"", each}))

    @property
    def attributes(self) -> list[str]:
        """Names of attributes, and of other things that stand one level below a declaration."""
        return list(dict.fromkeys(name for text in self.texts.values() for name in _ATTRIBUTE.findall(text)))

    @property
    def clauses(self) -> list[str]:
        """The clauses that it cites."""
        return list(dict.fromkeys(each for text in self.texts.values() for each in _CLAUSE.findall(text)))


def spread(every: Sequence[Any], count: int) -> list[Any]:
    """So many members of a list, spread evenly over it."""
    return list(every) if len(every) <= count else [every[len(every) * number // count] for number in range(count)]


def all_subjects() -> list[Subject]:
    """The shipped rulesets, then the starters."""
    return [
        Subject(sort, each.name) for sort, folder in SORTS.items() for each in sorted(folder.iterdir()) if each.is_dir()
    ]


def _typed(answer: Any) -> str:
    match answer:
        case bool():
            return "yes" if answer else "no"
        case dict():
            return ", ".join(f"{key}: {_typed(each)}" for key, each in answer.items())
        case list():
            return " ".join(map(_typed, answer)) or "none"
        case None:
            return "none"
        case _:
            return str(answer)


def _changed(changes: Any) -> Iterator[str]:
    things = ((name, each) for group in _groups(changes) for name, each in group.items())
    for name, thing in things:
        yield from (f"{name}.{attribute}" for attribute in thing) if isinstance(thing, dict) else ()


def _groups(changes: Any) -> Iterable[dict[str, Any]]:
    if not isinstance(changes, dict):
        return []
    return [each for name, each in changes.items() if isinstance(each, dict) and name != "game"]
