"""What may stand at a cursor."""

import random

import pytest

from rulewright.base.files import get_resource_folder
from rulewright.editor.completion import propose_completions
from rulewright.editor.editor_workspace import Workspace
from rulewright.editor.name_index import DECLARING_ROLES
from rulewright.editor.yaml_cursor import locate_yaml_cursor
from rulewright.syntax.engine import ParseTree, get_engine
from rulewright.syntax.parser import blank_forbidden_characters


@pytest.mark.parametrize("ruleset", ["mel/mel_house_rules.rules", "yahtzee/yahtzee.rules"])
def test_what_stands_in_a_text_was_among_what_may(ruleset: str) -> None:
    place = str(get_resource_folder("rulesets") / ruleset)
    content = (get_resource_folder("rulesets") / ruleset).read_text(encoding="utf-8")
    desk = Workspace()
    desk.change_text(place, content)
    opened = desk.open_document(place)
    given = {each.span.start for each in opened.latest.index.find_in_text(opened.name) if each.role in DECLARING_ROLES}
    reading = get_engine().parse_tree(blank_forbidden_characters(content))
    assert isinstance(reading, ParseTree)
    words = [
        each for line in reading.lines for each in line.tokens if each[:1].isalpha() and each.start_pos not in given
    ]
    for word in random.Random(ruleset).sample(words, 60):
        start = word.start_pos or 0
        before = content[content.rfind("\n", 0, start) + 1 : start]
        if before not in {"document ", "amends "} and word.type != "DICE" and not before.endswith("pool "):
            assert str(word) in {each.text.removesuffix(": ") for each in propose_completions(opened, start)}, before


@pytest.mark.parametrize(
    ("text", "path", "is_key"),
    [
        ("procedure: |", ("procedure",), False),
        ("with: {att|", ("with",), True),
        ("with: {attacker: ham|", ("with", "attacker"), False),
        ("state:\n  units:\n    ram: {owner: red,\n      |", ("state", "units", "ram"), True),
        ("a:\n  b c:\n    - x\n    - y: [1, {z: |", ("a", "b c", 0, "y", 1, "z"), False),
        ("a:\n  b:\n    c: 1\n  |", ("a",), True),
        ("a: {b: [1, 2], c: |}", ("a", "c"), False),
        ("|", (), True),
    ],
)
def test_a_cursor_knows_the_keys_around_it(text: str, path: tuple[str | int, ...], *, is_key: bool) -> None:
    found = locate_yaml_cursor(text.replace("|", ""), text.index("|"))
    assert (found.path, found.is_key) == (path, is_key)


def test_words_in_quotes_are_left_alone() -> None:
    assert locate_yaml_cursor('a: "x', 5).is_in_prose
    assert locate_yaml_cursor("a: 1 # x", 8).is_in_prose
