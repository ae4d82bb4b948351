"""What holds of every mutant of every shipped ruleset; a part of them is looked at."""

from pathlib import Path

import pytest

from rulewright.diagnostics import has_errors
from rulewright.mutations.mutant import OPERATORS, Mutant, change, known_of
from rulewright.mutations.operators import mutants
from rulewright.resources import folder
from rulewright.source import Text
from rulewright.syntax.parser import parse
from support.draws import sampled

FILES = sorted(Path(folder("rulesets")).rglob("*.rules"))
PART = 40


def _mutants(text: Text) -> tuple[Mutant, ...]:
    file = parse(text).file
    assert file is not None
    return mutants(file, text, known_of(file.declarations))


@pytest.mark.parametrize("path", sampled(FILES, 5), ids=lambda path: path.name)
def test_mutants_differ_have_names_and_can_be_read(path: Path) -> None:
    text = Text(path.name, path.read_text(encoding="utf-8"))
    found = _mutants(text)
    assert found == _mutants(text)
    assert len({each.name for each in found}) == len(found)
    assert len({each.applied(text).content for each in found} | {text.content}) == len(found) + 1
    for each in found:
        assert each.operator in OPERATORS
        assert each.old == text.content[each.place.start : each.place.end]
        changed = change(each, text)
        lines = text.content.splitlines()
        lines[changed.number - 1 : changed.number - 1 + len(changed.old)] = changed.new
        assert lines == each.applied(text).content.splitlines()
    for each in found[::PART]:
        assert not has_errors(parse(each.applied(text)).diagnostics), each.name
