"""Lowering of lines: thirty-three classes of statements in twenty-one forms."""

from collections.abc import Mapping, Sequence
from typing import assert_never

from rulewright.base.node_roles import walk_nodes
from rulewright.program import declarations as d, expressions as ex, statements as st, types as ty
from rulewright.program.board_geometry import ANGLE, POINT, POSE
from rulewright.program.core import forms as core
from rulewright.program.core.forms import Expression, Origin
from rulewright.program.core.lower_expressions import (
    ExpressionLowering,
    make_conjunction,
    make_flag,
    make_get,
    make_members,
    make_none,
    make_number,
    make_op,
    make_pair,
    make_size,
    make_test,
)
from rulewright.program.core.lower_functions import lower_decide, lower_tally, make_local_place
from rulewright.program.declarations import Program
from rulewright.program.effects import list_written_places
from rulewright.program.types import FLAG, PAIRED_FACES, WHOLE, ListType, MapType, NumberType, Type, strip_optional

DueKeys = dict[str, tuple[str, ...]]
"""By place of the store, the standing rules and invariants that are due when it changes."""
_REMOVING_LINES = (st.Remove, st.Perform, st.PerformExternal, st.Trigger, st.FinishOuter)
"""Lines that may put something out of play, beside those after which standing rules may."""


