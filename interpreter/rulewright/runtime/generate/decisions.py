"""Python for decisions: forced, impossible, or left as a request and resumed with the answer.

Legality is computed in a function of its own, whose trace is discarded: a trace shows the answer.
"""

from typing import assert_never

from rulewright.program import declarations as d, statements as st
from rulewright.program.core import forms as core
from rulewright.program.types import SetType
from rulewright.runtime import control_flow as cf
from rulewright.runtime.generate import chance, explainers, expressions, loops, windows, writer
from rulewright.runtime.generate.writer import CONTROL_CODE, BlockFlow, FunctionBuilder
from rulewright.runtime.request import CLAIMABLE_SORTS


def decision_sort(ask: core.Ask) -> str:
    match ask.space:
        case core.Listed():
            return "whether" if explainers.is_flag_question(ask) else "choose"
        case core.Members():
            return "turn" if explainers.offers_directions(ask) else "one"
        case core.Subsets():
            return "pick"
        case core.Splits():
            return "split"
        case core.Orders():
            return "order"
        case core.Poses():
            return "place"
        case core.Headings():
            return "heading"
        case _:
            assert_never(ask.space)


def emit_question(body: FunctionBuilder, exit_: cf.AskDecision, flow: BlockFlow) -> None:
    """A decision as a request, unless it is forced or impossible."""
    ask = exit_.statement
    match ask.origin:
        case d.Event() | d.Handler():
            windows.emit_window_question(body, exit_, flow)
        case st.RankKey():
            chance.emit_row_question(body, ask)
            body.emit_pending_request(flow.continue_at(exit_.resume), "x")
        case _:
            body.site.request_sort = decision_sort(ask)
            _QuestionEmitter(body, exit_, flow).emit_question()


def emit_take_answer(body: FunctionBuilder, exit_: cf.AskDecision, flow: BlockFlow) -> None:
    """Resumes with an answer."""
    match exit_.statement.origin:
        case d.Event() | d.Handler():
            windows.emit_take_window_answer(body, exit_, flow)
        case st.RankKey():
            chance.emit_take_row(body, exit_.statement)
            flow.go(body, exit_.then)
        case _:
            _QuestionEmitter(body, exit_, flow).emit_take_answer()


def list_blocks_without_answer(exit_: cf.AskDecision, flow: BlockFlow) -> list[int]:
    """Blocks that a question may continue at without an answer, once per place where each is written."""
    ask = exit_.statement
    match ask.space:
        case _ if isinstance(ask.origin, d.Event | d.Handler):
            return windows.list_blocks_without_window_answer(exit_)
        case core.Orders() if isinstance(ask.origin, st.RankKey):
            return []
        case core.Listed((core.Choice(guard=guard), *_)) if explainers.is_flag_question(ask):
            return [] if guard is None else [flow.skip_known_tests(exit_.then, ask.result, value=False)]
        case core.Poses() | core.Headings():
            return []
        case core.Members() if explainers.offers_directions(ask) and not ask.conditions:
            return []
        case _:
            return [exit_.then, exit_.none]


def list_blocks_after_answer(exit_: cf.AskDecision) -> list[int]:
    """Blocks that a question may continue at after an answer, once per place where each is written."""
    may_be_claimed = isinstance(exit_.statement.origin, st.Ask) and is_claimable(exit_.statement)
    return [exit_.then, exit_.none] if may_be_claimed else [exit_.then]


def is_claimable(ask: core.Ask) -> bool:
    """Whether a player may claim that there is no legal answer."""
    return decision_sort(ask) in CLAIMABLE_SORTS and any(not condition.prefer for condition in ask.conditions)


def _fails_without_answer(ask: core.Ask) -> bool:
    match ask.none:
        case (core.Fail(fault="RW0808"),):
            return True
        case _:
            return False


_LISTED_CODE = "len(m) == 1", "m[0]", "m", "not m", "tuple(m)"
_SEARCHED_CODE = "s == 1", "a", "(a,)", "s == 0", "m"
"""Python: whether one answer is left, that answer, all as a tuple, whether none is left, data of the request."""


