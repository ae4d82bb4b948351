"""What is no change of play is never called one, and a comparison reads the same from both sides."""

import re
from collections import Counter
from random import Random

from hypothesis import assume, given, settings, strategies as st

from rulewright.base.source import Text
from rulewright.diff.comparison import RulesetComparison, compare_rulesets
from rulewright.diff.edits import AddEdit, Edit, MoveEdit, RemoveEdit
from rulewright.syntax.format import format_file
from rulewright.syntax.parser import parse_rules_text
from support.random_programs import write_program
from support.reference.ruleset_texts import load_text, read_rules
from support.sample_sizes import choose_count

SEEDS = st.integers(0, 2**32)
EXAMPLES = settings(max_examples=choose_count(3, 20), deadline=None)


def compare_texts(old: str, new: str) -> RulesetComparison:
    return compare_rulesets(load_text(old), load_text(new))


@EXAMPLES
@given(seed=SEEDS)
def test_a_text_is_identical_with_itself(seed: int) -> None:
    text = write_program("random", seed)
    found = compare_texts(text, text)
    assert str(found.static_verdict) == "identical"
    assert found.edits == ()


@EXAMPLES
@given(seed=SEEDS)
def test_layout_is_cosmetic(seed: int) -> None:
    text = write_program("random", seed).replace("procedure", "# here\n\nprocedure")
    file = parse_rules_text(Text("r.rules", text)).file
    assert file is not None
    found = compare_texts(text, format_file(file, Text("r.rules", text)) + "\n# the end\n")
    assert str(found.static_verdict) == "cosmetic"
    assert found.edits == ()


@EXAMPLES
@given(seed=SEEDS)
def test_the_order_of_declarations_is_no_change_of_play(seed: int) -> None:
    draw = Random(seed)
    head = read_rules("random")
    header, *declared = re.findall(r"^\S.*\n(?:[ ].*\n)*", head, re.MULTILINE)
    text = write_program("random", seed)
    main = text.removeprefix(head)
    shuffled = draw.sample(declared, len(declared))
    found = compare_texts(text, "".join([header, main, *shuffled]))
    assert found.is_proved_equivalent
    assert {type(each) for each in found.edits} <= {MoveEdit}


@EXAMPLES
@given(seed=SEEDS)
def test_names_of_variables_are_cosmetic(seed: int) -> None:
    text = write_program("random", seed)
    renamed = re.sub(r"\bx(\d+)\b", r"other_\1", text)
    assume(renamed != text)
    found = compare_texts(text, renamed)
    assert found.is_proved_equivalent
    assert found.static_verdict is not None
    assert found.static_verdict.word in {"identical", "cosmetic", "equivalent"}


@EXAMPLES
@given(seed=SEEDS)
def test_questions_are_cosmetic(seed: int) -> None:
    text = write_program("random", seed)
    found = compare_texts(text, re.sub(r'"(Do it|Which|How|What)[^"]*"', '"Otherwise"', text))
    assert found.static_verdict is not None
    assert found.static_verdict.word in {"identical", "cosmetic"}


@EXAMPLES
@given(old=SEEDS, new=SEEDS)
def test_both_sides_say_the_same(old: int, new: int) -> None:
    one, other = write_program("random", old), write_program("random", new)
    there, back = compare_texts(one, other), compare_texts(other, one)
    assert (there.text_verdict, there.structure_verdict, str(there.static_verdict)) == (
        back.text_verdict,
        back.structure_verdict,
        str(back.static_verdict),
    )
    assert there.correspondence.invert_direction() == back.correspondence
    assert Counter(map(_mirror_edit, there.edits)) == Counter(map(_describe_edit, back.edits))
    assert (set(there.unproved.old), set(there.unproved.new)) == (set(back.unproved.new), set(back.unproved.old))


def _describe_edit(edit: Edit) -> tuple[str, str, str]:
    old = "" if isinstance(edit, AddEdit) else str(edit.old)
    new = "" if isinstance(edit, RemoveEdit) else str(edit.new)
    return type(edit).__name__, old, new


def _mirror_edit(edit: Edit) -> tuple[str, str, str]:
    name, old, new = _describe_edit(edit)
    return {"AddEdit": "RemoveEdit", "RemoveEdit": "AddEdit"}.get(name, name), new, old
