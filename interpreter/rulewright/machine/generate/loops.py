"""Python for what binds members: each becomes a function of its own, given the names around it that it reads."""

from collections.abc import Iterator
from contextlib import contextmanager

from rulewright.machine.generate import expressions, places_sought
from rulewright.machine.generate.writer import Body
from rulewright.machine.values import plainly_ordered
from rulewright.program import expressions as ex
from rulewright.program.expressions import Expression
from rulewright.program.types import BagType, MapType, PoolType, SetType
from rulewright.roles import nodes

Lifted = ex.Comprehension | ex.Quantifier | ex.TheOnly | ex.Aggregate


def members(body: Body, source: Expression) -> str:
    """Python that iterates over the members of a source."""
    code = expressions.expression(body, source)
    return body.kept(code) if isinstance(source.type, PoolType) else code


def target(body: Body, binding: ex.Binding) -> str:
    """The Python target that takes one member; binds the variables to Python names."""
    names = []
    for each in binding.variables:
        if each is None:
            names.append("_")
        else:
            body.names[each.index] = f"v{each.index}"
            body.looped.add(each.index)
            names.append(f"v{each.index}")
    return ", ".join(names)


def member(body: Body, binding: ex.Binding) -> str:
    """Python for the member now bound, as it stands in the source; `_` as is."""
    names = ["_" if each is None else body.variable(each) for each in binding.variables]
    return names[0] if len(names) == 1 else f"({', '.join(names)})"


def captured(body: Body, node: object) -> tuple[list[str], dict[int, str]]:
    """What a lifted piece takes along: the names of parameters, and names of variables by index."""
    inside = list(nodes(node))
    own = {variable.index for each in inside if isinstance(each, ex.Binding) for variable in each.variables if variable}
    used = {each.variable.index for each in inside if isinstance(each, ex.Local)} - own
    if any(isinstance(each, ex.Itself) for each in inside):
        used.add(0)
    names: dict[int, str] = {}
    frame = False
    for index in sorted(used):
        if index in body.names or not body.framed:
            names[index] = f"v{index}"
        else:
            frame = True
    return ["W", *(["F"] if frame else []), *names.values()], names


def arguments(body: Body, names: dict[int, str]) -> list[str]:
    """What is handed to a lifted piece for its captured names."""
    return [body.names.get(index, f"v{index}") for index in names]


def lift(
    body: Body,
    node: object,
    sort: str,
    site_node: object = None,
    *,
    given: tuple[str, str] | None = None,
    **more: object,
) -> tuple[Body, str]:
    """A new function for a piece, and the call of it from the body; the caller writes and finishes it.

    `given` is one more parameter, with what is handed over for it.
    """
    module = body.module
    module.lifted += 1
    name = f"q{module.lifted}"
    parameters, names = captured(body, node)
    parameters += [given[0]] if given else []
    site = module.site(
        sort, site_node or node, address=body.site.address, cites=body.site.cites, routine=body.site.routine, **more
    )
    head = f"def {name}({', '.join(parameters)}):"
    inner = Body(module, head, framed=body.framed and "F" in parameters, names=names, site=site, untold=not body.traced)
    taken = ["W", *(["F"] if "F" in parameters else []), *arguments(body, names), *([given[1]] if given else [])]
    body.calls = True
    return inner, f"{name}({', '.join(taken)})"


def lifted(body: Body, node: Lifted) -> str:
    """The call of a new function that computes a quantifier, comprehension or aggregate."""
    if isinstance(node, ex.Comprehension) and not body.traced and _copies(node):
        found = members(body, node.binding.source)
        return found if isinstance(node.binding.source.type, PoolType) else f"tuple({found})"
    if not body.traced and (test := _counting(node)) is not None:
        return f"(len({members(body, node.binding.source)}){test})"
    inner, call = lift(body, node, getattr(node, "word", "each"), type=node.type)
    inner.site.title = body.module.wording.text(node) if body.traced else ""
    match node:
        case ex.Quantifier() if places_sought.is_search(node):
            places_sought.sought(inner, node)
        case ex.Quantifier():
            _quantifier(inner, node)
        case ex.TheOnly():
            _the_only(inner, node)
        case ex.Aggregate():
            _aggregate(inner, node)
        case ex.Comprehension():
            _comprehension(inner, node)
    body.module.finish(inner)
    return call


