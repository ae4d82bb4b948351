"""Lines of chance: `roll`, `reroll`, `draw`, `shuffle` (manual, Chance)."""

from collections.abc import Iterable
from functools import reduce

from rulewright.base.diagnostics import Basis, Edit
from rulewright.base.diagnostics.remedies import make_name_remedy
from rulewright.base.source import Span
from rulewright.checker.declaration_types import MAX_DIE_FACES, get_word_list_type
from rulewright.checker.facts.fact_store import Facts, invalidate_facts
from rulewright.checker.facts.intervals import Interval, add_intervals
from rulewright.checker.facts.prover import Proof, compute_number_range, prove_condition
from rulewright.checker.facts.transfer_functions import define_size
from rulewright.checker.infer.references import get_written_keys
from rulewright.checker.infer.type_fitting import find_common_type_of_all, fit_expression
from rulewright.checker.name_spaces import can_be_map_key
from rulewright.checker.routines.change_lines import infer_changed_place
from rulewright.checker.routines.line_context import (
    LineContext,
    LineResult,
    forget_variable,
    join_facts,
)
from rulewright.checker.symbols import VALUE_SPACE, LinkedModule, Symbol, find_edition_header, find_symbol
from rulewright.program import statements as typed, types as ty
from rulewright.program.expressions import Binding, Expression, Quantifier
from rulewright.program.roll_options import ROLL_OPTIONS, KeepingOption, bound_kept_dice, is_exploding
from rulewright.program.types import MAX_DICE, Type
from rulewright.program.walk import make_place_value
from rulewright.program.wording import describe_expression, describe_type
from rulewright.syntax.nodes import expressions as e, statements as s


def translate_roll(node: s.Roll, here: LineContext) -> LineResult:
    alone = not isinstance(node.dice, s.DiceParts)
    dice_options = tuple(option for option in node.options if alone and option.word == _ADVANTAGE_WORD)
    parts = infer_dice_parts(node.dice, here, dice_options)
    others = [option for option in node.options if option not in dice_options]
    options = _infer_roll_options(others, parts[0][1] if parts else None, here)
    by = here.infer_fitted(node.by, ty.PLAYER, "`by`")
    if parts is None or options is None or (node.by is not None and by is None):
        return None, here.facts
    type_ = _get_roll_type(node, parts, here)
    if type_ is None:
        return None, here.facts
    variable = here.routine.names.bind_name(node.name, type_, "roll", here.make_scope_without(node.name.text))
    if variable is None:
        return None, here.facts
    dice = tuple(part for part, _ in parts)
    statement = typed.Roll(**here.make_line_fields(node), variable=variable, parts=dice, options=options, by=by)
    if isinstance(type_, ty.DieType):
        _warn_exploding_single_die(statement, node, here)
    known = forget_variable(here.facts, variable)
    return statement, known if isinstance(type_, ty.DieType) else define_size(
        known, variable, _count_kept_dice(statement, here.facts), _get_dice_number(statement)
    )


def _get_dice_number(roll: typed.Roll) -> Expression | None:
    """How many dice a roll has, where it is one sort of dice without options."""
    match roll.parts:
        case (dice,) if not (roll.options or dice.options or dice.advantage):
            return dice.count
        case _:
            return None


def _warn_exploding_single_die(roll: typed.Roll, node: s.Roll, here: LineContext) -> None:
    written = node.dice.parts[0].dice if isinstance(node.dice, s.DiceParts) else node.dice
    options = (*roll.options, *roll.parts[0].options)
    if not any(is_exploding(option.word) for option in options):
        return
    pool = "1" if isinstance(written, s.DiceWord) else "1 of "
    message = f"`{node.name.text}` is this one die, and the dice that an explosion brings are lost"
    remedy = f"put `{pool.strip()}` before it: a pool of one die, to which they belong"
    edits = (Edit(Span(written.span.source, written.span.start, written.span.start), pool),)
    here.warning("RW0570", written.span, message, help=remedy, edits=edits)


def _count_kept_dice(roll: typed.Roll, facts: Facts) -> Interval:
    """Interval of the dice that a roll keeps: first faces are judged, then each that is kept may explode."""
    numbers = [(1, 1) if dice.count is None else compute_number_range(facts, dice.count) for dice in roll.parts]
    parts = [
        _count_remaining_dice(number, dice.options, facts) for number, dice in zip(numbers, roll.parts, strict=True)
    ]
    kept_dice = _count_remaining_dice(reduce(add_intervals, parts), roll.options, facts)
    brought = [_count_exploded_dice(part, dice.options, facts) for part, dice in zip(parts, roll.parts, strict=True)]
    return reduce(add_intervals, (*brought, _count_exploded_dice(kept_dice, roll.options, facts)), kept_dice)


