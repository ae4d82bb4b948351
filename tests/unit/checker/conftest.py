"""Small rulesets, analysed up to the point a test asks for."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from rulewright.base.diagnostics import Diagnostic, DiagnosticCollector
from rulewright.base.files import MemoryFiles
from rulewright.base.source import Text
from rulewright.checker.declaration_types import declare_all
from rulewright.checker.functions import function_bodies
from rulewright.checker.infer.expression_inference import make_declaration_scope
from rulewright.checker.linker import SourceFile, link_sources
from rulewright.checker.name_spaces import collect_names
from rulewright.checker.scope import Scope, TypeEnvironment
from rulewright.documents.ruleset_loading import load_ruleset
from rulewright.documents.ruleset_location import locate_ruleset
from rulewright.program.declarations import Function, Measure, Procedure, Program
from rulewright.syntax.nodes import declarations as nodes
from rulewright.syntax.parser import parse_rules_text

THINGS = Path(__file__).with_name("things.rules").read_text(encoding="utf-8")
"""A ruleset of a few things, which the declarations of a test follow."""


@dataclass
class Analysed:
    """A ruleset with its names and types known, and what was found."""

    found: TypeEnvironment
    text: str
    results: list[Measure | None] = field(default_factory=list)

    @property
    def scope(self) -> Scope:
        return make_declaration_scope(self.found.linked.main, self.found)

    def function(self, name: str) -> Function | None:
        return self.found.demand_function(name)

    def messages(self) -> list[str]:
        """What was found, as `CODE place: message`, where the place is the text underlined."""
        return [self._line(each) for each in self.found.report.diagnostics]

    def _line(self, each: Diagnostic) -> str:
        assert each.primary is not None
        span = each.primary.span
        return f"{each.code} <{self.text[span.start : span.end]}> {each.message}"


@pytest.fixture
def analyse() -> Callable[[str], Analysed]:
    """Analyses declarations, which follow those of `THINGS`."""

    def analysed(declarations: str) -> Analysed:
        text = THINGS + declarations
        parsed = parse_rules_text(Text("example.rules", text))
        assert parsed.file is not None
        assert parsed.diagnostics == ()
        report = DiagnosticCollector()
        linked = link_sources(
            "example.rules", {"example.rules": SourceFile("example.rules", parsed.file, {})}, (), {}, report
        )
        collect_names(linked, report)
        return Analysed(declare_all(linked, report), text)

    return analysed


@pytest.fixture
def infer_measure(analyse: Callable[[str], Analysed]) -> Callable[..., tuple[str, list[str]]]:
    """The type of an expression with parameters, and what was found."""

    def inferred(
        expression: str, parameters: str = "u: Unit, t: Unit, n: 0..9", more: str = ""
    ) -> tuple[str, list[str]]:
        analysed = analyse(f"{more}measure it({parameters}): {expression}\n")
        node = next(each for each in analysed.found.linked.main.declarations if isinstance(each, nodes.Measure))
        made = function_bodies.type_measure(node, analysed.scope)
        return (str(made.type) if made else ""), analysed.messages()

    return inferred


@dataclass(frozen=True)
class CheckedText:
    """What the whole check makes of one text: the program, and each finding as `CODE line: message`."""

    program: Program | None
    found: list[str]

    def procedure(self, name: str) -> Procedure:
        assert self.program is not None, self.found
        return self.program.procedures[name]


@pytest.fixture
def checked() -> Callable[[str], CheckedText]:
    """Checks a ruleset: the things above, then the given text, whose first line counts as line 1."""

    def check(text: str, head: str = THINGS) -> CheckedText:
        loaded = load_ruleset(
            locate_ruleset("example.rules", memory := MemoryFiles({"example.rules": head + text})), provider=memory
        )
        lines = head.count("\n")

        def told(each: Diagnostic) -> str:
            assert each.primary is not None
            line = loaded.texts["example.rules"].get_position(each.primary.span.start).line - lines
            return f"{each.code} {line}: {each.message}"

        unused = {"RW0230", "RW0231", "RW0560"}
        return CheckedText(loaded.program, [told(each) for each in loaded.diagnostics if each.code not in unused])

    return check
