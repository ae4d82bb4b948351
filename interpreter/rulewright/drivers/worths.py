"""What players of a play may want the most of."""

from collections.abc import Iterator

from rulewright.drivers.session import Begun
from rulewright.inputs.arguments import asked_as
from rulewright.program.effects import Footprint
from rulewright.program.types import NumberType


def worths(begun: Begun) -> Iterator[str]:
    """Declared measures, and numbers of the game and of things, as they are asked for.

    What lines of the play never change is worth the same whatever is answered, so it is left out.
    """
    names, program = begun.names, begun.names.program
    changed = begun.executable.changing.ever(begun.procedure.name)
    footprint = Footprint(program)
    for measure in program.measures.values():
        reads = footprint.reads(measure.value)
        if not reads or reads & changed:
            yield from asked_as(measure, program, begun.situation) or ()
    for each in program.game.values():
        if isinstance(each.type, NumberType) and f"game/{each.name}" in changed:
            yield each.name
    for kind in program.kinds.values():
        numbers = [each.name for each in kind.fields if isinstance(each.type, NumberType)]
        counted = [each for each in numbers if f"{kind.name}/{each}" in changed]
        yield from (f"{id_}.{name}" for id_ in names.ids(kind.name) for name in counted)
