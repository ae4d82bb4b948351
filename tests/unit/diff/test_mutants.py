"""What holds of every mutant of every shipped ruleset; a part of them is looked at."""

from pathlib import Path

import pytest

from rulewright.base.diagnostics import has_errors
from rulewright.base.files import get_resource_folder
from rulewright.base.source import Text
from rulewright.diff.mutants import OPERATOR_DESCRIPTIONS, Mutant, collect_ruleset_names, compute_changed_lines
from rulewright.diff.mutation_operators import make_mutants
from rulewright.syntax.parser import parse_rules_text
from support.sample_sizes import sample_cases

FILES = sorted(Path(get_resource_folder("rulesets")).rglob("*.rules"))
PART = 40


def _mutants(text: Text) -> tuple[Mutant, ...]:
    file = parse_rules_text(text).file
    assert file is not None
    return make_mutants(file, text, collect_ruleset_names(file.declarations))


@pytest.mark.parametrize("path", sample_cases(FILES, 5), ids=lambda path: path.name)
def test_mutants_differ_have_names_and_can_be_read(path: Path) -> None:
    text = Text(path.name, path.read_text(encoding="utf-8"))
    found = _mutants(text)
    assert found == _mutants(text)
    assert len({each.name for each in found}) == len(found)
    assert len({each.apply_to_text(text).content for each in found} | {text.content}) == len(found) + 1
    for each in found:
        assert each.operator in OPERATOR_DESCRIPTIONS
        assert each.old == text.content[each.place.start : each.place.end]
        changed = compute_changed_lines(each, text)
        lines = text.content.splitlines()
        lines[changed.number - 1 : changed.number - 1 + len(changed.old)] = changed.new
        assert lines == each.apply_to_text(text).content.splitlines()
    for each in found[::PART]:
        assert not has_errors(parse_rules_text(each.apply_to_text(text)).diagnostics), each.name


BASE = """\
kind Unit, units:
  owner: player
procedure rally(unit: Unit, foe: Unit) "Rally":
  step 1:
    nothing
  step 2:
    nothing
  step 3:
    nothing
"""


def test_an_overlay_knows_the_steps_and_names_of_what_it_amends() -> None:
    base = parse_rules_text(Text("base.rules", BASE)).file
    assert base is not None
    text = Text("house.rules", "insert into rally/2:\n  if foe = unit:\n    proceed to 3\n")
    file = parse_rules_text(text).file
    assert file is not None
    found = make_mutants(file, text, collect_ruleset_names(base.declarations))
    assert [each.name for each in found] == [
        "rally/2 amendment left out",
        "rally/2/if line left out",
        "rally/2/if role foe -> unit",
        "rally/2/if comparison = -> !=",
        "rally/2/if role unit -> foe",
        "rally/2/proceed.3 line left out",
        "rally/2/proceed.3 jump 3 -> 2",
    ]


def test_every_operator_says_what_it_does() -> None:
    assert all(
        each[0] in "abcdefghijklmnopqrstuvwxyz`" and not each.endswith(".") for each in OPERATOR_DESCRIPTIONS.values()
    )
