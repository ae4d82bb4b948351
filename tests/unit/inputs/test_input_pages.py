"""The pages of findings about inputs show the truth, as far as it is known before anything runs.

Form of these pages: the blocks `rules`, `state`, `script` and `save` stand for the files `example.rules`,
`state.yaml`, `script.yaml` and `game.save`; `run` holds one command over them; `message` the first two lines of
every finding of that command, in order (one line for a finding without a place). Under `## Mended` stand the blocks
of a command that finds nothing.
"""

import shlex
from collections.abc import Mapping

import pytest

from rulewright.diagnostics import Diagnostic
from rulewright.diagnostics.as_text import plain
from rulewright.diagnostics.pages import Block, codes, page
from rulewright.inputs.arguments import find_procedure, read_arguments
from rulewright.inputs.save import read_save
from rulewright.inputs.script import read_script
from rulewright.inputs.state_file import read_state
from rulewright.program.declarations import Program
from rulewright.source import Text
from rulewright.workspace import Memory, load, locate

KNOWN_WHILE_RUNNING = {"RW0730", "RW0731", "RW0732", "RW0743", "RW0744", "RW0745", "RW0746"}
CODES = [code for code in codes() if "RW0700" < code <= "RW0760" and code not in KNOWN_WHILE_RUNNING]
FILES = {"state": "state.yaml", "script": "script.yaml", "save": "game.save"}


def _options(words: list[str]) -> dict[str, list[str]]:
    options: dict[str, list[str]] = {}
    for option, value in zip(words[::2], words[1::2], strict=True):
        options.setdefault(option, []).append(value)
    return options


def _run(program: Program, command: str, texts: Mapping[str, Text]) -> tuple[Diagnostic, ...]:
    """What is wrong with a command before anything runs: the first of its inputs that has a fault."""
    words = shlex.split(command)
    assert words[0] == "rulewright"
    options = _options(words[4:])
    procedure = find_procedure(words[3], program)
    if procedure.value is None:
        return procedure.diagnostics
    if "--load" in options:
        return read_save(texts[options["--load"][0]], program).diagnostics
    state = read_state(texts["state.yaml"], program, options.get("--set", ()))
    if state.value is None:
        return state.diagnostics
    found = read_arguments(options.get("--with", ()), procedure.value, state.value, program).diagnostics
    for name in options.get("--script", ()):
        found += read_script(texts[name], program).diagnostics
    return found


def _findings(blocks: tuple[Block, ...]) -> str:
    held = {block.kind: block.content for block in blocks}
    provider = Memory({"example.rules": held["rules"]})
    loaded = load(locate("example.rules", provider), provider=provider)
    assert loaded.diagnostics == ()
    assert loaded.program
    texts = {FILES[kind]: Text(FILES[kind], held[kind]) for kind in FILES if kind in held}
    found = _run(loaded.program, held["run"].strip(), texts)
    return "\n".join(line for each in found for line in plain(each, texts).splitlines()[: 2 if each.primary else 1])


@pytest.mark.parametrize("code", CODES)
def test_a_page_of_an_input_shows_the_truth(code: str) -> None:
    found = page(code)
    assert found is not None
    message = next(block.content for block in found.fails if block.kind == "message")
    assert _findings(found.fails) == message.rstrip("\n")
    assert _findings(found.mended) == ""
