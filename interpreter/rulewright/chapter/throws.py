"""Dice that are thrown, in words."""

from collections.abc import Sequence

from rulewright.chapter.phrases import Phrases
from rulewright.program import expressions as ex, statements as st
from rulewright.program.types import PAIRED_FACES
from rulewright.telling.conditions import spoken


class Throws:
    """Puts dice into words; `say` puts what they hang on."""

    def __init__(self, say: Phrases) -> None:
        self._say = say

    def dice(self, parts: Sequence[st.Dice]) -> str:
        """The dice of a roll, those of each part with its options."""
        said = []
        for each in parts:
            options = "".join(f", {self.option(one)}" for one in each.options)
            called = f" for {self._say.noun(each.part)}" if each.part is not None else ""
            more = "" if each.advantage is None else f", with an advantage of {self._say.noun(each.advantage)}"
            said.append(f"{self._number(each)}{called}{more}{options}")
        return " and ".join(said)

    def _number(self, dice: st.Dice) -> str:
        one, several = self._die(dice.die)
        match dice.count:
            case None:
                return f"one {one}"
            case ex.Literal(value=1):
                return f"1{one}" if one[1:].isdigit() else f"one {one}"
            case ex.Literal(value=int(number)):
                return f"{number}{one}" if one[1:].isdigit() else f"{number} {several}"
            case count:
                return f"as many {several} as {self._say.noun(count)}"

    def _die(self, die: st.Die) -> tuple[str, str]:
        """One die, and several: `red attack die`, `red attack dice`."""
        match die:
            case st.NumberedDie(faces):
                return f"d{faces}", f"d{faces}"
            case st.PairedDie():
                name = st.die_name(PAIRED_FACES, "")
                return name, name
            case st.ComputedDie(faces=faces):
                end = f" with {self._say.noun(faces)} faces"
                return f"die{end}", f"dice{end}"
            case st.NamedDie(name):
                called = spoken(name).removesuffix(" dice").removesuffix(" die")
                return f"{called} die", f"{called} dice"

    def option(self, option: st.RollOption) -> str:
        """What is done with the dice of a roll."""
        value = self._say.noun(option.value)
        if option.word in {"keep", "drop"}:
            what = (
                f"{value} {option.best}"
                if isinstance(option.value, ex.Literal)
                else f"{option.best}, as many as {value}"
            )
            return f"{'keeping' if option.word == 'keep' else 'without'} the {what}"
        if option.word == "explode":
            often = "" if option.bound is None else f", {self._say.at_most(option.bound)}"
            value += " or more" if option.best else ""
            return f"each {value} explodes into one more die{often}"
        return f"{option.word} {value}"
