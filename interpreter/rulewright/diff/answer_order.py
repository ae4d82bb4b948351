"""The order in which options and handlers are offered, which a proof that two revisions play alike leaves open.

Normal forms sort the options of an `ask … to choose` and leave the handlers of an event to whoever decides, who may take any.
Who takes the first answer takes another one where they are offered in another order: plays under a policy, and so odds and
scenarios, may then differ.
"""

from collections.abc import Iterator, Mapping

from rulewright.base.frozen import dataclass
from rulewright.base.node_roles import walk_nodes
from rulewright.diff.differential_testing.altered_places import executable_declarations
from rulewright.program import statements as st
from rulewright.program.declarations import Program
from rulewright.program.outline.items import DeclaredName


@dataclass(frozen=True, slots=True)
class OfferedAnswers:
    """Options of a question, or handlers of an event, in the order in which they are offered."""

    owner: DeclaredName  # the declaration that asks, or the event
    question: str  # name of the answer; empty for handlers
    answers: tuple[DeclaredName, ...]


@dataclass(frozen=True, slots=True)
class AnswerOrder:
    """How far two revisions offer options and handlers in the same order."""

    is_kept: bool  # known to be the same everywhere
    reordered: tuple[OfferedAnswers, ...]  # of the new revision; the same answers in another order


def compare_answer_order(old: Program, new: Program, names: Mapping[DeclaredName, DeclaredName]) -> AnswerOrder:
    """Compare the order of options and handlers; `names` maps names of the old revision to those of the new one."""
    before = [
        OfferedAnswers(
            names.get(each.owner, each.owner), each.question, tuple(names.get(one, one) for one in each.answers)
        )
        for each in _list_offered_answers(old)
    ]
    after = [*_list_offered_answers(new)]
    known = {(each.owner, frozenset(each.answers)): each.answers for each in before}
    return AnswerOrder(
        _group_answers(before) == _group_answers(after),
        tuple(each for each in after if known.get((each.owner, frozenset(each.answers)), each.answers) != each.answers),
    )


def _list_offered_answers(program: Program) -> Iterator[OfferedAnswers]:
    for owner, declared in executable_declarations(program):
        for node in walk_nodes(declared):
            if isinstance(node, st.Ask) and isinstance(node.shape, st.Choose):
                options = (DeclaredName("option", option.address) for option in node.shape.options)
                yield OfferedAnswers(owner, node.variable.name, tuple(options))
    for event in program.events:
        handlers = (name for name, handler in program.handlers.items() if handler.event == event)
        yield OfferedAnswers(
            DeclaredName("event", event), "", tuple(DeclaredName("handler", name) for name in handlers)
        )


def _group_answers(offered: list[OfferedAnswers]) -> dict[DeclaredName, list[tuple[DeclaredName, ...]]]:
    """Answers of each declaration's questions, in the order of the text."""
    groups: dict[DeclaredName, list[tuple[DeclaredName, ...]]] = {}
    for each in offered:
        if len(each.answers) > 1:
            groups.setdefault(each.owner, []).append(each.answers)
    return groups
