"""The text of a core program, for people who build rulewright: one line a statement, blocks indented.

`@` stands before the address of the origin of a statement, where it differs from that of the line above. Names that two
locals of a routine share bear the index, as in `n#7`; temporaries are called `t` and their index. Names of operations
are those of the table with `_` for a space, their constants in brackets.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, assert_never

from rulewright.base.frozen import dataclass
from rulewright.program import types as ty
from rulewright.program.core import forms as core
from rulewright.program.core.walking import walk_statements
from rulewright.program.declarations import Declared

_ANY, _BRANCH, _OR, _AND, _NOT, _COMPARISON, _SUM, _PRODUCT, _SIGN, _TIGHT = range(10)
"""How tightly expressions bind: what binds no tighter than what is around it stands in parentheses."""
_INFIX = {
    "equal": ("=", _COMPARISON),
    "less": ("<", _COMPARISON),
    "at most": ("<=", _COMPARISON),
    "more": (">", _COMPARISON),
    "at least": (">=", _COMPARISON),
    "in": ("in", _COMPARISON),
    "add": ("+", _SUM),
    "joined": ("++", _SUM),
    "subtract": ("-", _SUM),
    "multiply": ("*", _PRODUCT),
    "divide": ("/", _PRODUCT),
}
_BRACKETS = {"set": ("{", "}"), "list": ("[", "]"), "tuple": ("(", ")")}
WordNames = Mapping[str, Sequence[str]]
"""Words of each list of words, by name of the list."""


def render_core(program: core.CoreProgram, words: WordNames | None = None) -> Iterator[str]:
    """Lines of the text of a core program; without the names of words they are printed as `#2`."""
    for number, routine in enumerate(program.routines.values()):
        if number:
            yield ""
        yield from render_routine(routine, words)
    tables: list[tuple[str, Mapping[str, Sequence[str]]]] = [
        ("rules in the order in which they are tried", {"": program.rules}),
        ("invariants", {"": program.invariants}),
        ("windows", {event: (routine,) for event, routine in program.windows.items()}),
        ("measures", {measure: (routine,) for measure, routine in program.measures.items()}),
        ("due when changed", program.due_keys),
    ]
    for title, rows in tables:
        lines = [f"  {name}: {', '.join(keys)}".replace("  : ", "  ") for name, keys in rows.items() if keys]
        if lines:
            yield from ("", f"{title}:", *lines)


def render_routine(routine: core.Routine, words: WordNames | None = None) -> Iterator[str]:
    """Lines of the text of one routine."""
    return RoutinePrinter(routine, words or {}).print_routine()


def get_origin_address(origin: core.Origin) -> str:
    """Address of what a form was made from: of a line, row or step, or the name of a declaration; else empty."""
    return origin.name if isinstance(origin, Declared) else str(getattr(origin, "address", ""))


@dataclass(frozen=True, slots=True)
class _Line:
    depth: int
    text: str
    origin: core.Origin = None


_Part = core.Condition | tuple[str, core.Block]
"""What follows the first line of a statement: a condition on an answer, or a block with the line above it."""


class RoutinePrinter:
    """Prints one routine, or statements of it."""

    def __init__(self, routine: core.Routine, words: WordNames) -> None:
        self._routine = routine
        self._words = words
        self._shared_names = {
            name for name, count in Counter(each.name for each in routine.locals).items() if count > 1
        }
        self._left_labels = {
            form.label for form in walk_statements(routine.entry, routine.steps) if isinstance(form, core.Leave)
        }

    def print_routine(self) -> Iterator[str]:
        return self._print_lines(self._list_lines())

    def print_block(self, block: core.Block, depth: int) -> Iterator[str]:
        """Lines of the text of some statements."""
        return self._print_lines(self._print_block(block, depth))

    def get_first_line(self, statement: core.Statement | core.Step) -> str:
        """Text of a statement without what stands in its blocks."""
        if isinstance(statement, core.Step):
            return "step:" if statement.guard is None else f"step when {self.render(statement.guard)}:"
        return self._split_statement(statement)[0]

    def _print_lines(self, lines: Iterator[_Line]) -> Iterator[str]:
        address = ""
        for line in lines:
            own = get_origin_address(line.origin) or address
            behind = f"  @{own}" if own != address else ""
            address = own
            yield f"{'  ' * line.depth}{line.text}{behind}"

    def _list_lines(self) -> Iterator[_Line]:
        routine = self._routine
        parameters = ", ".join(f"{self._name(each)}: {each.type}" for each in routine.parameters)
        result = f" gives {routine.result}" if routine.result is not None else ""
        yield _Line(0, f"{routine.key}({parameters}){result}:", routine.origin)
        if routine.entry or not routine.steps:
            yield from self._print_block(routine.entry, 1)
        for number, step in enumerate(routine.steps):
            guard = f" when {self.render(step.guard)}" if step.guard is not None else ""
            yield _Line(1, f"step {number}{guard}:", step.origin)
            yield from self._print_block(step.block, 2)

    def _print_block(self, block: core.Block, depth: int) -> Iterator[_Line]:
        if not block:
            yield _Line(depth, "do nothing")
        for statement in block:
            yield from self._print_statement(statement, depth)

    def _print_statement(self, statement: core.Statement, depth: int) -> Iterator[_Line]:
        text, parts = self._split_statement(statement)
        yield _Line(depth, text, statement.origin)
        for part in parts:
            match part:
                case core.Condition(test=test, prefer=prefer, origin=origin):
                    yield _Line(depth + 1, f"{'prefer' if prefer else 'require'} {self.render(test)}", origin)
                case ("else:", (core.If() as chained,)):
                    first, *others = self._print_statement(chained, depth)
                    yield from (_Line(depth, f"else {first.text}", first.origin), *others)
                case ("else:", block):
                    yield from (_Line(depth, "else:"), *self._print_block(block, depth + 1))
                case ("", block):
                    yield from self._print_block(block, depth + 1)
                case (heading, block):
                    yield from (_Line(depth + 1, heading), *self._print_block(block, depth + 2))

    def _split_statement(self, statement: core.Statement) -> tuple[str, Sequence[_Part]]:
        """The first line of a statement, then its conditions and blocks."""
        text = self.render
        match statement:
            case core.Set(place=place, value=value):
                return f"set {self.render_place(place)} = {text(value)}", ()
            case core.If(test=test, then=then, other=()):
                return f"if {text(test)}:", (("", then),)
            case core.If(test=test, then=(), other=other):
                return f"unless {text(test)}:", (("", other),)
            case core.If(test=test, then=then, other=other):
                return f"if {text(test)}:", (("", then), ("else:", other))
            case core.For(names=names, source=source, body=body, label=label):
                return f"for {self._render_names(names)} in {text(source)}{self._label(label)}:", (("", body),)
            case core.Loop(test=test, bound=bound, body=body, label=label):
                condition = f" while {text(test)}" if test is not None else ""
                limit = f" up to {text(bound)}" if bound is not None else ""
                return f"loop{condition}{limit}{self._label(label)}:", (("", body),)
            case core.Leave(label=label, again=again):
                return f"{'next' if again else 'leave'} #{label}", ()
            case core.Quiet(body=body, holds_back=holds_back):
                return f"quiet{', removals held back' if holds_back else ''}:", (("", body),)
            case core.Jump(step=step, bound=bound, rounds=rounds):
                limit = f" at most {text(bound)}" if bound is not None else ""
                counter = f" counted by {self._name(rounds)}" if rounds is not None else ""
                return f"jump {step}{limit}{counter}", ()
            case core.Call(routine=routine, arguments=arguments, result=result, nest=nest):
                limit = f" nested at most {text(nest)}" if nest is not None else ""
                return f"call {routine}({self._render_list(arguments)}){self._result(result)}{limit}", ()
            case core.Return(value=value):
                return f"return {text(value)}", ()
            case core.Unwind(procedure=procedure, value=value):
                return f"unwind {procedure} with {text(value)}", ()
            case core.Fail(fault=fault, details=details):
                return f"fail {fault}{f' ({self._render_list(details)})' if details else ''}", ()
            case core.Ask(conditions=conditions, then=then, none=none):
                blocks = [(heading, block) for heading, block in (("then:", then), ("none:", none)) if block]
                return self._render_question(statement), (*conditions, *blocks)
            case core.Roll(dice=dice, by=by, result=result):
                return f"roll {text(dice)}{self._roller(by)} -> {self._name(result)}", ()
            case core.Reroll(dice=dice, by=by):
                return f"reroll {text(dice)}{self._roller(by)}", ()
            case core.Draw(place=place, result=result, learner=learner):
                seen = f" seen by {text(learner)}" if learner is not None else ""
                return f"draw from {self.render_place(place)}{seen} -> {self._name(result)}", ()
            case core.Shuffle(place=place):
                return f"shuffle {self.render_place(place)}", ()
            case core.External(name=name, arguments=arguments, result=result):
                return f"external {name}({self._render_list(arguments)}){self._result(result)}", ()
            case core.Trigger(event=event, arguments=arguments, result=result, removal=removal):
                word = "trigger removal" if removal else "trigger"
                return f"{word} {event}({self._render_list(arguments)}){self._result(result)}", ()
            case core.Settle():
                return "settle", ()
            case core.During(effect=effect):
                if isinstance(effect, core.Holding):
                    return f"hold {', '.join(effect.rules)}", ()
                return f"watch {effect.event}({', '.join(map(self._name, effect.parameters))}):", (("", effect.body),)
            case core.Note(entry=entry, values=values):
                return f"note {entry}{f' ({self._render_list(values)})' if values else ''}", ()
            case _:
                assert_never(statement)

    def _render_question(self, question: core.Ask) -> str:
        secret = " in secret" if question.secret else ""
        everyone = f" as one of all, {self._name(question.everyone)}" if question.everyone is not None else ""
        space = self._render_space(question.space)
        subject = "" if question.subject is None else f" about {self.render(question.subject)}"
        asked = f"ask {self.render(question.player)}{everyone}{secret} {space}{subject}"
        return f"{asked} -> {self._name(question.result)}"

    def _render_space(self, space: core.AnswerSpace) -> str:
        text = self.render
        match space:
            case core.Listed(choices=choices):
                return f"one of {', '.join(map(self._render_choice, choices))}"
            case core.Members(names=names, source=source, where=where):
                return f"a member {self._render_members(names, source, where)}"
            case core.Subsets(low=low, high=high, names=names, source=source, where=where):
                return f"{text(low)} to {text(high)} of {self._render_members(names, source, where)}"
            case core.Splits(amount=amount, over=over):
                return f"a split of {text(amount)} over {text(over)}"
            case core.Orders(items=items):
                return f"an order of {text(items)}"
            case core.Poses(thing=thing):
                return f"a pose of {text(thing)}"
            case core.Headings(thing=thing):
                return f"a heading of {text(thing)}"
            case _:
                assert_never(space)

    def _render_choice(self, choice: core.Choice) -> str:
        guard = f" when {self.render(choice.guard)}" if choice.guard is not None else ""
        return f"{self.render(choice.value)}{guard}"

    def render_place(self, place: core.Place) -> str:
        root = self._name(place.root) if isinstance(place.root, core.Local) else self._render_root(place.root)
        return root + "".join(map(self._render_path_entry, place.path))

    def _render_path_entry(self, entry: core.EntryOf | core.ItemOf | core.PartOf) -> str:
        match entry:
            case core.EntryOf(key=key):
                return f"[{self.render(key)}]"
            case core.ItemOf(position=position):
                return f"[item {self.render(position)}]"
            case core.PartOf(position=position):
                return f".{position}"
            case _:
                assert_never(entry)

    def _render_root(self, root: core.StoreRoot) -> str:
        text = self.render
        match root:
            case core.GameField(name=name):
                return f"game.{name}"
            case core.Setting(name=name):
                return f"setting.{name}"
            case core.InPlay(kind=kind):
                return f"in_play[{kind}]"
            case core.RemovedThings(kind=kind):
                return f"removed[{kind}]"
            case core.Cells(board=board):
                return f"cells[{board}]"
            case core.Attribute(name=name, thing=thing):
                return f"{name}[{text(thing)}]"
            case core.Gone(thing=thing):
                return f"gone[{text(thing)}]"
            case core.CellAttribute(name=name, cell=cell):
                return f"{name}[{text(cell)}]"
            case core.SideAttribute(name=name, first=first, second=second):
                return f"{name}[{text(first)}, {text(second)}]"
            case core.Pair(relation=relation, first=first, second=second):
                return f"{relation}[{text(first)}, {text(second)}]"
            case core.Due(key=key):
                return f"due[{key}]"
            case core.Held(rule=rule):
                return f"held[{rule or 'any rule'}]"
            case _:
                assert_never(root)

    def render(self, expression: core.Expression, around: int = _ANY) -> str:
        """An expression; in parentheses if it binds no tighter than what is around it."""
        text, strength = self._render_open(expression)
        return text if strength > around else f"({text})"

    def _render_open(self, expression: core.Expression) -> tuple[str, int]:
        """An expression without parentheses, and how tightly it binds."""
        text = self.render
        match expression:
            case core.Const(value=value, type=type_):
                return self._render_value(value, type_), _TIGHT
            case core.Get(local=local):
                return self._name(local), _TIGHT
            case core.Load(root=root):
                return self._render_root(root), _TIGHT
            case core.Op():
                return self._render_operation(expression)
            case core.Cond(test=test, then=then, other=core.Const(value=False)):
                return f"{text(test, _OR)} and {text(then, _OR)}", _AND
            case core.Cond(test=test, then=core.Const(value=True), other=other):
                return f"{text(test, _BRANCH)} or {text(other, _BRANCH)}", _OR
            case core.Cond(test=test, then=then, other=other):
                return f"if {text(test)} then {text(then)} else {text(other)}", _BRANCH
            case core.Bind(local=local, value=value, body=body):
                return f"let {self._name(local)} = {text(value)} in {text(body)}", _BRANCH
            case core.Over(names=names, source=source, where=where, gather=gather, value=value):
                members = self._render_members(names, source, where)
                gathered = f"{text(value)} for " if value is not None else ""
                return f"{gather}({gathered}{members})", _TIGHT
            case core.Apply(routine=routine, arguments=arguments):
                return f"{routine}({self._render_list(arguments)})", _TIGHT
            case core.Closure(routine=routine, captured=captured):
                return f"closure {routine}({self._render_list(captured)})", _TIGHT
            case core.Wanted(external=external, arguments=arguments, default=default):
                fallback = f" default {default}" if default is not None else ""
                return f"wanted {external}({self._render_list(arguments)}){fallback}", _SIGN
            case core.RollOf(dice=dice, options=options, names=names, members=members):
                parts = " + ".join(map(self._render_dice, dice)) + "".join(map(self._render_roll_option, options))
                each = f" each {self._render_members(names, members, None)}" if members is not None else ""
                return parts + each, _BRANCH
            case _:
                assert_never(expression)

    def _render_operation(self, operation: core.Op) -> tuple[str, int]:
        text = self.render
        match operation:
            case core.Op(name="not", arguments=(core.Op(name="equal", arguments=(left, right)),)):
                return f"{text(left, _COMPARISON)} != {text(right, _COMPARISON)}", _COMPARISON
            case core.Op(name="not", arguments=(core.Op(name="in", arguments=(left, right)),)):
                return f"{text(left, _COMPARISON)} not in {text(right, _COMPARISON)}", _COMPARISON
            case core.Op(name="not", arguments=(operand,)):
                return f"not {text(operand, _NOT)}", _NOT
            case core.Op(name="negate", arguments=(operand,)):
                return f"-{text(operand, _SIGN)}", _SIGN
            case core.Op(name=name, arguments=(left, right)) if name in _INFIX:
                sign, strength = _INFIX[name]
                on_the_left = strength if strength == _COMPARISON else strength - 1
                return f"{text(left, on_the_left)} {sign} {text(right, strength)}", strength
            case core.Op(name=name, arguments=arguments) if name in _BRACKETS:
                return self._render_list(arguments).join(_BRACKETS[name]), _TIGHT
            case core.Op(name="entry", arguments=(target, key)):
                return f"{text(target, _SIGN)}[{text(key)}]", _TIGHT
            case core.Op(name="part" | "die", arguments=(target,), facts=(part,)):
                return f"{text(target, _SIGN)}.{part}", _TIGHT
            case core.Op(name=name, arguments=arguments, facts=facts):
                constants = f"[{', '.join(map(_render_fact, facts))}]" if facts else ""
                return f"{name.replace(' ', '_')}{constants}({self._render_list(arguments)})", _TIGHT

    def _render_dice(self, dice: core.DiceOf) -> str:
        count = ""
        if dice.count is not None:
            count = self.render(dice.count)
            count = count if isinstance(dice.count, core.Const) else f"({count})"
        advantage = f" advantage {self.render(dice.advantage)}" if dice.advantage is not None else ""
        options = "".join(map(self._render_roll_option, dice.options))
        called = f" called {self.render(dice.called)}" if dice.called is not None else ""
        return f"{count}{dice.model or self._render_die(dice.faces)}{advantage}{options}{called}"

    def _render_die(self, faces: core.Expression) -> str:
        match faces:
            case core.Op(name="numbered faces", arguments=(core.Const(value=int() as highest),)):
                return f"d{highest}"
            case core.Const(value=tuple() as numbers) if numbers == (*range(1, len(numbers) + 1),):
                return f"d{len(numbers)}"
            case core.Const(value=ty.PAIRED_FACES):
                return "d66"
            case _:
                return f"die({self.render(faces)})"

    def _render_roll_option(self, option: core.RollOptionOf) -> str:
        bound = f" at most {self.render(option.bound)}" if option.bound is not None else ""
        best = f" {option.best}" if option.best else ""
        return f" {option.word}{best} {self.render(option.value)}{bound}"

    def _render_members(self, names: core.Names, source: core.Expression, where: core.Expression | None) -> str:
        condition = f" where {self.render(where)}" if where is not None else ""
        return f"{self._render_names(names)} in {self.render(source, _COMPARISON)}{condition}"

    def _render_names(self, names: core.Names) -> str:
        return ", ".join("_" if each is None else self._name(each) for each in names) or "_"

    def _render_list(self, expressions: tuple[core.Expression, ...]) -> str:
        return ", ".join(map(self.render, expressions))

    def _render_value(self, value: Any, type_: core.CoreType) -> str:
        inner = type_ if isinstance(type_, core.RankingType) else ty.strip_optional(type_)
        match value:
            case None:
                return "none"
            case bool():
                return "yes" if value else "no"
            case int() if isinstance(inner, ty.WordType):
                names = self._words.get(inner.values, ())
                return names[value] if value < len(names) else f"#{value}"
            case str():
                return f'"{value}"'
            case tuple():
                held = () if isinstance(inner, core.RankingType) else ty.list_held_types(inner)
                types = held if isinstance(inner, ty.TupleType) else (held or (inner,)) * len(value)
                return ", ".join(map(self._render_value, value, types)).join(_get_collection_brackets(inner))
            case _:
                return str(value)

    def _name(self, local: core.Local) -> str:
        if not local.name:
            return f"t{local.index}"
        return f"{local.name}#{local.index}" if local.name in self._shared_names else local.name

    def _label(self, label: int) -> str:
        return f" #{label}" if label in self._left_labels else ""

    def _result(self, result: core.Local | None) -> str:
        return f" -> {self._name(result)}" if result is not None else ""

    def _roller(self, by: core.Expression | None) -> str:
        return f" by {self.render(by)}" if by is not None else ""


def _get_collection_brackets(type_: core.CoreType) -> tuple[str, str]:
    match type_:
        case ty.SetType():
            return _BRACKETS["set"]
        case ty.ListType() | ty.DeckType() | ty.BagType():
            return _BRACKETS["list"]
        case _:
            return _BRACKETS["tuple"]


def _render_fact(fact: Any) -> str:
    return f"({', '.join(map(_render_fact, fact))})" if isinstance(fact, tuple) else str(fact)
