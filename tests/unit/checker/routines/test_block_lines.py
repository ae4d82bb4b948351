"""Lines become lines of the program, with their addresses, clauses and types."""

from collections.abc import Callable
from typing import Any, get_args

from rulewright.checker.routines.block_lines import LINE_TRANSLATORS
from rulewright.program import statements as s
from rulewright.program.types import BagType, DieType, MapType, NumberType, OptionalType, PoolType, SetType, ThingType
from rulewright.program.walk import walk_routine_lines
from rulewright.syntax.nodes.statements import Statement


def test_a_let_takes_the_range_of_its_value(checked: Callable[..., Any]) -> None:
    made = checked("procedure p(u: Unit) gives 0..9:\n  let a = min(u.morale, 3)\n  finish with a\n")
    assert made.found == []
    (opening,) = made.procedure("p").opening
    assert opening[0].variable.type == NumberType(0, 3)
    assert opening[0].variable.index == 1


def test_a_declared_type_wins_over_the_value(checked: Callable[..., Any]) -> None:
    made = checked("procedure p(u: Unit) gives Unit?:\n  let a: Unit? = u\n  set a to none\n  finish with a\n")
    assert made.found == []
    assert made.procedure("p").opening[0][0].variable.type == OptionalType(ThingType("Unit"))


def test_several_lines_bind_one_name(checked: Callable[..., Any]) -> None:
    made = checked(
        "procedure p(u: Unit):\n"
        "  if u.strong:\n"
        "    ask u.owner to turn u as heading\n"
        "    turn u to heading\n"
        "  else:\n"
        "    ask u.owner to turn u as heading\n"
        "    turn u to heading\n"
    )
    assert made.found == []
    asks = [line for line in walk_routine_lines(made.procedure("p")) if isinstance(line, s.Ask)]
    assert asks[0].variable == asks[1].variable
    assert [ask.address for ask in asks] == ["p/heading", "p/heading#2"]


def test_an_answer_shares_its_variable_with_an_earlier_question(checked: Callable[..., Any]) -> None:
    made = checked(
        "procedure p(u: Unit):\n"
        "  for each _ in 1..2:\n"
        "    ask u.owner for v in units:\n"
        "      remove v\n"
        "    else:\n"
        "      stop\n"
        "  ask u.owner for v in units where v != u:\n"
        "    remove v\n"
        "  else:\n"
        "    nothing\n"
    )
    assert made.found == []
    first, second = (line for line in walk_routine_lines(made.procedure("p")) if isinstance(line, s.Ask))
    assert first.variable == second.variable
    assert second.shape.binding.variables == (first.variable,)


def test_a_name_keeps_its_type(checked: Callable[..., Any]) -> None:
    made = checked("procedure p(u: Unit):\n  let a = u\n  roll d6 as a\n  remove a\n")
    assert made.found == ["RW0501 3: `a` is `die` here and `Unit` above"]


def test_addresses_follow_steps_options_and_verbs(checked: Callable[..., Any]) -> None:
    made = checked(
        "procedure p(u: Unit):\n"
        "  step A.1:\n"
        "    take up to 1 from u.morale\n"
        "    take up to 1 from u.morale\n"
        "    last: add up to 1 to u.morale\n"
        "    if u.strong:\n"
        "      for each v in units:\n"
        "        remove v\n"
        "    ask u.owner to choose what:\n"
        "      option run:\n"
        "        turn u to face u.at\n"
        "      option stay\n"
        "    proceed to A.2 at most 1\n"
        "  step A.2:\n"
        "    perform p(u) at most 2 deep\n"
    )
    addresses = [line.address for line in walk_routine_lines(made.procedure("p"))]
    assert addresses == [
        "p/A.1/take.u.morale",
        "p/A.1/take.u.morale#2",
        "p/A.1/last",
        "p/A.1/if",
        "p/A.1/for.v",
        "p/A.1/remove.v",
        "p/A.1/what",
        "p/A.1/what/run/turn.u",
        "p/A.1/proceed.A.2",
        "p/A.2/perform.p",
    ]


