"""Lines of chance: `roll`, `reroll`, `draw`, `shuffle` (manual, Chance)."""

from collections.abc import Iterable
from functools import reduce

from rulewright.analysis.declare import MOST_FACES, list_of
from rulewright.analysis.facts import Facts, Proof, forget, number_range, prove, sized, suppose
from rulewright.analysis.facts.intervals import Range, at_least, at_most, negative, total
from rulewright.analysis.infer.references import written_keys
from rulewright.analysis.infer.slots import common_of, fit
from rulewright.analysis.name_spaces import is_key
from rulewright.analysis.routines.change_lines import place_of
from rulewright.analysis.routines.routine_context import Done, Here, join, unknown
from rulewright.analysis.symbols import Module, Symbol, edition_line
from rulewright.diagnostics import Edit
from rulewright.diagnostics.remedies import meant
from rulewright.program import statements as typed, types as ty
from rulewright.program.expressions import Binding, Expression, Quantifier
from rulewright.program.types import Type
from rulewright.program.walk import value_at
from rulewright.program.wording import is_a, sort_in_words
from rulewright.source import Span
from rulewright.syntax.nodes import expressions as e, rows as r, statements as s


def roll_line(node: s.Roll, here: Here) -> Done:
    """`roll dice options as NAME by PLAYER`."""
    alone = not isinstance(node.dice, r.DiceParts)
    own = tuple(each for each in node.options if alone and each.word == _ADVANTAGE)
    parts = parts_of(node.dice, here, own)
    others = [each for each in node.options if each not in own]
    options = _options(others, parts[0][1] if parts else None, here)
    by = here.fitted(node.by, ty.PLAYER, "`by`")
    if parts is None or options is None or (node.by is not None and by is None):
        here.routine.broken.add(node.name.text)
        return None, here.facts
    type_ = _rolled(node, parts, here)
    if type_ is None:
        here.routine.broken.add(node.name.text)
        return None, here.facts
    variable = here.routine.names.bind(node.name, type_, "roll", here.fresh_scope(node.name.text))
    if variable is None:
        return None, here.facts
    dice = tuple(part for part, _ in parts)
    made = typed.Roll(**here.mark(node), variable=variable, parts=dice, options=options, by=by)
    if isinstance(type_, ty.DieType):
        _one_that_explodes(made, node, here)
    known = unknown(here.facts, variable)
    return made, known if isinstance(type_, ty.DieType) else sized(known, variable, _kept(made, here.facts))


def _one_that_explodes(made: typed.Roll, node: s.Roll, here: Here) -> None:
    """Warns of a die that is named alone, where the dice that an explosion brings have no name."""
    written = node.dice.parts[0].dice if isinstance(node.dice, r.DiceParts) else node.dice
    if all(each.word != "explode" for each in (*made.options, *made.parts[0].options)):
        return
    pool = "1" if isinstance(written, r.DiceWord) else "1 of "
    message = f"`{node.name.text}` is this one die, and the dice that an explosion brings are lost"
    remedy = f"put `{pool.strip()}` before it: a pool of one die, to which they belong"
    edits = (Edit(Span(written.span.source, written.span.start, written.span.start), pool),)
    here.warning("RW0570", written.span, message, help=remedy, edits=edits)


def _kept(roll: typed.Roll, facts: Facts) -> Range:
    """How many dice of a roll are kept: first faces are judged, then each that is kept may bring more."""
    numbers = [(1, 1) if each.count is None else number_range(facts, each.count) for each in roll.parts]
    parts = [_left(number, each.options, facts) for number, each in zip(numbers, roll.parts, strict=True)]
    kept = _left(reduce(total, parts), roll.options, facts)
    brought = [_brought(part, each.options, facts) for part, each in zip(parts, roll.parts, strict=True)]
    return reduce(total, (*brought, _brought(kept, roll.options, facts)), kept)


def _brought(kept: Range, options: tuple[typed.RollOption, ...], facts: Facts) -> Range:
    """How many dice explosions add to so many."""
    found: Range = (0, 0)
    for each in options:
        if each.word == "explode":
            most = None if each.bound is None else number_range(facts, each.bound)[1]
            found = total(found, (0, None if most is None or kept[1] is None else most * kept[1]))
    return found


