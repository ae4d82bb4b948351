"""How a run asks whoever answers it inline: by questions, or by bare numbers where the answers are a list."""

from collections.abc import Callable
from typing import Any

from rulewright.machine.executable import Executable
from rulewright.machine.question import Question
from rulewright.machine.values import Value
from rulewright.machine.world import CONTROL, World

Answerer = Callable[[Question], Value]
Index = Callable[[int], int]
Ask = Callable[[int, int | None, tuple[Any, ...]], Value]


def questioning(executable: Executable, world: World, answer: Answerer) -> Ask:
    """Asks by questions; one question stands for all requests of the run, one after the other."""
    control = world[CONTROL]
    asked: list[Question] = []

    def ask(site: int, player: int | None, data: tuple[Any, ...]) -> Value:
        control.pending = (site, player, data)
        if not asked:
            asked.append(Question(executable, world))
        asked[0].put(site, player, data)
        return answer(asked[0])

    return ask


def deciding(executable: Executable, world: World, decide: Index, otherwise: Ask) -> Ask:
    """Takes from lists of legal answers the one with the number decided on; asks otherwise about the rest."""
    control, listed = world[CONTROL], executable.listed

    def ask(site: int, player: int | None, data: tuple[Any, ...]) -> Value:
        legal = listed[site]
        if legal is None:
            return otherwise(site, player, data)
        control.pending = (site, player, data)
        answers: tuple[Value, ...] = legal or data
        return answers[decide(len(answers))]

    return ask
