"""The extension for Visual Studio Code: its grammar is made from the language, its snippets are read by it."""

import json
import re
from pathlib import Path

import pytest

from rulewright import api
from rulewright.base.diagnostics import Severity
from rulewright.cli.main import run_command_line
from rulewright.syntax.words import DECLARATION_WORDS, HEADER_WORDS
from support import textmate_grammar
from support.documentation_pages import ROOT

VSCODE = ROOT / "interpreter/studio/vscode"
RULES = json.loads((VSCODE / "snippets/rules.json").read_text(encoding="utf-8"))
SCENARIOS = json.loads((VSCODE / "snippets/scenario.json").read_text(encoding="utf-8"))
UNUSED = {"RW0560", "RW0569", "RW0230", "RW0231"}
"""What nothing reads yet, because it was only just written."""

_FIELD = re.compile(r"\$(?:0|\{\d+:([^}]*)\})")


def filled(snippet: dict[str, list[str]]) -> str:
    """A snippet as it is left by someone who takes all that it proposes."""
    return _FIELD.sub(lambda field: field[1] or "", "\n".join(snippet["body"])).rstrip("\n") + "\n"


HOST = filled(RULES["A ruleset"]) + filled(RULES["A list of words"])


def _placed(text: str) -> str:
    """A text where it belongs in a ruleset."""
    first = text.split(maxsplit=1)[0]
    if first in HEADER_WORDS:
        return text
    if first in DECLARATION_WORDS:
        return HOST.replace(text, "") + text
    head = 'procedure host(unit: Unit) "Host":\n'
    if first in {"step", "require"}:
        lines = text + ("" if first == "step" else "step 1:\n  nothing\n")
        return HOST + head + re.sub("(?m)^", "  ", lines.rstrip("\n")) + "\n"
    return HOST + head + "  step 1:\n" + re.sub("(?m)^", "    ", text.rstrip("\n")) + "\n"


def test_the_grammar_is_made_from_the_language(*, accept: bool) -> None:
    if accept:
        textmate_grammar.PLACE.write_text(textmate_grammar.read_committed_grammar(), encoding="utf-8")
    assert textmate_grammar.PLACE.read_text(encoding="utf-8") == textmate_grammar.read_committed_grammar()


@pytest.mark.parametrize("name", RULES)
def test_a_snippet_filled_in_is_fine(name: str, tmp_path: Path) -> None:
    (tmp_path / "skirmish.rules").write_text(_placed(filled(RULES["A ruleset"])), encoding="utf-8")
    place = tmp_path / ("house.rules" if name == "An overlay" else "skirmish.rules")
    place.write_text(_placed(filled(RULES[name])), encoding="utf-8")
    found = [each for each in api.check(str(place)) if each.severity is not Severity.HINT]
    assert [(each.code, each.message) for each in found if each.code not in UNUSED] == []


def test_snippets_of_scenarios_filled_in_pass(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "skirmish.rules").write_text(HOST, encoding="utf-8")
    one, *others = map(filled, SCENARIOS.values())
    inside = "".join(re.sub("(?m)^", "  ", each.rstrip("\n")) + "\n" for each in others)
    (tmp_path / "skirmish.scenario.yaml").write_text(one + inside, encoding="utf-8")
    ended = run_command_line(["test", str(tmp_path)])
    assert (ended, capsys.readouterr().out.splitlines()[-1]) == (0, f"{len(SCENARIOS) + 1} passed")
