"""Prints how fast the course of a melee is played, beside Python and other engines: `python course.py` in this folder.

All sides play the sixteen starts in turn, each with its own dice. The other engines come with the extra `bench`.
A test beside this file sees every side end alike on the same faces; ZEN throws its own, so of it the share of plays
is compared that the striker wins.
"""

import json
from collections.abc import Callable, Iterator
from html import escape
from pathlib import Path
from random import Random
from statistics import median
from time import process_time
from typing import Any

from rulewright.documents.name_table import NameTable
from rulewright.documents.ruleset_loading import load_ruleset
from rulewright.documents.ruleset_location import locate_ruleset
from rulewright.play.answer_sources import AnswerSourceChain
from rulewright.play.seeded_random import SeededRandom
from rulewright.play.session import PlayStart, run_to_end
from rulewright.program.declarations import Program
from rulewright.runtime.executable import Executable, compile_program
from rulewright.runtime.faults import RunLimits
from rulewright.runtime.request import Ended
from rulewright.runtime.run import Outcome
from rulewright.runtime.state import GameSetup, Situation

RULES = Path(__file__).with_name("course.rules")
FLAGS = ("charges", "rallies", "barbed", "pushes", "stands", "follows")
STARTS = 16
Fight = dict[str, Any]
Dice = Callable[[], int]
Play = Callable[[int], Any]


def fight(number: int) -> Fight:
    """The start of a number: `a` strikes, `b` is the target."""
    flags = {name: bool((number * 5 + 3) >> place & 1) for place, name in enumerate(FLAGS)}
    return {
        "a_health": 1 + number % 4,
        "a_nerve": 1 + number % 3,
        "a_dice": 3 + number % 4,
        "a_spot": 0,
        "b_health": 1 + number * 3 % 7,
        "b_nerve": number % 3,
        "b_dice": 2 + number * 5 % 5,
        "b_spot": 1,
        "exits": number % 3,
        "ahead": 0,
        "dealt": 0,
        "taken": 0,
        "actions": 0,
        **flags,
    }


RESULT = ("ahead", "a_health", "a_nerve", "a_spot", "b_health", "b_nerve", "b_spot", "actions")


def result(found: Fight) -> tuple[int, ...]:
    """What a fight comes to."""
    return tuple([int(found[name]) for name in RESULT])


# The steps, on a dictionary.


def throw(die: Dice, count: int, least: int) -> int:
    """Dice of so many that show at least a face."""
    return sum([die() >= least for _ in range(count)])


def charge(s: Fight, die: Dice) -> None:
    """Step 1."""
    if s["charges"] and throw(die, 1, 5):
        s["b_health"] = max(0, s["b_health"] - 1)
    if not s["b_health"]:
        s["ahead"] = 1


def rally(s: Fight, _die: Dice) -> None:
    """Step 2."""
    if s["rallies"] and s["a_nerve"] > 1:
        s["a_nerve"] -= 1
        s["a_dice"] += 1


def blows(s: Fight, die: Dice) -> None:
    """Step 3."""
    s["dealt"], s["taken"] = throw(die, s["a_dice"], 4), throw(die, s["b_dice"], 4)
    s["b_health"] = max(0, s["b_health"] - s["dealt"])
    s["a_health"] = max(0, s["a_health"] - s["taken"])


def barbs(s: Fight, _die: Dice) -> None:
    """Step 4."""
    if s["barbed"] and s["dealt"] >= 3:
        s["a_health"] = max(0, s["a_health"] - 1)
        s["taken"] += 1


def weigh(s: Fight, _die: Dice) -> None:
    """Step 5."""
    if not s["a_health"] and not s["b_health"]:
        return
    s["ahead"] = 1 if not s["b_health"] or (s["a_health"] and s["dealt"] > s["taken"]) else 2
    behind = "b_nerve" if s["ahead"] == 1 else "a_nerve"
    s[behind] = max(0, s[behind] - 1)


