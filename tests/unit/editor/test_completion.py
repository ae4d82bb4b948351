"""What may stand at a cursor of a text of rules."""

import random
from collections.abc import Callable

import pytest

from rulewright.base.files import get_resource_folder
from rulewright.editor.completion import propose_completions
from rulewright.editor.editor_workspace import CompletionItem, OpenDocument, Workspace
from rulewright.editor.name_index import DECLARING_ROLES
from rulewright.syntax.engine import ParseTree, get_engine
from rulewright.syntax.parser import blank_forbidden_characters
from support.raid_example import FILES, OVERLAY

Typed = Callable[..., tuple[OpenDocument, int]]
LINE = "    let needed = 4\n"


@pytest.fixture
def at(typed: Typed) -> Callable[[str], dict[str, CompletionItem]]:
    """What is proposed in a line of step 1, by how it is written."""

    def proposed(line: str) -> dict[str, CompletionItem]:
        opened, offset = typed(LINE, f"{LINE}    {line}\n")
        return {each.text: each for each in propose_completions(opened, offset)}

    return proposed


At = Callable[[str], dict[str, CompletionItem]]


def test_a_line_begins_with_a_verb(at: At) -> None:
    found = at("|")
    assert {"let", "if", "proceed", "ask"} <= found.keys()
    assert not {"when", "and", "gives", "striker"} & found.keys()


def test_behind_a_point_stand_attributes_with_type_and_title(at: At) -> None:
    found = at("let x = target.|")
    assert list(found) == ["owner", "health", "stance", "gone"]
    assert (found["health"].type, found["health"].title) == ("0..9", "Health")


def test_attributes_of_what_is_worked_out_are_known(at: At) -> None:
    assert "natural" in at("let x = blow.|")
    assert list(at("let x = (some u in units where u.|")) == ["owner", "health", "stance", "gone"]


def test_a_name_is_proposed_where_it_is_in_sight_alone(at: At) -> None:
    assert {"blow", "needed", "striker"} <= at("let x = |").keys()
    assert not {"blow", "needed"} & at("|").keys()


@pytest.mark.parametrize(
    ("line", "fitting"),
    [
        ("if target.stance = |", {"bold", "wary", "mood"}),
        ("set target.stance to |", {"bold", "wary", "mood"}),
        ("if striker != |", {"striker", "target"}),
        ("let x = harm(|", {"bold", "wary", "mood"}),
        ("let x = worn(|", {"striker", "target"}),
    ],
)
def test_what_fits_the_type_that_is_wanted_comes_first(at: At, line: str, fitting: set[str]) -> None:
    found = list(at(line).values())
    assert {each.text for each in found if each.is_type_match} == fitting
    assert all(each.is_type_match for each in found[: len(fitting)])


def test_words_of_another_list_are_left_out_where_one_is_wanted(at: At) -> None:
    assert at("if mood = |")["wary"].title == "on guard"


def test_steps_and_clauses_are_proposed_with_what_they_say(at: At) -> None:
    assert {text: each.title for text, each in at("proceed to |").items()} == {
        "1": "Roll", "2": "The wound", "3": "End",
    }  # fmt: skip
    assert {text: each.title for text, each in at("let x = 1  @|").items()} == {
        "@1.a": "Units strike in their turn.", "@1.b": "A strike harms.",
    }  # fmt: skip


def test_types_stand_behind_a_colon(at: At) -> None:
    found = at("let x: |")
    assert {"Unit", "Stance", "flag", "set", "direction"} <= found.keys()
    assert "striker" not in found


def test_only_procedures_are_performed(at: At) -> None:
    assert [each.text for each in at("perform |").values()] == ["strike"]


def test_parameters_are_proposed_by_name(at: At) -> None:
    assert at("perform strike(striker, |")["target: "].type == "Unit"


def test_nothing_is_proposed_in_words_and_comments(at: At) -> None:
    assert at('let x = 1 "a |') == {}
    assert at("let x = 1  # a |") == {}


def test_a_line_that_cannot_be_read_above_takes_nothing_away(typed: Typed) -> None:
    opened, offset = typed(LINE, "    let ( broken\n    let x = striker.|\n")
    assert "health" in {each.text for each in propose_completions(opened, offset)}


def test_the_top_of_a_file_takes_declarations(typed: Typed) -> None:
    opened, offset = typed("term worn", "|\nterm worn")
    found = {each.text for each in propose_completions(opened, offset)}
    assert {"term", "procedure", "kind"} <= found
    assert "let" not in found


def test_amendments_name_addresses(desk: Workspace) -> None:
    content = FILES[OVERLAY] + "remove "
    desk.change_text(OVERLAY, content)
    found = {each.text for each in propose_completions(desk.open_document(OVERLAY), len(content))}
    assert {"harm/wary", "strike/1", "strike/2"} <= found


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