class _QuestionEmitter:
    def __init__(self, body: FunctionBuilder, exit_: cf.AskDecision, flow: BlockFlow) -> None:
        self._body = body
        self._ask = ask = exit_.statement
        self._exit = exit_
        self._site = body.site
        self._flow = flow
        self._place = body.variable_place(ask.result)
        body.site.title, body.site.type = ask.origin.prompt, ask.result.type  # type: ignore[assignment]

    def emit_question(self) -> None:
        body, ask = self._body, self._ask
        self._site.policies = {
            policy.player: (policy.word, _emit_policy_worth(body, ask, policy)) for policy in ask.policies
        }
        if body.records_reads and isinstance(ask.origin, st.Ask):
            explainers.emit_explainers(body, ask)
        body.add_line(f"p = {expressions.emit_unrecorded(body, ask.player)}")
        match ask.space:
            case core.Listed((core.Choice(guard=guard), *_)) if explainers.is_flag_question(ask):
                if guard is not None:
                    self._emit_forced_no(guard)
                self._emit_request("()")
            case core.Listed(choices):
                _emit_possible_choices(body, choices)
                with body.indent_under(body.unless_insisted("len(m) == 1")):
                    body.add_line(f"{self._place} = a = m[0]")
                    self._emit_settled("a", "m")
                    self._go(self._exit.then)
                self._emit_impossible("not m")
                self._emit_request("tuple(m)")
            case core.Members(source=every) if explainers.offers_directions(ask):
                directions = expressions.emit_expression(body, every)
                if not ask.conditions:
                    self._emit_request(directions)
                    return
                body.add_line(f"m = filter_allowed(W, F, {directions}, {_emit_answer_judges(body, ask)})")
                self._emit_unless_forced(_LISTED_CODE)
            case core.Members() as members:
                body.add_line(f"m = {_emit_candidates(body, ask, members, ask.conditions)}")
                self._emit_unless_forced(_LISTED_CODE)
            case core.Subsets() | core.Splits() | core.Orders():
                body.add_line(f"s, a, m = {_emit_item_judgement(body, ask)}")
                self._emit_unless_forced(_SEARCHED_CODE)
            case core.Poses() | core.Headings():
                self._emit_request(loops.emit_pose_request(body, ask, _emit_answer_judges(body, ask)))
            case _:
                assert_never(ask.space)

    def emit_take_answer(self) -> None:
        body, ask = self._body, self._ask
        body.add_line(f"{self._place} = a = {CONTROL_CODE}.reply")
        if is_claimable(ask):
            with body.indent_under("if a is None:"):
                self._emit_no_answer(claimed=True)
        with writer.skip_recording(body):
            body.emit_entry(self._site, "a", f"({CONTROL_CODE}.asked_player, False, {CONTROL_CODE}.asked_data)")
        self._go(self._exit.then)

    def _go(self, block: int) -> None:
        self._flow.go(self._body, block)

    def _emit_request(self, data: str) -> None:
        self._body.emit_pending_request(self._flow.continue_at(self._exit.resume), data)

    def _emit_settled(self, result: str, every: str) -> None:
        """Records an answer that was not asked for, and why there was no other."""
        excluded = explainers.emit_excluded(self._body, self._ask)
        self._body.emit_entry(self._site, result, f"(p, True, {every}, {excluded})")

    def _emit_no_answer(self, *, claimed: bool) -> None:
        body = self._body
        if claimed and not _fails_without_answer(self._ask):
            body.emit_entry(self._site, "None", f"({CONTROL_CODE}.asked_player, False, ())")
        elif not claimed and not _fails_without_answer(self._ask):
            self._emit_settled("None", "()")
        self._go(self._exit.none)

    def _emit_impossible(self, test: str) -> None:
        with self._body.indent_under(f"if {test}:"):
            self._emit_no_answer(claimed=False)

    def _emit_forced_no(self, guard: core.Expression) -> None:
        body = self._body
        with body.indent_under(f"if not {expressions.emit_expression(body, guard)}:"):
            if body.records_reads:
                with body.indent_under(f"if {body.insistence_test}:"):
                    self._emit_request("(False,)")
            body.add_line(f"{self._place} = False")
            self._emit_settled("False", "(False,)")
            self._go(self._flow.skip_known_tests(self._exit.then, self._ask.result, value=False))

    def _emit_unless_forced(self, words: tuple[str, str, str, str, str]) -> None:
        body = self._body
        settled, answer, every, impossible, waits = words
        with body.indent_under(body.unless_insisted(settled)):
            body.add_line(f"{self._place} = {answer}")
            self._emit_settled(answer, every)
            self._go(self._exit.then)
        self._emit_impossible(impossible)
        self._emit_request(waits)


def _emit_possible_choices(body: FunctionBuilder, choices: tuple[core.Choice, ...]) -> None:
    """Collects in `m` the values whose guard holds."""
    body.add_line("m = []")
    for choice in choices:
        value = expressions.emit_expression(body, choice.value)
        if choice.guard is None:
            body.add_line(f"m.append({value})")
        else:
            with body.indent_under(f"if {expressions.emit_expression(body, choice.guard)}:"):
                body.add_line(f"m.append({value})")


def _emit_item_judgement(body: FunctionBuilder, ask: core.Ask) -> str:
    """Call that judges a pick, split or order: outcome, forced answer, data of the request."""
    emit = expressions.emit_expression
    match ask.space:
        case core.Subsets(low=low, high=high) as members:
            bounds = [_emit_bound(body, bound) for bound in (low, high)]
            body.add_line(f"m = {_emit_candidates(body, ask, members, ())}")
            call, given = "judge_pick", f"m, {', '.join(bounds)}"
        case core.Splits(amount=amount, over=over):
            call, given = "judge_split", f"{emit(body, expressions.strip_keys(over))}, {emit(body, amount)}"
        case core.Orders(items=items):
            call, given = "judge_order", emit(body, items)
        case _:
            raise AssertionError(ask.space)
    return f"{call}(W, {'F' if body.framed else 'None'}, {given}, {_emit_answer_judges(body, ask)})"


