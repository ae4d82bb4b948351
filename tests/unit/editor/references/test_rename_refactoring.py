"""A rename changes every place of a name and nothing else, or says why it is not made."""

from functools import partial

import pytest

from rulewright.base.files import MemoryFiles, RevisedFiles
from rulewright.diff.comparison import compare_rulesets
from rulewright.documents.ruleset_loading import load_ruleset
from rulewright.documents.ruleset_location import locate_ruleset
from rulewright.editor.document_names import play_all_scenarios
from rulewright.editor.name_index import NameTarget
from rulewright.editor.navigation import find_meant_targets, make_search_words, parse_name_query
from rulewright.editor.refactoring import RenameRefusal, RenameResult, rename_target
from rulewright.editor.ruleset_gathering import gather_rulesets
from unit.editor.references.conftest import FILES

SHARED = FILES | {
    "siege/siege.rules": FILES["siege/siege.rules"]
    + 'procedure feint(striker: Unit) "A feint":\n  step 1 "Look":\n    set striker.stance to wary\n',
    "siege/feint.scenario.yaml": FILES["siege/siege.scenario.yaml"].partition("scenarios:")[0]
    + "scenarios:\n  it only looks:\n    procedure: feint\n    expect: {path: [1]}\n",
}
ALIKE = FILES | {
    "siege/siege.rules": FILES["siege/siege.rules"].replace("option stand:", "option wary:"),
    "siege/siege.scenario.yaml": FILES["siege/siege.scenario.yaml"]
    .replace("stand, {good", "wary, {good")
    .replace("answer/stand", "answer/wary"),
}


def _made(spelt: str, name: str, files: dict[str, str]) -> RenameResult | RenameRefusal:
    provider = MemoryFiles(files)
    (target,) = find_meant_targets(parse_name_query(spelt), gather_rulesets("siege", provider))
    gathering = partial(gather_rulesets, "siege", words=make_search_words(target.name, name))
    return rename_target(target, name, gathering, provider, partial(play_all_scenarios, ("siege",)))


def _some() -> list[NameTarget]:
    """One name of each sort; `tests/renames/rename_all.py` renames all of shipped rulesets."""
    first = {each.sort: each for each in reversed(gather_rulesets("siege", MemoryFiles(FILES)).index.list_targets)}
    return [*first.values()]


@pytest.mark.parametrize("target", [pytest.param(each, id=each.address) for each in _some()])
def test_every_name_can_be_another(target: NameTarget) -> None:
    name = f"{target.name}.z" if target.sort == "clause" else f"{target.name}_z"
    provider = MemoryFiles(FILES)
    made = rename_target(
        target, name, partial(gather_rulesets, "siege", words=make_search_words(target.name, name)), provider
    )
    assert isinstance(made, RenameResult)
    after = RevisedFiles(provider, made.after)
    assert [each.outcome for each in play_all_scenarios(("siege",), after)] == ["passed"] * 2
    old, new = (
        load_ruleset(locate_ruleset("siege", provider), provider=provider),
        load_ruleset(locate_ruleset("siege", after), provider=after),
    )
    assert {each.code for each in new.diagnostics} == {each.code for each in old.diagnostics}
    comparison = compare_rulesets(old, new)
    assert comparison.static_verdict is not None


@pytest.mark.parametrize(
    ("spelt", "name", "code", "message"),
    [
        ("Unit.health", "health", "RW1152", "`Unit.health` is called `health` already"),
        ("Unit.health", "2nd", "RW1152", "`2nd` cannot be the name of this attribute"),
        ("Unit.health", "any", "RW1152", "`any` is a word of the language or of data"),
        ("strike/1", "a b", "RW1152", "`a b` cannot be the name of this step"),
        ("Unit.health", "owner", "RW1153", "`owner` is declared twice"),
        ("strike.blow", "target", "RW1153", "`target` is a parameter and cannot be bound again"),
        ("strike/1", "2", "RW1153", "two steps"),
        ("Unit", "unit", "RW1153", "starts with a capital"),
        ("Stance.bold", "wary", "RW1153", "`wary` is declared twice"),
    ],
)
def test_a_name_that_cannot_be_is_refused_in_words(spelt: str, name: str, code: str, message: str) -> None:
    made = _made(spelt, name, FILES)
    assert isinstance(made, RenameRefusal)
    assert made.findings[0].code == code
    assert message in made.findings[0].message