def push(s: Fight, _die: Dice) -> None:
    """Step 6."""
    pushed, pushing = ("b", "a") if s["ahead"] == 1 else ("a", "b")
    if not s["pushes"]:
        return
    if s[f"{pushed}_nerve"] and (s["stands"] or not s["exits"]):
        s[f"{pushed}_nerve"] -= 1
    elif not s["exits"]:
        s[f"{pushed}_health"] = max(0, s[f"{pushed}_health"] - 1)
    else:
        left = s[f"{pushed}_spot"]
        s[f"{pushed}_spot"] = 2 if pushed == "b" else -1
        s[f"{pushing}_spot"] = left


def follow(s: Fight, _die: Dice) -> None:
    """Step 7."""
    if s["follows"]:
        behind, before = ("b", "a") if s["ahead"] == 1 else ("a", "b")
        s[f"{before}_spot"] = s[f"{behind}_spot"]


def end(s: Fight, _die: Dice) -> None:
    """Step 8."""
    s["actions"] += 1


STEPS = (charge, rally, blows, barbs, weigh, push, follow, end)


def fallen(s: Fight) -> bool:
    """Whether the target is out."""
    return not s["b_health"]


def both(s: Fight) -> bool:
    """Whether both are out."""
    return not s["a_health"] and not s["b_health"]


def either(s: Fight) -> bool:
    """Whether one is out."""
    return not s["a_health"] or not s["b_health"]


WAYS: dict[str, list[tuple[str, str]]] = {
    "charge": [("fallen", "follow"), ("", "rally")],
    "rally": [("", "blows")],
    "blows": [("", "barbs")],
    "barbs": [("", "weigh")],
    "weigh": [("both", "end"), ("either", "follow"), ("", "push")],
    "push": [("either", "follow"), ("", "end")],
    "follow": [("", "end")],
}
"""After each step the conditions in order, and where they lead."""


def in_python(die: Dice, start: Callable[[int], Fight] = fight) -> Play:
    """The steps called by one function, as anybody would write it."""

    def play(number: int) -> tuple[int, ...]:
        s = start(number % STARTS)
        charge(s, die)
        if not fallen(s):
            rally(s, die)
            blows(s, die)
            barbs(s, die)
            weigh(s, die)
            if not both(s) and not either(s):
                push(s, die)
        if either(s) and not both(s):
            follow(s, die)
        end(s, die)
        return result(s)

    return play


def in_transitions(die: Dice) -> Play:
    """`transitions`: a state for each step, entered by calling its function."""
    from transitions import Machine  # noqa: PLC0415

    class Model:
        s: Fight
        state: str

        fallen = lambda self: fallen(self.s)  # noqa: E731
        both = lambda self: both(self.s)  # noqa: E731
        either = lambda self: either(self.s)  # noqa: E731

    model: Any = Model()
    for step in STEPS:
        setattr(model, f"do_{step.__name__}", lambda step=step: step(model.s, die))
    machine = Machine(
        model,
        states=["ready", *({"name": each.__name__, "on_enter": f"do_{each.__name__}"} for each in STEPS)],
        transitions=[
            {"trigger": "go", "source": "ready", "dest": "charge"},
            *(
                {"trigger": "go", "source": step, "dest": then, "conditions": [test] if test else []}
                for step, ways in WAYS.items()
                for test, then in ways
            ),
        ],
        initial="ready",
        auto_transitions=False,
    )

    def play(number: int) -> tuple[int, ...]:
        model.s = fight(number % STARTS)
        machine.set_state("ready")
        while model.state != "end":
            model.go()
        return result(model.s)

    return play


