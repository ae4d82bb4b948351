"""`like`: procedures taken over from others, their roles under other names, and in which order (manual, Elsewhere)."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from rulewright.analysis.addresses import bound_name
from rulewright.analysis.overlays.amend import Amending, Texts, departures
from rulewright.analysis.overlays.touches import Layers, LikeHand, Touch, Touches, declared
from rulewright.analysis.reads import nodes_in
from rulewright.analysis.report import Report, listed
from rulewright.diagnostics import Label
from rulewright.diagnostics.remedies import meant
from rulewright.frozen import dataclass
from rulewright.roles import Role, mapped
from rulewright.syntax.nodes import declarations as d, statements as s
from rulewright.syntax.nodes.expressions import Argument, Binder, Call, Dotted, Name, Reference

Node = Any
Parameters = Callable[[Dotted], frozenset[str]]
"""The names of the parameters of an event."""


def renamed(node: Node, names: Mapping[str, str], parameters: Parameters) -> Node:
    """The node with roles read under their new names, except where a watch hears of an event that has the name."""
    match node:
        case Reference(name=name):
            return replace(node, name=names[name]) if name in names else node
        case Call(function=Reference()):
            return replace(node, arguments=renamed(node.arguments, names, parameters))
        case d.Watch(event=event):
            hidden = parameters(event)
            names = {old: new for old, new in names.items() if old not in hidden}
        case _:
            pass
    return mapped(node, lambda each: renamed(each, names, parameters), Role.PROOF)


def spoken(*nodes: Node) -> dict[str, Node]:
    """Every bare name that lines read or bind, with the first node that does."""
    found: dict[str, Node] = {}
    called = {id(each.function) for each in nodes_in(*nodes) if isinstance(each, Call)}
    for each in sorted((n for n in nodes_in(*nodes) if hasattr(n, "span")), key=lambda n: n.span):
        for name in _names(each) if id(each) not in called else ():
            found.setdefault(name, each)
    return found


def _names(node: Node) -> tuple[str, ...]:
    match node:
        case Reference(name=name):
            return (name,)
        case Binder(names=names):
            return tuple(each.text for each in names)
        case s.Line():
            bound = bound_name(node)
            return (bound.text,) if bound else ()
        case _:
            return ()


def taken_over(
    node: d.ProcedureLike, base: d.Procedure, parameters: Parameters, report: Report
) -> tuple[d.Procedure, dict[str, str]] | None:
    """The procedure with the lines of its base and nothing amended yet, and who plays each role of the base.

    Reports RW0552 (a role without a parameter), RW0553 (an argument that gives no role), RW0555 (a parameter named
    like something else in the lines taken over).
    """
    roles = _roles(node, base, report)
    if roles is None or not _clear(node, base, roles, report):
        return None
    names = {role: player for role, player in roles.items() if role != player}
    opening = renamed(_cited(base.opening, base), names, parameters)
    steps = renamed(_cited(base.steps, base), names, parameters)
    made = d.Procedure(
        name=node.name,
        parameters=node.parameters,
        gives=base.gives,
        inner=node.inner,
        opening=opening,
        steps=steps,
        title=node.title,
        cites=node.cites,
        span=node.span,
        head=node.head,
    )
    return made, roles


def _cited(parts: tuple[d.Opening | d.Step, ...], base: d.Procedure) -> tuple[d.Opening | d.Step, ...]:
    """The parts with the margin of the procedure around them, where they have none of their own."""
    return tuple(each if each.cites or not base.cites else replace(each, cites=base.cites) for each in parts)


def _roles(node: d.ProcedureLike, base: d.Procedure, report: Report) -> dict[str, str] | None:
    """Which parameter plays each role of the base."""
    own = [each.name.text for each in node.parameters]
    wanted = [each.name.text for each in base.parameters]
    found: dict[str, str] = {}
    start = len(report.found)
    for place, argument in enumerate(node.arguments):
        role, player = _role(argument, place, wanted, report), _player(argument, own, report)
        if role in found:
            report.error("RW0553", argument.span, f"the role `{role}` is given twice", help="leave one of them out")
        elif role is not None and player is not None:
            found[role] = player
    if len(report.found) > start:
        return None
    found |= {name: name for name in wanted if name not in found and name in own}
    open_ = [each for each in base.parameters if each.name.text not in found]
    for each in open_:
        text, remedy = each.name.text, f"add a parameter `{each.name.text}`"
        if own:
            remedy += f", or say who plays it: `like {node.base.text}({text}: {own[0]})`"
        message = f"no parameter plays the role `{text}` of `{node.base.text}`"
        report.error("RW0552", node.base.span, message, help=remedy, secondary=(Label(each.span, "the role"),))
    return None if open_ else found


def _role(argument: Argument, place: int, wanted: list[str], report: Report) -> str | None:
    if argument.name is None:
        if place < len(wanted):
            return wanted[place]
        report.error("RW0553", argument.span, f"the base has {len(wanted)} roles", help="leave this one out")
        return None
    if argument.name.text in wanted:
        return argument.name.text
    roles = f"its roles are {listed(wanted)}" if wanted else ""
    remedy = meant(argument.name.text, wanted, argument.name.span, roles)
    report.error("RW0553", argument.name.span, f"the base has no role `{argument.name.text}`", remedy=remedy)
    return None


def _player(argument: Argument, own: list[str], report: Report) -> str | None:
    if isinstance(argument.value, Reference) and argument.value.name in own:
        return argument.value.name
    written = argument.value.name if isinstance(argument.value, Reference) else ""
    roles = f"name one of {listed(own)}" if own else "it has none yet"
    message = "a role is played by a parameter of this procedure"
    report.error("RW0553", argument.value.span, message, remedy=meant(written, own, argument.value.span, roles))
    return None


def _clear(node: d.ProcedureLike, base: d.Procedure, roles: dict[str, str], report: Report) -> bool:
    """Whether no parameter has a name that means something else in the lines taken over."""
    said = spoken(base.opening, base.steps)
    clear = True
    for each in node.parameters:
        name = each.name.text
        if name in said and name not in roles:
            there = (Label(said[name].span, f"`{name}` means something else here"),)
            message = f"`{name}` has a meaning in `{node.base.text}` already"
            report.error("RW0555", each.name.span, message, help="take another name", secondary=there)
            clear = False
    return clear


def within(node: d.ProcedureLike) -> Iterator[d.Amendment]:
    """The amendments of a `like` with whole addresses, `melee_attack/choose/used` for `choose/used`."""
    own = node.name.text

    def whole(address: Name) -> Name:
        return address if address.text.partition("/")[0] == own else Name(f"{own}/{address.text}", address.span)

    return (_addressed(each, whole) for each in node.amendments)


def _addressed(amendment: d.Amendment, whole: Callable[[Name], Name]) -> d.Amendment:
    match amendment:
        case d.Replace(target=target) | d.Insert(anchor=None, target=target):
            return replace(amendment, target=replace(target, address=whole(target.address)))
        case d.Insert(anchor=Name() as anchor) | d.InsertLines(anchor=Name() as anchor):
            return replace(amendment, anchor=whole(anchor))
        case d.RemovePart(address=address) | d.ReplaceLine(address=address):
            return replace(amendment, address=whole(address))
        case _:
            return amendment


@dataclass(frozen=True, slots=True)
class Like:
    """A `like` and what it leads to."""

    source: str  # its text
    node: d.ProcedureLike  # the declaration as written
    base: tuple[str, str]  # text and name of the procedure it is derived from
    depth: int  # 1 where that one is written out, else one more than its own
    parameters: Callable[[Dotted], frozenset[str]]  # the names of the parameters of an event that the base knows


@dataclass(frozen=True, slots=True)
class Derived:
    """A procedure made by `like`."""

    source: str  # its text
    node: d.ProcedureLike  # the declaration as written
    base: tuple[str, str]  # text and name of the procedure it is derived from
    roles: Mapping[str, str]  # by each parameter of the base, the one that plays it
    touches: tuple[Touch, ...]  # what its own amendments changed


def find_likes(
    modules: Mapping[str, Layers], owners: Mapping[str, str], texts: Texts, report: Report
) -> tuple[Like, ...]:
    """Every `like` whose base is known; reports RW0550 (no such procedure) and RW0551 (a circle)."""
    homes = {source: modules[root] for source, root in owners.items()}
    bases: dict[tuple[str, str], tuple[str, str]] = {}
    nodes: dict[tuple[str, str], d.ProcedureLike] = {}
    for source, layers in homes.items():
        for node in texts[source]:
            if isinstance(node, d.ProcedureLike):
                base = _base(node, layers, modules, texts, report)
                if base is not None:
                    bases[source, node.name.text] = base
                    nodes[source, node.name.text] = node
    found = []
    told: set[tuple[str, str]] = set()
    for key, node in nodes.items():
        depth = _depth(key, bases, nodes, told, report)
        if depth:
            heard = _heard(homes[bases[key][0]], modules, texts)
            found.append(Like(key[0], node, bases[key], depth, heard))
    return tuple(found)


def _base(
    node: d.ProcedureLike, layers: Layers, modules: Mapping[str, Layers], texts: Texts, report: Report
) -> tuple[str, str] | None:
    sorts = (d.Procedure, d.ProcedureLike)
    found = list(declared(node.base, layers, modules, texts))
    for source, each in found:
        if isinstance(each, sorts):
            return source, each.name.text
    report.address = node.name.text
    if found:
        message = f"`{node.base.text}` is not a procedure"
        written_out = "only a procedure that is written out can be taken over"
        report.error("RW0550", node.base.span, message, help=written_out)
        return None
    names = [
        each.name.text for name in layers.names for each in texts[name] if isinstance(each, sorts) and each is not node
    ]
    message = f"there is no procedure `{node.base.text}`"
    report.error("RW0550", node.base.span, message, remedy=meant(node.base.parts[-1].text, names, node.base.span))
    return None


def _depth(
    key: tuple[str, str],
    bases: Mapping[tuple[str, str], tuple[str, str]],
    nodes: Mapping[tuple[str, str], d.ProcedureLike],
    told: set[tuple[str, str]],
    report: Report,
) -> int:
    """How many `like` lead to what is written out; 0 in a circle, or where one on the way leads nowhere."""
    way = [key]
    while way[-1] in bases:
        base = bases[way[-1]]
        if base in way:
            circle = way[way.index(base) :]
            if told.isdisjoint(circle):
                _circle([nodes[each] for each in circle], report)
            told.update(circle)
            return 0
        way.append(base)
    return 0 if way[-1] in nodes else len(way) - 1


def _circle(nodes: list[d.ProcedureLike], report: Report) -> None:
    first, *others = nodes
    report.address = first.name.text
    if others:
        names = " is like ".join(f"`{each.name.text}`" for each in (*nodes, first))
        message = f"procedures are `like` each other in a circle: {names}"
    else:
        message = f"`{first.name.text}` is `like` itself"
    there = tuple(Label(each.base.span, "here too") for each in others)
    report.error("RW0551", first.base.span, message, secondary=there, help="one of them has to be written out")


def _heard(layers: Layers, modules: Mapping[str, Layers], texts: Texts) -> Callable[[Dotted], frozenset[str]]:
    def parameters(event: Dotted) -> frozenset[str]:
        events = (each for _, each in declared(event, layers, modules, texts) if isinstance(each, d.Event))
        return frozenset(parameter.name.text for each in events for parameter in each.parameters)

    return parameters


def derive(like: Like, texts: Texts, touches: Touches, documents: Mapping[str, str], report: Report) -> Derived | None:
    """Puts the procedure that a `like` makes in its place; none where that cannot be done."""
    node = like.node
    report.address = node.name.text
    source, name = like.base
    written = (each for each in texts[source] if isinstance(each, d.Procedure) and each.name.text == name)
    base = next(written, None)
    if base is None:
        _removed(like, touches, report)
        return None
    made = taken_over(node, base, like.parameters, report)
    if made is None:
        return None
    procedure, roles = made
    texts[like.source] = tuple(procedure if each is node else each for each in texts[like.source])
    hand = LikeHand(touches, node, like.base, report)
    departed = departures(texts, like.source, documents)
    work = Amending(texts, dict(texts), (like.source,), like.source, departed, documents, hand, report)
    for amendment in within(node):
        if isinstance(amendment, d.ReplaceWhole):
            message = "`like` changes its own procedure only"
            report.error("RW0558", amendment.head, message, help="amend the parts of the procedure")
        else:
            work.apply(amendment)
    report.address = ""
    return Derived(like.source, node, like.base, roles, tuple(hand.touches))


def _removed(like: Like, touches: Touches, report: Report) -> None:
    """The base was derived itself and failed, or an overlay took it away."""
    removal = touches.removal((like.base[1],))
    if removal is not None:
        message = f"`{removal.overlay}` removes `{like.node.base.text}`, which this is `like`"
        there = (Label(removal.span, "removed here"),)
        report.error("RW0550", like.node.base.span, message, secondary=there)
