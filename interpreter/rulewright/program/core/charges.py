"""What work core forms are charged: steps, which follow from the forms alone, however they are written.

A block between requests is one step, a visit of a member one, a call one. So that a step takes about as long everywhere,
a routine with many forms charges more when it is entered, and a loop with many forms more for each visit. The forms of
short routines count where they are called, and those of loops as often as members are visited without a charge.
"""

from collections.abc import Mapping
from typing import Any

from rulewright.program.core import forms as core
from rulewright.program.core.walking import list_parts

FORMS_PER_STEP = 60
"""Forms that take about as long as anything else charged as a step; chosen: about thirty lines of Python."""
MAX_UNCHARGED_WEIGHT = 10 * FORMS_PER_STEP
"""Forms that a routine may run without charging work; chosen."""
MAX_UNCHARGED_VISITS = 8
"""Members that a gathering visits without a charge; chosen, as a charge takes as long as visiting some."""
_MAX_WEIGHT = 10**6
"""Weight at which nested ones are no longer added up; chosen, as such routines charge anyway."""
_UNCOUNTED = (core.Const, core.Get, core.Local)
_REPEATED = (core.For, core.Loop)


class ChargeAnalysis:
    """Weights of the forms of one core program: how many run at most, from one charge to the next."""

    def __init__(self, routines: Mapping[str, core.Routine]) -> None:
        self._routines = routines
        self._routine_weights: dict[str, int] = {}
        self._gathering_weights: dict[int, tuple[core.Over, int]] = {}

    def count_steps(self, *forms: Any) -> int:
        """Steps charged where forms begin to run that nothing else charges; 0 for few forms."""
        weight = sum(self._weigh_gathering(form) if isinstance(form, core.Over) else self.weigh(form) for form in forms)
        return weight // FORMS_PER_STEP if weight > MAX_UNCHARGED_WEIGHT else 0

    def count_steps_per_visit(self, *forms: Any) -> int:
        """Steps charged for each member for which forms run."""
        return 1 + self.weigh(*forms) // FORMS_PER_STEP

    def weigh(self, *forms: Any) -> int:
        """How many forms run at most, with those of what is short and called."""
        result, waiting = 0, [(form, 1) for form in forms]
        while waiting and result < _MAX_WEIGHT:
            form, times = waiting.pop()
            match form:
                case None | bool():
                    continue
                case tuple():
                    waiting += [(part, times) for part in form]
                    continue
                case core.Over():
                    result += times * self._count_if_short(self._weigh_gathering(form))
                    continue
                case core.Apply(routine=key) | core.Closure(routine=key) | core.Call(routine=key):
                    result += times * self._count_if_short(self.weigh_routine(key))
                case _ if isinstance(form, _UNCOUNTED):
                    continue
            result += times
            inside = form.body if isinstance(form, _REPEATED) else ()
            waiting += [(part, times * MAX_UNCHARGED_VISITS) for part in inside]
            repeated = {id(part) for part in inside}
            waiting += [(part, times) for part in list_parts(form) if id(part) not in repeated]
        return min(result, _MAX_WEIGHT)

    def weigh_routine(self, key: str) -> int:
        """Weight of a routine; of a recursive one that of one that charges itself."""
        if key not in self._routine_weights:
            self._routine_weights[key] = MAX_UNCHARGED_WEIGHT + 1
            routine = self._routines[key]
            self._routine_weights[key] = self.weigh(routine.entry, routine.steps)
        return self._routine_weights[key]

    def _weigh_gathering(self, over: core.Over) -> int:
        """Weight of a gathering, which is a function of its own."""
        if id(over) not in self._gathering_weights:
            visited = self.weigh(over.where, over.value)
            weight = 1 + self.weigh(over.source) + MAX_UNCHARGED_VISITS * (1 + visited)
            self._gathering_weights[id(over)] = over, min(weight, _MAX_WEIGHT)
        return self._gathering_weights[id(over)][1]

    @staticmethod
    def _count_if_short(weight: int) -> int:
        return weight if weight <= MAX_UNCHARGED_WEIGHT else 1
