"""Python for searches for a place on the plane: what they are told, and `some` and `no` over `poses`."""

from contextlib import ExitStack

from rulewright.machine.generate import expressions, loops
from rulewright.machine.generate.writer import Body
from rulewright.machine.placing.pose_search import Hints, Looking, hints
from rulewright.program import expressions as ex, statements as st, types as ty
from rulewright.program.expressions import Expression
from rulewright.roles import nodes

_STILL = ty.FlagType | ty.LengthType | ty.NumberType | ty.PlaneType | ty.TextType | ty.ThingType | ty.WordType


def is_search(node: ex.Quantifier) -> bool:
    """Whether a quantifier asks for a pose."""
    source = node.binding.source
    return isinstance(source, ex.Builtin) and source.name == "poses"


def asked(body: Body, line: st.Ask, judges: str) -> str:
    """The data of a request to place or turn a thing on the plane."""
    assert isinstance(line.shape, st.PlaceWhere | st.TurnHow)
    sort = "place" if isinstance(line.shape, st.PlaceWhere) else "heading"
    thing = expressions.expression(body, line.shape.thing)
    conditions = tuple(each.condition for each in line.demands if not each.prefer and each.guard is None)
    found = hints(body.module.program, conditions, line.variable)
    data = f"({sort!r}, {thing}, {judges}, {_telling(body, line, found)}, {found.solid})"
    return f"sounded(W, F, {data})" if body.module.framing.wants(line.demands) else data


def _telling(body: Body, line: st.Ask, found: Hints) -> str:
    """The name of a function that tells a search of the question what to touch and what distances matter."""
    if not (found.partners or found.gaps or found.reaches):
        return "None"
    module = body.module
    module.lifted += 1
    name = f"q{module.lifted}"
    site = module.site("legal", line, address=body.site.address, routine=body.site.routine)
    inner = Body(module, f"def {name}(W, F):", framed=True, names={}, site=site)
    _tell(inner, found)
    return repr(name)


def _tell(inner: Body, found: Hints) -> None:
    quiet(inner)
    partners = "None"
    if found.partners is not None:
        inner.line("r = []")
        with ExitStack() as stack:
            for binding in found.partners.bindings:
                stack.enter_context(inner.indented(loops.each(inner, binding)))
                loops.guard(inner, binding.where)
            inner.line(f"r.append({expressions.expression(inner, found.partners.thing)})")
        partners = "tuple(r)"
    gaps, reaches = (_lengths(inner, each) for each in (found.gaps, found.reaches))
    inner.line(f"x = {partners}, {gaps}, {reaches}")
    inner.forget()
    inner.line("return x")
    inner.module.finish(inner)


def _lengths(inner: Body, found: tuple[Expression, ...]) -> str:
    return f"({''.join(f'{expressions.expression(inner, each)}, ' for each in found)})"


def quiet(inner: Body) -> None:
    """What a function records from here on is thrown away."""
    inner.muted += 1
    inner.untold = inner.untold or not inner.module.probed
    if inner.traced:
        inner.line("o = len(T)")


def sought(body: Body, node: ex.Quantifier) -> None:
    """`some p in poses(m) where C`, and `no`, in a function of their own."""
    binding = node.binding
    assert isinstance(binding.source, ex.Builtin)
    thing = expressions.expression(body, binding.source.arguments[0])
    spot = binding.variables[0]
    names = _names(body, binding)
    judge, facts, solid = "lambda _: True", "None", False
    if spot is not None and binding.where is not None:
        body.names[spot.index] = f"v{spot.index}"
        found = hints(body.module.program, (binding.where,), spot)
        judge, facts, solid = _judge(body, binding.where, spot), _facts(body, found), found.solid
    looking = body.module.constant(Looking(solid, _reads(body, node)))
    body.line(f"r = place_for(W, {looking}, {thing}, {judge}, {facts}, {names})")
    body.line(f"x = r is {'not ' if node.word == 'some' else ''}None")
    body.note(body.site, "x", "('looked', r)")
    body.line("return x")


def _judge(body: Body, where: Expression, spot: ex.Variable) -> str:
    inner, call = loops.lift(body, where, "legal")
    quiet(inner)
    inner.line(f"x = {expressions.expression(inner, where)}")
    inner.forget()
    inner.line("return x")
    body.module.finish(inner)
    return f"lambda v{spot.index}: {call}"


def _facts(body: Body, found: Hints) -> str:
    if not (found.partners or found.gaps or found.reaches):
        return "None"
    inner, call = loops.lift(body, found, "legal")
    _tell(inner, found)
    return f"lambda: {call}"


def _names(body: Body, binding: ex.Binding) -> str:
    """Python for the values of all names that a search reads, in a tuple."""
    found = {each.variable.index: body.variable(each.variable) for each in _free(binding)}
    if any(isinstance(each, ex.Itself) for each in nodes(binding)):
        found[0] = body.names[0]
    return f"({''.join(f'{found[index]}, ' for index in sorted(found))})"


def _free(binding: ex.Binding) -> list[ex.Local]:
    inside = list(nodes(binding))
    own = {variable.index for each in inside if isinstance(each, ex.Binding) for variable in each.variables if variable}
    return [each for each in inside if isinstance(each, ex.Local) and each.variable.index not in own]


def _reads(body: Body, node: ex.Quantifier) -> tuple[int, ...] | None:
    """Where the working memory keeps all that the outcome depends on; none where dice or external values count."""
    if not all(_still(each.variable.type) for each in _free(node.binding)):
        return None
    places = body.module.places
    known = {**places.columns, **places.cells, **places.sides, **places.relations}
    known |= {f"{kind}/gone": at for kind, at in places.gone.items()}
    known |= {f"game/{name}": at for name, at in places.game.items()}
    read = body.module.framing.footprint.reads(node)
    return tuple(sorted(known[each] for each in read)) if all(each in known for each in read) else None


def _still(type_: ty.Type) -> bool:
    """Whether a value of a type says all by itself, as one that may hold dice does not."""
    match type_:
        case ty.OptionalType(inner) | ty.SetType(inner) | ty.ListType(inner):
            return _still(inner)
        case _:
            return isinstance(type_, _STILL)
