"""Two revisions to compare, and which of their names mean the same."""

from collections.abc import Iterator, Mapping

from rulewright.diff.differential_testing.altered_places import executable_declarations
from rulewright.diff.edits import Correspondence
from rulewright.program.declarations import Program
from rulewright.program.outline.items import DeclaredName
from support.reference.ruleset_texts import load_text


def check_text(text: str) -> Program:
    """The program of a text."""
    found = load_text(text)
    assert found.program is not None, found.diagnostics
    return found.program


def list_declared_names(program: Program) -> Iterator[DeclaredName]:
    """All names of a program."""
    yield from (name for name, _ in executable_declarations(program))
    for values in program.values.values():
        yield DeclaredName("values", values.name)
        yield from (DeclaredName("word", f"{values.name}/{each.name}") for each in values.words)
    for kind in program.kinds.values():
        yield DeclaredName("kind", kind.name)
        yield DeclaredName("plural", kind.plural)
        yield from (DeclaredName("attribute", f"{kind.name}/{each.name}") for each in kind.fields)
    for record in program.records.values():
        yield DeclaredName("record", record.name)
        yield from (DeclaredName("part", f"{record.name}/{each.name}") for each in record.parts)
    for board in program.boards.values():
        yield DeclaredName("board", board.name)
        yield from (DeclaredName("cell", f"{board.name}/{each.name}") for each in board.fields)
        yield from (DeclaredName("side", f"{board.name}/{each.name}") for each in board.sides)
    yield from (DeclaredName("field", each) for each in program.game)
    yield from (DeclaredName("setting", each) for each in program.settings)
    yield from (DeclaredName("relation", each) for each in program.relations)
    yield from (DeclaredName("die", each) for each in program.dice)
    yield from (DeclaredName("external", each) for each in program.external_procedures)
    for procedure in program.procedures.values():
        yield from (DeclaredName("parameter", f"{procedure.name}/{each.name}") for each in procedure.parameters)
        yield from (DeclaredName("step", f"{procedure.name}/{each.id}") for each in procedure.steps)


def match_names(
    old: Program, new: Program, renamed: Mapping[DeclaredName, DeclaredName] | None = None
) -> Correspondence:
    """Names that both have mean the same, and those told."""
    known = set(list_declared_names(new))
    told = dict(renamed or {})
    same = {
        each: each
        for each in list_declared_names(old)
        if each in known and each not in told and each not in told.values()
    }
    return Correspondence({**same, **told}, {})
