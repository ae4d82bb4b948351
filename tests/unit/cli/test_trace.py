import pytest

from rulewright.checker.clauses import iterate_margin_cites, resolve_clause_id, trace_clauses
from rulewright.documents.ruleset_loading import load_ruleset
from rulewright.documents.ruleset_location import locate_ruleset
from rulewright.program.walk import map_address_spans
from support.duel_example import RunCommand


def test_every_clause_of_a_shipped_ruleset_is_answered(run: RunCommand) -> None:
    done = run("trace", "mel")
    assert (done.exit, done.err) == (0, "")
    assert done.out.splitlines()[-1] == "MEL: 55 of 55 clauses answered: 55 cited"


@pytest.mark.parametrize("overlay", [(), ("mel_dice",), ("mel_abilities",), ("mel_house_rules",)])
def test_every_cite_of_a_margin_is_traced(overlay: tuple[str, ...]) -> None:
    linked = load_ruleset(locate_ruleset("mel"), overlay).linked
    assert linked is not None
    traced = {
        each.entry.id for document in trace_clauses(linked).documents for each in document.clauses if each.statements
    }
    assert traced == {resolve_clause_id(cite, linked.document_by_source) for cite in iterate_margin_cites(linked)}


@pytest.mark.parametrize("name", ["mel", "tricorne-melee"])
def test_statements_have_the_addresses_of_runs(name: str) -> None:
    loaded = load_ruleset(locate_ruleset(name))
    assert loaded.program is not None
    assert loaded.linked is not None
    traced = {
        each.address for one in trace_clauses(loaded.linked).documents for c in one.clauses for each in c.statements
    }
    assert traced <= set(map_address_spans(loaded.program))