def test_cites_come_from_the_line_or_the_nearest_block(checked: Callable[..., Any]) -> None:
    head = 'ruleset example "Example" revision "1"\ndocument DOC "Document"\nkind Unit, units:\n  morale: 0..9\n'
    made = checked(
        "procedure p(u: Unit):  @1\n"
        "  take up to 1 from u.morale\n"
        "  step 2:  @2\n"
        "    take up to 1 from u.morale  @3\n"
        "    if u.morale = 0:  @4\n"
        "      remove u\n"
        "    else:  @5\n"
        "      add up to 1 to u.morale\n"
        "  step 3:\n"
        "    remove u\n",
        head,
    )
    cites = {line.address: line.cites for line in walk_routine_lines(made.procedure("p"))}
    assert cites == {
        "p/take.u.morale": ("DOC.1",),
        "p/2/take.u.morale": ("DOC.3",),
        "p/2/if": ("DOC.4",),
        "p/2/remove.u": ("DOC.4",),
        "p/2/add.u.morale": ("DOC.5",),
        "p/3/remove.u": ("DOC.1",),
    }


def test_defaults_are_filled_in_at_the_call(checked: Callable[..., Any]) -> None:
    made = checked(
        "procedure p(u: Unit):\n  perform q(u)\nprocedure q(u: Unit, n: 0..3 = 2):\n  take up to n from u.morale\n"
    )
    call = made.procedure("p").opening[0][0]
    assert [str(argument.type) for argument in call.arguments] == ["Unit", "2"]
    assert [default and default.value for default in made.procedure("q").defaults] == [None, 2]


def test_a_bound_external_is_performed_as_a_procedure(checked: Callable[..., Any]) -> None:
    made = checked(
        "external procedure other(u: Unit) gives 0..9\n"
        "bind other to own\n"
        "procedure own(u: Unit) gives 0..9:\n  finish with u.morale\n"
        "procedure p(u: Unit) gives 0..9:\n  perform other(u) as x\n  finish with x\n"
    )
    assert made.found == []
    call = made.procedure("p").opening[0][0]
    assert isinstance(call, s.Perform)
    assert call.procedure == "own"


def test_removal_knows_its_events(checked: Callable[..., Any]) -> None:
    made = checked(
        "event lost(u: Unit) on removal:\n  holders units\n"
        "event other(u: Unit):\n  holders units\n"
        "procedure p(u: Unit):\n  remove u\n"
    )
    assert made.procedure("p").opening[0][0].events == ("lost",)


def test_dice_have_types(checked: Callable[..., Any]) -> None:
    made = checked(
        "die luck: sword * 2, flag_face\n"
        "procedure p(u: Unit) gives flag:\n"
        "  roll d6 as one\n"
        "  roll u.morale of d6 keep highest 1 as many by u.owner\n"
        "  roll [1 of d20, 2d6 drop lowest 1] as mixed\n"
        "  roll 2 of luck as lucky\n"
        "  reroll one\n"
        "  finish with one.natural + total(many) + total(mixed) > 3 and (some d in lucky where d.natural = sword)\n"
    )
    assert made.found == []
    types = [line.variable.type for line in walk_routine_lines(made.procedure("p")) if isinstance(line, s.Roll)]
    assert types[0] == DieType(NumberType(1, 6))
    assert types[1] == PoolType(NumberType(1, 6))
    assert types[2] == PoolType(NumberType(1, 20))
    assert isinstance(types[3], PoolType)


