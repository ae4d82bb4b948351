"""Signatures: parameters and results of callables, relations, externals and the state they may change."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from rulewright.base.diagnostics import DiagnosticCollector, Label, Remedy
from rulewright.base.diagnostics.remedies import (
    find_nearest_name,
    make_deletion_edits,
    make_name_remedy,
    make_respelling_remedy,
)
from rulewright.base.source import Span
from rulewright.checker.infer.type_fitting import is_subtype
from rulewright.checker.scope import TypeEnvironment
from rulewright.checker.symbols import (
    ATTRIBUTE_SPACE,
    CALLABLE_SPACE,
    PREFIX_SPACE,
    VALUE_SPACE,
    LinkedModule,
    Symbol,
    note_symbol,
    resolve_prefixes,
)
from rulewright.program import declarations as typed
from rulewright.program.expressions import Variable
from rulewright.program.types import FLAG, RecordType, ThingType, Type
from rulewright.syntax.nodes import declarations as d, expressions as e
from rulewright.syntax.nodes.declarations import Bind
from rulewright.syntax.nodes.expressions import Dotted, Name


def is_first_of_name(space: Mapping[str, Symbol], name: Name) -> bool:
    """Whether a declaration is the one that its name means, and not a duplicate."""
    symbol = space.get(name.text)
    return symbol is not None and symbol.span == name.span


def find_callable(
    name: Dotted, module: LinkedModule, sorts: tuple[str, ...], report: DiagnosticCollector
) -> Symbol | None:
    """Callable of a name, of one of the sorts.

    Reports RW0221 where there is none; the first sort is named in the message.
    """
    where = resolve_prefixes(name, module, report)
    last = name.parts[-1]
    symbol = where.callables.get(last.text) if where else None
    if symbol is not None:
        note_symbol(last.span, symbol, report)
    if symbol is not None and symbol.sort in sorts:
        return symbol
    if where is None and name.parts[0].text in module.broken_prefixes:
        return None
    wanted = sorts[0]
    if symbol is not None:
        report.error("RW0221", name.span, f"`{name.text}` is a {symbol.sort}, not a {wanted}", subject=name.text)
        return None
    report.error(
        "RW0221",
        name.span,
        f"there is no {wanted} `{name.text}`",
        remedy=_suggest_callable(name, where, module, sorts),
        missing=name.text,
    )
    return None


def _suggest_callable(name: Dotted, where: LinkedModule | None, module: LinkedModule, sorts: tuple[str, ...]) -> Remedy:
    last = name.parts[-1].text
    if where is None:
        first = name.parts[0].text
        guess = find_nearest_name(first, module.uses)
        return (
            make_respelling_remedy(name.span, f"{guess}.{last}")
            if guess
            else Remedy(f"no `use` line has the prefix `{first}`")
        )
    valid = [text for text, symbol in where.callables.items() if symbol.sort in sorts]
    elsewhere = ((alias, other.callables.get(last)) for alias, other in module.uses.items())
    alias = next((alias for alias, symbol in elsewhere if symbol is not None and symbol.sort in sorts), None)
    if find_nearest_name(last, valid) is None and alias is not None:
        return make_respelling_remedy(name.span, f"{alias}.{last}")
    return make_name_remedy(last, valid, name.span, before=name.text.removesuffix(last))


_BINDABLE_FUNCTION_SORTS = ("term", "tally", "decide", "table", "external term")


def bind_externals(environment: TypeEnvironment) -> None:
    """Fills `LinkedProgram.external_bindings`.

    Reports RW0221 (no such external or procedure), RW0222 (parameters or results disagree) and RW0223 (bound twice).
    """
    first: dict[str, Bind] = {}
    for module, node in environment.linked.iterate_declarations(Bind):
        environment.report.address = node.external.text
        _bind_external(node, module, environment, first)


def _bind_external(node: Bind, module: LinkedModule, environment: TypeEnvironment, first: dict[str, Bind]) -> None:
    report = environment.report
    external = find_callable(node.external, module, ("external procedure", "external term"), report)
    if external is None:
        return
    known = first.setdefault(external.name, node)
    if known is not node:
        there = (Label(known.head, "bound here first"),)
        report.error("RW0223", node.head, f"`{node.external.text}` is bound twice", secondary=there)
        return
    wanted = ("procedure", "external procedure") if external.sort == "external procedure" else _BINDABLE_FUNCTION_SORTS
    target = find_callable(node.to, module, wanted, report)
    if target is None or not _check_signatures_agree(node, external, target, environment):
        return
    environment.linked.external_bindings[external.name] = target.name


def _check_signatures_agree(node: Bind, external: Symbol, target: Symbol, environment: TypeEnvironment) -> bool:
    problem = _explain_parameter_mismatch(external, target) or _explain_result_mismatch(external, target, environment)
    if problem:
        labels = (Label(external.span, "the external"), Label(target.span, "what it is bound to"))
        message = f"`{node.to.text}` does not fit `{node.external.text}`"
        environment.report.error("RW0222", node.to.span, message, secondary=labels, notes=(problem,))
    return not problem


def _explain_parameter_mismatch(external: Symbol, target: Symbol) -> str:
    """Reason why arguments of the external do not fit its target; "" where they do."""
    if len(external.parameters) != len(target.parameters):
        return f"It takes {len(target.parameters)} arguments, not {len(external.parameters)}."
    for (name, given), (target_name, type_) in zip(external.parameters, target.parameters, strict=True):
        if not is_subtype(given, type_):
            return f"`{name}` is {given}, but `{target_name}` takes {type_}."
    return ""


def _explain_result_mismatch(external: Symbol, target: Symbol, environment: TypeEnvironment) -> str:
    wanted = environment.result_types.get(external.name)
    if wanted is None:
        return ""
    given = environment.result_types.get(target.name)
    if given is None:
        return "" if target.sort == "tally" else f"It gives nothing, but {wanted} is wanted."
    return "" if _is_fitting_result(given, wanted, environment) else f"It gives {given}, but {wanted} is wanted."


def _is_fitting_result(given: Type, wanted: Type, environment: TypeEnvironment) -> bool:
    """Whether a result fits; a record fits named results with the same parts in the same order."""
    if is_subtype(given, wanted):
        return True
    if not isinstance(given, RecordType) or not isinstance(wanted, RecordType):
        return False
    parts = environment.records[given.record].parts
    names = environment.records[wanted.record].parts
    return [part.name for part in parts] == [part.name for part in names] and all(
        is_subtype(part.type, name.type) for part, name in zip(parts, names, strict=True)
    )


def _resolve_external_changes(
    node: d.ExternalProcedure, module: LinkedModule, environment: TypeEnvironment
) -> tuple[str, ...]:
    """Fact keys of `changes`: `Kind/attribute`, `Kind/gone`, `game/field`, `board/attribute` or a relation.

    Reports RW0224 for anything else.
    """
    valid = dict(_iterate_changeable_names(module, environment))
    items = []
    for change in node.changes:
        text = ".".join(e.get_dotted_names(change, ""))
        if text in valid:
            items.append(valid[text])
            _note_changed_name(change, valid[text], module, environment.report)
            _check_may_leave_play(valid[text], change, environment)
        elif not _is_reported_attribute(text, module, environment):
            _report_unknown_change(change, text, valid, module, environment.report)
    return tuple(dict.fromkeys(items))


def _note_changed_name(node: e.Expression, target: str, module: LinkedModule, report: DiagnosticCollector) -> None:
    dotted = e.read_dotted_name(node)
    assert dotted is not None
    for part in dotted.parts[:-1]:
        symbol = module.types.get(part.text) or module.names.get(part.text)
        if part.text in module.uses:
            report.note_use(part.span, PREFIX_SPACE, "", part.text)
            module = module.uses[part.text]
        elif symbol is not None:
            note_symbol(part.span, symbol, report)
    owner, _, name = target.rpartition("/")
    if owner in {"", "game"}:
        report.note_use(dotted.parts[-1].span, VALUE_SPACE if owner else CALLABLE_SPACE, "", name)
    elif name != "gone":
        report.note_use(dotted.parts[-1].span, ATTRIBUTE_SPACE, owner, name)


def _check_may_leave_play(target: str, node: e.Expression, environment: TypeEnvironment) -> None:
    kind, _, name = target.partition("/")
    if name == "gone" and environment.kinds[kind].number is not None:
        message = f"no {kind} can leave play, because an `always` says how many there are"
        environment.report.error("RW0547", node.span, message, help="leave it out, or change the `always`")


def _iterate_changeable_names(
    module: LinkedModule, environment: TypeEnvironment, prefix: str = ""
) -> Iterator[tuple[str, str]]:
    for name, symbol in module.types.items():
        if symbol.sort == "kind" and symbol.name in environment.kinds:
            yield f"{prefix}{name}.gone", f"{symbol.name}/gone"
            for attribute in environment.kinds[symbol.name].fields:
                yield f"{prefix}{name}.{attribute.name}", f"{symbol.name}/{attribute.name}"
    for name, symbol in module.names.items():
        yield from _iterate_state_names(f"{prefix}{name}", symbol, environment)
    for name, symbol in module.callables.items():
        if isinstance(symbol.node, d.Relation) and symbol.node.value is None and symbol.node.conditions is None:
            yield f"{prefix}{name}", symbol.name
    for alias, other in module.uses.items():
        yield from _iterate_changeable_names(other, environment, f"{prefix}{alias}.")


def _iterate_state_names(written: str, symbol: Symbol, environment: TypeEnvironment) -> Iterator[tuple[str, str]]:
    if symbol.sort == "game":
        yield written, f"game/{symbol.name}"
        yield f"game.{written}", f"game/{symbol.name}"
    if symbol.sort == "board":
        for attribute in environment.cell_attributes.get(symbol.name, {}):
            yield f"{written}.{attribute}", f"{symbol.name}/{attribute}"


def _is_reported_attribute(text: str, module: LinkedModule, environment: TypeEnvironment) -> bool:
    kind, _, name = text.partition(".")
    return kind in module.types and f"{module.types[kind].name}/{name}" in environment.failed_declarations


def _report_unknown_change(
    node: e.Expression, text: str, valid: Mapping[str, str], module: LinkedModule, report: DiagnosticCollector
) -> None:
    match node:
        case e.Attribute(target=e.Reference(name=kind), name=name) if kind in module.types:
            attributes = [item.removeprefix(f"{kind}.") for item in valid if item.startswith(f"{kind}.")]
            instead = make_name_remedy(name.text, attributes, name.span)
            message = f"`{module.types[kind].name}` has no attribute `{name.text}`"
            report.error(
                "RW0306",
                name.span,
                message,
                help=instead.help,
                edits=instead.edits,
                missing=f"{module.types[kind].name}.{name.text}",
            )
            return
    message = f"nothing that can change is called `{text}`" if text else "only attributes and game fields can change"
    otherwise = "name attributes as `Kind.attribute`, game fields by their name"
    report.error(
        "RW0224",
        node.span,
        message,
        remedy=make_name_remedy(text, valid, node.span, otherwise),
        missing=text or message,
    )


_ParameterTuple = tuple[tuple[str, Type], ...]


def declare_callables(environment: TypeEnvironment) -> None:
    """Fills `Symbol.parameters`, `TypeEnvironment.result_types`, stored relations and external procedures."""
    for module in environment.linked.modules:
        for node in module.declarations:
            name = getattr(node, "name", None)
            if isinstance(name, Name) and is_first_of_name(module.callables, name):
                environment.report.address = module.prefix + name.text
                view = environment.linked.procedure_views.get(module.prefix + name.text, module)
                _declare_callable(node, name, view, environment)


def _declare_callable(node: d.Declaration, name: Name, module: LinkedModule, environment: TypeEnvironment) -> None:
    symbol = module.callables[name.text]
    parameters = _resolve_parameters(getattr(node, "parameters", ()), node, module, environment)
    module.callables[name.text] = replace(symbol, parameters=parameters)
    match node:
        case d.Relation():
            _declare_stored_relation(node, symbol.name, parameters, environment)
        case d.ExternalProcedure():
            _declare_external_procedure(node, symbol.name, parameters, module, environment)
        case d.Term(gives=None):
            environment.result_types[symbol.name] = FLAG
        case d.Term() | d.Decide() | d.Table() | d.ExternalTerm() | d.Procedure():
            _declare_result(node, symbol.name, module, environment)
        case _:
            pass


def _declare_result(
    node: d.Term | d.Decide | d.Table | d.ExternalTerm | d.Procedure | d.ExternalProcedure,
    name: str,
    module: LinkedModule,
    environment: TypeEnvironment,
) -> None:
    if node.gives is None:
        return
    type_ = environment.resolve_type(node.gives, module)
    if type_ is None:
        environment.failed_declarations.add(name)
    else:
        environment.result_types[name] = type_


def _resolve_parameters(
    nodes: tuple[d.Parameter, ...], owner: d.Declaration, module: LinkedModule, environment: TypeEnvironment
) -> _ParameterTuple:
    items: list[tuple[str, Type]] = []
    names: set[str] = set()
    for node in nodes:
        if node.default is not None and not isinstance(owner, d.Procedure | d.ProcedureLike):
            message = "only parameters of procedures have defaults"
            edits = make_deletion_edits(Span(node.span.source, node.type.span.end, node.default.span.end))
            environment.report.error("RW0217", node.span, message, help="leave out `= …`", edits=edits)
        type_ = environment.resolve_type(node.type, module)
        if type_ is None:
            environment.unresolved_parameters.add(node.name.text)
        if environment.check_new_name(node.name, names) and type_ is not None:
            items.append((node.name.text, type_))
    return tuple(items)


def _declare_stored_relation(
    node: d.Relation, name: str, parameters: _ParameterTuple, environment: TypeEnvironment
) -> None:
    environment.result_types[name] = FLAG
    if (
        not _check_relation_parameters(node, parameters, environment)
        or node.value is not None
        or node.conditions is not None
    ):
        return
    for parameter, (_, type_) in zip(node.parameters, parameters, strict=True):
        if not isinstance(type_, ThingType):
            message = "a stored relation links things of a kind"
            environment.report.error("RW0214", parameter.span, message, help="only derived relations take other values")
            return
    (first, first_type), (second, second_type) = parameters
    pair = (Variable(first, 0, first_type), Variable(second, 1, second_type))
    relation = typed.Relation(**environment.make_shared_fields(name, node), parameters=pair, symmetric=node.symmetric)
    environment.relations[name] = relation


def _check_relation_parameters(node: d.Relation, parameters: _ParameterTuple, environment: TypeEnvironment) -> bool:
    if len(node.parameters) != 2:  # noqa: PLR2004 - a relation links two things
        message = "a relation links two things"
        environment.report.error("RW0214", node.head, message, help="give it two parameters, or declare a `term`")
        return False
    if len(parameters) != len(node.parameters):
        return False
    (_, first), (_, second) = parameters
    if node.symmetric and first != second:
        environment.report.error(
            "RW0214", node.parameters[1].span, "the two sides of a symmetric relation have one type"
        )
        return False
    return True


def _declare_external_procedure(
    node: d.ExternalProcedure,
    name: str,
    parameters: _ParameterTuple,
    module: LinkedModule,
    environment: TypeEnvironment,
) -> None:
    if node.results:
        _declare_named_results(node, name, module, environment)
    else:
        _declare_result(node, name, module, environment)
    environment.external_procedures[name] = typed.ExternalProcedure(
        **environment.make_shared_fields(name, node),
        parameters=tuple(Variable(text, index, type_) for index, (text, type_) in enumerate(parameters)),
        result=environment.result_types.get(name),
        changes=_resolve_external_changes(node, module, environment),
    )


def _declare_named_results(
    node: d.ExternalProcedure, name: str, module: LinkedModule, environment: TypeEnvironment
) -> None:
    """Named results make a record type of the external's own name."""
    results = _resolve_parameters(node.results, node, module, environment)
    if len(results) != len(node.results):
        environment.failed_declarations.add(name)
        return
    places = {result.name.text: result.span for result in node.results}
    parts = tuple(
        typed.Field(name=text, address=f"{name}/{text}", type=type_, start=None, title="", span=places[text])
        for text, type_ in results
    )
    environment.records[name] = typed.Record(**environment.make_shared_fields(name, node), parts=parts, derived=())
    environment.result_types[name] = RecordType(name)
