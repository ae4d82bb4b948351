"""The faces that dice show, as they are answered: of all dice in order, of one alone, or of each part by its name."""

from collections.abc import Callable, Sequence

from rulewright.codecs.table import to_json
from rulewright.inputs.findings import WRONG, Findings, Wrong
from rulewright.inputs.names import Names
from rulewright.inputs.nodes import Items, Mapping, Node, Scalar, name_of, one_line
from rulewright.inputs.value_reader import ValueReader
from rulewright.machine.request import DiceThrown, Request
from rulewright.machine.values import Value
from rulewright.program.statements import Roll
from rulewright.program.types import ThingType, Type, WordType
from rulewright.program.wording import a

Offered = Callable[[Sequence[Value], Type], str]
"""What may be answered, in words."""


def read_faces(  # noqa: PLR0913 - what an answer is read with
    node: Node, request: Request, values: ValueReader, refuse: Callable[..., Wrong], offered: Offered, *, typed: bool
) -> Value | Wrong:
    """The faces of all dice thrown, in order; `typed` by people at a table, or written in a script.

    Reports RW0730: too many or too few, a face that a die does not show, a part that the roll does not have.
    """
    dice = [each for each in request.dice for _ in range(each.count)]
    match node:
        case Items(items=items):
            written: Sequence[Node] = items
        case Scalar() if len(dice) == 1:
            written = (node,)
        case Mapping() if parts_of(request):
            found = _in_parts(node, request, values, refuse)
            if isinstance(found, Wrong):
                return WRONG
            written = found
        case _:
            first = next((key.text for key, _ in node), "") if isinstance(node, Mapping) else ""
            remedy = f"answers called by their lines stand in one mapping: `script: {{{first}: …}}`" if first else ""
            remedy = remedy or ("" if typed else _together(node, dice, values.names))
            return refuse(node, f"answer with a list of {_count(len(dice), 'face')}, one for each die", remedy)
    if len(written) != len(dice):
        thrown = "1 die is" if len(dice) == 1 else f"{len(dice) or 'no'} dice are"
        given = "1 face is" if len(written) == 1 else f"{len(written)} faces are"
        remedy = _further(written, len(dice)) if _explodes(request) else ""
        if not typed and [len(each.items) for each in written if isinstance(each, Items)] == [len(dice)]:
            remedy = "take away one pair of brackets"
        return values.findings.error("RW0730", node, f"{thrown} thrown, and {given} given", help=remedy)
    faces = [_face(each, die, values, refuse, offered) for each, die in zip(written, dice, strict=True)]
    return WRONG if WRONG in faces else tuple(faces)  # type: ignore[arg-type]


def _together(node: Node, dice: Sequence[DiceThrown], names: Names) -> str:
    """How the faces of several dice are written, by an example with the one face that was."""
    if not dice:
        return ""
    given = node.value if isinstance(node, Scalar) else None
    shown = [next((face for face in each.faces if face == given), each.faces[0]) for each in dice]
    faces = one_line([*(to_json(face, each.face, names) for face, each in zip(shown, dice, strict=True))])
    return f"write all faces of the roll in one list, such as `{faces}`; a script with this answer alone is `[{faces}]`"


def _explodes(request: Request) -> bool:
    """Whether dice of a roll may bring further dice."""
    node = request.question and request.question.node
    return isinstance(node, Roll) and any(
        option.word == "explode"
        for options in (node.options, *(each.options for each in node.parts))
        for option in options
    )


def _further(written: Sequence[Node], count: int) -> str:
    """How more faces than dice are written where dice explode; empty where they cannot be told apart."""
    if not 0 < count < len(written) or not all(isinstance(each, Scalar) for each in written):
        return ""
    faces = [each.written for each in written if isinstance(each, Scalar)]
    lists = f"[{', '.join(faces[:count])}], [{', '.join(faces[count:])}]"
    return f"the dice that exploding brings are answered after it: write `{lists}`, or by address `{{each: [{lists}]}}`"


def parts_of(request: Request) -> tuple[DiceThrown, ...]:
    """The dice thrown, part by part, where every part is called by a word or thing of its own."""
    called = {each.part for each in request.dice} if isinstance(request.part, WordType | ThingType) else {None}
    return () if None in called or len(called) < len(request.dice) else request.dice


def part_name(dice: DiceThrown, request: Request, names: Names) -> str:
    """What a part of a roll is called."""
    assert request.part is not None
    return str(to_json(dice.part, request.part, names))


def _in_parts(node: Mapping, request: Request, values: ValueReader, refuse: Callable[..., Wrong]) -> list[Node] | Wrong:
    """The faces of `{attack: [4, 5, 5], block: [5, 2]}`, in the order of the dice."""
    assert request.part is not None
    given: dict[Value, Sequence[Node]] = {}
    for key, below in node:
        part = ValueReader(values.names, Findings()).read(name_of(key), request.part, "a part")
        if not isinstance(part, Wrong):
            given[part] = below.items if isinstance(below, Items) else (below,)
    names = [part_name(each, request, values.names) for each in request.dice]
    if given.keys() != {each.part for each in request.dice} or len(given) < len(tuple(node)):
        return refuse(node, f"the parts of this roll are {' and '.join(names)}")
    for each, name in zip(request.dice, names, strict=True):
        if len(given[each.part]) != each.count:
            faces = _count(len(given[each.part]), "face")
            message = f"{name} has {_count(each.count, 'die', 'dice')}, and {faces} given"
            return values.findings.error("RW0730", node, message)
    return [face for each in request.dice for face in given[each.part]]


def _face(
    node: Node, die: DiceThrown, values: ValueReader, refuse: Callable[..., Wrong], offered: Offered
) -> Value | Wrong:
    before = len(values.findings.found)
    value = values.read(node, die.face, "a face")
    if value in die.faces:
        return value
    remedy = "".join(each.help for each in values.findings.found[before:])
    del values.findings.found[before:]
    return refuse(node, f"{a(die.die)} shows {offered(die.faces, die.face)}", remedy, member=True)


def _count(count: int, one: str, several: str = "") -> str:
    return f"{count} {one if count == 1 else several or f'{one}s'}"
