"""The named reason why an option is impossible: the row or guard that rules it out."""

from rulewright.machine.question import Question
from rulewright.machine.request import Reason
from rulewright.machine.values import Value
from rulewright.program import statements as st


class Reasons:
    """Reasons for the options of one question."""

    def __init__(self, question: Question) -> None:
        self._question = question

    def members(self) -> tuple[tuple[Value, Reason | None], ...]:
        """Every member of the source of a choice of one, with its reason."""
        return tuple((each, None) for each in self._question.data)

    def option(self, option: st.Option) -> Reason | None:
        """The reason why an option cannot be chosen."""
        if option.id in self._question.data:
            return None
        return Reason(option.address, option.title, option.cites)