SCRIPTS = {
    "charge": """
if charges and throw(1, 5):
    b_health = max(0, b_health - 1)
if not b_health:
    ahead = 1""",
    "rally": """
if rallies and a_nerve > 1:
    a_nerve -= 1
    a_dice += 1""",
    "blows": """
dealt = throw(a_dice, 4)
taken = throw(b_dice, 4)
b_health = max(0, b_health - dealt)
a_health = max(0, a_health - taken)""",
    "barbs": """
if barbed and dealt >= 3:
    a_health = max(0, a_health - 1)
    taken += 1""",
    "weigh": """
if a_health or b_health:
    ahead = 1 if not b_health or (a_health and dealt > taken) else 2
    if ahead == 1:
        b_nerve = max(0, b_nerve - 1)
    else:
        a_nerve = max(0, a_nerve - 1)""",
    "push": """
nerve = b_nerve if ahead == 1 else a_nerve
if pushes and nerve and (stands or not exits):
    if ahead == 1:
        b_nerve -= 1
    else:
        a_nerve -= 1
elif pushes and not exits:
    if ahead == 1:
        b_health = max(0, b_health - 1)
    else:
        a_health = max(0, a_health - 1)
elif pushes and ahead == 1:
    a_spot = b_spot
    b_spot = 2
elif pushes:
    b_spot = a_spot
    a_spot = -1""",
    "follow": """
if follows and ahead == 1:
    a_spot = b_spot
elif follows:
    b_spot = a_spot""",
    "end": "actions += 1",
}
TESTS = {"fallen": "not b_health", "both": "not a_health and not b_health", "either": "not a_health or not b_health"}


def _bpmn() -> str:
    """The steps as script tasks, the ways as exclusive gateways."""
    parts = ['<startEvent id="start"/>', '<endEvent id="over"/>']
    flows: list[str] = []

    def lead(source: str, target: str, test: str = "") -> str:
        name = f"flow{len(flows)}"
        condition = f"<conditionExpression>{escape(TESTS[test])}</conditionExpression>" if test else ""
        flows.append(f'<sequenceFlow id="{name}" sourceRef="{source}" targetRef="{target}">{condition}</sequenceFlow>')
        return name

    lead("start", "charge")
    for name, script in SCRIPTS.items():
        parts.append(f'<scriptTask id="{name}"><script>{escape(script.strip())}</script></scriptTask>')
        ways = WAYS.get(name, [("", "over")])
        if len(ways) == 1:
            lead(name, ways[0][1])
            continue
        lead(name, f"after_{name}")
        otherwise = [lead(f"after_{name}", then, test) for test, then in ways][-1]
        parts.append(f'<exclusiveGateway id="after_{name}" default="{otherwise}"/>')
    inside = "".join(parts + flows)
    return (
        '<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" id="all" targetNamespace="course">'
        f'<process id="course" isExecutable="true">{inside}</process></definitions>'
    )


def in_spiff(die: Dice) -> Play:
    """SpiffWorkflow: a process of BPMN whose scripts are Python."""
    from SpiffWorkflow.bpmn.parser.BpmnParser import BpmnParser  # noqa: PLC0415
    from SpiffWorkflow.bpmn.script_engine import PythonScriptEngine, TaskDataEnvironment  # noqa: PLC0415
    from SpiffWorkflow.bpmn.workflow import BpmnWorkflow  # noqa: PLC0415

    parser = BpmnParser()
    parser.add_bpmn_str(_bpmn().encode())
    process = parser.get_spec("course")
    engine = PythonScriptEngine(
        environment=TaskDataEnvironment({"throw": lambda count, least: throw(die, count, least), "max": max})
    )

    def play(number: int) -> tuple[int, ...]:
        workflow = BpmnWorkflow(process, script_engine=engine)
        workflow.task_tree.data.update(fight(number % STARTS))
        workflow.run_all()
        return result(workflow.last_task.data)

    return play