class StatementLowering(ExpressionLowering):
    """Lowers the lines of one routine."""

    def __init__(
        self, program: Program, routine: d.Routine, due_keys: Mapping[str, tuple[str, ...]], steps: dict[str, int]
    ) -> None:
        super().__init__(program, routine.variables)
        self._due_keys = due_keys
        self._is_handler = isinstance(routine, d.Handler)
        self._steps = steps  # position of each step that a `proceed` may go to
        self._labels = 0
        self._loops: list[int] = []  # labels of the open loops, the innermost last
        self._together_depth = 0

    def lower_block(self, block: st.Block | None) -> core.Block:
        """The statements of lines, in order."""
        return tuple(statement for line in block or () for statement in self._lower_line(line))

    def _lower_line(self, line: st.Statement) -> core.Block:
        match line:
            case st.Let(variable=variable, value=value):
                return (
                    ()
                    if value is None
                    else (self._set_local(self.get_local(variable), self._lower_slot(value, variable.type), line),)
                )
            case st.Assign(place=place, value=value):
                lines, target = self.lower_place(place, line)
                return (*lines, *self._change(line, target, self._lower_slot(value, place.type)))
            case st.AddAmount():
                return self._lower_amount(line)
            case st.AddMember():
                return self._lower_member(line)
            case st.AddPair():
                return self._lower_pair(line)
            case st.Move(thing=thing, kind=kind, destination=spot):
                return self._lower_move(line, thing, kind, self.lower(spot))
            case st.PlaceThing(spot=spot) if strip_optional(spot.type) == POSE:
                return self._lower_pose(line)
            case st.PlaceThing(thing=thing, kind=kind, spot=spot):
                return self._lower_move(line, thing, kind, self.lower(spot))
            case st.Turn():
                return self._lower_turn(line)
            case st.Remove():
                return self._lower_removal(line)
            case st.Together(block=block):
                self._together_depth += 1
                body = self.lower_block(block)
                self._together_depth -= 1
                return (core.Quiet(body, holds_back=True, origin=line), *self._settle(line, always=True))
            case st.If(branches=branches, otherwise=otherwise):
                result = self.lower_block(otherwise)
                for branch in reversed(branches):
                    result = (
                        core.If(self.lower(branch.condition), self.lower_block(branch.block), result, origin=line),
                    )
                return result
            case st.Match():
                return self._lower_match(line)
            case st.ForEach():
                return self._lower_for_each(line)
            case st.Repeat(condition=condition, bound=bound, block=block):
                label = self._open_loop()
                body = self.lower_block(block)
                self._loops.pop()
                return (core.Loop(self.lower(condition), self.lower(bound), body, label, origin=line),)
            case st.Nothing():
                return (core.Note("nothing", origin=line),)
            case st.Ruling():
                return (core.Note("ruling", origin=line),)
            case st.Reveal(variable=variable):
                return (core.Note("revealed", (make_get(self.get_local(variable), line),), origin=line),)
            case st.Stop():
                return (core.Leave(self._loops[-1], again=False, origin=line),)
            case st.Proceed():
                return self._lower_proceed(line)
            case st.Finish(value=value):
                return (core.Return(self._lower_result(line, value), origin=line),)
            case st.FinishOuter(procedure=procedure, value=value):
                result_value = make_none(line) if value is None else self.lower(value)
                return (core.Unwind(procedure, result_value, origin=line),)
            case st.Perform(arguments=arguments, depth=depth, result=result_name):
                key = make_procedure_key(line.procedure, line.steps)
                stored = None if result_name is None else self.get_local(result_name)
                return (core.Call(key, self.lower_each(arguments), stored, self.lower_optional(depth), origin=line),)
            case st.PerformExternal(external=external, arguments=arguments, result=result_name):
                stored = None if result_name is None else self.get_local(result_name)
                asked = core.External(external, self.lower_each(arguments), stored, origin=line)
                return (asked, *self._settle(line, always=True))
            case st.Trigger(event=event, arguments=arguments, result=result_name):
                stored = None if result_name is None else self.get_local(result_name)
                return (core.Trigger(event, self.lower_each(arguments), stored, removal=False, origin=line),)
            case st.TallyLine(variable=variable, start=start, rows=rows):
                return lower_tally(self, variable, start, rows, line)
            case st.DecideLine(variable=variable, rows=decide_rows):
                name = self.get_local(variable)
                return lower_decide(
                    self, decide_rows, lambda row: self._set_local(name, self.lower(row.value), row), line
                )
            case st.Rank():
                return self._lower_rank(line)
            case st.Roll(variable=variable, parts=parts, options=options, by=by):
                described = tuple(map(self._lower_part, parts))
                dice = core.RollOf(described, self._lower_options(options), type=variable.type, origin=line)
                return (core.Roll(dice, self.lower_optional(by), self.get_local(variable), origin=line),)
            case st.Reroll(dice=dice_again, by=by):
                return (core.Reroll(self.lower(dice_again), self.lower_optional(by), origin=line),)
            case st.Draw():
                return self._lower_draw(line)
            case st.Shuffle(place=place):
                lines, target = self.lower_place(place, line)
                return (*lines, core.Shuffle(target, origin=line), *self._settle(line))
            case st.Ask():
                return (self._lower_question(line),)
            case st.AskAll():
                return self._lower_question_to_all(line)
            case _:
                assert_never(line)

    # Places and changes.

    def _set_local(self, local: core.Local, value: Expression, origin: Origin) -> core.Set:
        return core.Set(make_local_place(local), value, origin=origin)

    def _hold(self, value: Expression, origin: Origin) -> tuple[core.Block, Expression]:
        """A value that may be read several times, and the statement that stores it."""
        return ((), value) if isinstance(value, core.Get) else self._store(value, origin)

    def _store(self, value: Expression, origin: Origin) -> tuple[core.Block, Expression]:
        """As `_hold`, but a name is stored too: what a line names as a key is computed once, before its value."""
        if isinstance(value, core.Const):
            return (), value
        temporary = self.new_temporary(value.type)
        return (self._set_local(temporary, value, origin),), make_get(temporary, origin)

    def _lower_slot(self, value: ex.Expression, target: Type) -> Expression:
        """A value as a place of a type holds it: a single value for a map is its default."""
        lowered = self.lower(value)
        if isinstance(target, MapType) and not isinstance(value.type, MapType):
            return make_op("map", lowered, type_=target, origin=None)
        return lowered

    def lower_place(self, place: st.Place, line: st.Statement) -> tuple[core.Block, core.Place]:
        """A place, and the statements that store its keys."""
        match place:
            case st.VariablePlace(variable=variable):
                return (), make_local_place(self.get_local(variable))
            case st.GamePlace(name=name, type=type_):
                return (), core.Place(core.GameField(name), (), type_)
            case st.AttributePlace(target=target, kind=kind, name=name, type=type_):
                lines, thing = self._hold(self.lower(target), line)
                return lines, core.Place(core.Attribute(kind, name, thing), (), type_)
            case st.CellPlace(target=target, board=board, name=name, type=type_):
                lines, cell = self._hold(self.lower(target), line)
                return lines, core.Place(core.CellAttribute(board, name, cell), (), type_)
            case st.EntryPlace(target=outer, key=key, type=type_):
                before, around = self.lower_place(outer, line)
                lines, at = self._store(self.lower(key), line)
                inside = core.EntryOf(at, type_) if isinstance(outer.type, MapType) else core.ItemOf(at, type_)
                return (*before, *lines), core.Place(around.root, (*around.path, inside), around.root_type)
            case st.PartPlace(target=outer, position=position, type=type_):
                before, around = self.lower_place(outer, line)
                return before, core.Place(around.root, (*around.path, core.PartOf(position, type_)), around.root_type)
            case _:
                assert_never(place)

    def _settle(self, line: st.Statement, *, always: bool = False) -> core.Block:
        """A settling, if something may be due after a line and it is not in a block that is quiet."""
        wakes = any(self._due_keys.get(place) for place in list_written_places(line))
        may_settle = bool(self._due_keys) if always else wakes
        return (core.Settle(origin=line),) if may_settle and not self._together_depth else ()

    def _change(self, line: st.Statement, place: core.Place, value: Expression) -> core.Block:
        """A change of a place by a line, and what settles after it."""
        return (core.Set(place, value, origin=line), *self._settle(line))

    def _lower_amount(self, line: st.AddAmount) -> core.Block:
        lines, place = self.lower_place(line.place, line)
        operation = "subtract" if line.take else "add"
        here = make_read(place, line)
        changed = make_op(operation, here, self.lower(line.amount), type_=WHOLE, origin=line)
        if line.up_to:
            return (*lines, *self._change(line, place, _bound_amount(line, changed)))
        if line.low is None and line.high is None:
            return (*lines, *self._change(line, place, changed))
        held, new = self._hold(changed, line)
        bounds = (("at least", line.low), ("at most", line.high))
        room = make_conjunction(
            [
                make_test(name, new, make_number(bound, line), origin=line)
                for name, bound in bounds
                if bound is not None
            ],
            line,
        )
        otherwise: core.Block = (core.Fail("RW0803", (new,), origin=line),)
        if line.otherwise is not None:
            otherwise = self.lower_block(line.otherwise)
        return (*lines, *held, core.If(room, self._change(line, place, new), otherwise, origin=line))

    def _lower_member(self, line: st.AddMember) -> core.Block:
        lines, place = self.lower_place(line.place, line)
        held, member = self._hold(self.lower(line.member), line)
        collection = make_read(place, line)
        name = _name_of_member_change(line.place.type, take=line.take)
        if not line.take or line.otherwise is None:
            changed = make_op(name, collection, member, type_=line.place.type, origin=line)
            return (*lines, *held, *self._change(line, place, changed))
        inside = make_test("in", member, make_members(collection), origin=line)
        rest = make_op("without", collection, member, type_=line.place.type, origin=line)
        otherwise = self.lower_block(line.otherwise)
        return (*lines, *held, core.If(inside, self._change(line, place, rest), otherwise, origin=line))

    def _lower_pair(self, line: st.AddPair) -> core.Block:
        before, first = self._hold(self.lower(line.first), line)
        after, second = self._hold(self.lower(line.second), line)
        pair = core.Place(make_pair(self.program, line.relation, first, second), (), FLAG)
        return (*before, *after, *self._change(line, pair, make_flag(line, value=not line.take)))

    def _require_in_play(self, thing: Expression, kind: str, line: st.Statement) -> core.If:
        gone = core.Load(core.Gone(kind, thing), type=FLAG, origin=line)
        return core.If(gone, (core.Fail("RW0815", (thing,), origin=line),), origin=line)

    def _require_spot(self, spot: Expression, kind: str, line: st.Statement) -> core.Block:
        is_point = strip_optional(self._attribute_type(kind, "at")) == POINT
        if not is_point and not self.program.boards:
            return ()
        inside = make_test("on plane" if is_point else "on board", spot, origin=line)
        return (core.If(inside, (), (core.Fail("RW0820", (spot,), origin=line),), origin=line),)

    def _attribute_type(self, kind: str, name: str) -> Type:
        return next(field.type for field in self.program.kinds[kind].fields if field.name == name)

    def _has_attribute(self, kind: str, name: str) -> bool:
        return any(field.name == name for field in self.program.kinds[kind].fields)

    def _lower_move(
        self, line: st.Move | st.PlaceThing, thing: ex.Expression, kind: str, spot: Expression
    ) -> core.Block:
        moved, who = self._hold(self.lower(thing), line)
        held, where = self._hold(spot, line)
        place = core.Place(core.Attribute(kind, "at", who), (), self._attribute_type(kind, "at"))
        checks = (self._require_in_play(who, kind, line), *held, *self._require_spot(where, kind, line))
        return (*moved, *checks, *self._change(line, place, where))

    def _lower_pose(self, line: st.PlaceThing) -> core.Block:
        kind, at_type = line.kind, self._attribute_type(line.kind, "at")
        spot = self.new_temporary(line.spot.type)
        held, pose = (self._set_local(spot, self.lower(line.spot), line),), make_get(spot, line)
        moved, who = self._hold(self.lower(line.thing), line)
        is_none = make_test("equal", pose, make_none(line), origin=line)
        point = make_op("part", pose, type_=at_type, origin=line, facts=(1,))
        put, where = self._hold(core.Cond(is_none, make_none(line), point, type=at_type, origin=line), line)
        place = core.Place(core.Attribute(kind, "at", who), (), at_type)
        lines: core.Block = (
            *held,
            *moved,
            self._require_in_play(who, kind, line),
            *put,
            *self._require_spot(where, kind, line),
            core.Set(place, where, origin=line),
        )
        if self._has_attribute(kind, "facing"):
            angle = make_op("part", pose, type_=ANGLE, origin=line, facts=(2,))
            facing = core.Place(core.Attribute(kind, "facing", who), (), self._attribute_type(kind, "facing"))
            same = make_test("equal", make_read(facing, line), angle, origin=line)
            turned = core.If(same, (), (core.Set(facing, angle, origin=line),), origin=line)
            lines = (*lines, core.If(is_none, (), (turned,), origin=line))
        return (*lines, *self._settle(line))

    def _lower_turn(self, line: st.Turn) -> core.Block:
        kind, facing_type = line.kind, self._attribute_type(line.kind, "facing")
        moved, who = self._hold(self.lower(line.thing), line)
        heading = self.lower(line.heading)
        if line.face and strip_optional(facing_type) == ANGLE:
            places = (f"{kind}/at", f"{kind}/gone")
            facts = ((line.thing.type, line.heading.type), places)
            heading = make_op("bearing", who, heading, type_=facing_type, origin=line, facts=facts)
        elif line.face:
            at_type = self._attribute_type(kind, "at")
            here = core.Load(core.Attribute(kind, "at", who), type=at_type, origin=line)
            space = getattr(line.heading.type, "space", "hex")
            heading = make_op("direction", here, heading, type_=facing_type, origin=line, facts=(space,))
        facing = core.Place(core.Attribute(kind, "facing", who), (), facing_type)
        return (*moved, self._require_in_play(who, kind, line), *self._change(line, facing, heading))

    def _lower_removal(self, line: st.Remove) -> core.Block:
        held, thing = self._hold(self.lower(line.thing), line)
        place = core.Place(core.Gone(line.kind, thing), (), FLAG)
        events = tuple(core.Trigger(event, (thing,), None, removal=True, origin=line) for event in line.events)
        removed: core.Block = (core.Set(place, make_flag(line, value=True), origin=line), *events)
        gone = core.Load(core.Gone(line.kind, thing), type=FLAG, origin=line)
        return (*held, core.If(gone, (), removed, origin=line), *self._settle(line))

    # Control flow.

    def _open_loop(self) -> int:
        self._labels += 1
        self._loops.append(self._labels)
        return self._labels

    def _lower_result(self, line: st.Finish, value: ex.Expression | None) -> Expression:
        """What a routine gives; a handler gives a tuple of one part, so that `none` given differs from nothing."""
        if value is None:
            return make_none(line)
        result = self.lower(value)
        if not self._is_handler:
            return result
        return make_op("tuple", result, type_=ty.TupleType((value.type,)), origin=line)

    def _lower_match(self, line: st.Match) -> core.Block:
        local = self.new_temporary(line.subject.type)
        held, subject = (self._set_local(local, self.lower(line.subject), line),), make_get(local, line)
        block: core.Block = (core.Fail("RW0816", origin=line),)
        for case in reversed(line.cases):
            taken = self.lower_block(case.block)
            if not case.values:
                block = taken
                continue
            values = make_op("list", *self.lower_each(case.values), type_=ListType(line.subject.type), origin=line)
            block = (core.If(make_test("in", subject, values, origin=line), taken, block, origin=line),)
        return (*held, *block)

    def _lower_for_each(self, line: st.ForEach) -> core.Block:
        binding = line.binding
        source = self.lower_members(binding.source)
        kind = find_visited_kind(binding.source)
        names, lines, checks = self.bind_names(binding), [], []
        if kind is not None and self._may_remove(line.block):
            held, source = self._hold(source, line)
            names = tuple(name or self.new_temporary(ty.ThingType(kind)) for name in names)
            before = self.new_temporary(ListType(ty.ThingType(kind)))
            gone_before = make_op("gone among", source, type_=before.type, origin=line, facts=(kind,))
            lines = [*held, self._set_local(before, gone_before, line)]
            checks = [(self._test_gone_since(line, kind, names[0], before), True)]
        if binding.where is not None:
            checks.append((self.lower(binding.where), False))
        label = self._open_loop()
        body = self.lower_block(line.block)
        self._loops.pop()
        member = tuple(make_get(name, line) for name in names if name is not None)
        skipped: core.Block = (core.Note("skipped", member, origin=line), core.Leave(label, again=True, origin=line))
        passing: core.Block = tuple(
            core.If(test, skipped if skips else (), () if skips else skipped, origin=line) for test, skips in checks
        )
        return (*lines, core.For(names, source, (*passing, *body), label, origin=line))

    def _may_remove(self, block: st.Block) -> bool:
        """Whether a block may put something out of play."""
        return any(
            isinstance(node, _REMOVING_LINES)
            or (isinstance(node, st.Line) and any(self._due_keys.get(place) for place in list_written_places(node)))  # type: ignore[arg-type]
            for node in walk_nodes(block)
        )

    def _test_gone_since(self, line: st.ForEach, kind: str, name: core.Local | None, before: core.Local) -> Expression:
        assert name is not None
        gone = core.Load(core.Gone(kind, make_get(name, line)), type=FLAG, origin=line)
        known = make_test("in", make_get(name, line), make_get(before, line), origin=None)
        return make_conjunction([gone, make_test("not", known, origin=line)], line)

    def _lower_proceed(self, line: st.Proceed) -> core.Block:
        if line.step not in self._steps:
            return (core.Return(make_none(line), origin=line),)
        rounds = None if line.bound is None else self.new_temporary(WHOLE)
        return (core.Jump(self._steps[line.step], self.lower_optional(line.bound), rounds, origin=line),)

    # Dice, draws, ranks.

    def _lower_part(self, part: st.Dice) -> core.DiceOf:
        model = part.die.name if isinstance(part.die, st.NamedDie) else ""
        return core.DiceOf(
            self.lower_optional(part.count),
            self._lower_faces(part.die),
            model,
            self._lower_options(part.options),
            self.lower_optional(part.part),
            self.lower_optional(part.advantage),
        )

    def _lower_faces(self, die: st.Die) -> Expression:
        match die:
            case st.NumberedDie(faces=most):
                return core.Const(tuple(range(1, most + 1)), type=ListType(NumberType(1, most)), origin=die)
            case st.PairedDie():
                return core.Const(PAIRED_FACES, type=ListType(ty.PAIRED), origin=die)
            case st.ComputedDie(faces=faces, most=most):
                return make_op("numbered faces", self.lower(faces), type_=ListType(NumberType(1, most)), origin=None)
            case st.NamedDie(name=name):
                declared = self.program.dice[name]
                values = tuple(map(_fold_constant, self.lower_each(declared.faces)))
                return core.Const(values, type=ListType(declared.face_type), origin=declared)
            case _:
                assert_never(die)

    def _lower_options(self, options: Sequence[st.RollOption]) -> tuple[core.RollOptionOf, ...]:
        return tuple(
            core.RollOptionOf(option.word, option.best, self.lower(option.value), self.lower_optional(option.bound))
            for option in options
        )

    def _lower_draw(self, line: st.Draw) -> core.Block:
        lines, place = self.lower_place(line.place, line)
        size = make_size(make_read(place, line), line)
        is_empty = make_test("equal", size, make_number(0, line), origin=line)
        none: core.Block = (core.Fail("RW0808", origin=line),)
        if line.otherwise is not None:
            none = self.lower_block(line.otherwise)
        drawn = core.Draw(place, self.get_local(line.variable), self.lower_optional(line.learner), origin=line)
        return (*lines, core.If(is_empty, none, (drawn, *self._settle(line)), origin=line))

    def _lower_rank(self, line: st.Rank) -> core.Block:
        binding = line.binding
        names = tuple(name or self.new_temporary(WHOLE) for name in self.bind_names(binding))
        source, where = self.lower_members(binding.source), self.lower_optional(binding.where)
        member_type = getattr(line.variable.type, "item", WHOLE)
        members = core.Over(names, source, where, "list", None, type=ListType(member_type), origin=line)
        rank = self.new_temporary(core.RankingType(member_type))
        tied = self.new_temporary(ListType(member_type))
        lines: list[core.Statement] = [self._update_rank(rank, "rank", members, origin=line)]
        for position, key in enumerate(line.keys):
            if key.best == "ask":
                lines += self._lower_asked_key(line, key, position, names, rank)
            elif key.dice is not None:
                lines += self._lower_rolled_key(line, key, position, names, rank, tied)
            else:
                lines += self._lower_plain_key(line, key, position, names, rank, tied)
        result = make_op("ranking", make_get(rank, line), type_=line.variable.type, origin=line)
        return (*lines, self._set_local(self.get_local(line.variable), result, line))

    def _update_rank(
        self, rank: core.Local, name: str, *arguments: Expression, origin: Origin, facts: tuple[object, ...] = ()
    ) -> core.Set:
        return self._set_local(rank, make_op(name, *arguments, type_=rank.type, origin=origin, facts=facts), origin)

    def _value_of_each(self, names: core.Names, members: Expression, value: ex.Expression, origin: Origin) -> core.Over:
        lowered = self.lower(value)
        return core.Over(names, members, None, "list", lowered, type=ListType(value.type), origin=origin)

    def _find_tied(self, rank: core.Local, tied: core.Local, key: st.RankKey) -> tuple[core.Set, Expression]:
        """Stores the tied members; the test whether there are none."""
        found = make_op("tied", make_get(rank, key), type_=tied.type, origin=key)
        size = make_size(make_get(tied, key), key)
        return self._set_local(tied, found, key), make_test("equal", size, make_number(0, key), origin=key)

    def _lower_plain_key(  # noqa: PLR0913, PLR0917 - what a key is judged with
        self,
        line: st.Rank,
        key: st.RankKey,
        position: int,
        names: core.Names,
        rank: core.Local,
        tied: core.Local,
    ) -> core.Block:
        found, is_none = self._find_tied(rank, tied, key)
        values = self._value_of_each(names, make_get(tied, key), key.value, key)
        split = self._update_rank(
            rank, "split", make_get(rank, key), values, origin=key, facts=(position, key.best == "highest")
        )
        return (found, core.If(is_none, (), (split,), origin=line))

    def _lower_rolled_key(  # noqa: PLR0913, PLR0917 - what a key is judged with
        self,
        line: st.Rank,
        key: st.RankKey,
        position: int,
        names: core.Names,
        rank: core.Local,
        tied: core.Local,
    ) -> core.Block:
        label = self._open_loop()
        self._loops.pop()
        found, is_none = self._find_tied(rank, tied, key)
        sums = self.new_temporary(ListType(WHOLE))
        described = tuple(map(self._lower_part, key.dice or ()))
        dice = core.RollOf(described, (), names, make_get(tied, key), type=sums.type, origin=key)
        owners = self._value_of_each(names, make_get(tied, key), key.value, key)
        by = make_op("one owner", owners, type_=ty.OptionalType(ty.PLAYER), origin=key)
        facts = (position, key.best == "highest")
        body = (
            found,
            core.If(is_none, (core.Leave(label, again=False, origin=key),), origin=key),
            core.Roll(dice, by, sums, origin=key),
            self._update_rank(rank, "split", make_get(rank, key), make_get(sums, key), origin=key, facts=facts),
        )
        return (core.Loop(None, None, body, label, origin=line),)

    def _lower_asked_key(
        self, line: st.Rank, key: st.RankKey, position: int, names: core.Names, rank: core.Local
    ) -> core.Block:
        label = self._open_loop()
        self._loops.pop()
        assert isinstance(rank.type, core.RankingType)
        members = ListType(rank.type.member)
        ranked = make_op("ranked", make_get(rank, key), type_=members, origin=key)
        held, owners = self._hold(self._value_of_each(names, ranked, key.value, key), key)
        row = self.new_temporary(ty.OptionalType(ty.TupleType((ty.PLAYER, members))))
        found = make_op("row", make_get(rank, key), owners, type_=row.type, origin=key)
        is_none = make_test("equal", make_get(row, key), make_none(key), origin=key)
        owner = make_op("part", make_get(row, key), type_=ty.PLAYER, origin=key, facts=(0,))
        items = make_op("part", make_get(row, key), type_=members, origin=key, facts=(1,))
        order = self.new_temporary(members)
        put = self._update_rank(
            rank, "with row", make_get(rank, key), make_get(order, key), origin=key, facts=(position,)
        )
        body = (
            *held,
            self._set_local(row, found, key),
            self._update_rank(rank, "past row", make_get(rank, key), owners, origin=key),
            core.If(is_none, (core.Leave(label, again=False, origin=key),), origin=key),
            core.Ask(owner, core.Orders(items), (), order, (put,), (), origin=key),
        )
        return (core.Loop(None, None, body, label, origin=line),)

    # Questions.

    def _lower_question(self, line: st.Ask) -> core.Ask:
        result = self.get_local(line.variable)
        otherwise: core.Block = (core.Fail("RW0808", origin=line),)
        if line.otherwise is not None:
            otherwise = self.lower_block(line.otherwise)
        then: core.Block
        match line.shape:
            case st.Whether():
                taken, declined = self.lower_block(line.block), self.lower_block(line.otherwise)
                then = (core.If(make_get(result, line), taken, declined, origin=line),) if taken or declined else ()
                otherwise = ()
            case st.Choose(options=options):
                then = self._lower_options_of_choice(line, result, options)
            case _:
                then = self.lower_block(line.block)
        return core.Ask(
            self.lower(line.who),
            self._lower_space(line),
            tuple(core.Condition(self.lower_row(row), row.prefer, origin=row) for row in line.demands),
            result,
            then,
            otherwise,
            line.secret,
            None if line.everyone is None else self.get_local(line.everyone),
            tuple(
                core.Policy(policy.player, policy.word, self.lower_optional(policy.worth), origin=policy)
                for policy in line.policies
            ),
            origin=line,
        )

    def _lower_options_of_choice(self, line: st.Ask, result: core.Local, options: Sequence[st.Option]) -> core.Block:
        *others, last = options
        block = self.lower_block(last.block)
        for option in reversed(others):
            name = core.Const(option.id, type=ty.TEXT, origin=option)
            chosen = make_test("equal", make_get(result, line), name, origin=option)
            block = (core.If(chosen, self.lower_block(option.block), block, origin=option),)
        return block

    def _lower_space(self, line: st.Ask) -> core.AnswerSpace:
        match line.shape:
            case st.Whether(guard=guard):
                yes, no = (make_flag(line, value=value) for value in (True, False))
                return core.Listed((core.Choice(yes, self.lower_optional(guard)), core.Choice(no, None)))
            case st.Choose(options=options):
                return core.Listed(
                    tuple(
                        core.Choice(
                            core.Const(option.id, type=ty.TEXT, origin=option), self.lower_optional(option.guard)
                        )
                        for option in options
                    )
                )
            case st.OneOf(binding=binding):
                names, source = self.bind_names(binding), self.lower_members(binding.source)
                return core.Members(names, source, self.lower_optional(binding.where))
            case st.Pick(low=low, high=high, binding=binding):
                names, source = self.bind_names(binding), self.lower_members(binding.source)
                where = self.lower_optional(binding.where)
                return core.Subsets(self.lower(low), self.lower(high), names, source, where)
            case st.Split(amount=amount, over=over):
                return core.Splits(self.lower(amount), self.lower_members(over))
            case st.Order(items=items):
                return core.Orders(self.lower_members(items))
            case st.PlaceWhere(thing=thing):
                return core.Poses(self.lower(thing))
            case st.TurnHow(thing=thing):
                direction = line.variable.type
                if not isinstance(direction, ty.DirectionType):
                    return core.Headings(self.lower(thing))
                every = core.Const(tuple(range(direction.count)), type=ListType(direction), origin=line)
                return core.Members((self.get_local(line.variable),), every, None)
            case _:
                assert_never(line.shape)

    def _lower_question_to_all(self, line: st.AskAll) -> core.Block:
        names, source = self.bind_names(line.players), self.lower_members(line.players.source)
        (player,) = names
        assert player is not None
        answers, answer = self.get_local(line.answers), self.get_local(line.question.variable)
        begun = self._set_local(answers, make_op("map", make_none(line), type_=answers.type, origin=line), line)
        entry = core.Place(answers, (core.EntryOf(make_get(player, line), answer.type),), answers.type)
        label = self._open_loop()
        body = (
            self._lower_question(line.question),
            core.Set(entry, make_get(answer, line), origin=line),
            self._set_local(answer, make_none(line), line),
            self._set_local(player, make_none(line), line),
        )
        self._loops.pop()
        revealed = core.Note("revealed", (make_get(answers, line),), origin=line)
        return (begun, core.For(names, source, body, label, origin=line), revealed)


