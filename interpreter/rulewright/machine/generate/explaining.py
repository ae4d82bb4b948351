"""Python that says why a member, an option or a whole answer is impossible, condition by condition.

`sN` lists what a decision chooses from, `yN` judges one member or, by position, one option (a *yes* is the first), `zN`
a whole answer. `jN` finds the `prefer` row that sets an answer `a` behind the legal `b`. `xN` judges what is not among
the members by the conditions that chose these: of a set that a term or a comprehension filtered, also where a name
keeps it; it gives none where no condition says why. `uN` does so inside a term. Each condition judged leaves a record,
so that the last one is the one that failed. Written in traced modules only.
"""

from collections.abc import Callable
from functools import partial

from rulewright.machine.generate import expressions, functions, loops, statements
from rulewright.machine.generate.writer import Body, Module
from rulewright.machine.graph import FIRST_SLOT
from rulewright.machine.source_point import Site
from rulewright.program import declarations as d, expressions as ex, statements as st, types as ty
from rulewright.program.expressions import Binding, Expression
from rulewright.program.rows import ConditionRow
from rulewright.program.types import Type
from rulewright.roles import nodes


def explained(body: Body, line: st.Ask) -> None:
    """Writes the functions that explain a decision, once even if its procedure is written for several ranges."""
    module = body.module
    if line.address in module.explained:
        return
    number = module.explained[line.address] = len(module.explained)
    match line.shape:
        case st.OneOf(binding):
            _source(body, number, binding.source)
            _outside(body, number, line, binding.source)
            _member(body, number, line, binding, line.demands)
            _behind(body, number, line, binding)
        case st.Pick(binding=binding):
            _source(body, number, binding.source)
            _outside(body, number, line, binding.source)
            _member(body, number, line, binding, ())
        case st.Split(over=source) | st.Order(items=source):
            _source(body, number, source)
            _outside(body, number, line, source)
        case st.TurnHow():
            _behind(body, number, line, None)
        case st.Choose(options):
            _options(body, number, tuple((each.guard, each.address) for each in options))
        case st.Whether(guard):
            _options(body, number, ((guard, line.address),))
    if line.demands and not isinstance(line.shape, st.OneOf):
        _whole(body, number, line)


def turned_down(body: Body, line: st.Ask) -> str:
    """Python for what could not be answered, and the records of why, where an answer is forced or impossible."""
    number = body.module.explained.get(line.address)
    match line.shape:
        case _ if number is None or not body.traced:
            return "()"
        case st.OneOf():
            members = f"[(a, a) for a in s{number}(W, F) if a not in m]"
        case st.Pick():
            members = f"[(a, a) for a in s{number}(W, F) if a not in m[1]]"
        case st.Choose(options):
            listed = body.module.constant(tuple((each.id, position) for position, each in enumerate(options)))
            members = f"[a for a in {listed} if a[0] not in m]"
        case st.Whether():
            members = "((True, 0),)"
        case _:
            return "()"
    behind = f", (j{number}, m)" if isinstance(line.shape, st.OneOf) and _preferring(line) else ""
    return f"excluded(W, F, y{number}, {members}{behind})"


def _opened(body: Body, head: str, line: st.Ask) -> Body:
    return Body(body.module, head, framed=True, names={}, site=body.module.site("reason", line))


def _source(body: Body, number: int, source: Expression) -> None:
    written = Body(body.module, f"def s{number}(W, F):", framed=True, names={}, site=body.site)
    written.muted = 1
    code = statements.iterated(written, source, expressions.expression(written, source))
    written.line(f"return {code}")
    body.module.finish(written)


def _outside(body: Body, number: int, line: st.Ask, source: Expression) -> None:
    written = _opened(body, f"def x{number}(W, F, a):", line)
    type_ = ty.member_type(line.variable.type) if isinstance(line.shape, _SEVERAL) else line.variable.type
    assert type_ is not None
    binding = line.shape.binding if isinstance(line.shape, st.OneOf | st.Pick) else None
    rows = tuple(each for each in line.demands if not each.prefer) if isinstance(line.shape, st.OneOf) else ()
    if binding is None:
        _answered(written, source, type_, line.address, _DEEPEST)
    else:
        _apart(written, "a", lambda: _chosen(written, binding, type_, line.address, _DEEPEST, rows))
        _unexplained(written, source, line.address)
    written.line("return x")
    body.module.finish(written)