def _count_exploded_dice(kept_dice: Interval, options: tuple[typed.RollOption, ...], facts: Facts) -> Interval:
    result: Interval = (0, 0)
    for option in options:
        if is_exploding(option.word):
            most = None if option.bound is None else compute_number_range(facts, option.bound)[1]
            result = add_intervals(result, (0, None if most is None or kept_dice[1] is None else most * kept_dice[1]))
    return result


def _count_remaining_dice(number: Interval, options: tuple[typed.RollOption, ...], facts: Facts) -> Interval:
    for option in options:
        rule = ROLL_OPTIONS[option.word]
        if isinstance(rule, KeepingOption):
            number = bound_kept_dice(rule, number, compute_number_range(facts, option.value))
    return number


_TypedDicePart = tuple[typed.Dice, Type]


def _get_roll_type(node: s.Roll, parts: list[_TypedDicePart], here: LineContext) -> Type | None:
    """A die for one die without a number, else a pool; optional part names where some parts have none."""
    called = [dice.part for dice, _ in parts]
    part = (
        find_common_type_of_all([ty.NoneType() if item is None else item.type for item in called])
        if any(called)
        else None
    )
    if len(parts) == 1 and parts[0][0].count is None:
        return ty.DieType(parts[0][1], part)
    face = find_common_type_of_all([face for _, face in parts])
    if face is None:
        listed = ", ".join(f"`{item}`" for _, item in parts)
        here.error("RW0521", node.dice.span, f"these dice have different faces: {listed}", help="roll them separately")
        return None
    return ty.PoolType(face, part)


def infer_dice_parts(
    dice: s.Dice, here: LineContext, options: tuple[s.RollOption, ...] = ()
) -> list[_TypedDicePart] | None:
    """Parts of a roll, each with its face type; dice without brackets have the options of the line."""
    match dice:
        case s.DiceParts(parts=written):
            items = [_infer_dice_part(part, here) for part in written]
        case _:
            items = [_infer_dice(dice, options, None, here)]
    return None if None in items else items  # type: ignore[return-value]


def _infer_dice_part(node: s.DicePart, here: LineContext) -> _TypedDicePart | None:
    if node.name is None:
        return _infer_dice(node.dice, node.options, None, here)
    name = here.scope.infer(node.name, get_word_list_type(node.name, here.module.get_module_at(node.span)))
    if name is not None and not can_be_map_key(name.type):
        here.error(
            "RW0317", name.span, f"a part is a number, a word, a thing or a cell, and {describe_expression(name)}"
        )
        return None
    return None if name is None else _infer_dice(node.dice, node.options, name, here)


def _infer_dice(
    dice: s.DiceWord | s.DiceOf, options: tuple[s.RollOption, ...], part: Expression | None, here: LineContext
) -> _TypedDicePart | None:
    match dice:
        case s.DiceWord(count=number, span=span):
            count = None if number is None else here.scope.infer(e.WholeNumber(number, span))
            die: tuple[typed.Die, Type] | None = _make_numbered_die(dice, here)
        case s.DiceOf(count=written, die=word):
            count = here.infer_fitted(written, ty.COUNT, "the number of dice")
            die = _infer_die(word, here)
            if count is None and written is not None:
                return None
    other_options = [option for option in options if option.word != _ADVANTAGE_WORD]
    chosen, advantage = _infer_roll_options(other_options, die and die[1], here), _infer_advantage(options, here)
    if die is None or chosen is None or advantage is None:
        return None
    if count is not None:
        _warn_of_too_many_dice(count, here)
    return typed.Dice(count, die[0], chosen, part, *advantage), die[1]


def _warn_of_too_many_dice(count: Expression, here: LineContext) -> None:
    """RW0402 where a roll always has more dice than a play may roll at once."""
    least, most = compute_number_range(here.facts, count)
    if least is not None and least > MAX_DICE:
        message = (
            f"a roll has {MAX_DICE:,} dice at most, and this one has {least:,}{'' if least == most else ' or more'}"
        )
        note = "A play stops here, unless `--max-dice` allows more."
        here.report.warning("RW0402", count.span, message, notes=(note,), help="roll fewer dice at once")


_ADVANTAGE_WORD = "with advantage"


def _infer_advantage(options: tuple[s.RollOption, ...], here: LineContext) -> tuple[Expression, ...] | None:
    """Number of extra dice, the best of which are kept, or below 0 the worst: once for each part of a roll."""
    items = [option for option in options if option.word == _ADVANTAGE_WORD]
    if len(items) > 1:
        one, other = items[0], items[1]
        joined = Edit(Span(one.span.source, one.value.span.end, other.value.span.start), " + ")
        beside = options.index(other) == options.index(one) + 1
        remedy = "add them up: what one gives, another may take away"
        message = "the dice of one part have one advantage"
        here.error("RW0549", other.span, message, help=remedy, edits=(joined,) if beside else ())
        return None
    values = [here.infer_fitted(option.value, ty.WHOLE, "an advantage") for option in items]
    return None if None in values else tuple(values)  # type: ignore[arg-type]