def test_answers_have_types(checked: Callable[..., Any]) -> None:
    made = checked(
        "procedure p(u: Unit) gives flag:\n"
        "  ask u.owner whether a\n"
        "  ask u.owner to pick 0..2 of each w in units as b\n"
        "  ask u.owner to split 3 over {1, 2} as c\n"
        "  ask u.owner to order units as d\n"
        "  ask u.owner to turn u as e\n"
        "  finish with a and u in b and c[1] > 1 and (some x in d) and d[1] = u and e = u.facing\n"
    )
    assert made.found == []
    types = [str(line.variable.type) for line in walk_routine_lines(made.procedure("p")) if isinstance(line, s.Ask)]
    assert types == ["flag", "set of Unit", "map of 1..2 to 0..3", "list of Unit", "direction"]


def test_the_question_of_a_line_without_one_is_its_name(checked: Callable[..., Any]) -> None:
    made = checked("procedure p(u: Unit) gives flag:\n  ask u.owner whether may_run\n  finish with may_run\n")
    assert made.procedure("p").opening[0][0].prompt == "may run"


def test_a_watch_has_the_parameters_of_its_event(checked: Callable[..., Any]) -> None:
    made = checked(
        "event hit(target: Unit, amount: 0..9)\n"
        "procedure p(u: Unit) gives 0..99:\n"
        "  let sum_of: 0..99 = 0\n"
        "  watch hit when target = u:\n"
        "    add up to amount to sum_of\n"
        "  trigger hit(u, 3)\n"
        "  finish with sum_of\n"
    )
    assert made.found == []
    watch = made.procedure("p").opening[1]
    assert [each.name for each in watch.parameters] == ["target", "amount"]
    assert watch.address == "p/watch.hit"


def test_a_handler_numbers_the_event_first(checked: Callable[..., Any]) -> None:
    made = checked(
        "event hit(target: Unit) gives 0..3:\n  holders units\n  order by [target.owner]\n"
        'handler h for each u in units on hit when u != target optional "Help?":\n  finish with 2\n'
        "procedure p(u: Unit) gives list of 0..3:\n  trigger hit(u) as given\n  finish with given\n"
    )
    assert made.found == []
    handler = made.program.handlers["h"]
    assert [each.name for each in handler.variables] == ["target", "u"]
    assert handler.optional
    assert handler.block[0].value.value == 2


def test_an_error_in_one_routine_hides_none_in_another(checked: Callable[..., Any]) -> None:
    made = checked("procedure p(u: Unit):\n  remove v\nprocedure q(u: Unit):\n  remove w\n")
    assert made.found == ["RW0301 2: `v` is not known here", "RW0301 4: `w` is not known here"]


def test_a_name_whose_line_has_an_error_is_not_mourned(checked: Callable[..., Any]) -> None:
    made = checked("procedure p(u: Unit):\n  let a = u.luck\n  if a > 3:\n    take up to a from u.morale\n")
    assert [each[:8] for each in made.found] == ["RW0306 2"]


def test_collections_can_be_drawn_from(checked: Callable[..., Any]) -> None:
    made = checked(
        "procedure p(u: Unit) gives 0..3:\n"
        "  let cards: bag of 1..3 = [1, 2, 3]\n"
        "  draw from cards as card\n"
        "  else:\n"
        "    finish with 0\n"
        "  finish with card\n"
    )
    assert made.found == []
    draw = made.procedure("p").opening[0][1]
    assert draw.place.variable.type == BagType(NumberType(1, 3))
    assert draw.variable.type == NumberType(1, 3)


def test_a_map_is_split_over_a_set(checked: Callable[..., Any]) -> None:
    made = checked(
        "procedure p(u: Unit):\n"
        "  ask u.owner to split u.morale over {u} as spent:\n"
        "    require some_left: spent[u] < u.morale\n"
        "    take up to spent[u] from u.morale\n"
        "  else:\n"
        "    nothing\n"
    )
    assert made.found == []
    ask = made.procedure("p").opening[0][0]
    assert ask.variable.type == MapType(ThingType("Unit"), NumberType(0, 9))
    assert ask.demands[0].address == "p/spent/some_left"
    assert SetType(ThingType("Unit")) == ask.shape.over.type


def test_every_verb_has_a_function() -> None:
    assert set(LINE_TRANSLATORS) == set(get_args(Statement))