def _zen() -> Iterator[tuple[str, str, Any]]:
    """The steps as nodes of expressions: name, sort, what it computes or where it leads."""
    hits = "sum(map([1..{0}], rand(5) >= 3 ? 1 : 0))"
    yield "charge", "compute", {"b_health": "charges and rand(5) >= 4 ? max([0, b_health - 1]) : b_health"}
    yield "won", "compute", {"ahead": "1"}
    yield (
        "rally",
        "compute",
        {
            "a_dice": "rallies and a_nerve > 1 ? a_dice + 1 : a_dice",
            "a_nerve": "rallies and a_nerve > 1 ? a_nerve - 1 : a_nerve",
        },
    )
    yield (
        "blows",
        "compute",
        {
            "dealt": hits.format("a_dice"),
            "taken": hits.format("b_dice"),
            "b_health": "max([0, b_health - $.dealt])",
            "a_health": "max([0, a_health - $.taken])",
        },
    )
    yield (
        "barbs",
        "compute",
        {
            "a_health": "barbed and dealt >= 3 ? max([0, a_health - 1]) : a_health",
            "taken": "barbed and dealt >= 3 ? taken + 1 : taken",
        },
    )
    yield (
        "weigh",
        "compute",
        {
            "ahead": "a_health == 0 and b_health == 0 ? 0"
            " : (b_health == 0 or (a_health > 0 and dealt > taken) ? 1 : 2)",
            "b_nerve": "$.ahead == 1 ? max([0, b_nerve - 1]) : b_nerve",
            "a_nerve": "$.ahead == 2 ? max([0, a_nerve - 1]) : a_nerve",
        },
    )
    yield (
        "push",
        "compute",
        {
            "nerve": "ahead == 1 ? b_nerve : a_nerve",
            "what": "not pushes ? 0 : ($.nerve > 0 and (stands or exits == 0) ? 1 : (exits == 0 ? 2 : 3))",
            "b_nerve": "$.what == 1 and ahead == 1 ? b_nerve - 1 : b_nerve",
            "a_nerve": "$.what == 1 and ahead == 2 ? a_nerve - 1 : a_nerve",
            "b_health": "$.what == 2 and ahead == 1 ? max([0, b_health - 1]) : b_health",
            "a_health": "$.what == 2 and ahead == 2 ? max([0, a_health - 1]) : a_health",
            "old_a": "a_spot",
            "a_spot": "$.what == 3 ? (ahead == 1 ? b_spot : -1) : a_spot",
            "b_spot": "$.what == 3 ? (ahead == 1 ? 2 : $.old_a) : b_spot",
        },
    )
    yield (
        "follow",
        "compute",
        {
            "old_a": "a_spot",
            "a_spot": "follows and ahead == 1 ? b_spot : a_spot",
            "b_spot": "follows and ahead == 2 ? $.old_a : b_spot",
        },
    )
    yield "end", "compute", {"actions": "actions + 1"}
    yield "after_charge", "switch", [("b_health == 0", "won"), ("", "rally")]
    yield (
        "after_weigh",
        "switch",
        [("a_health == 0 and b_health == 0", "end"), ("a_health == 0 or b_health == 0", "follow"), ("", "push")],
    )
    yield "after_push", "switch", [("a_health == 0 or b_health == 0", "follow"), ("", "end")]


def _decision() -> dict[str, Any]:
    nodes: list[Any] = [
        {"id": "in", "name": "in", "type": "inputNode", "content": {}},
        {"id": "out", "name": "out", "type": "outputNode", "content": {}},
    ]
    edges: list[Any] = []

    def lead(source: str, target: str, **more: str) -> None:
        edges.append({"id": f"edge{len(edges)}", "type": "edge", "sourceId": source, "targetId": target, **more})

    for name, sort, what in _zen():
        content: dict[str, Any]
        if sort == "compute":
            expressions = [{"id": f"{name}.{key}", "key": key, "value": value} for key, value in what.items()]
            content = {"passThrough": True, "inputField": None, "outputPath": None, "executionMode": "single"}
            nodes.append(
                {"id": name, "name": name, "type": "expressionNode", "content": {**content, "expressions": expressions}}
            )
            continue
        statements = [{"id": f"{name}.{then}", "condition": test, "isDefault": not test} for test, then in what]
        nodes.append(
            {
                "id": name,
                "name": name,
                "type": "switchNode",
                "content": {"hitPolicy": "first", "statements": statements},
            }
        )
        for _, then in what:
            lead(name, then, sourceHandle=f"{name}.{then}")
    ways = "in charge, charge after_charge, won follow, rally blows, blows barbs, barbs weigh, weigh after_weigh, "
    ways += "push after_push, follow end, end out"
    for pair in ways.split(", "):
        lead(*pair.split())
    return {"nodes": nodes, "edges": edges}


