"""What verbs print with `--format json` fits the published schemas, which refuse anything else there."""

import json
import shlex
from pathlib import Path

import pytest

from support.duel_example import RULES, SCENARIO_HEAD, START, STATE, RunCommand
from support.published_schemas import make_validator

GOOD = (
    SCENARIO_HEAD
    + """\
  a miss: {script: [[3]], expect: {changes: {}}}
  a parry: {script: [[6], yes], expect: {changes: {knights: {mordred: {shield: no}}}}}
"""
)
SCENARIOS = (
    GOOD
    + """\
  wrong: {script: [[5], no], expect: {reslt: 1}}
  fails: {script: [[5], no], expect: {changes: {}}}
  odds: {script: {2/parry: {always: no}}, expect: {odds: {mordred.health < 2: 1/2}}}
"""
)
CLAUSES = "document: DOC\ntitle: The duel\nclauses:\n  - {id: DOC.1, says: Knights strike.}\n"
CITED = RULES.replace("\nkind", 'document DOC "The duel"\nkind', 1).replace('"A strike":', '"A strike":  @1')
FILES = {
    "duel.scenario.yaml": SCENARIOS,
    "good.scenario.yaml": GOOD,
    "old.scenario.yaml": SCENARIOS.replace("duel.rules", "old.rules"),
    "old.rules": RULES,
    "new.rules": RULES.replace("natural < 4", "natural < 3").replace("  shield", "  plate: flag = no\n  shield"),
    "alike.rules": RULES.replace("health > 0", "health >= 1"),
    "cited/duel.rules": CITED,
    "cited/DOC.clauses.yaml": CLAUSES,
    "broken.rules": RULES.replace("striker.health > 0", "striker.helth > 0"),
    "down.yaml": STATE.replace("health: 5", "health: 0"),
    "hit.yaml": "[[5], no]\n",
    "half.yaml": "[[5]]\n",
}
STRIKE = " ".join(START)
DOWN = STRIKE.replace("state.yaml", "down.yaml")
OF = "--of mordred.health --of mordred.gone --policy random"
SWEEP = "--vary target.health=0..2 --vary striker.health=0,1"
BEST = "--best blue:mordred.health --best red:-mordred.health --most 3"
COUNTED = f"simulate {STRIKE} {OF} --runs 60 --seed 1"
PARTS = "--of mordred.owner --of 'mordred.health / 7'"
COMPARED = "diff old.rules new.rules --workers 1 --work 20000"
COMMANDS = {
    "odds": (
        *(f"odds {STRIKE} {OF} {more}" for more in ("", "--most 2", SWEEP, "--given 'mordred.health > 0' --most 2")),
        f"odds {DOWN} {OF}",
        f"odds {STRIKE} {OF} --estimate",
        f"odds {STRIKE} {PARTS} --policy random",
        f"odds {STRIKE} --of mordred.health {BEST}",
    ),
    "estimate": (f"{COMPARED} --odds --estimate",),
    "simulate": (
        *(f"{COUNTED} {more}" for more in ("", SWEEP, PARTS, f"--of 'mordred.health given visits(2) > 0' {SWEEP}")),
        *(f"{COUNTED} --against-policy first {more}" for more in ("", SWEEP)),
        f"{COUNTED} --against-first --vary target.health=1..2",
        f"simulate {DOWN} {OF} --runs 60 --seed 1",
    ),
    "run": (
        f"run {STRIKE} --script hit.yaml",
        f"run {STRIKE} --script half.yaml",
        f"run {STRIKE} --script half.yaml --view red",
        f"run {DOWN}",
        "run duel.scenario.yaml fails",
    ),
    "why": (f"why {STRIKE} --script hit.yaml --of mordred.gone", f"why {DOWN} --seed 1 --of mordred.gone"),
    "test": ("test duel.scenario.yaml", "test duel.scenario.yaml -k miss"),
    "cover": ("cover good.scenario.yaml --floor all=99",),
    "mutate": ("mutate good.scenario.yaml --list", "mutate good.scenario.yaml --operators number --workers 1"),
    "trace": ("trace cited", "trace mel --overlay mel_abilities", "trace ."),
    "rename": ("rename duel.rules strike/2 wound",),
    "find": ("find duel.rules shield",),
    "diagnostics": ("check broken.rules", "check broken.rules --diff", "check .", "test broken.rules"),
    "diff": (
        *(f"{COMPARED} {more}" for more in ("", "--odds", "--odds --policy first", "--games old.scenario.yaml")),
        f"{COMPARED} --odds --policy random --most 5",
        "diff old.rules old.rules",
        "diff old.rules alike.rules",
        "diff pig risk --work 0",
    ),
}
"""By schema, commands of which each prints a document of it."""


@pytest.fixture
def duel(run: RunCommand) -> RunCommand:
    for name, content in FILES.items():
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text(content, encoding="utf-8")
    return run


@pytest.mark.parametrize(
    ("name", "command"), [(name, command) for name, commands in COMMANDS.items() for command in commands]
)
def test_a_document_fits_its_schema_and_no_other_does(duel: RunCommand, name: str, command: str) -> None:
    document = json.loads(duel(*shlex.split(command), "--format", "json").out)
    judge = make_validator(name)
    assert [each.message for each in judge.iter_errors(document)] == []
    assert not judge.is_valid({key: each for key, each in document.items() if key != "version"})
    assert judge.is_valid({**document, "odd": 1}) == (name == "diagnostics")