def _make_numbered_die(word: s.DiceWord, here: LineContext) -> tuple[typed.Die, Type] | None:
    if word.faces == ty.PAIRED.high:
        return _make_paired_die(word, here)
    if not 1 <= word.faces <= MAX_DIE_FACES:
        remedy = "a die with few faces can be rolled several times, or with others"
        here.error("RW0521", word.span, f"a die has from 1 to {MAX_DIE_FACES} faces", help=remedy)
        return None
    return typed.NumberedDie(word.faces), ty.NumberType(1, word.faces)


def _make_paired_die(word: s.DiceWord, here: LineContext) -> tuple[typed.PairedDie, Type] | None:
    """`d66`: two dice of six read as tens and units; edition 1 requires the text to say that it means them."""
    module = here.module.get_module_at(word.span)
    if module.editions[word.span.source] == 1:
        message = (
            "this text is in edition 1, where `d66` is not allowed; in edition 2 it is two dice read as tens and units"
        )
        remedy = "if you mean two dice, write `edition 2` after the revision; a die with the faces 1 to 66 is `die(66)`"
        here.error(
            "RW0548", word.span, message, help=remedy, edits=_make_edition_edits(module, word.span), basis=Basis.NAMES
        )
        return None
    return typed.PairedDie(), ty.PAIRED


def _make_edition_edits(module: LinkedModule, place: Span) -> tuple[Edit, ...]:
    file = next(item for item in module.files if item.span.source == place.source)
    line = find_edition_header(file, module.header)
    if line is None:
        return ()
    if line.edition is not None:
        return (Edit(line.edition.span, "edition 2"),)
    end = line.revision.span.end
    return (Edit(Span(line.span.source, end, end), " edition 2"),)


def _infer_die(word: s.DiceWord | e.Expression, here: LineContext) -> tuple[typed.Die, Type] | None:
    match word:
        case s.DiceWord(count=None):
            return _make_numbered_die(word, here)
        case s.DiceWord(faces=faces, span=span):
            die = f"d{faces}"
            written = (Edit(span, die, safe=True),)
            message = "the number of dice comes before `of`"
            here.error("RW0521", span, message, help=f"write `{die}` after it", edits=written)
            return None
        case e.Call(function=e.Reference(name="die"), arguments=(argument,)):
            return _make_computed_die(argument.value, here)
    symbol = _find_die_symbol(word, here)
    if symbol is not None:
        return (typed.NamedDie(symbol.name), symbol.type) if symbol.type is not None else None
    names = here.scope.module.names
    dice = [name for name, item in names.items() if item.sort == "die"]
    remedy = make_name_remedy(
        ".".join(e.get_dotted_names(word)), dice, word.span, "write `d6`, or declare one: `die battle_die: …`"
    )
    here.error("RW0521", word.span, "this is not a die", remedy=remedy, missing=".".join(e.get_dotted_names(word)))
    return None


def _make_computed_die(written: e.Expression, here: LineContext) -> tuple[typed.ComputedDie, Type] | None:
    faces = here.infer_fitted(written, ty.NumberType(1, MAX_DIE_FACES), "the number of faces")
    if faces is None:
        return None
    most = MAX_DIE_FACES
    if isinstance(faces.type, ty.NumberType):
        _, high = compute_number_range(here.facts, faces)
        most = MAX_DIE_FACES if high is None else min(high, MAX_DIE_FACES)
    return typed.ComputedDie(faces, most), ty.NumberType(1, most)


def _find_die_symbol(word: e.Expression, here: LineContext) -> Symbol | None:
    name = e.read_dotted_name(word)
    found = name and find_symbol(name, VALUE_SPACE, here.module.get_module_at(word.span), here.report)
    return found[0] if found and found[0].sort == "die" else None


def _infer_roll_options(
    written: Iterable[s.RollOption], face: Type | None, here: LineContext
) -> tuple[typed.RollOption, ...] | None:
    items = [_infer_roll_option(roll_option, face, here) for roll_option in written]
    return None if None in items else tuple(items)  # type: ignore[arg-type]


def _infer_roll_option(node: s.RollOption, face: Type | None, here: LineContext) -> typed.RollOption | None:
    if node.word == _ADVANTAGE_WORD:
        remedy = "write it in the brackets, after the dice that it is for"
        here.error("RW0549", node.span, "an advantage belongs to one part of a roll", help=remedy)
        return None
    wanted = ROLL_OPTIONS[node.word].value_type or face
    value = here.scope.infer(node.value, wanted)
    value = (
        fit_expression(value, wanted, here.scope, f"`{node.word}`")
        if value is not None and wanted is not None
        else value
    )
    bound = here.infer_fitted(node.bound, ty.COUNT, "`at most`")
    if value is None or (node.bound is not None and bound is None):
        return None
    return typed.RollOption(node.word, value, node.best, bound)