def evaluated(body: Body, node: Expression) -> str:
    """Code of an expression inside a loop, its temporaries cleared for each member."""
    already = len(body.reads)
    code = expressions.expression(body, node)
    if body.reads[already:]:
        body.line(" = ".join([*(name for name, _, _ in body.reads[already:]), "U"]))
    return code


FEW = 8
"""Up to so many members are visited without a charge; `module` charges the functions in which that adds up."""


def visited(body: Body, source: str) -> str:
    """The name of what is visited, charged by its size where there are more than a few members."""
    name = body.temporary()
    body.line(f"{name} = {source}")
    body.line(f"if len({name}) > {FEW}: visit(W, len({name}))")
    return name


def each(body: Body, binding: ex.Binding) -> str:
    """The head of a Python loop over members."""
    return f"for {target(body, binding)} in {visited(body, members(body, binding.source))}:"


@contextmanager
def _visiting(body: Body, binding: ex.Binding, inside: Expression | None) -> Iterator[str]:
    """A loop whose members matter to the record alone; yields Python for the one it is at.

    Where only the faces of dice are read, it goes through the data of the kept dice.
    """
    if not _only_shown(binding, (binding.where, inside)):
        with body.indented(each(body, binding)):
            yield member(body, binding)
        return
    source = expressions.expression(body, binding.source)
    body.shown.update(variable.index for variable in binding.variables if variable)
    die, pool = target(body, binding), source
    if body.traced:
        pool = body.temporary()
        body.line(f"{pool} = {source}")
    dice = visited(body, f"W[4][{pool}]")
    with body.indented(f"for k, {die} in enumerate({dice}):" if body.traced else f"for {die} in {dice}:"):
        if body.module.drops_dice:
            with body.indented(f"if not {die}[4]:"):
                body.line("continue")
        yield f"({pool}, k)"


def _only_shown(binding: ex.Binding, inside: tuple[Expression | None, ...]) -> bool:
    """Whether the members are dice of a pool of which only faces and the like are read."""
    if not isinstance(binding.source.type, PoolType):
        return False
    own = {variable.index for variable in binding.variables if variable}
    found = list(nodes(inside))
    named = sum(isinstance(each, ex.Local) and each.variable.index in own for each in found)
    shown = sum(
        isinstance(each, ex.DieAttribute) and isinstance(each.target, ex.Local) and each.target.variable.index in own
        for each in found
    )
    lifted_ = any(isinstance(each, ex.Quantifier | ex.Comprehension | ex.Aggregate | ex.TheOnly) for each in found)
    return named == shown and not lifted_


def whole(binding: ex.Binding) -> bool:
    """Whether a binding takes every member of its source, as it stands there."""
    return binding.where is None and len(binding.variables) == 1 and binding.variables[0] is not None


def guard(body: Body, condition: Expression | None) -> None:
    """Passes over a member that fails a condition."""
    if condition is not None:
        test = evaluated(body, condition)
        with body.indented(f"if not {test}:"):
            body.line("continue")


def _of_unthrown(body: Body, node: ex.Quantifier | ex.Aggregate) -> None:
    """What is asked of dice that lie as chance has it: how many there are of some, or what they are worth together."""
    binding, inside = node.binding, node.body if isinstance(node, ex.Quantifier) else node.value
    if body.traced or node.word in {"min", "max"} or not _only_shown(binding, (binding.where, inside)):
        return
    pool = expressions.expression(body, binding.source)
    body.shown.update(variable.index for variable in binding.variables if variable)
    die = target(body, binding)
    tests = [] if binding.where is None else [expressions.expression(body, binding.where)]
    worth, asked = "1", {"some": " > 0", "no": " == 0", "every": " == 0"}.get(node.word, "")
    if inside is not None:
        written = expressions.expression(body, inside)
        worth = written if node.word == "sum" else worth
        tests += [f"not {written}"] if isinstance(node, ex.Quantifier) else []
    with body.indented(f"if isinstance(W[4][{pool}], Unthrown):"):
        value = f"{worth} if {' and '.join(tests)} else 0" if tests else worth
        body.line(f"return W[4][{pool}].added(lambda {die}: {value}){asked}")


