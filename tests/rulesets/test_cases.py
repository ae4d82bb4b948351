"""Plays the scenarios beside every ruleset, and every case of `*.cases.yaml` from the command line; see README.md."""

import io
import json
import re
import shlex
from collections.abc import Iterator
from contextlib import redirect_stdout
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from following import follow

from rulewright.cli import opening
from rulewright.cli.loading import load_program
from rulewright.cli.main import execute
from rulewright.diagnostics.as_text import plain
from rulewright.diagnostics.paint import PLAIN
from rulewright.drivers.run import run
from rulewright.files import DISK
from rulewright.inputs.arguments import read_arguments
from rulewright.inputs.state_file import read_state
from rulewright.machine.compile import compile_program
from rulewright.machine.executable import Executable
from rulewright.machine.request import Ended
from rulewright.program.declarations import Program
from rulewright.scenarios.beginning import Rules
from rulewright.scenarios.beginning import opening as open_scenario
from rulewright.scenarios.loading import cases_of
from rulewright.scenarios.playing import play as play_scenario
from rulewright.scenarios.suite import Case
from rulewright.scenarios.telling import Telling
from rulewright.source import Text
from rulewright.workspace import Loaded, load, locate

HERE = Path(__file__).parent
RULESETS = HERE.parents[1] / "rulesets"
SUITES = {file.name.partition(".")[0]: yaml.safe_load(file.read_text(encoding="utf-8")) for file in HERE.glob("*.yaml")}
SHIPPED = sorted(each.name for each in RULESETS.iterdir() if each.is_dir())
RULES = Rules(DISK)


def scenarios(name: str) -> tuple[Case, ...]:
    """The scenarios beside a ruleset; none where there is no file of them."""
    if not list((RULESETS / name).glob("*.scenario.yaml")):
        return ()
    found = cases_of([str(RULESETS / name)], RULES)
    assert found.diagnostics == (), "\n".join(plain(each, RULES.texts) for each in found.diagnostics)
    return found.value or ()


SCENARIOS = {name: scenarios(name) for name in SHIPPED}


@pytest.mark.parametrize(
    "case",
    [pytest.param(case, id=f"{name}: {case.name}") for name in SHIPPED for case in SCENARIOS[name]],
)
def test_scenario(case: Case) -> None:
    result = play_scenario(case, RULES)
    said = [*Telling(PLAIN).lines(result), *(plain(each, RULES.texts) for each in result.wrong)]
    assert result.outcome == "passed", "\n".join(said)
    check_scenario_judged(case)


def check_scenario_judged(case: Case) -> None:
    """The judge, given the same answers, comes to the same end."""
    opened = open_scenario(case, RULES).value
    assert opened is not None
    begun = opened.begun
    session = run(begun, opened.sources(case, 0)).session
    if isinstance(session.outcome, Ended):
        answers = [answer for _, _, answer in session.answers()]
        follow(begun.executable, begun.situation, begun.procedure.name, begun.arguments, answers)


COMPILED: dict[int, Executable] = {}


@cache
def loaded(name: str, amended: tuple[str, ...]) -> tuple[Program, Loaded]:
    return load_program(name, amended)


def compiled(program: Program, *, traced: bool) -> Executable:
    if id(program) not in COMPILED:
        COMPILED[id(program)] = compile_program(program, traced=traced)
    return COMPILED[id(program)]


@pytest.fixture(autouse=True)
def rulesets_are_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "load_program", lambda name, amended: loaded(name, tuple(amended)))
    monkeypatch.setattr(opening, "compile_program", compiled)


def collected() -> list[Any]:
    return [
        pytest.param(suite, case, id=f"{name}: {case['name']}")
        for name, suite in sorted(SUITES.items())
        for case in suite["cases"]
    ]


def merged(base: Any, patch: Any) -> Any:
    if not isinstance(base, dict) or not isinstance(patch, dict):
        return deepcopy(patch)
    return {**base, **{key: merged(base.get(key), value) for key, value in patch.items()}}


def overlays(suite: dict[str, Any], case: dict[str, Any]) -> tuple[str, ...]:
    return tuple(str(RULESETS / suite["ruleset"] / f"{each}.rules") for each in case.get("overlays", ()))