_SEVERAL = st.Pick | st.Split | st.Order
_DEEPEST = 4
Rows = tuple[ConditionRow, ...]
_CHOOSING = (d.Selection, d.Value, d.Decide, d.Paths)
"""What a term may be made of that says why something is not among what it gives."""


def _answered(body: Body, source: Expression, type_: Type, address: str, depth: int) -> None:
    """Judges `a`, as `x`, also by the title of the set that it is chosen from."""
    _apart(body, "a", lambda: _through(body, source, type_, address, depth))
    _unexplained(body, source, address)


def _unexplained(body: Body, source: Expression, address: str) -> None:
    """Says of what no condition rules out that it is not in the set, where that has a title."""
    title = _title(body, source, address)
    if title:
        site = body.module.site("reason", None, address=address, title=f"not in “{title}”")
        with body.indented(f"if x is None and a not in {_members(body, source)}:"):
            _noted(body, site, lambda: "False")


def _members(body: Body, source: Expression) -> str:
    return statements.iterated(body, source, expressions.quietly(body, source))


def _title(body: Body, source: Expression, address: str) -> str:
    """What the author calls the set that members come from."""
    program = body.module.program
    match source:
        case ex.Narrowed(operand=inner) | ex.Comprehension(binding=Binding(source=inner)) if _chooses(source):
            return _title(body, inner, address)
        case ex.Local() if (kept := _kept(body, source, address)) is not None:
            return _title(body, kept, address)
        case ex.CallFunction(function=name):
            return program.functions[name].title
        case ex.ExternalValue(external=name):
            return program.external_terms[name].title
        case _:
            return ""


def _apart(body: Body, given: str, judge: Callable[[], None]) -> None:
    """Judges one value by itself: `x` is whether it is a member, and none where nothing says why not."""
    name = body.temporary()
    with body.aside(), body.indented(f"def {name}(a):"):
        judge()
        body.line("return True")
    body.line(f"x = {name}({given})")


def _chooses(source: Expression) -> bool:
    """Whether what a comprehension gives are members of what it goes through."""
    match source:
        case ex.Comprehension(binding=binding, value=value):
            parts = value.parts if isinstance(value, ex.MakeTuple) else (value,)
            return binding.variables == tuple(each.variable if isinstance(each, ex.Local) else None for each in parts)
        case _:
            return True


def _through(body: Body, source: Expression, type_: Type, address: str, depth: int) -> None:
    """Judges `a` by every condition that chose the members of a set, the innermost first."""
    function = getattr(body.module.program.functions.get(getattr(source, "function", "")), "body", None)
    kept = _kept(body, source, address) if isinstance(source, ex.Local) else None
    arguments = source.arguments if isinstance(source, ex.CallFunction) else (getattr(source, "target", source),)
    match source:
        case ex.Narrowed(operand=operand):
            _through(body, operand, type_, address, depth)
        case ex.Comprehension(binding=binding) if _chooses(source):
            _chosen(body, binding, type_, address, depth, ())
        case ex.Joined(operator="+", left=left, right=right):
            with body.indented(f"if a not in {expressions.quietly(body, source)}:"):
                _apart(body, "a", lambda: _through(body, left, type_, address, depth))
                with body.indented("if x is None:"):
                    _apart(body, "a", lambda: _through(body, right, type_, address, depth))
                body.line("return x")
        case ex.Joined(operator="-", left=left):
            _through(body, left, type_, address, depth)
            with body.indented(f"if a not in {expressions.quietly(body, source)}:"):
                body.line("return None")
        case ex.Conditional(condition=condition, then=then, otherwise=otherwise):
            with body.indented(f"if {expressions.quietly(body, condition)}:"):
                _through(body, then, type_, address, depth)
            with body.indented("else:"):
                _through(body, otherwise, type_, address, depth)
        case ex.Builtin(name="pairs", arguments=parts) if isinstance(type_, ty.TupleType):
            for place, each in enumerate(zip(parts, type_.parts, strict=True)):
                _apart(body, f"a[{place}]", partial(_part, body, *each, address, depth))
                with body.indented("if not x:"):
                    body.line("return x")
        case ex.Local() if kept is not None and depth:
            body.line(f"k = {statements.iterated(body, kept, expressions.quietly(body, kept))}")
            with body.indented(f"if [m for m in {body.variable(source.variable)} if m not in k]:"):
                body.line("return None")
            _through(body, kept, type_, address, depth - 1)
        case ex.CallFunction() | ex.DerivedAttribute() if isinstance(function, _CHOOSING) and depth:
            given = "".join(f"{expressions.quietly(body, each)}, " for each in arguments)
            name = _within(body.module, body.module.program.functions[source.function], type_, depth - 1)
            body.line(f"x = {name}(W, {given}a)")
            with body.indented("if not x:"):
                body.line("return x")
        case _:
            with body.indented(f"if a not in {statements.iterated(body, source, expressions.quietly(body, source))}:"):
                body.line("return None")


