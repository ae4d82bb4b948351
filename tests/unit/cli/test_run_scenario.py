"""`run` and `play` of scenarios: what a shipped ruleset has, who answers, what is saved and shown."""

from rulewright.cli.main import VERB_DESCRIPTIONS, VERB_GROUPS


def test_every_verb_has_one_purpose() -> None:
    assert sorted(VERB_DESCRIPTIONS) == sorted(verb for verbs in VERB_GROUPS.values() for verb in verbs)
    assert list(VERB_GROUPS)[-1] == "For people who build rulewright"
    assert list(VERB_GROUPS["For people who build rulewright"]) == ["show"]
