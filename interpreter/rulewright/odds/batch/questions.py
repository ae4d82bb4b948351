"""WebAssembly for chance and decisions, answered as `AtOnce` does: from the streams of the seed, and by a policy."""

from rulewright.drivers.chance import named, together
from rulewright.machine.generate.chance import faces_of
from rulewright.odds.batch import alike, every_way, sets
from rulewright.odds.batch.digits import larger, with_entry
from rulewright.odds.batch.members import held_row, visited
from rulewright.odds.batch.shapes import MOST_MEMBERS, UnfitError
from rulewright.odds.batch.writer import WORD, Body, constant, held
from rulewright.program import expressions as ex, statements as st, types as ty
from rulewright.program.walk import lines_of, shared_address

MOST_DICE = 1 << 16
"""So many dice and members of lists have room in a play."""


def _occasion(body: Body, address: str) -> str:
    """The name of how often a line was asked before; it counts once more."""
    at = body.module.place(("asked", shared_address(address)), lambda: [0], written=True)
    before = body.temporary(f"(i64.load (i32.const {at}))")
    body.line(f"(i64.store (i32.const {at}) (i64.add {held(before)} (i64.const 1)))")
    return before


def _drawn(body: Body, address: str, part: str, occasion: str, limit: str | int) -> str:
    """A number of a stream below a limit; of one that is known beforehand the division is by a constant."""
    if body.module.every_way:
        return every_way.drawn(limit if isinstance(limit, str) else constant(limit))
    if isinstance(limit, str):
        return f"(call $drawn {constant(named(address, part))} {held(occasion)} {limit})"
    return f"(i64.rem_u {_word(address, part, occasion, limit)} {constant(limit)})"