def translate_reroll(node: s.Reroll, here: LineContext) -> LineResult:
    dice = here.scope.infer(node.dice)
    by = here.infer_fitted(node.by, ty.PLAYER, "`by`")
    facts = invalidate_facts(here.facts, frozenset({"dice"}))
    if dice is None or (node.by is not None and by is None):
        return None, facts
    match dice.type:
        case ty.DieType() | ty.PoolType() | ty.SetType(ty.DieType()) | ty.ListType(ty.DieType()):
            return typed.Reroll(**here.make_line_fields(node), dice=dice, by=by), facts
        case _:
            here.error("RW0522", node.dice.span, f"only dice are rolled again, and {describe_expression(dice)}")
            return None, facts


def translate_draw(node: s.Draw, here: LineContext) -> LineResult:
    """`draw from collection as NAME`, with `else:` for an empty one; `secretly … for PLAYER` (RW0573)."""
    place, by = infer_changed_place(node.source, here), here.infer_fitted(node.by, ty.PLAYER, "who draws")
    if place is None or (node.by is not None and by is None):
        return None, here.facts
    match place.type:
        case ty.SetType(item) | ty.ListType(item) | ty.BagType(item) | ty.DeckType(item) | ty.MapType(item):
            pass
        case type_:
            here.error("RW0523", node.source.span, f"nothing can be drawn from {describe_type(type_)}")
            return None, here.facts
    if not _check_draw_secrecy(node, place, here):
        return None, here.facts
    mark = here.make_line_fields(node)
    source = make_place_value(place, node.source.span)
    some = Quantifier(type=ty.FLAG, span=node.head, word="some", binding=Binding((None,), source, None), body=None)
    otherwise, other = _translate_empty_draw(node, some, here)
    variable = here.routine.names.bind_name(node.name, item, "draw", here.make_scope_without(node.name.text))
    drawn = here.apply_writes(get_written_keys(place))
    if variable is None:
        return None, join_facts((drawn, other))
    if by is not None:
        here.routine.names.secret_names.add(variable.name)
    statement = typed.Draw(**mark, place=place, variable=variable, learner=by, otherwise=otherwise)
    return statement, join_facts((forget_variable(drawn, variable), other))


def _check_draw_secrecy(node: s.Draw, place: typed.Place, here: LineContext) -> bool:
    name = node.name.text
    if node.secretly and node.by is None:
        remedy = f"write it at the end: `draw secretly from … as {name} for PLAYER`"
        here.error("RW0573", node.head, "this does not say who learns what is drawn", help=remedy)
    elif node.by is not None and not node.secretly:
        remedy = f"leave out `for …`, or write `draw secretly from … as {name} for …`"
        here.error("RW0573", node.by.span, "all players see what is drawn here", help=remedy)
    elif node.secretly and not isinstance(place.type, ty.BagType | ty.DeckType):
        message = f"what is left of {describe_type(place.type)} shows what was drawn, so this is not a secret"
        here.error("RW0573", node.source.span, message, help="keep it in a bag or deck, where no player can look")
    else:
        return True
    return False


def _translate_empty_draw(node: s.Draw, some: Expression, here: LineContext) -> tuple[typed.Block | None, Facts | None]:
    if node.otherwise is not None:
        return here.assuming(some, truth=False).translate_block(node.otherwise)
    if prove_condition(here.facts, some) is not Proof.PROVED:
        notes = ("No line above makes sure that something is left; if nothing is, the run stops here.",)
        remedy = "add an `else:`, or check it first with `some … in …`"
        here.warning("RW0530", node.head, "there may be nothing to draw", notes=notes, help=remedy)
    return None, None


def translate_shuffle(node: s.Shuffle, here: LineContext) -> LineResult:
    place = infer_changed_place(node.deck, here)
    if place is None:
        return None, here.facts
    type_ = place.type
    if not isinstance(type_, ty.DeckType):
        message = f"only decks are shuffled, and this is {describe_type(type_)}"
        ordered = f"declare it as `deck of {type_.item}`" if isinstance(type_, ty.ListType) else ""
        unordered = "it has no order: `draw` takes one by chance without it"
        remedy = unordered if isinstance(type_, ty.BagType | ty.SetType) else ordered
        here.error("RW0542", node.deck.span, message, help=remedy)
        return None, here.facts
    return typed.Shuffle(**here.make_line_fields(node), place=place), here.apply_writes(get_written_keys(place))