@cache
def plurals(ruleset: str, amended: tuple[str, ...]) -> dict[str, str]:
    program = load(locate(ruleset), amended).program
    assert program is not None
    return {"player": "players", **{kind.name: kind.plural for kind in program.kinds.values()}}


def play(suite: dict[str, Any], case: dict[str, Any], script: Any, folder: Path) -> dict[str, Any]:
    folder.mkdir(exist_ok=True)
    state, answers = folder / "state.json", folder / "script.json"
    state.write_text(json.dumps(merged(suite["state"], case.get("patch", {}))), encoding="utf-8")
    answers.write_text(json.dumps(script), encoding="utf-8")
    roles = case.get("with", suite.get("with", {}))
    arguments = ["run", suite["ruleset"], procedure(suite, case), "--state", str(state), "--script", str(answers)]
    arguments += [word for role, thing in roles.items() for word in ("--with", f"{role}={thing}")]
    settings = {**suite.get("settings", {}), **case.get("settings", {})}
    arguments += [word for name, value in settings.items() for word in ("--set", f"{name}={written(value)}")]
    arguments += [word for overlay in overlays(suite, case) for word in ("--overlay", overlay)]
    printed = io.StringIO()
    with redirect_stdout(printed):
        execute([*arguments, "--format", "json", "--trace", "full"])
    played: dict[str, Any] = json.loads(printed.getvalue())
    return played


def procedure(suite: dict[str, Any], case: dict[str, Any]) -> str:
    return str(case.get("procedure", suite["procedure"]))


