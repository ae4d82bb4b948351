"""A ruleset that was compiled for scenarios is used again while all its files are the same."""

from pathlib import Path
from shutil import copytree

import pytest

from rulewright.base import disk_cache
from rulewright.base.files import DISK
from rulewright.base.source import Text
from rulewright.documents.findings import ReadResult
from rulewright.documents.ruleset_loading import load_ruleset
from rulewright.documents.ruleset_location import locate_ruleset
from rulewright.scenarios import cached_play
from rulewright.scenarios.cached_play import CachedRulesetLoader, choose_worker_count, play_cases
from rulewright.scenarios.case_opening import RulesetLoader
from rulewright.scenarios.case_play import play_case
from rulewright.scenarios.scenario_files import read_cases
from rulewright.scenarios.suite import ScenarioCase, Suite
from rulewright.scenarios.suite_reader import read_suite
from support.strike_scenarios import STRIKE_HEAD

EXAMPLE = Path(__file__).with_name("example")


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """The rulesets that were loaded, by their main file; all in a copy of the example, with a cache of its own."""
    found: list[str] = []

    def loading(located: cached_play.RulesetLocation, *rest: object) -> cached_play.LoadedRuleset:
        found.append(str(located.main))
        return load_ruleset(located, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(disk_cache, "user_cache_path", lambda _: tmp_path / "cache")
    monkeypatch.setattr(cached_play, "load_ruleset", loading)
    copytree(EXAMPLE, tmp_path / "duel")
    monkeypatch.chdir(tmp_path / "duel")
    return found


def _cases(rules: RulesetLoader) -> tuple[ScenarioCase, ...]:
    Path("one.scenario.yaml").write_text(_SCENARIO, encoding="utf-8")
    found = read_cases(["one.scenario.yaml"], rules).value
    assert found is not None
    return found


def _played() -> tuple[list[str], set[str]]:
    """How the cases come out, and the texts that were read."""
    rules = CachedRulesetLoader(DISK)
    return [play_case(each, rules).outcome for each in _cases(rules)], set(rules.texts)


def test_what_is_kept_plays_the_same(made: list[str]) -> None:
    first = _played()
    assert first == (_OUTCOMES, {"one.scenario.yaml", "duel.rules", "DUEL.clauses.yaml", "blunt.rules"})
    assert _played() == first
    assert made == ["duel.rules"] * 2


def test_another_text_is_compiled_anew(made: list[str]) -> None:
    _played()
    rules = Path("duel.rules")
    rules.write_text(rules.read_text(encoding="utf-8") + "# changed\n", encoding="utf-8")
    _played()
    assert made == ["duel.rules"] * 4


def test_a_file_that_goes_counts(made: list[str]) -> None:
    _played()
    Path("DUEL.clauses.yaml").unlink()
    _played()
    assert made == ["duel.rules"] * 4


def test_what_was_checked_is_compiled_and_kept_like_the_rest(made: list[str]) -> None:
    rules = CachedRulesetLoader(DISK)
    rules.load_uncompiled(locate_ruleset("duel.rules", DISK), (), DISK)
    assert [play_case(each, rules).outcome for each in _cases(rules)] == _OUTCOMES
    assert made == ["duel.rules"] * 2
    Path("DUEL.clauses.yaml").unlink()
    _played()
    assert made == ["duel.rules"] * 4


def test_what_is_damaged_is_made_anew(made: list[str], tmp_path: Path) -> None:
    _played()
    for each in (tmp_path / "cache" / "rulesets").iterdir():
        content = each.read_bytes()
        each.write_bytes(content[:-1])
    assert _played()[0] == _OUTCOMES
    assert made == ["duel.rules"] * 4


def test_what_is_no_ruleset_is_made_anew(made: list[str], tmp_path: Path) -> None:
    _played()
    for each in (tmp_path / "cache" / "rulesets").iterdir():
        cached_play.RULESET_CACHE.store_bytes(each.name, b"no ruleset")
    assert _played()[0] == _OUTCOMES
    assert made == ["duel.rules"] * 4


def test_rules_with_errors_are_not_kept(made: list[str]) -> None:
    rules = Path("duel.rules")
    rules.write_text(rules.read_text(encoding="utf-8") + "\nterm odd: nothing\n", encoding="utf-8")
    assert [_played()[0], _played()[0]] == [["wrong"] * 3] * 2
    assert made == ["duel.rules"] * 4


@pytest.mark.usefixtures("made")
def test_workers_give_results_in_order() -> None:
    rules = CachedRulesetLoader(DISK)
    cases = _cases(rules)
    found = [each for each in play_cases(cases, 2, rules) if each is not None]
    assert [(each.case.name, each.outcome) for each in found] == [
        (case.name, outcome) for case, outcome in zip(cases, _OUTCOMES, strict=True)
    ]


def test_a_worker_is_worth_its_start_for_a_hundred_cases(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 3)
    assert [choose_worker_count(each) for each in (1, 99, 100, 250, 5000)] == [1, 1, 2, 3, 3]


_OUTCOMES = ["passed", "passed", "failed"]
_SCENARIO = (
    STRIKE_HEAD
    + """\
  a hit: {script: [[6]], expect: {result: 2}}
  a blunt hit: {overlays: [blunt.rules], script: [[6]], expect: {result: 1}}
  a miss: {script: [[3]], expect: {result: 1}}
"""
)


def _written(state: str = "a.yaml") -> None:
    Path("a.yaml").write_text(_STATE, encoding="utf-8")
    Path("two.scenario.yaml").write_text(_BESIDE.format(state=state), encoding="utf-8")


@pytest.fixture
def judged(made: list[str], monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The scenario files that were read and judged, by name; all in the folder of `made`."""
    del made
    found: list[str] = []

    def reading(text: Text, *rest: object) -> ReadResult[Suite]:
        found.append(text.name)
        return read_suite(text, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(cached_play, "read_suite", reading)
    _written()
    return found


def _read() -> tuple[ReadResult[tuple[ScenarioCase, ...]], set[str]]:
    rules = CachedRulesetLoader(DISK)
    return read_cases(["two.scenario.yaml"], rules), set(rules.texts)


def test_a_scenario_file_is_judged_once(judged: list[str]) -> None:
    first, again = _read(), _read()
    assert first == again
    assert first[1] == {"two.scenario.yaml", "a.yaml"}
    assert judged == ["two.scenario.yaml"]


@pytest.mark.parametrize("name", ["two.scenario.yaml", "a.yaml"])
def test_another_scenario_file_or_state_is_judged_anew(judged: list[str], name: str) -> None:
    _read()
    Path(name).write_text(Path(name).read_text(encoding="utf-8").replace("health: 5", "health: 6"), encoding="utf-8")
    cases = _read()[0].value
    assert cases is not None
    assert "6" in str(cases[0].state) + str(cases[0].expect)
    assert len(judged) == 2


def test_another_table_is_judged_anew(judged: list[str]) -> None:
    Path("a.yaml").write_text("{players: [red], knights: {csv: k.csv}, game: {active: red}}\n", encoding="utf-8")
    for health in ("5", "6"):
        Path("k.csv").write_text(f"id,owner,health\ngawain,red,{health}\n", encoding="utf-8")
        for _ in range(2):
            cases, texts = _read()
            assert cases.value is not None
            assert f"written='{health}'" in str(cases.value[0].state)
            assert texts == {"two.scenario.yaml", "a.yaml", "k.csv"}
    assert len(judged) == 2


def test_what_a_name_stands_for_counts(judged: list[str]) -> None:
    before = _read()[0].value
    Path("blunt.rules").rename("sharp.rules")
    after = _read()[0].value
    assert before is not None
    assert after is not None
    assert [before[0].overlays[0].text, after[0].overlays[0].text] == ["blunt.rules", "blunt"]
    assert len(judged) == 2


def test_what_is_no_scenario_file_is_judged_anew(judged: list[str], tmp_path: Path) -> None:
    first = _read()
    for each in (tmp_path / "cache" / "scenarios").iterdir():
        cached_play.SUITE_CACHE.store_bytes(each.name, b"no scenarios")
    assert _read() == first
    assert len(judged) == 2


_STATE = "{players: [red], knights: {gawain: {owner: red, health: 5}}, game: {active: red}}\n"
_BESIDE = """\
scenarios:
  one:
    procedure: strike
    overlays: blunt
    state: {state}
    expect: {{measures: {{}}, state: {{knights: {{gawain: {{health: 5}}}}}}}}
"""
