"""The terminator of a block: the line that always leads elsewhere, so that nothing after it is ever carried out."""

from rulewright.analysis.flow.unset_names import CALLED
from rulewright.diagnostics import Label
from rulewright.frozen import dataclass
from rulewright.program import statements as st
from rulewright.program.walk import inner, leads_elsewhere


@dataclass(frozen=True, slots=True)
class Terminator:
    """A line that always leads elsewhere: its place, what it does in words, and the question it raises, if any."""

    label: Label
    told: str
    asked: str = ""


def terminator_of(block: st.Block, routine: str = "procedure") -> Terminator | None:
    """The first line of a block in a sort of routine that always leads elsewhere, as the lines alone show it."""
    place = next((number for number, each in enumerate(block) if leads_elsewhere(each)), None)
    if place is None:
        return None
    line = block[place]
    told, does = _in_words(line, routine)
    is_slip = not any(inner(line)) and place > 0 and any(inner(block[place - 1]))
    return Terminator(
        Label(line.span, does), f"{told} above always {does}", "is it indented too little?" if is_slip else ""
    )


def _in_words(line: st.Statement, routine: str) -> tuple[str, str]:
    """What a line is called, and what it does to the way."""
    match line:
        case st.Proceed(step=step):
            return "the `proceed`", f"goes to step `{step}`"
        case st.Stop():
            return "the `stop`", "ends the loop"
        case st.FinishOuter(procedure=procedure):
            return f"the `finish {procedure}`", f"ends `{procedure}`"
        case st.Finish():
            return "the `finish`", f"ends the {routine}"
        case _:
            return f"the {CALLED.get(type(line), 'block')}", "leads elsewhere"