def _part(body: Body, source: Expression, type_: Type, address: str, depth: int) -> None:
    _answered(body, source, type_, address, depth)
    with body.indented("if not x:"):
        body.line("return x")


def _chosen(  # noqa: PLR0913, PLR0917 - what a set was chosen from, and how
    body: Body, binding: Binding, type_: Type, address: str, depth: int, rows: Rows, mode: str = "all"
) -> None:
    """Judges `a` by what chose the members that a loop goes through, then by its conditions.

    These may also say something of what the loop does not go through: 0 then, as of all that is only known so.
    """
    _apart(body, "a", lambda: _through(body, binding.source, type_, address, depth))
    with body.indented("if not x and x is not None:"):
        body.line("return x")
    _present(body, type_, ty.member_type(binding.source.type))
    visited, judged = body.temporary(), body.temporary()
    body.line(f"{visited} = x")
    with body.aside(), body.indented(f"def {judged}(a):"):
        body.line(f"{loops.target(body, binding)} = a")
        for each in conjuncts(binding.where):
            _condition(body, each, address)
        _rows(body, rows, mode)
        body.line("return True")
    body.line(f"x = {judged}(a) if {visited} else unproved({judged}, a)")
    with body.indented(f"if not x or not {visited}:"):
        body.line("return x")


def _present(body: Body, type_: Type, visited: Type | None) -> None:
    """Goes no further with `none` where the members can only be something."""
    pairs = [("a", type_, visited)]
    if isinstance(type_, ty.TupleType) and isinstance(visited, ty.TupleType):
        pairs = [(f"a[{at}]", *both) for at, both in enumerate(zip(type_.parts, visited.parts, strict=True))]
    for code, given, wanted in pairs:
        if isinstance(given, ty.OptionalType) and not isinstance(wanted, ty.OptionalType):
            with body.indented(f"if {code} is None:"):
                body.line("return None")


def _rows(body: Body, rows: Rows, mode: str) -> None:
    for row in rows:
        if mode == "all":
            _row(body, row)
            continue
        _noted(body, _row_site(body, row), partial(expressions.held, body, row, undecided=False))
        with body.indented("if x:"):
            body.line("return True")
    if mode != "all":
        body.line("return False")


def _within(module: Module, function: d.Function, type_: Type, depth: int) -> str:
    """The name of a function that judges `a` by what a term gives for its arguments."""
    module.lifted += 1
    name = f"u{module.lifted}"
    names = {each.index: f"v{each.index}" for each in (*function.parameters, *function.variables)}
    parameters = ", ".join(("W", *(names[each.index] for each in function.parameters), "a"))
    site = module.site("reason", function)
    body = Body(module, f"def {name}({parameters}):", framed=False, names=names, site=site)
    match function.body:
        case d.Value(value=value):
            _through(body, value, type_, function.name, depth)
        case d.Decide(rows=rows):
            for row in rows:
                with body.indented("if True:" if row.guard is None else f"if {expressions.quietly(body, row.guard)}:"):
                    _through(body, row.value, type_, function.name, depth)
                    body.line("return True")
        case d.Selection(binding=binding, conditions=d.Conditions(mode=mode, rows=rows)):
            _chosen(body, binding, type_, function.name, depth, rows, mode)
        case d.Paths() as found:
            _move(body, function, found)
        case _:
            body.line("return None")
    body.line("return True")
    module.finish(body)
    return name


