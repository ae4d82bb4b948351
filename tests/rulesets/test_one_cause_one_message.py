"""A slip of the fingers anywhere in a shipped ruleset is told once, or is none."""

import re
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from rulewright.base.files import MemoryFiles
from rulewright.documents.ruleset_loading import load_ruleset
from rulewright.documents.ruleset_location import locate_ruleset
from support.sample_sizes import choose_count

FOLDER = Path(__file__).parents[2] / "rulesets"
EACH = choose_count(2, 6)
"""How many texts are spoilt in each way."""

RULESETS = {
    folder.name: {
        file.relative_to(FOLDER).as_posix(): file.read_text(encoding="utf-8")
        for file in [*folder.glob("*.rules"), *folder.glob("*.clauses.yaml")]
    }
    for folder in sorted(FOLDER.iterdir())
    if folder.is_dir()
}
Spoil = Callable[[str, Random], str | None]


def _chosen(pattern: str, line: str, chance: Random) -> re.Match[str] | None:
    found = list(re.finditer(pattern, re.sub(r'"[^"]*"|#.*', lambda each: " " * len(each[0]), line)))
    return chance.choice(found) if found else None


def _without_colon(line: str, chance: Random) -> str | None:
    del chance
    return re.sub(r":(\s*(@.*)?)$", r"\1", line) if re.search(r":(\s*@.*)?$", line) else None


def _letters_swapped(line: str, chance: Random) -> str | None:
    found = _chosen(r"[a-z]\w{4,}", line, chance)
    at = found.start() + 2 if found else 0
    return line[:at] + line[at + 1] + line[at] + line[at + 2 :] if found and line[at] != line[at + 1] else None


def _letter_left_out(line: str, chance: Random) -> str | None:
    found = _chosen(r"[a-z]\w{4,}", line, chance)
    return line[: found.start() + 2] + line[found.start() + 3 :] if found else None


def _indented(line: str, chance: Random) -> str | None:
    return " " * chance.choice([1, 2]) + line


def _outdented(line: str, chance: Random) -> str | None:
    return line[chance.choice([1, 2]) :] if line.startswith("  ") else None


def _to_the_margin(line: str, chance: Random) -> str | None:
    del chance
    return line.lstrip() if line.startswith("  ") else None


def _without_quote(line: str, chance: Random) -> str | None:
    places = [place for place, each in enumerate(line) if each == '"']
    at = chance.choice(places) if places else 0
    return line[:at] + line[at + 1 :] if places else None


def _words_swapped(line: str, chance: Random) -> str | None:
    found = list(re.finditer(r"\S+", line))
    if len(found) < 3:
        return None
    at = chance.randrange(len(found) - 1)
    one, other = found[at], found[at + 1]
    return f"{line[: one.start()]}{other[0]}{line[one.end() : other.start()]}{one[0]}{line[other.end() :]}"


def _without_bracket(line: str, chance: Random) -> str | None:
    found = _chosen(r"[()\[\]{}]", line, chance)
    return line[: found.start()] + line[found.end() :] if found else None


def _without_word(line: str, chance: Random) -> str | None:
    found = list(re.finditer(r"\S+\s*", line))
    chosen = chance.choice(found) if len(found) > 2 else None
    return line[: chosen.start()] + line[chosen.end() :] if chosen else None


def _tabbed(line: str, chance: Random) -> str | None:
    del chance
    level = (len(line) - len(line.lstrip())) // 2
    return "\t" * level + line.lstrip() if level else None


def _foreign_sign(line: str, chance: Random) -> str | None:
    del chance
    return line.replace(" = ", " == ", 1) if " = " in line else None


def _twice(line: str, chance: Random) -> str | None:
    del chance
    return f"{line}\n{line}" if re.match(r"(values|term|die|measure) .*[^:]$", line) else None


def _id_of_step_one(line: str, chance: Random) -> str | None:
    del chance
    return re.sub(r"^(\s*step )MEL\.[2-9]0", r"\1MEL.10", line) if re.match(r"\s*step MEL\.[2-9]0", line) else None


WAYS: tuple[Spoil, ...] = (
    _without_colon, _letters_swapped, _letter_left_out, _indented, _outdented, _to_the_margin, _without_quote,
    _words_swapped, _without_bracket, _without_word, _tabbed, _foreign_sign, _twice, _id_of_step_one,
)  # fmt: skip


def _spoilt(way: Spoil, seed: int) -> tuple[str, dict[str, str], str]:
    chance = Random(f"{way.__name__} {seed}")
    for _ in range(10_000):
        name = chance.choice(sorted(RULESETS))
        file = chance.choice([each for each, text in RULESETS[name].items() if text.startswith("ruleset")])
        lines = RULESETS[name][file].split("\n")
        at = chance.choice([n for n, line in enumerate(lines) if line.strip() and not line.strip().startswith("#")])
        spoilt = way(lines[at], chance)
        if spoilt is not None and spoilt != lines[at]:
            text = "\n".join([*lines[:at], spoilt, *lines[at + 1 :]])
            return name, {**RULESETS[name], file: text}, f"{file}:{at + 1}: {spoilt.strip()}"
    pytest.fail("nothing can be spoilt in this way")


@pytest.mark.parametrize("seed", range(EACH))
@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__.strip("_"))
def test_a_slip_is_told_once(way: Spoil, seed: int) -> None:
    name, files, what = _spoilt(way, seed)
    provider = MemoryFiles(files)
    found = load_ruleset(locate_ruleset(name, provider), provider=provider).diagnostics
    assert len(found) <= 1, (what, [(each.code, each.message, each.primary and each.primary.span) for each in found])