def _end(body: Body, result: str, extra: str = "None") -> None:
    body.note(body.site, result, extra)
    body.line(f"return {result}")


def _quantifier(body: Body, node: ex.Quantifier) -> None:
    found, missing = {"some": ("True", "False"), "no": ("False", "True"), "every": ("False", "True")}[node.word]
    _of_unthrown(body, node)
    with _visiting(body, node.binding, node.body) as which:
        guard(body, node.binding.where)
        if node.body is None:
            _end(body, found, which)
        else:
            test = evaluated(body, node.body)
            with body.indented(f"if not {test}:"):
                _end(body, found, which)
    _end(body, missing)


def _the_only(body: Body, node: ex.TheOnly) -> None:
    text = body.module.constant(body.module.wording.text(node))
    body.line("r = []")
    with body.indented(each(body, node.binding)):
        guard(body, node.binding.where)
        body.line(f"r.append({member(body, node.binding)})")
    body.line(f"r = only(r, {text})")
    _end(body, "r")


def _aggregate(body: Body, node: ex.Aggregate) -> None:
    text = body.module.constant(body.module.wording.text(node))
    _of_unthrown(body, node)
    body.line("r = 0" if node.word in {"count", "sum"} else "r = None")
    counted = body.traced and node.word == "count"
    if counted:
        body.line("s = []")
    with _visiting(body, node.binding, node.value) as which:
        guard(body, node.binding.where)
        if node.word == "count" or node.value is None:
            body.line("r += 1")
            if counted:
                body.line(f"s.append({which})")
        else:
            value = evaluated(body, node.value)
            _fold(body, node.word, value)
    if node.word in {"min", "max"}:
        with body.indented("if r is None:"):
            body.line(f"nothing({text})")
    _end(body, "r", "tuple(s)" if counted else "None")


def _fold(body: Body, word: str, value: str) -> None:
    if word == "sum":
        body.line(f"r += {value}")
        return
    body.line(f"x = {value}")
    with body.indented(f"if r is None or x {'<' if word == 'min' else '>'} r:"):
        body.line("r = x")


def _comprehension(body: Body, node: ex.Comprehension) -> None:
    body.line("r = []")
    with _visiting(body, node.binding, node.value):
        guard(body, node.binding.where)
        body.line(f"r.append({evaluated(body, node.value)})")
    body.line(f"r = collected(W, {_gathered(node)})")
    _end(body, "r")


def _counting(node: Lifted) -> str | None:
    """Python for what is asked of the number of members, where nothing else matters."""
    match node:
        case ex.Quantifier(word="some" | "no", binding=binding, body=None) if not places_sought.is_search(node):
            test = " > 0" if node.word == "some" else " == 0"
        case ex.Aggregate(word="count", binding=binding):
            test = ""
        case _:
            return None
    return test if binding.where is None else None


def _copies(node: ex.Comprehension) -> bool:
    """Whether a comprehension only takes the members of its source as they are."""
    same = isinstance(node.value, ex.Local) and (node.value.variable,) == node.binding.variables
    return same and whole(node.binding) and _gathered(node) == "tuple(r)"


def _gathered(node: ex.Comprehension) -> str:
    binding = node.binding
    same = isinstance(node.value, ex.Local) and (node.value.variable,) == binding.variables
    match node.type:
        case SetType() if same and isinstance(binding.source.type, SetType | MapType | PoolType):
            return "tuple(r)"
        case SetType(item):
            return "tuple(sorted(set(r)))" if plainly_ordered(item) else "make_set(r)"
        case BagType():
            return "in_order(r)"
        case _:
            return "tuple(r)"