def _left(number: Range, options: tuple[typed.RollOption, ...], facts: Facts) -> Range:
    """How many dice of a number `keep` and `drop` leave."""
    for each in options:
        if each.word == "keep":
            least, most = number_range(facts, each.value)
            number = min(number[0] or 0, least or 0), at_most(number, most)[1]
        elif each.word == "drop":
            number = at_least(total(number, negative(number_range(facts, each.value))), 0)
    return number


_Part = tuple[typed.Dice, Type]


def _rolled(node: s.Roll, parts: list[_Part], here: Here) -> Type | None:
    """One die where one is written without a number, else a pool; its parts are called by a `T?` if some are not."""
    called = [dice.part for dice, _ in parts]
    part = common_of([ty.NoneType() if each is None else each.type for each in called]) if any(called) else None
    if len(parts) == 1 and parts[0][0].count is None:
        return ty.DieType(parts[0][1], part)
    face = common_of([face for _, face in parts])
    if face is None:
        listed = ", ".join(f"`{each}`" for _, each in parts)
        here.error("RW0521", node.dice.span, f"these dice have different faces: {listed}", help="roll them separately")
        return None
    return ty.PoolType(face, part)


def parts_of(dice: r.Dice, here: Here, options: tuple[r.RollOption, ...] = ()) -> list[_Part] | None:
    """The parts of what is thrown, each with the type of its faces; dice without brackets have these options."""
    match dice:
        case r.DiceParts(parts=written):
            found = [_part(each, here) for each in written]
        case _:
            found = [_dice(dice, options, None, here)]
    return None if None in found else found  # type: ignore[return-value]


def _part(node: r.DicePart, here: Here) -> _Part | None:
    """A part in brackets, with what it is called: its dice belong to a word, thing, number or cell."""
    if node.name is None:
        return _dice(node.dice, node.options, None, here)
    name = here.scope.infer(node.name, list_of(node.name, here.routine.scope.module.at(node.span)))
    if name is not None and not is_key(name.type):
        here.error("RW0317", name.span, f"a part is a number, a word, a thing or a cell, and {is_a(name)}")
        return None
    return None if name is None else _dice(node.dice, node.options, name, here)


def _dice(
    dice: r.DiceWord | r.DiceOf, options: tuple[r.RollOption, ...], part: Expression | None, here: Here
) -> _Part | None:
    match dice:
        case r.DiceWord(count=number, span=span):
            count = None if number is None else here.scope.infer(e.WholeNumber(number, span))
            die: tuple[typed.Die, Type] | None = _numbered(dice, here)
        case r.DiceOf(count=written, die=word):
            count = here.fitted(written, ty.COUNT, "the number of dice")
            die = _die(word, here)
            if count is None and written is not None:
                return None
    kept = [each for each in options if each.word != _ADVANTAGE]
    chosen, advantage = _options(kept, die and die[1], here), _advantage(options, here)
    if die is None or chosen is None or advantage is None:
        return None
    return typed.Dice(count, die[0], chosen, part, *advantage), die[1]


_ADVANTAGE = "with advantage"


def _advantage(options: tuple[r.RollOption, ...], here: Here) -> tuple[Expression, ...] | None:
    """How many dice more, the best of which are kept, or below 0 the worst: at most once for each part of a roll."""
    found = [each for each in options if each.word == _ADVANTAGE]
    if len(found) > 1:
        one, other = found[0], found[1]
        joined = Edit(Span(one.span.source, one.value.span.end, other.value.span.start), " + ")
        beside = options.index(other) == options.index(one) + 1
        remedy = "add them up: what one gives, another may take away"
        message = "the dice of one part have one advantage"
        here.error("RW0549", other.span, message, help=remedy, edits=(joined,) if beside else ())
        return None
    values = [here.fitted(each.value, ty.WHOLE, "an advantage") for each in found]
    return None if None in values else tuple(values)  # type: ignore[arg-type]


def _numbered(word: r.DiceWord, here: Here) -> tuple[typed.Die, Type] | None:
    if word.faces == ty.PAIRED.high:
        return _paired(word, here)
    if not 1 <= word.faces <= MOST_FACES:
        remedy = "a die with few faces can be rolled several times, or with others"
        here.error("RW0521", word.span, f"a die has from 1 to {MOST_FACES} faces", help=remedy)
        return None
    return typed.NumberedDie(word.faces), ty.NumberType(1, word.faces)


