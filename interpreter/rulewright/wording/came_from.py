"""What a value that a line names came from: a tally with its rows, and the dice that counted."""

from collections.abc import Iterator

from rulewright.base.diagnostics.terminal import make_visible
from rulewright.program import statements as st
from rulewright.program.declarations import Decide, Program, Tally, Value
from rulewright.program.expressions import Builtin, CallFunction, Conditional, DerivedAttribute, Expression, Narrowed
from rulewright.runtime.codec_protocols import NameSource
from rulewright.runtime.request import TraceEntry
from rulewright.wording import entry_rendering
from rulewright.wording.condition_rendering import counts_dice


def explain_origin(entry: TraceEntry, names: NameSource) -> str:
    """What a value came from: a tally with its rows, and the dice that counted."""
    items = list(walk_nested_entries(entry))
    own = (
        _find_passed_on_tallies(entry.node.value, names.program) if isinstance(entry.node, st.Let) else frozenset[str]()
    )
    tallies = [
        trace_entry for trace_entry in items if trace_entry.sort == "tally" and trace_entry.result == entry.result
    ]
    tallies = [tally for tally in tallies if tally.address in own]
    counts = [trace_entry for trace_entry in items if trace_entry.sort == "count" and counts_dice(trace_entry)]
    said = ""
    if len(tallies) == 1 and " = " in (full := entry_rendering.render_tally(tallies[0], names)):
        said = f" ={full.partition(' =')[2]}"
    elif len(tallies) == 1 and tally_title(entry.node, names):
        said = explain_unmoved_tally(tallies[0])
    if len(counts) == 1 and (tallies or len(entry.inner) == 1):
        which = entry_rendering.render_dice(counts[0].dice, names)
        said += f"  ({which})" if which else "  (no die)"
    return said


def tally_title(line: st.Let, names: NameSource) -> str:
    """The title of the tally that a line gives a name to; else empty."""
    value = line.value.operand if isinstance(line.value, Narrowed) else line.value
    called = value.function if isinstance(value, CallFunction | DerivedAttribute) else ""
    declared = names.program.functions.get(called)
    return make_visible(declared.title) if declared and isinstance(declared.body, Tally) else ""


def explain_unmoved_tally(tally: TraceEntry) -> str:
    """What is said of a tally in which no row counts; nothing where the rows are hidden."""
    counts = not tally.rows or any(row.outcome == "applied" for row in tally.rows)
    return "" if counts else "  (no row counts)"


def walk_nested_entries(entry: TraceEntry) -> Iterator[TraceEntry]:
    """The entries inside one, each before those inside it."""
    for trace_entry in entry.inner:
        yield trace_entry
        yield from walk_nested_entries(trace_entry)


def _find_passed_on_tallies(value: Expression | None, program: Program) -> frozenset[str]:
    """The tallies whose number may be a value as it is: itself, one of two, the least or most, or what a term gives."""
    result, waiting = set[str](), [value]
    while waiting:
        match waiting.pop():
            case Narrowed(operand=inner):
                waiting.append(inner)
            case Conditional(then=first, otherwise=second):
                waiting += [first, second]
            case Builtin(name="min" | "max", arguments=arguments):
                waiting += arguments
            case (CallFunction() | DerivedAttribute()) as called if called.function not in result:
                result.add(called.function)
                match program.functions[called.function].body:
                    case Tally(start=start):
                        waiting.append(start)
                    case Value(value=means):
                        waiting.append(means)
                    case Decide(rows=rows):
                        waiting += (row.value for row in rows)
                    case _:
                        pass
            case _:
                pass
    return frozenset(result)
