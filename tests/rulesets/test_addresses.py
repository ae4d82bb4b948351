"""Every address that reports print over the shipped rulesets is one that an overlay, scenario or option takes."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from rulewright.base.diagnostics import DiagnosticCollector
from rulewright.base.files import DISK, get_resource_folder
from rulewright.base.node_roles import walk_nodes
from rulewright.base.source import Text
from rulewright.checker.addresses import walk_address_pairs
from rulewright.checker.clauses import trace_clauses
from rulewright.checker.overlays.overlay_application import AmendmentInput, apply_overlays
from rulewright.checker.overlays.patch_conflicts import ModuleLayers
from rulewright.checker.symbols import LinkedModule, LinkedProgram
from rulewright.diff.mutants import collect_ruleset_names
from rulewright.diff.mutation_operators import make_mutants
from rulewright.documents.ruleset_loading import LoadedRuleset, load_ruleset
from rulewright.documents.ruleset_location import locate_ruleset
from rulewright.program.declarations import Declared, Program
from rulewright.program.outline.outline_builder import build_outline
from rulewright.scenarios.coverage_units import list_units
from rulewright.syntax.nodes.declarations import Declaration
from rulewright.syntax.parser import list_amended_addresses, parse_rules_text
from support.sample_sizes import sample_cases

RULES = sorted(
    str(each.relative_to(get_resource_folder("rulesets")))
    for each in Path(get_resource_folder("rulesets")).rglob("*.rules")
    if each.read_text(encoding="utf-8").lstrip().startswith(("ruleset ", "amends ", "#"))
)


@cache
def loaded(name: str) -> LoadedRuleset:
    return load_ruleset(locate_ruleset(str(get_resource_folder("rulesets") / name), DISK), (), DISK)


def printed(program: Program, linked: LinkedProgram, texts: dict[str, Text]) -> Iterator[str]:
    for node in walk_nodes(program):
        yield node.name if isinstance(node, Declared) else getattr(node, "address", "")
    yield from (each.address for each in build_outline(program, texts).walk_items())
    yield from (each.address for each in list_units(program).units if each.sort != "clauses")
    for document in trace_clauses(linked).documents:
        yield from (each.address for clause in document.clauses for each in clause.statements)
    yield from (each.address for each in trace_clauses(linked).rulings)


def removals(addresses: list[str]) -> tuple[Declaration, ...]:
    """An amendment for each address."""
    lines = "".join(f"remove {each}\n" for each in addresses)
    read = parse_rules_text(Text("overlay", f'amends base revision "1"\n{lines}'))
    assert read.file is not None
    assert read.diagnostics == ()
    assert len(read.file.declarations) == len(addresses)
    return read.file.declarations


def told(declarations: tuple[Declaration, ...], amendment: Declaration) -> list[str]:
    """What an overlay with this amendment is told."""
    report = DiagnosticCollector()
    texts = {"base": declarations, "overlay": (amendment,)}
    layers = {"base": ModuleLayers("base", ("base",), ("overlay",), {})}
    apply_overlays(AmendmentInput(texts, layers, {"base": "base", "overlay": "base"}, {}, {}, report))
    assert texts["base"] != declarations or report.diagnostics
    return [each.message for each in report.diagnostics]


def signatures(linked: LinkedProgram) -> set[str]:
    """Parameters, and results of externals: overlays are told to replace the whole."""
    return {
        f"{module.prefix}{address}/{each.name.text}"
        for module in linked.modules
        for declaration in module.declarations
        for address, node in walk_address_pairs(declaration)
        for each in (*getattr(node, "parameters", ()), *getattr(node, "results", ()))
    }


def home(address: str, linked: LinkedProgram) -> tuple[LinkedModule, str]:
    """The module of a declaration, and the address as an overlay of that module writes it."""
    for module in linked.modules:
        if module.prefix and address.startswith(module.prefix):
            return module, address.removeprefix(module.prefix)
    return linked.main, address


@pytest.mark.parametrize("name", sample_cases(RULES, 6))
def test_every_printed_address_can_be_amended(name: str) -> None:
    found = loaded(name)
    if found.program is None or found.linked is None:
        pytest.skip("a part of another ruleset")
    given = set(printed(found.program, found.linked, dict(found.texts))) - {"", "player"}
    named = signatures(found.linked)
    used = sorted(each for each in given if not each.endswith("/self"))
    homes = [home(each, found.linked) for each in used]
    for address, (module, _), amendment in zip(used, homes, removals([own for _, own in homes]), strict=True):
        messages = told(module.declarations, amendment)
        assert [each for each in messages if address not in named or "by itself" not in each] == [], address


@pytest.mark.parametrize("name", sample_cases(RULES, 6))
def test_changes_are_told_by_addresses_that_there_are(name: str) -> None:
    found = loaded(name)
    if found.program is None or found.linked is None:
        pytest.skip("a part of another ruleset")
    declarations = [each for module in found.linked.modules for each in module.declarations]
    text = next(each for place, each in found.texts.items() if place.endswith(name))
    file = parse_rules_text(text).file
    assert file is not None
    known = {address for each in declarations for address, _ in walk_address_pairs(each)}
    written = {each.text for each in list_amended_addresses(file.declarations)} | {"game"}
    for change in make_mutants(file, text, collect_ruleset_names(declarations)):
        within = change.address.partition("/")[2]
        assert {change.address, within} & (known | written), change.name