def _emit_bound(body: FunctionBuilder, bound: core.Expression) -> str:
    """Python for a bound of a pick, computed before its members are."""
    code = expressions.emit_expression(body, bound)
    if isinstance(bound, core.Const):
        return code
    name = body.new_temporary()
    body.add_line(f"{name} = {code}")
    return name


def _emit_candidates(
    body: FunctionBuilder,
    ask: core.Ask,
    space: core.Members | core.Subsets,
    conditions: tuple[core.Condition, ...],
) -> str:
    """Call of a function that lists the members that pass `where` and the conditions, those with `prefer` last."""
    source = expressions.strip_keys(space.source)
    if _takes_whole_source(space) and not conditions and isinstance(source.type, SetType):
        return expressions.emit_unrecorded(body, source)
    captured = (space.source, space.where, conditions)
    inner, call = loops.begin_lifted_function(body, captured, "legal", ask.origin, bound=space.names)
    members = loops.emit_loop_head(inner, space.names, space.source, (space.where, conditions))
    loops.discard_records(inner)
    inner.add_line("r = []")
    with inner.indent_under(members):
        loops.emit_skip_unless(inner, space.where)
        for condition in conditions:
            if not condition.prefer:
                with inner.indent_under(f"if not {expressions.emit_expression(inner, condition.test)}:"):
                    inner.add_line("continue")
        inner.add_line(f"r.append({loops.emit_member(inner, space.names)})")
    if not isinstance(source.type, SetType):
        inner.add_line("r = remove_duplicates(r)")
    for condition in conditions:
        if condition.prefer:
            _emit_preferred_members(inner, space.names, condition)
    inner.emit_forget()
    inner.add_line("return r")
    body.module.finish_function(inner)
    return call


def _takes_whole_source(space: core.Members | core.Subsets) -> bool:
    """Whether every member of the source is one of the space, unchanged."""
    return space.where is None and len(space.names) == 1 and space.names[0] is not None


def _emit_preferred_members(inner: FunctionBuilder, names: core.Names, condition: core.Condition) -> None:
    inner.add_line("x = []")
    member = loops.emit_member(inner, names)
    with (
        inner.indent_under(f"for {member} in r:"),
        inner.indent_under(f"if {expressions.emit_expression(inner, condition.test)}:"),
    ):
        inner.add_line(f"x.append({member})")
    with inner.indent_under("if x:"):
        inner.add_line("r = x")


def _emit_answer_judges(body: FunctionBuilder, ask: core.Ask) -> str:
    """Names of functions that judge a whole answer: one for all that refuse it, and one per condition with `prefer`."""
    required = [position for position, condition in enumerate(ask.conditions) if not condition.prefer]
    preferred = [position for position, condition in enumerate(ask.conditions) if condition.prefer]
    first = _emit_answer_judge(body, ask, required) if required else "None"
    return f"{first}, ({''.join(f'{_emit_answer_judge(body, ask, [position])}, ' for position in preferred)})"


def _begin_answer_function(body: FunctionBuilder, ask: core.Ask) -> tuple[FunctionBuilder, str]:
    """A function that puts an answer `a` into the name of the result, and its name; nothing of it is recorded."""
    module = body.module
    module.lifted += 1
    name = f"q{module.lifted}"
    site = module.add_site("legal", ask.origin, address=body.site.address, routine=body.site.routine)
    inner = FunctionBuilder(module, f"def {name}(W, F, a):", framed=True, names={}, site=site)
    loops.discard_records(inner)
    inner.add_line(f"{inner.variable_place(ask.result)} = a")
    return inner, name


def _finish_answer_function(inner: FunctionBuilder) -> None:
    inner.emit_forget()
    inner.add_line("return r")
    inner.module.finish_function(inner)


def _emit_answer_judge(body: FunctionBuilder, ask: core.Ask, positions: list[int]) -> str:
    """Name of a function that gives the first of some conditions that an answer fails, by position."""
    inner, name = _begin_answer_function(body, ask)
    inner.add_line("r = None")
    for position in positions:
        test = expressions.emit_expression(inner, ask.conditions[position].test)
        with inner.indent_under(f"if r is None and not {test}:"):
            inner.add_line(f"r = {position}")
    inner.add_line(f"{inner.variable_place(ask.result)} = None")
    _finish_answer_function(inner)
    return repr(name)


def _emit_policy_worth(body: FunctionBuilder, ask: core.Ask, policy: core.Policy) -> str:
    """Name of a generated function for the worth of an answer to a policy; empty if the policy does not ask.

    It stores the answer in the variable of the question; the caller restores the old value.
    """
    if policy.worth is None:
        return ""
    inner, name = _begin_answer_function(body, ask)
    inner.add_line(f"r = {expressions.emit_expression(inner, policy.worth)}")
    _finish_answer_function(inner)
    return name
