"""The drawing in `interpreter/README.md` is so: one line of MEL is followed through every stage that it names."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from rulewright.base.diagnostics import PLAIN_PAINTER, DiagnosticCollector
from rulewright.base.files import DISK
from rulewright.base.node_roles import walk_nodes
from rulewright.base.source import Text
from rulewright.checker.checker import check_linked_program
from rulewright.checker.linker import SourceFile, link_sources
from rulewright.documents.name_table import NameTable
from rulewright.documents.ruleset_loading import load_ruleset
from rulewright.documents.ruleset_location import locate_ruleset
from rulewright.documents.state_file import read_state
from rulewright.play.play_story import Story
from rulewright.program.core.lowering import lower_program
from rulewright.program.core.walking import walk_forms
from rulewright.program.outline.outline_builder import build_outline
from rulewright.runtime.control_flow_builder import FrameAnalysis, build_control_flow
from rulewright.runtime.executable import compile_source, link_executable
from rulewright.runtime.run import Run
from rulewright.syntax.engine import ParsingEngine, get_engine
from rulewright.syntax.parser import parse_rules_text

ROOT = Path(__file__).parents[2]
README = (ROOT / "interpreter/README.md").read_text(encoding="utf-8")
DRAWING = README.partition("```\n")[2].partition("```")[0]
PACKAGE = ROOT / "interpreter/rulewright"

FOLDER = "rulesets/mel"
LINE = "lost: take 1 from loser.morale"
ADDRESS = "melee_attack/MEL.50/lost"
ANSWERS = (False, False, ((2, 1), ()), False)
"""No formations, an attack test with two wounds to one, and the winner does not push."""

Followed = tuple[Callable[..., Any] | None, Any, bool]
"""What led to a stage, the stage, and whether the line is found in it."""


def followed() -> Iterator[Followed]:
    """The line in each stage, from its text to what a play tells of it."""
    loaded = load_ruleset(locate_ruleset(str(ROOT / FOLDER), DISK), (), DISK)
    texts = {Path(name).name: Text(Path(name).name, text.content) for name, text in loaded.texts.items()}
    text = texts["mel.rules"]
    yield None, text, LINE in text.content

    reading: Any = get_engine().parse_tree(text.content)
    words = [[str(each) for each in line.tokens] for line in reading.lines]
    trees = [each for each in reading.tree.iter_subtrees() if each.data == "labelled" and each.children[0] == "lost"]
    said = ["lost", ":", "take", "1", "from", "loser", ".", "morale", "@50.f", "@50.h"]
    yield ParsingEngine.parse_tree, reading, said in words and [each.children[1].data for each in trees] == ["take"]

    parsed = {name: parse_rules_text(each) for name, each in texts.items() if name.endswith(".rules")}
    labels = [each.label.text for each in walk_nodes(parsed["mel.rules"].file) if getattr(each, "label", None)]
    yield parse_rules_text, parsed["mel.rules"], "lost" in labels

    sources = {
        name: SourceFile(name, each.file, {other: other for other in parsed})
        for name, each in parsed.items()
        if each.file
    }
    assert loaded.linked is not None
    joined = link_sources("mel.rules", sources, (), loaded.linked.clause_lists, DiagnosticCollector())
    yield (
        link_sources,
        joined,
        "lost" in [each.label.text for each in walk_nodes(joined.main.declarations) if _labelled(each)],
    )

    program: Any = check_linked_program(joined).program
    yield (
        check_linked_program,
        program,
        ADDRESS in [getattr(each, "address", "") for each in walk_nodes(program.procedures["melee_attack"])],
    )

    told = build_outline(program, texts)
    said = [(each.address, each.text) for each in told.walk_items()]
    yield build_outline, told, (ADDRESS, "take 1 from loser.morale") in said

    core = lower_program(program)
    stemming = [getattr(getattr(form, "origin", None), "address", "") for form in walk_forms(core.routines)]
    yield lower_program, core, ADDRESS in stemming

    graph = build_control_flow("procedure:melee_attack", FrameAnalysis(core))
    items = walk_forms(*(item for block in graph.blocks for item in block.items))
    yield (
        build_control_flow,
        graph,
        ADDRESS in [getattr(getattr(form, "origin", None), "address", "") for form in items],
    )

    written = compile_source(program, traced=True)
    number = next(each.number for each in written.module.sites if each.address == ADDRESS)
    yield compile_source, written, re.search(rf"T\.append\(\({number}, ", written.source) is not None

    executable = link_executable(written)
    yield link_executable, executable, executable.sites[number].address == ADDRESS

    duel = (ROOT / FOLDER / "examples/duel.yaml").read_text(encoding="utf-8")
    situation: Any = read_state(Text("duel.yaml", duel), program, ()).value
    run = Run.begin(executable, situation, "melee_attack", (0, 1))
    yield Run.begin, run, executable.sites[number].address.startswith("melee_attack/")

    entries: list[Any] = []
    for answer in ANSWERS:
        run.reply(answer)
        entries += run.outcome.entries
    entry = next((each for each in entries if each.address == ADDRESS), None)
    yield Run.reply, entry, entry is not None

    story = "\n".join(Story(NameTable(program, situation.base), "full", PLAIN_PAINTER).render_entries(entries))
    yield Story.render_entries, story, "anvil loses 1 Morale Token: 1 → 0  @MEL.50.f  @MEL.50.h" in story


def _labelled(node: object) -> bool:
    return getattr(node, "label", None) is not None


def test_the_line_is_found_in_every_stage_of_the_drawing() -> None:
    stages = [*followed()]
    assert [found for *_, found in stages] == [True] * len(stages)
    arrows = re.findall(r"^ +│ ([\w.]+)", DRAWING, re.MULTILINE)
    assert arrows == [_called(by) for by, *_ in stages if by is not None]
    drawn = re.findall(r"^ (?! ).*?  +([a-z]\w*(?:\.\w+)*)(?:  |$)", DRAWING, re.MULTILINE)
    assert drawn == [_called(type(value)) for _, value, _ in stages]


def _called(thing: Any) -> str:
    module = thing.__module__.removeprefix("builtins").removeprefix("rulewright.")
    return f"{module}.{thing.__qualname__}".lstrip(".")


def test_the_files_are_counted() -> None:
    """The page says about how many there are; one in ten may have come or gone since."""
    stated = re.search(r"The product is about (\d+) files", README)
    assert stated is not None
    files = [each for each in PACKAGE.rglob("*.py") if "__pycache__" not in each.parts]
    assert abs(len(files) - int(stated[1])) <= len(files) // 10
