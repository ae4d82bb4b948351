"""Every address that reports print over the shipped rulesets is one that an overlay, scenario or option takes."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from rulewright.analysis.addresses import placed
from rulewright.analysis.clause_trace import trace
from rulewright.analysis.overlays import Amended, amend
from rulewright.analysis.overlays.touches import Layers
from rulewright.analysis.report import Report
from rulewright.analysis.symbols import Linked, Module
from rulewright.coverage.listing import listing
from rulewright.mutations.mutant import known_of
from rulewright.mutations.operators import mutants
from rulewright.outline import outline
from rulewright.program.declarations import Declared, Program
from rulewright.resources import folder
from rulewright.roles import nodes
from rulewright.source import Text
from rulewright.syntax.nodes.declarations import Declaration
from rulewright.syntax.parser import addresses, parse
from rulewright.workspace import DISK, Loaded, load, locate
from support.draws import sampled

RULES = sorted(
    str(each.relative_to(folder("rulesets")))
    for each in Path(folder("rulesets")).rglob("*.rules")
    if each.read_text(encoding="utf-8").lstrip().startswith(("ruleset ", "amends ", "#"))
)


@cache
def loaded(name: str) -> Loaded:
    return load(locate(str(folder("rulesets") / name), DISK), (), DISK)


def printed(program: Program, linked: Linked, texts: dict[str, Text]) -> Iterator[str]:
    for node in nodes(program):
        yield node.name if isinstance(node, Declared) else getattr(node, "address", "")
    yield from (each.address for each in outline(program, texts).every())
    yield from (each.address for each in listing(program).units if each.sort != "clauses")
    for document in trace(linked).documents:
        yield from (each.address for clause in document.clauses for each in clause.statements)
    yield from (each.address for each in trace(linked).rulings)


def removals(addresses: list[str]) -> tuple[Declaration, ...]:
    """An amendment for each address."""
    lines = "".join(f"remove {each}\n" for each in addresses)
    read = parse(Text("overlay", f'amends base revision "1"\n{lines}'))
    assert read.file is not None
    assert read.diagnostics == ()
    assert len(read.file.declarations) == len(addresses)
    return read.file.declarations


def told(declarations: tuple[Declaration, ...], amendment: Declaration) -> list[str]:
    """What an overlay with this amendment is told."""
    report = Report()
    texts = {"base": declarations, "overlay": (amendment,)}
    layers = {"base": Layers("base", ("base",), ("overlay",), {})}
    amend(Amended(texts, layers, {"base": "base", "overlay": "base"}, {}, {}, report))
    assert texts["base"] != declarations or report.found
    return [each.message for each in report.found]


def signatures(linked: Linked) -> set[str]:
    """Parameters, and results of externals: overlays are told to replace the whole."""
    return {
        f"{module.prefix}{address}/{each.name.text}"
        for module in linked.modules
        for declaration in module.declarations
        for address, node in placed(declaration)
        for each in (*getattr(node, "parameters", ()), *getattr(node, "results", ()))
    }


def home(address: str, linked: Linked) -> tuple[Module, str]:
    """The module of a declaration, and the address as an overlay of that module writes it."""
    for module in linked.modules:
        if module.prefix and address.startswith(module.prefix):
            return module, address.removeprefix(module.prefix)
    return linked.main, address


@pytest.mark.parametrize("name", sampled(RULES, 6))
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


@pytest.mark.parametrize("name", sampled(RULES, 6))
def test_changes_are_told_by_addresses_that_there_are(name: str) -> None:
    found = loaded(name)
    if found.program is None or found.linked is None:
        pytest.skip("a part of another ruleset")
    declarations = [each for module in found.linked.modules for each in module.declarations]
    text = next(each for place, each in found.texts.items() if place.endswith(name))
    file = parse(text).file
    assert file is not None
    known = {address for each in declarations for address, _ in placed(each)}
    written = {each.text for each in addresses(file.declarations)} | {"game"}
    for change in mutants(file, text, known_of(declarations)):
        within = change.address.partition("/")[2]
        assert {change.address, within} & (known | written), change.name