def _move(body: Body, function: d.Function, found: d.Paths) -> None:
    """Judges the move into `a` that came nearest to ending there, row by row."""
    body.muted += 1
    body.line(f"x = {functions.destinations(body, function, found, 'nearest(W, a')}")
    with body.indented("if x is None:"):
        body.line("return None")
    body.line(f"{', '.join(body.variable(each) for each in (found.left, found.spent, found.moves))} = x")
    body.line(f"{body.variable(found.entered)} = a")
    functions.pay(body, found)
    body.muted -= 1
    for row in found.rows:
        if row.word != "halt":
            _row(body, row)
    body.line("return None")


def _kept(body: Body, source: ex.Local, address: str) -> Expression | None:
    """What a name was set to, where the routine sets it once, and after that only takes from it."""
    program, name = body.module.program, address.partition("/")[0]
    routine = program.procedures.get(name) or program.handlers.get(name) or program.rules.get(name)
    lines = list(nodes(routine))
    taken = {id(each.place) for each in lines if isinstance(each, st.AddMember) and each.take}
    settings = [
        each
        for each in lines
        if isinstance(each, st.Line | st.VariablePlace) and getattr(each, "variable", None) == source.variable
    ]
    settings = [each for each in settings if id(each) not in taken]
    return settings[0].value if len(settings) == 1 and isinstance(settings[0], st.Let) else None


def _member(body: Body, number: int, line: st.Ask, binding: Binding, demands: tuple[st.Demand, ...]) -> None:
    written = _opened(body, f"def y{number}(W, F, a):", line)
    written.line(f"{loops.target(written, binding)} = a")
    for each in conjuncts(binding.where):
        _condition(written, each, line.address)
    for row in demands:
        if not row.prefer:
            _row(written, row)
    written.line("return True")
    body.module.finish(written)


def _preferring(line: st.Ask) -> list[st.Demand]:
    return [each for each in line.demands if each.prefer]


def _behind(body: Body, number: int, line: st.Ask, binding: Binding | None) -> None:
    """A row counts where some answer satisfies it, which a legal one then does; the first that `a` fails is told."""
    if not _preferring(line):
        return
    written = _opened(body, f"def j{number}(W, F, a, b):", line)
    place = loops.target(written, binding) if binding else f"F[{FIRST_SLOT + line.variable.index}]"
    for row in _preferring(line):
        written.line(f"{place} = b")
        with written.telling(untold=True):
            written.line(f"x = {expressions.held(written, row)}")
        with written.indented("if x:"):
            written.line(f"{place} = a")
            _row(written, row)
    written.line("return True")
    body.module.finish(written)


def _options(body: Body, number: int, options: tuple[tuple[Expression | None, str], ...]) -> None:
    site = body.module.site("reason", None)
    written = Body(body.module, f"def y{number}(W, F, a):", framed=True, names={}, site=site)
    for position, (guard, address) in enumerate(options):
        with written.indented(f"if a == {position}:"):
            for each in conjuncts(guard):
                _condition(written, each, address)
    written.line("return True")
    body.module.finish(written)


def _whole(body: Body, number: int, line: st.Ask) -> None:
    written = _opened(body, f"def z{number}(W, F, a):", line)
    written.line(f"F[{FIRST_SLOT + line.variable.index}] = a")
    for row in line.demands:
        if not row.prefer:
            _row(written, row)
    written.line("return True")
    body.module.finish(written)


def _condition(body: Body, node: Expression, address: str) -> None:
    site = body.module.site("reason", node, address=address, cites=(), title=body.module.wording.text(node))
    _judged(body, site, lambda: expressions.expression(body, node))


def _row(body: Body, row: ConditionRow) -> None:
    _judged(body, _row_site(body, row), lambda: expressions.held(body, row))


def _row_site(body: Body, row: ConditionRow) -> Site:
    return body.module.site("reason", row, title=row.title or body.module.wording.text(row.condition))


def _judged(body: Body, site: Site, test: Callable[[], str]) -> None:
    _noted(body, site, test)
    with body.indented("if not x:"):
        body.line("return False")


def _noted(body: Body, site: Site, test: Callable[[], str]) -> None:
    with body.at(site):
        body.begin()
        body.line(f"x = {test()}")
        body.note(site, "x")


def conjuncts(condition: Expression | None) -> tuple[Expression, ...]:
    """The conditions that `and` joins, from left to right."""
    match condition:
        case None:
            return ()
        case ex.Logical(operator="and", left=left, right=right):
            return (*conjuncts(left), *conjuncts(right))
        case _:
            return (condition,)