def _word(address: str, part: str, occasion: str, limit: int) -> str:
    """A number of a stream, of which all remainders by a limit are equally likely."""
    over = constant((1 << 64) // limit * limit % (1 << 64))
    return f"(call $word {constant(named(address, part))} {held(occasion)} {over})"


# Dice.


def roll(body: Body, line: st.Roll) -> None:
    """Throws dice of one sort into memory: how many, then what each shows; the value is where they lie.

    Raises:
        UnfitError: dice of several sorts, or some that explode or are kept.
    """
    if not line.is_plain:
        raise UnfitError("dice of several sorts, or with options")
    (part,) = line.parts
    assert not isinstance(part.die, st.ComputedDie)
    faces = [_face(each) for each in faces_of(body.module.program, part.die)]
    if part.count is None and not body.module.every_way and alike.is_looked_at(body, line):
        occasion, limit = _occasion(body, line.address), together(len(faces))[1]
        word = _word(line.address, f"{len(faces)}/0", occasion, limit)
        body.set(line.variable, _shown(body, f"(i64.rem_u {word} {constant(len(faces))})", faces))
        body.faces.add(line.variable.index)
        return
    count = body.temporary(constant(1) if part.count is None else body.value(part.count))
    body.line(f"(if (i64.lt_s {held(count)} (i64.const 0)) (then (local.set {count} (i64.const 0))))")
    body.unless(f"(i64.le_s {held(count)} (i64.const {_groups(faces) * together(len(faces))[0]}))", _MANY)
    if not body.module.every_way and alike.is_gone_through_once(body, line, faces):
        number = body.temporary(constant(0))
        body.unless(f"(i64.le_s {held(count)} {constant(together(len(faces))[0])})", _MANY)
        with body.inside(f"if (i64.gt_s {held(count)} (i64.const 0)) (then"):
            occasion, limit = _occasion(body, line.address), together(len(faces))[1]
            body.line(f"(local.set {number} {_drawn(body, line.address, f'{len(faces)}/0', occasion, limit)})")
        body.line(")")
        body.digits[line.variable.index] = count, number, faces
        return
    made = f"(call {body.module.library('space')} (i64.add {held(count)} (i64.const 2)))"
    pool = body.temporary(f"(i64.add {made} (i64.const {WORD}))")
    body.line(
        f"(i64.store (i32.wrap_i64 (i64.sub {held(pool)} (i64.const {WORD}))) {constant(_sorts(body).index(faces))})"
    )
    body.line(f"(i64.store (i32.wrap_i64 {held(pool)}) {held(count)})")
    with body.inside(f"if (i64.gt_s {held(count)} (i64.const 0)) (then"):
        _thrown(body, line, f"(i64.add {held(pool)} (i64.const {WORD}))", held(count), faces)
    body.line(")")
    body.set(line.variable, held(pool) if part.count is not None else f"(i64.add {held(pool)} (i64.const {WORD}))")


_MANY = "a roll of very many dice"


def _groups(faces: list[int]) -> int:
    """How many numbers serve the dice of the largest roll: 64 dice or more."""
    return -(-64 // together(len(faces))[0])


def _thrown(body: Body, line: st.Roll, first: str, count: str, faces: list[int]) -> None:
    """Throws dice for the first time."""
    if body.module.every_way:
        every_way.fall(body, line, first, count, faces)
    else:
        _fall(body, line.address, first, count, faces)


def _fall(body: Body, address: str, first: str, count: str, faces: list[int]) -> None:
    """Throws dice that lie one behind the other; a number has the faces of several as its digits."""
    several, limit = together(len(faces))
    occasion, at = _occasion(body, address), body.temporary(first)
    end = body.temporary(f"(i64.add {held(at)} (i64.shl {count} (i64.const 3)))")
    over = body.label()
    number, stop = body.temporary(), body.temporary()
    with body.inside(f"block {over}"):
        for group in range(_groups(faces)):
            body.line(f"(local.set {number} {_drawn(body, address, f'{len(faces)}/{group}', occasion, limit)})")
            body.line(f"(local.set {stop} (i64.add {held(at)} {constant(several * WORD)}))")
            body.line(f"(local.set {stop} {larger(body, held(stop), held(end), least=True)})")
            _digits(body, at, stop, number, faces)
            body.line(f"(br_if {over} (i64.ge_u {held(at)} {held(end)}))")


def _digits(body: Body, at: str, end: str, number: str, faces: list[int]) -> None:
    """Puts the faces that are digits of a number where dice lie."""
    size = constant(len(faces))
    rest, digit = body.temporary(), body.temporary()
    with body.until(f"(i64.ge_u {held(at)} {held(end)})"):
        body.line(f"(local.set {rest} (i64.div_u {held(number)} {size}))")
        body.line(f"(local.set {digit} (i64.sub {held(number)} (i64.mul {held(rest)} {size})))")
        body.line(f"(local.set {number} {held(rest)})")
        body.line(f"(i64.store (i32.wrap_i64 {held(at)}) {_shown(body, held(digit), faces)})")
        body.line(f"(local.set {at} (i64.add {held(at)} (i64.const {WORD})))")


def _shown(body: Body, digit: str, faces: list[int]) -> str:
    """What a die shows, of which it is known the how manieth of its faces that is."""
    if faces == list(range(faces[0], faces[0] + len(faces))):
        return f"(i64.add {digit} {constant(faces[0])})"
    base = body.module.table(("faces", tuple(faces)), lambda: faces)
    return f"(i64.load (i32.add {base} (i32.shl (i32.wrap_i64 {digit}) (i32.const 3))))"


def _face(face: object) -> int:
    if not isinstance(face, int):
        raise UnfitError("dice whose faces are neither numbers nor words")
    return face


def _sorts(body: Body) -> list[list[int]]:
    """The faces of all dice that are rolled here, each sort once."""
    rolls = [each for each in lines_of(body.module.program, st.Roll) if each.is_plain]
    found = [[_face(each) for each in faces_of(body.module.program, line.parts[0].die)] for line in rolls]  # type: ignore[arg-type]
    return [list(each) for each in dict.fromkeys(map(tuple, found))]


def reroll(body: Body, line: st.Reroll) -> None:
    """Throws a die or all dice of a pool again.

    Raises:
        UnfitError: it is not known which dice they are.
    """
    if body.module.every_way:
        raise UnfitError("dice that are thrown again")
    if not isinstance(line.dice.type, ty.PoolType | ty.DieType):
        raise UnfitError("some dice of a roll are thrown again")
    which, sorts = body.temporary(body.value(line.dice)), _sorts(body)
    if isinstance(line.dice.type, ty.DieType):
        if len(sorts) != 1:
            raise UnfitError("one die of several sorts, or with options, is thrown again")
        _fall(body, line.address, held(which), constant(1), sorts[0])
        return
    count = f"(i64.load (i32.wrap_i64 {held(which)}))"
    sort = f"(i64.load (i32.wrap_i64 (i64.sub {held(which)} (i64.const {WORD}))))"
    for number, faces in enumerate(sorts):
        is_it = f"(i32.and (i64.gt_s {count} (i64.const 0)) (i64.eq {sort} {constant(number)}))"
        with body.inside(f"if {is_it} (then"):
            _fall(body, line.address, f"(i64.add {held(which)} (i64.const {WORD}))", count, faces)
        body.line(")")


# Decisions.


def ask(body: Body, line: st.Ask) -> None:
    """Answers a question by the policy, and goes on.

    Raises:
        UnfitError: the policy does not answer such questions here.
    """
    if line.policies:
        raise UnfitError("a player has a policy for one question")
    match line.shape:
        case st.Whether():
            answer = _whether(body, line)
            body.set(line.variable, held(answer))
            _either(body, f"(i32.wrap_i64 {held(answer)})", line)
        case st.Choose(options):
            possible = _options(body, line)
            if line.otherwise is None:
                body.unless(f"(i64.ne {held(possible)} (i64.const 0))", "a question without an answer")
            body.line(f"(if (i64.ne {held(possible)} (i64.const 0)) (then")
            answer = _picked(body, line, possible, _OPTIONS)
            body.module.unheld.add((body.address, line.variable.index))
            for number, option in enumerate(options):
                body.line(f"(if (i64.eq {held(answer)} {constant(number)}) (then")
                body.block(option.block)
                body.line("))")
            body.line(") (else")
            body.block(line.otherwise)
            body.line("))")
        case st.OneOf(ex.Binding((variable,), ex.Interval() as span, None)) if (
            variable is not None and not line.demands
        ):
            body.set(line.variable, _number(body, line, span))
            body.block(line.block)
        case st.OneOf() | st.TurnHow():
            legal = _members(body, line)
            item = ty.present(line.variable.type)
            several = body.temporary(sets.count(body, item, held(legal)))
            if line.otherwise is None:
                body.unless(f"(i64.ne {held(several)} (i64.const 0))", "a question without an answer")
            body.line(f"(if (i64.ne {held(several)} (i64.const 0)) (then")
            body.set(line.variable, held(_picked(body, line, legal, item)))
            body.block(line.block)
            body.line(") (else")
            body.block(line.otherwise)
            body.line("))")
        case _:
            raise UnfitError("a question for several answers at once")


def _either(body: Body, test_: str, line: st.Ask) -> None:
    body.line(f"(if {test_} (then")
    body.block(line.block)
    body.line(") (else")
    body.block(line.otherwise)
    body.line("))")


def _decided(body: Body) -> None:
    if not body.module.policy:
        raise UnfitError("a question that no policy answers")


def _whether(body: Body, line: st.Ask) -> str:
    _decided(body)
    assert isinstance(line.shape, st.Whether)
    answer = body.temporary(constant(0))
    guard = "(i32.const 1)" if line.shape.guard is None else body.test(line.shape.guard)
    with body.inside(f"if {guard} (then"):
        yes_or_no(body, line.address, answer)
    body.line(")")
    return answer


def yes_or_no(body: Body, address: str, answer: str) -> None:
    """Sets a name to what the policy answers, which is yes or no.

    Raises:
        UnfitError: there is no policy.
    """
    _decided(body)
    occasion = _occasion(body, address)
    if body.module.policy == "first":
        body.line(f"(local.set {answer} (i64.const 1))")
    else:
        body.line(f"(local.set {answer} (i64.sub (i64.const 1) {_drawn(body, address, '', occasion, 2)}))")


def _options(body: Body, line: st.Ask) -> str:
    """The name of the set of the options that are possible, by number."""
    assert isinstance(line.shape, st.Choose)
    possible = body.temporary(constant(0))
    for number, option in enumerate(line.shape.options):
        guard = "(i32.const 1)" if option.guard is None else body.test(option.guard)
        body.line(f"(if {guard} (then (local.set {possible} (i64.or {held(possible)} {constant(1 << number)}))))")
    return possible


def _number(body: Body, line: st.Ask, span: ex.Interval) -> str:
    """The whole number that the policy takes; where there is none the play is given back."""
    _decided(body)
    low, high = body.temporary(body.value(span.low)), body.value(span.high)
    many = body.temporary(f"(i64.sub (i64.add {high} (i64.const 1)) {held(low)})")
    body.unless(f"(i64.gt_s {held(many)} (i64.const 0))", "a question without an answer")
    with body.inside(f"if (i64.gt_s {held(many)} (i64.const 1)) (then"):
        occasion = _occasion(body, line.address)
        if body.module.policy != "first":
            drawn = _drawn(body, line.address, "", occasion, held(many))
            body.line(f"(local.set {low} (i64.add {held(low)} {drawn}))")
    body.line(")")
    return held(low)


_OPTIONS = ty.NumberType(0, MOST_MEMBERS - 1)
"""Options of a question, by number."""


def _members(body: Body, line: st.Ask) -> str:
    """The name of the set of legal answers."""
    if isinstance(line.shape, st.TurnHow):
        found = line.variable.type
        if not isinstance(found, ty.DirectionType) or line.demands:
            raise UnfitError("a turn on the plane")
        return body.temporary(constant((1 << found.count) - 1))
    assert isinstance(line.shape, st.OneOf)
    binding = line.shape.binding
    item = ty.present(line.variable.type)
    legal = sets.new(body, item)
    required = [each for each in line.demands if not each.prefer]
    if len(required) != len(line.demands):
        raise UnfitError("answers that are preferred")
    with visited(body, binding) as member:
        passes = "(i32.const 1)"
        for row in required:
            passes = f"(i32.and {passes} {held_row(body, row, undecided=True)})"
        within = f"(i64.lt_u {held(member)} {constant(body.module.shapes.bits(item))})"
        body.unless(within, "an answer out of bounds")
        body.line(f"(if {passes} (then {sets.put(body, item, legal, held(member))}))")
    return legal


def _picked(body: Body, line: st.Ask, legal: str, item: ty.Type) -> str:
    """The name of the answer that the policy takes of a set; one that is alone is not asked for."""
    _decided(body)
    many = body.temporary(sets.count(body, item, held(legal)))
    number = body.temporary(constant(0))
    always = isinstance(line.shape, st.TurnHow) and not line.demands
    several = "(i32.const 1)" if always else f"(i64.gt_u {held(many)} (i64.const 1))"
    with body.inside(f"if {several} (then"):
        occasion = _occasion(body, line.address)
        if body.module.policy != "first":
            body.line(f"(local.set {number} {_drawn(body, line.address, '', occasion, held(many))})")
    body.line(")")
    return body.temporary(sets.nth(body, item, held(legal), held(number)))


def ask_all(body: Body, line: st.AskAll) -> None:
    """Asks players one after the other; their answers are seen when the last is in."""
    question, answers = line.question, line.answers
    type_ = answers.type
    if not isinstance(type_, ty.MapType):
        raise TypeError(type_)
    shapes = body.module.shapes
    shapes.size(type_)
    (player,) = line.players.variables
    assert player is not None
    gathered = body.temporary(constant(0))
    binding = ex.Binding(line.players.variables, line.players.source, None)
    if line.players.where is not None or not isinstance(question.shape, st.OneOf | st.Whether):
        raise UnfitError("such a question to all")
    with visited(body, binding) as member:
        if isinstance(question.shape, st.Whether):
            answer = _whether(body, question)
        else:
            legal, item = _members(body, question), ty.present(question.variable.type)
            body.unless(f"(i64.ne {sets.count(body, item, held(legal))} (i64.const 0))", "a question without an answer")
            answer = _picked(body, question, legal, item)
        new = with_entry(body, held(gathered), held(member), held(answer), type_)
        body.line(f"(local.set {gathered} {new})")
    body.set(answers, held(gathered))
