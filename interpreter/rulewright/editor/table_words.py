"""What may stand in the cells of a table: the words of its parameters and of its result, each with its title."""

from collections.abc import Iterator

from rulewright.base.frozen import dataclass
from rulewright.editor.editor_workspace import OpenDocument
from rulewright.program.declarations import Program, Table
from rulewright.program.types import FlagType, Type, WordType, strip_optional

_FLAG_WORDS = (("yes", "yes"), ("no", "no"))


@dataclass(frozen=True, slots=True)
class CellWords:
    """Words with their titles; none where a cell holds numbers or anything else."""

    name: str  # of the parameter, or empty for the result
    words: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class TableWords:
    """A table of a text, by its name there."""

    name: str
    title: str
    parameters: tuple[CellWords, ...]
    result: CellWords


def list_table_words(opened: OpenDocument) -> tuple[TableWords, ...]:
    """The tables of a text, as the last check without errors has them."""
    program = opened.program
    return tuple(_iterate_tables(program, opened.name)) if program is not None else ()


def _iterate_tables(program: Program, source: str) -> Iterator[TableWords]:
    for function in program.functions.values():
        if isinstance(function.body, Table) and function.span.source == source:
            yield TableWords(
                function.name.rpartition(".")[2],
                function.title,
                tuple(CellWords(each.name, _list_words(each.type, program)) for each in function.parameters),
                CellWords("", _list_words(function.type, program)),
            )


def _list_words(type_: Type, program: Program) -> tuple[tuple[str, str], ...]:
    match strip_optional(type_):
        case WordType(name) if name in program.values:
            titles = program.values[name].titles
            return tuple(zip(titles.names, titles.display_names, strict=True))
        case FlagType():
            return _FLAG_WORDS
        case _:
            return ()
