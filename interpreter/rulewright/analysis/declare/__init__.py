"""What is declared: types and fields first, then what is called, then start values (manual, Things)."""

from collections.abc import Iterator, Mapping

from rulewright.analysis import functions
from rulewright.analysis.binds import bind_externals
from rulewright.analysis.declare.callables import declare_callables
from rulewright.analysis.declare.declaring import Declarations, Work
from rulewright.analysis.declare.starts import declare_starts
from rulewright.analysis.declare.things import declare_things
from rulewright.analysis.recheck import Key, Part
from rulewright.analysis.report import Report
from rulewright.analysis.symbols import Linked, Module, Symbol

__all__ = ["Declarations", "declare"]


def declare(linked: Linked, report: Report, kept: Mapping[Key, Part] | None = None) -> Declarations:
    """Types everything declared, makes functions known (`functions.announce`), and infers start values.

    Fills `Symbol.type` and `Symbol.parameters` in the modules and `Linked.binds` on the way. Reports RW0207, RW0208,
    RW0214 to RW0224 and what types and expressions report. What is kept of functions is not made again.
    """
    work = Work(linked, report)
    work.found.shapes.parts.kept = kept or {}
    declare_things(work)
    declare_callables(work)
    _refresh(linked)
    functions.announce(linked, work.found.shapes, report)
    declare_starts(work)
    _refresh(linked)
    bind_externals(linked, work.found.shapes, report)
    return work.found


def _refresh(linked: Linked) -> None:
    """Shared names learn what their owners know by now."""
    owned = {(symbol.sort, symbol.name): symbol for module in linked.modules for symbol in _own(module)}
    for module in linked.modules:
        for space in (module.names, module.callables):
            space.update({name: owned.get((old.sort, old.name), old) for name, old in space.items()})


def _own(module: Module) -> Iterator[Symbol]:
    for space in (module.names, module.callables):
        yield from (symbol for name, symbol in space.items() if symbol.name == module.prefix + name)