def test_a_role_that_procedures_share_is_refused() -> None:
    made = _made("strike.striker", "attacker", SHARED)
    assert isinstance(made, RenameRefusal)
    assert made.findings[0].code == "RW1154"
    assert made.findings[0].primary is not None
    assert made.findings[0].primary.span.source == "siege/feint.scenario.yaml"


def test_an_answer_without_an_address_is_what_the_play_wanted() -> None:
    """Both a word and an option are called `wary`; the script says only `wary`."""
    made = _made("strike/2/answer/wary", "fight", ALIKE)
    assert isinstance(made, RenameResult)
    assert "script: [[5], fight, {good: yes, bad: no}]" in made.after["siege/siege.scenario.yaml"]
    made = _made("Stance.wary", "shy", ALIKE)
    assert isinstance(made, RenameResult)
    assert "script: [[5], wary, {good: yes, bad: no}]" in made.after["siege/siege.scenario.yaml"]


def test_rules_with_errors_are_not_touched() -> None:
    broken = FILES | {"siege/siege.rules": FILES["siege/siege.rules"].replace("needed(target):", "needled(target):")}
    made = _made("Unit.health", "life", broken)
    assert isinstance(made, RenameRefusal)
    assert made.findings[0].code == "RW0314"


def test_a_name_of_another_folder_is_refused() -> None:
    apart = {
        "base/base.rules": 'ruleset base "Base" revision "1"\nkind Unit, units:\n  health: 0..9\n',
        "siege/siege.rules": 'ruleset siege "A siege" revision "1"\nuse "../base/base.rules"\n'
        'procedure rest(u: Unit) "Rest":\n  add up to 1 to u.health\n',
    }
    made = _made("Unit.health", "life", apart)
    assert isinstance(made, RenameRefusal)
    assert made.findings[0].code == "RW1155"


def test_a_scenario_that_comes_out_otherwise_is_told() -> None:
    """A part of a message from which nobody can tell that it names anything."""
    text = FILES["siege/siege.scenario.yaml"].partition("scenarios:")[0]
    case = "too healthy:\n    patch: {units: {ram: {health: 99}}}\n    expect: {invalid: ['health` of `ram`']}\n"
    made = _made("Unit.health", "life", FILES | {"siege/siege.scenario.yaml": f"{text}scenarios:\n  {case}"})
    assert isinstance(made, RenameRefusal)
    assert made.findings[0].code == "RW1156"
    assert (
        "this scenario fails: it expects health` of `ram` under `invalid`, and gets `life` of"
        in made.findings[0].message
    )


def test_scenarios_of_a_used_ruleset_follow() -> None:
    files = {
        "war/war.rules": 'ruleset war "War" revision "1"\nuse "arms.rules" as arms\n'
        "procedure fight(one: arms.Unit):\n  perform arms.hit(one)\n",
        "war/arms.rules": 'ruleset arms "Arms" revision "1"\nkind Unit, units:\n  health: 0..9\n'
        "procedure hit(one: Unit):\n  take up to 1 from one.health\n",
        "war/arms.scenario.yaml": "ruleset: arms.rules\nprocedure: hit\nwith: {one: ram}\n"
        "state:\n  units: {ram: {health: 3}}\nscenarios:\n  it is hit: {expect: {changes: {units: {ram: {health: 2}}}}}\n",
    }
    gathering = partial(gather_rulesets, "war/war.rules", words=make_search_words("health", "strength"))
    provider = MemoryFiles(files)
    (target,) = find_meant_targets(parse_name_query("Unit.health"), gathering(provider))
    made = rename_target(target, "strength", gathering, provider)
    assert isinstance(made, RenameResult)
    assert made.after["war/arms.scenario.yaml"].count("strength") == 2