def in_zen() -> Play:
    """ZEN: one decision graph, traced, with its own dice."""
    import zen  # noqa: PLC0415

    decision = zen.ZenEngine().create_decision(json.dumps(_decision()))

    def play(number: int) -> tuple[int, ...]:
        return result(decision.evaluate(fight(number % STARTS), {"trace": True})["result"])

    return play


# Rulewright.


def program() -> Program:
    """The course of a melee."""
    found = load_ruleset(locate_ruleset(str(RULES)), ())
    assert found.program is not None, found.diagnostics
    return found.program


def situation(number: int) -> Situation:
    """The start of a number, for the rules."""
    s = fight(number)
    pairs = {name: (s[f"a_{name}"], s[f"b_{name}"]) for name in ("health", "nerve", "dice", "spot")}
    columns = {f"Fighter/{name}": pair for name, pair in {"owner": (0, 1), **pairs}.items()}
    game = {name: s[name] for name in (*FLAGS, "exits", "actions")}
    return Situation(GameSetup({"player": ("red", "blue"), "Fighter": ("a", "b")}, {}, {}), columns, {}, game, {})


def by_rules(executable: Executable) -> Callable[[int], Outcome]:
    """Plays the rules as the verb `run` does, seeded by the number of the play."""
    names = NameTable(executable.program, situation(0).base)
    procedure = executable.program.procedures["melee"]
    begun = [PlayStart(executable, procedure, situation(number), (0, 1), RunLimits()) for number in range(STARTS)]

    def play(number: int) -> Outcome:
        outcome = run_to_end(
            begun[number % STARTS], AnswerSourceChain(names, SeededRandom(number), policy="random")
        ).session.outcome
        assert isinstance(outcome, Ended), outcome
        return outcome

    return play


def result_of(outcome: Outcome) -> tuple[int, ...]:
    """What a play by the rules comes to."""
    assert isinstance(outcome, Ended)
    state = outcome.state
    ours = [state.get_attribute(f"Fighter/{name}", each) for each in (0, 1) for name in ("health", "nerve", "spot")]
    return (outcome.result, *ours, state.game[state.layout.game.index("actions")])  # type: ignore[arg-type]


def seconds(play: Play, plays: int, rounds: int = 5) -> float:
    """The time of one play."""
    times = []
    for _ in range(rounds):
        begun = process_time()
        for number in range(plays):
            play(number)
        times.append((process_time() - begun) / plays)
    return median(times)


def figures() -> dict[str, float]:
    """Seconds of one play, by who plays; engines that are not installed are left out."""
    draw = Random(5).randint
    sides: dict[str, Callable[[], Play]] = {
        "Python": lambda: in_python(lambda: draw(1, 6)),
        "no trace": lambda: by_rules(compile_program(program(), traced=False)),
        "full trace": lambda: by_rules(compile_program(program(), traced=True)),
        "transitions": lambda: in_transitions(lambda: draw(1, 6)),
        "zen, traced": in_zen,
        "SpiffWorkflow": lambda: in_spiff(lambda: draw(1, 6)),
    }
    found = {}
    for name, made in sides.items():
        try:
            play = made()
        except ModuleNotFoundError:
            continue
        found[name] = seconds(play, 160 if name == "SpiffWorkflow" else 800)
    return found


def main() -> None:
    """Prints the table."""
    found = figures()
    for name, each in found.items():
        speed = f"Python {found['Python'] / each:.2f}, full trace {each / found['full trace']:.2f}"
        print(f"{name:<16} {each * 1e6:8.1f} µs a play, {speed}")


if __name__ == "__main__":
    main()
