"""Python that puts a value somewhere, marks what reads it and records it."""

from rulewright.machine.generate import expressions
from rulewright.machine.generate.places import Target, store
from rulewright.machine.generate.writer import Body
from rulewright.program.expressions import Expression
from rulewright.program.types import MapType, Type


def changed(body: Body, name: str, test: str = "True") -> None:
    """Marks what reads a place as unsettled; where the game really changed, answers given elsewhere are forgotten."""
    mask = body.module.mask(frozenset({name}))
    if mask:
        body.line(f"W[1] |= {mask}")
    if body.module.framing.wanting:
        with body.indented(f"if {test}:"):
            body.line("W[0].known.clear()")


def valued(body: Body, value: Expression, target: Type) -> str:
    """A value for a slot; a single value for a map is its default."""
    code = expressions.expression(body, value)
    if isinstance(target, MapType) and not isinstance(value.type, MapType):
        return f"Map({code}, {{}})"
    return code


def write(body: Body, target: Target, value: str) -> None:
    """Assigns, marks and records."""
    if body.traced or body.module.framing.wanting:
        body.line(f"y = {target.load}")
    if body.traced:
        body.line(f"z = {value}")
        store(body, target, "z")
        name = body.module.constant(target.name)
        body.note(body.site, "None", f"({name}, {target.key}, y, {'z' if target.wrap == '{}' else target.load})")
    else:
        store(body, target, value)
    if "/" in target.name:
        changed(body, target.name, f"y != {target.load}")