def _paired(word: r.DiceWord, here: Here) -> tuple[typed.PairedDie, Type] | None:
    """`d66`: two dice of six read as tens and units; a text of edition 1 has to say that it means them."""
    module = here.routine.scope.module.at(word.span)
    if module.editions[word.span.source] == 1:
        message = (
            "this text is in edition 1, where `d66` is not allowed; in edition 2 it is two dice read as tens and units"
        )
        remedy = "if you mean two dice, write `edition 2` after the revision; a die with the faces 1 to 66 is `die(66)`"
        here.error("RW0548", word.span, message, help=remedy, edits=_second_edition(module, word.span))
        return None
    return typed.PairedDie(), ty.PAIRED


def _second_edition(module: Module, place: Span) -> tuple[Edit, ...]:
    """Writes `edition 2` into the line that says of which edition a text is."""
    file = next(each for each in module.files if each.span.source == place.source)
    line = edition_line(file, module.header)
    if line is None:
        return ()
    if line.edition is not None:
        return (Edit(line.edition.span, "edition 2"),)
    end = line.revision.span.end
    return (Edit(Span(line.span.source, end, end), " edition 2"),)


def _die(word: r.DiceWord | e.Expression, here: Here) -> tuple[typed.Die, Type] | None:
    match word:
        case r.DiceWord(count=None):
            return _numbered(word, here)
        case r.DiceWord(faces=faces, span=span):
            die = f"d{faces}"
            written = (Edit(span, die, safe=True),)
            message = "the number of dice comes before `of`"
            here.error("RW0521", span, message, help=f"write `{die}` after it", edits=written)
            return None
        case e.Call(function=e.Reference(name="die"), arguments=(argument,)):
            return _computed(argument.value, here)
    symbol = _symbol(word, here)
    if symbol is not None:
        return (typed.NamedDie(symbol.name), symbol.type) if symbol.type is not None else None
    names = here.scope.module.names
    dice = [name for name, each in names.items() if each.sort == "die"]
    remedy = meant(".".join(e.dotted(word)), dice, word.span, "write `d6`, or declare one: `die battle_die: …`")
    here.error("RW0521", word.span, "this is not a die", remedy=remedy)
    return None


def _computed(written: e.Expression, here: Here) -> tuple[typed.ComputedDie, Type] | None:
    """`die(n)`."""
    faces = here.fitted(written, ty.NumberType(1, MOST_FACES), "the number of faces")
    if faces is None:
        return None
    most = MOST_FACES
    if isinstance(faces.type, ty.NumberType):
        _, high = number_range(here.facts, faces)
        most = MOST_FACES if high is None else min(high, MOST_FACES)
    return typed.ComputedDie(faces, most), ty.NumberType(1, most)


def _symbol(word: e.Expression, here: Here) -> Symbol | None:
    *prefixes, last = e.dotted(word) or ("",)
    module: Module | None = here.routine.scope.module.at(word.span)
    for prefix in prefixes:
        module = module.uses.get(prefix) if module else None
    symbol = module.names.get(last) if module else None
    return symbol if symbol is not None and symbol.sort == "die" else None


def _options(written: Iterable[r.RollOption], face: Type | None, here: Here) -> tuple[typed.RollOption, ...] | None:
    found = [_option(each, face, here) for each in written]
    return None if None in found else tuple(found)  # type: ignore[arg-type]


def _option(node: r.RollOption, face: Type | None, here: Here) -> typed.RollOption | None:
    if node.word == _ADVANTAGE:
        remedy = "write it in the brackets, after the dice that it is for"
        here.error("RW0549", node.span, "an advantage belongs to one part of a roll", help=remedy)
        return None
    wanted = {"keep": ty.COUNT, "drop": ty.COUNT, "explode": face}.get(node.word)
    value = here.scope.infer(node.value, wanted)
    value = fit(value, wanted, here.scope, f"`{node.word}`") if value is not None and wanted is not None else value
    bound = here.fitted(node.bound, ty.COUNT, "`at most`")
    if value is None or (node.bound is not None and bound is None):
        return None
    return typed.RollOption(node.word, value, node.best, bound)