def written(value: Any) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def changes(played: dict[str, Any], known: dict[str, str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for change in played["changes"]:
        owner, _, name = change["place"].rpartition("/")
        key = ",".join(map(str, change["key"])) if isinstance(change["key"], list) else change["key"]
        if name == "gone":
            found.setdefault("removed", []).append(key)
        elif owner in known:
            found.setdefault(known[owner], {}).setdefault(key, {})[name] = change["after"]
        elif owner == "game":
            found.setdefault(owner, {})[name] = change["after"]
        elif owner:
            found.setdefault(owner, {}).setdefault("cells", {}).setdefault(key, {})[name] = change["after"]
        else:
            found.setdefault(name, {})[key] = change["after"]
    return found


def tail(address: str, suite: dict[str, Any], case: dict[str, Any]) -> str:
    return address.removeprefix(f"{procedure(suite, case)}/")


def listed(suite: dict[str, Any], case: dict[str, Any], entries: list[dict[str, Any]]) -> list[str]:
    return [tail(each["address"], suite, case) for each in entries]


@pytest.mark.parametrize(("suite", "case"), collected())
def test_case(suite: dict[str, Any], case: dict[str, Any], tmp_path: Path) -> None:
    played = play(suite, case, case["script"], tmp_path / "play")
    if "refused" in case:
        assert played["outcome"] == "refused"
        assert [reason["text"] for reason in played["reasons"]] == case["refused"]
        assert played["changes"] == []
        return
    if "wrong" in case:
        assert [each["message"] for each in played["diagnostics"]] == case["wrong"]
        return
    assert played["diagnostics"] == []
    assert played["outcome"] == ("faulted" if "fault" in case else "ended")
    assert "fault" not in case or played["fault"]["code"] == case["fault"]
    assert changes(played, plurals(suite["ruleset"], overlays(suite, case))) == case["changes"]
    assert played["result"] == case.get("result", played["result"])
    assert played["measures"].items() >= case.get("measures", {}).items()
    assert set(case.get("rulings", ())) <= set(played["rulings"])
    check_values(suite, case, played)
    check_path(suite, case, played)
    check_questions(suite, case, played)
    for number, rejected in enumerate(case.get("rejects", ())):
        check_rejected(suite, case, rejected, played, tmp_path / f"reject{number}")
    if "fault" not in case:
        check_judged(suite, case, played)


def check_path(suite: dict[str, Any], case: dict[str, Any], played: dict[str, Any]) -> None:
    for key, sort in (("path", "run"), ("passed_over", "passed over")):
        steps = [each["step"] for each in played["path"] if each["outcome"] == sort]
        assert steps == case.get(key, steps)
    for address, row in case.get("decided", {}).items():
        taken = [
            [judged["id"] for judged in each["rows"] if judged["outcome"] == "taken"]
            for each in played["events"]
            if tail(each["address"], suite, case) == address
        ]
        assert taken == [[row]]


def check_values(suite: dict[str, Any], case: dict[str, Any], played: dict[str, Any]) -> None:
    for address, values in case.get("values", {}).items():
        found = [each for each in played["events"] if tail(each["address"], suite, case) == address]
        assert [each["result"] for each in found if each["sort"] != "call"] == values
    for name, rows in case.get("counted", {}).items():
        read = [each for event in played["events"] for each in nested(event) if each["sort"] == "tally"]
        counting = [
            [[row["id"], row["value"]] for row in each["rows"] if row["outcome"] == "applied"]
            for each in read
            if each["address"] == name
        ]
        assert counting == rows


def nested(event: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield event
    for inner in event["inner"]:
        yield from nested(inner)


def check_questions(suite: dict[str, Any], case: dict[str, Any], played: dict[str, Any]) -> None:
    asked = listed(suite, case, played["answers"])
    assert asked == case.get("asked", asked)
    players = [each["player"] for each in played["answers"]]
    assert players == case.get("players", players)
    for address, player in case.get("asked_of", {}).items():
        there = [each["player"] for each in played["answers"] if tail(each["address"], suite, case) == address]
        assert there == [player]
    for address, answers in case.get("legal", {}).items():
        legal = [each["legal"] for each in played["events"] if tail(each["address"], suite, case) == address]
        assert legal == [answers]


def check_rejected(
    suite: dict[str, Any], case: dict[str, Any], rejected: dict[str, Any], played: dict[str, Any], folder: Path
) -> None:
    places = [at for at, asked in enumerate(listed(suite, case, played["answers"])) if asked == rejected["at"]]
    place = places[rejected.get("time", 1) - 1]
    stopped = play(suite, case, [*case["script"][:place], rejected["answer"]], folder)
    assert stopped["outcome"] == "unanswered"
    assert [each["message"] for each in stopped["diagnostics"]] == [rejected["message"]]


def check_judged(suite: dict[str, Any], case: dict[str, Any], played: dict[str, Any]) -> None:
    """The judge, given the same answers, comes to the same end."""
    program, _ = loaded(suite["ruleset"], overlays(suite, case))
    state = Text("state.json", json.dumps(merged(suite["state"], case.get("patch", {}))))
    settings = {**suite.get("settings", {}), **case.get("settings", {})}
    situation = read_state(state, program, [f"{name}={written(value)}" for name, value in settings.items()]).value
    assert situation is not None
    roles = [f"{role}={thing}" for role, thing in case.get("with", suite.get("with", {})).items()]
    name = procedure(suite, case)
    arguments = read_arguments(roles, program.procedures[name], situation, program).value
    assert arguments is not None
    answers = [each["answer"] for each in played["answers"]]
    follow(compiled(program, traced=True), situation, name, arguments, answers)


@pytest.mark.parametrize("name", SHIPPED)
def test_every_clause_with_an_observable_is_shown_by_a_case(name: str) -> None:
    linked = load(locate(name)).linked
    assert linked is not None
    covered = {
        clause
        for suite in SUITES.values()
        if suite["ruleset"] == name
        for case in suite["cases"]
        for clause in case.get("covers", ())
    } | {clause.text for case in SCENARIOS[name] for clause in case.covers}
    seen = {entry.id for entries in linked.clauses.values() for entry in entries if entry.observable}
    assert sorted(seen - covered) == []


@pytest.mark.parametrize("name", SHIPPED)
def test_every_case_covers_clauses_that_are_listed(name: str) -> None:
    linked = load(locate(name)).linked
    assert linked is not None
    known = {entry.id for entries in linked.clauses.values() for entry in entries}
    suites = [suite for suite in SUITES.values() if suite["ruleset"] == name]
    assert [
        each for suite in suites for case in suite["cases"] for each in case.get("covers", ()) if each not in known
    ] == []


def commands() -> list[str]:
    readmes = [folder / "README.md" for folder in RULESETS.iterdir() if folder.is_dir()]
    blocks = [block for each in readmes for block in SHELL.findall(each.read_text(encoding="utf-8"))]
    return [line for block in blocks for line in block.splitlines() if not line.startswith("rulewright play ")]


SHELL = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("line", sorted(commands()))
def test_the_commands_of_the_readmes_work(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(RULESETS.parent)
    with redirect_stdout(io.StringIO()):
        assert execute(shlex.split(line)[1:]) == 0