def make_procedure_key(procedure: str, steps: tuple[str, str] | None) -> str:
    """Key of the routine of a procedure, or of a range of its steps."""
    return f"procedure:{procedure}" if steps is None else f"procedure:{procedure}:{steps[0]}..{steps[1]}"


def find_visited_kind(source: ex.Expression) -> str | None:
    """Kind of the things that a loop visits, if it passes over those that leave play once it has begun."""
    item = getattr(source.type, "item", None)
    return item.kind if isinstance(item, ty.ThingType) and not isinstance(source, ex.Removed) else None


def make_read(place: core.Place, origin: Origin) -> Expression:
    """The value of a place."""
    root = place.root
    value: Expression = (
        core.Load(root, type=place.root_type, origin=origin)
        if not isinstance(root, core.Local)
        else make_get(root, origin)
    )
    for inside in place.path:
        match inside:
            case core.EntryOf(key=key, type=type_):
                value = make_op("entry", value, key, type_=type_, origin=origin)
            case core.ItemOf(position=position, type=type_):
                value = make_op("item", value, position, type_=type_, origin=origin)
            case core.PartOf(position=number, type=type_):
                value = make_op("part", value, type_=type_, origin=origin, facts=(number,))
            case _:
                assert_never(inside)
    return value


def _bound_amount(line: st.AddAmount, changed: Expression) -> Expression:
    """A number kept within the bounds that it can leave."""
    type_ = line.amount.type
    grows = isinstance(type_, NumberType) and type_.low is not None and type_.low >= 0
    if line.low is not None and (line.take or not grows):
        changed = make_op("greatest", changed, make_number(line.low, line), type_=WHOLE, origin=line)
    if line.high is not None and not (line.take and grows):
        changed = make_op("least", changed, make_number(line.high, line), type_=WHOLE, origin=line)
    return changed


def _name_of_member_change(type_: Type, *, take: bool) -> str:
    match type_:
        case ty.SetType():
            return "without" if take else "with member"
        case ty.BagType() if not take:
            return "bag with"
        case _:
            return "taken" if take else "appended"


def _fold_constant(value: Expression) -> object:
    """The value of a face, which is written out."""
    match value:
        case core.Const(value=constant):
            return constant
        case core.Op(name="narrow", arguments=(inner,)):
            return _fold_constant(inner)
        case core.Op(name="negate", arguments=(inner,)):
            return -_fold_constant(inner)  # type: ignore[operator]
        case core.Op(name="tuple" | "list", arguments=parts):
            return tuple(map(_fold_constant, parts))
        case _:
            raise TypeError(f"{value} is not written out")
