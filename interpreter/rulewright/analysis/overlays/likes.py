"""Every `like` of a program: what it is derived from, in which order, and the procedure it makes."""

from collections.abc import Callable, Mapping

from rulewright.analysis.overlays.amend import Amending, Texts, departures
from rulewright.analysis.overlays.hands import LikeHand
from rulewright.analysis.overlays.layers import Layers, declared
from rulewright.analysis.overlays.like import taken_over, within
from rulewright.analysis.overlays.touches import Touch, Touches
from rulewright.analysis.report import Report
from rulewright.diagnostics import Label
from rulewright.diagnostics.suggest import meant
from rulewright.frozen import dataclass
from rulewright.syntax.nodes import declarations as d
from rulewright.syntax.nodes.expressions import Dotted


@dataclass(frozen=True, slots=True)
class Like:
    """A `like` and what it leads to.

    Attributes:
        source: its text.
        node: the declaration as written.
        base: text and name of the procedure it is derived from.
        depth: 1 where that one is written out, else one more than its own.
        parameters: the names of the parameters of an event that the base knows.
    """

    source: str
    node: d.ProcedureLike
    base: tuple[str, str]
    depth: int
    parameters: Callable[[Dotted], frozenset[str]]


@dataclass(frozen=True, slots=True)
class Derived:
    """A procedure made by `like`.

    Attributes:
        source: its text.
        node: the declaration as written.
        base: text and name of the procedure it is derived from.
        roles: by each parameter of the base, the one that plays it.
        touches: what its own amendments changed.
    """

    source: str
    node: d.ProcedureLike
    base: tuple[str, str]
    roles: Mapping[str, str]
    touches: tuple[Touch, ...]


def find(modules: Mapping[str, Layers], owners: Mapping[str, str], texts: Texts, report: Report) -> tuple[Like, ...]:
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
        message = f"`{node.base.text}` is no procedure"
        written_out = "only a procedure that is written out can be taken over"
        report.error("RW0550", node.base.span, message, help=written_out)
        return None
    names = [
        each.name.text for name in layers.names for each in texts[name] if isinstance(each, sorts) and each is not node
    ]
    remedy = meant(node.base.parts[-1].text, names, node.base.span)
    message = f"there is no procedure `{node.base.text}`"
    report.error("RW0550", node.base.span, message, help=remedy.help, edits=remedy.edits)
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
    report.error(
        "RW0551",
        first.base.span,
        message,
        secondary=tuple(Label(each.base.span, "here too") for each in others),
        help="one of them has to be written out",
    )


def _heard(layers: Layers, modules: Mapping[str, Layers], texts: Texts) -> Callable[[Dotted], frozenset[str]]:
    def parameters(event: Dotted) -> frozenset[str]:
        events = (each for _, each in declared(event, layers, modules, texts) if isinstance(each, d.Event))
        return frozenset(parameter.name.text for each in events for parameter in each.parameters)

    return parameters


def derive(like: Like, texts: Texts, touches: Touches, documents: Mapping[str, str], report: Report) -> Derived | None:
    """Puts the procedure that a `like` makes in its place; none where that cannot be done."""
    node = like.node
    report.address = node.name.text
    base = _written_out(like.base, texts)
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
    work = Amending(texts, (like.source,), like.source, departed, documents, hand, report)
    for amendment in within(node):
        if isinstance(amendment, d.ReplaceWhole):
            message = "`like` changes its own procedure only"
            report.error("RW0558", amendment.head, message, help="amend the parts of the procedure")
        else:
            work.apply(amendment)
    report.address = ""
    return Derived(like.source, node, like.base, roles, tuple(hand.touches))


def _written_out(base: tuple[str, str], texts: Texts) -> d.Procedure | None:
    found = (each for each in texts[base[0]] if isinstance(each, d.Procedure))
    return next((each for each in found if each.name.text == base[1]), None)


def _removed(like: Like, touches: Touches, report: Report) -> None:
    """The base was derived itself and failed, or an overlay took it away."""
    removal = touches.removal((like.base[1],))
    if removal is not None:
        message = f"`{removal.overlay}` removes `{like.node.base.text}`, which this is `like`"
        there = (Label(removal.span, "removed here"),)
        report.error("RW0550", like.node.base.span, message, secondary=there)
