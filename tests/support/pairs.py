"""Two revisions to compare, and which of their names mean the same."""

from collections.abc import Iterator, Mapping

from rulewright.comparing.edits import Correspondence
from rulewright.comparing.playing.changes import declarations
from rulewright.outline.items import Name
from rulewright.program.declarations import Program
from support.reference.texts import loaded


def program(text: str) -> Program:
    """The program of a text."""
    found = loaded(text)
    assert found.program is not None, found.diagnostics
    return found.program


def named(program: Program) -> Iterator[Name]:
    """All names of a program."""
    yield from (name for name, _ in declarations(program))
    for values in program.values.values():
        yield Name("values", values.name)
        yield from (Name("word", f"{values.name}/{each.name}") for each in values.words)
    for kind in program.kinds.values():
        yield Name("kind", kind.name)
        yield Name("plural", kind.plural)
        yield from (Name("attribute", f"{kind.name}/{each.name}") for each in kind.fields)
    for record in program.records.values():
        yield Name("record", record.name)
        yield from (Name("part", f"{record.name}/{each.name}") for each in record.parts)
    for board in program.boards.values():
        yield Name("board", board.name)
        yield from (Name("cell", f"{board.name}/{each.name}") for each in board.fields)
        yield from (Name("side", f"{board.name}/{each.name}") for each in board.sides)
    yield from (Name("field", each) for each in program.game)
    yield from (Name("setting", each) for each in program.settings)
    yield from (Name("relation", each) for each in program.relations)
    yield from (Name("die", each) for each in program.dice)
    yield from (Name("external", each) for each in program.external_procedures)
    for procedure in program.procedures.values():
        yield from (Name("parameter", f"{procedure.name}/{each.name}") for each in procedure.parameters)
        yield from (Name("step", f"{procedure.name}/{each.id}") for each in procedure.steps)


def correspondence(old: Program, new: Program, renamed: Mapping[Name, Name] | None = None) -> Correspondence:
    """Names that both have mean the same, and those told."""
    known = set(named(new))
    told = dict(renamed or {})
    same = {each: each for each in named(old) if each in known and each not in told and each not in told.values()}
    return Correspondence({**same, **told}, {})
