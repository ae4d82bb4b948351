"""What a value that a line names came from: a tally with its rows, and the dice that counted."""

from collections.abc import Iterator

from rulewright.codecs.codec import Named
from rulewright.diagnostics.terminal import visible
from rulewright.machine.trace import Entry
from rulewright.program import statements as st
from rulewright.program.declarations import Decide, Program, Tally, Value
from rulewright.program.expressions import Builtin, CallFunction, Conditional, DerivedAttribute, Expression, Narrowed
from rulewright.telling import happenings
from rulewright.telling.conditions import of_dice


def came(entry: Entry, names: Named) -> str:
    """What a value came from: a tally with its rows, and the dice that counted."""
    found = list(nested(entry))
    own = _handed_on(entry.node.value, names.program) if isinstance(entry.node, st.Let) else frozenset[str]()
    tallies = [each for each in found if each.sort == "tally" and each.result == entry.result]
    tallies = [each for each in tallies if each.address in own]
    counts = [each for each in found if each.sort == "count" and of_dice(each)]
    said = ""
    if len(tallies) == 1 and " = " in (full := happenings.tally(tallies[0], names)):
        said = f" ={full.partition(' =')[2]}"
    elif len(tallies) == 1 and tally_named(entry.node, names):
        said = unmoved(tallies[0])
    if len(counts) == 1 and (tallies or len(entry.inner) == 1):
        which = happenings.dice(counts[0].dice, names)
        said += f"  ({which})" if which else "  (no die)"
    return said


def tally_named(line: st.Let, names: Named) -> str:
    """The title of the tally that a line gives a name to; else empty."""
    value = line.value.operand if isinstance(line.value, Narrowed) else line.value
    called = value.function if isinstance(value, CallFunction | DerivedAttribute) else ""
    declared = names.program.functions.get(called)
    return visible(declared.title) if declared and isinstance(declared.body, Tally) else ""


def unmoved(tally: Entry) -> str:
    """What is said of a tally in which no row counts; nothing where the rows are hidden."""
    counts = not tally.rows or any(each.outcome == "applied" for each in tally.rows)
    return "" if counts else "  (no row counts)"


def nested(entry: Entry) -> Iterator[Entry]:
    """The entries inside one, each before those inside it."""
    for each in entry.inner:
        yield each
        yield from nested(each)


def _handed_on(value: Expression | None, program: Program) -> frozenset[str]:
    """The tallies whose number may be a value as it is: itself, one of two, the least or most, or what a term gives."""
    found, waiting = set[str](), [value]
    while waiting:
        match waiting.pop():
            case Narrowed(operand=inner):
                waiting.append(inner)
            case Conditional(then=first, otherwise=second):
                waiting += [first, second]
            case Builtin(name="min" | "max", arguments=arguments):
                waiting += arguments
            case (CallFunction() | DerivedAttribute()) as called if called.function not in found:
                found.add(called.function)
                match program.functions[called.function].body:
                    case Tally(start=start):
                        waiting.append(start)
                    case Value(value=means):
                        waiting.append(means)
                    case Decide(rows=rows):
                        waiting += (each.value for each in rows)
                    case _:
                        pass
            case _:
                pass
    return frozenset(found)