def reroll_line(node: s.Reroll, here: Here) -> Done:
    """`reroll dice by PLAYER`."""
    dice = here.scope.infer(node.dice)
    by = here.fitted(node.by, ty.PLAYER, "`by`")
    facts = forget(here.facts, frozenset({"dice"}))
    if dice is None or (node.by is not None and by is None):
        return None, facts
    match dice.type:
        case ty.DieType() | ty.PoolType() | ty.SetType(ty.DieType()) | ty.ListType(ty.DieType()):
            return typed.Reroll(**here.mark(node), dice=dice, by=by), facts
        case _:
            here.error("RW0522", node.dice.span, f"only dice are rolled again, and {is_a(dice)}")
            return None, facts


def draw_line(node: s.Draw, here: Here) -> Done:
    """`draw from collection as NAME`, with `else:` for an empty one; `secretly … for PLAYER` (RW0573)."""
    place, by = place_of(node.source, here), here.fitted(node.by, ty.PLAYER, "who draws")
    if place is None or (node.by is not None and by is None):
        here.routine.broken.add(node.name.text)
        return None, here.facts
    match place.type:
        case ty.SetType(item) | ty.ListType(item) | ty.BagType(item) | ty.DeckType(item) | ty.MapType(item):
            pass
        case type_:
            here.routine.broken.add(node.name.text)
            here.error("RW0523", node.source.span, f"nothing can be drawn from {sort_in_words(type_)}")
            return None, here.facts
    if not _may_be_secret(node, place, here):
        here.routine.broken.add(node.name.text)
        return None, here.facts
    mark = here.mark(node)
    source = value_at(place, node.source.span)
    some = Quantifier(type=ty.FLAG, span=node.head, word="some", binding=Binding((None,), source, None), body=None)
    otherwise, other = _without(node, some, here)
    variable = here.routine.names.bind(node.name, item, "draw", here.fresh_scope(node.name.text))
    drawn = here.after_writing(written_keys(place))
    if variable is None:
        return None, join((drawn, other))
    if by is not None:
        here.routine.names.secret.add(variable.name)
    made = typed.Draw(**mark, place=place, variable=variable, learner=by, otherwise=otherwise)
    return made, join((unknown(drawn, variable), other))


def _may_be_secret(node: s.Draw, place: typed.Place, here: Here) -> bool:
    """Whether a draw is open, or somebody's and from where nobody can look (RW0573)."""
    name = node.name.text
    if node.secretly and node.by is None:
        remedy = f"write it at the end: `draw secretly from … as {name} for PLAYER`"
        here.error("RW0573", node.head, "this does not say who learns what is drawn", help=remedy)
    elif node.by is not None and not node.secretly:
        remedy = f"leave out `for …`, or write `draw secretly from … as {name} for …`"
        here.error("RW0573", node.by.span, "all players see what is drawn here", help=remedy)
    elif node.secretly and not isinstance(place.type, ty.BagType | ty.DeckType):
        message = f"what is left of {sort_in_words(place.type)} shows what was drawn, so this is not a secret"
        here.error("RW0573", node.source.span, message, help="keep it in a bag or deck, where no player can look")
    else:
        return True
    return False


def _without(node: s.Draw, some: Expression, here: Here) -> tuple[typed.Block | None, Facts | None]:
    if node.otherwise is not None:
        return here.knowing(suppose(here.facts, some, truth=False)).block(node.otherwise)
    if prove(here.facts, some) is not Proof.PROVED:
        notes = ("No line above makes sure that something is left; if nothing is, the run stops here.",)
        remedy = "add an `else:`, or check it first with `some … in …`"
        here.warning("RW0530", node.head, "there may be nothing to draw", notes=notes, help=remedy)
    return None, None


def shuffle_line(node: s.Shuffle, here: Here) -> Done:
    """`shuffle deck`."""
    place = place_of(node.deck, here)
    if place is None:
        return None, here.facts
    type_ = place.type
    if not isinstance(type_, ty.DeckType):
        message = f"only decks are shuffled, and this is {sort_in_words(type_)}"
        ordered = f"declare it as `deck of {type_.item}`" if isinstance(type_, ty.ListType) else ""
        unordered = "it has no order: `draw` takes one by chance without it"
        remedy = unordered if isinstance(type_, ty.BagType | ty.SetType) else ordered
        here.error("RW0542", node.deck.span, message, help=remedy)
        return None, here.facts
    return typed.Shuffle(**here.mark(node), place=place), here.after_writing(written_keys(place))
