"""Why `odds` cannot be worked out: what nobody says, what nobody may see, and what has no value."""

import shlex
from collections.abc import Mapping
from contextlib import suppress

from rulewright.cli.output import Exit, Stop, complaint, stopped
from rulewright.diagnostics import Diagnostic
from rulewright.diagnostics.terminal import visible
from rulewright.inputs.findings import quoted
from rulewright.machine.outcomes import TooManyOutcomesError
from rulewright.machine.run import Paused
from rulewright.odds.advice import NothingToDecideError
from rulewright.odds.answering import Answers
from rulewright.odds.conditions import NoConditionError
from rulewright.odds.counting import UncountedError
from rulewright.odds.elsewhere import externals_of
from rulewright.odds.exploration import UndecidedError
from rulewright.odds.measures import PlayToMeasure
from rulewright.odds.objectives import NoBestPlayError
from rulewright.odds.odds import LIMIT_EXPLOSIONS, choices, unknown
from rulewright.odds.possible_answers import UnlistedError, possible_answers
from rulewright.odds.secrecy import Unseen, UnseenError
from rulewright.program.declarations import Field, Program
from rulewright.source import Text

_LOOKED = 2_000
"""So many moments are looked at for what players decide."""
REFUSALS = (
    UndecidedError,
    UnseenError,
    NoBestPlayError,
    NothingToDecideError,
    NoConditionError,
    TooManyOutcomesError,
)
"""Why odds cannot be worked out."""


def refusal(error: Exception, play: PlayToMeasure, answers: Answers, texts: Mapping[str, Text]) -> Stop:
    """The end of a command that met one of `REFUSALS`, with the texts in which something is wrong.

    RW1121, nobody decides something; RW1122, something comes from elsewhere; RW1123, one roll or draw has too many
    outcomes; RW1127 to RW1130, best play cannot be worked out; RW1131, nothing is to be decided now; RW1204, a
    condition has no value; what does not fit of a script.
    """
    match error:
        case UndecidedError(wrong=wrong):
            return Stop(wrong or [_undecided(error, play, answers)], texts)
        case UnseenError():
            return Stop([_unseen(error, play)])
        case NoBestPlayError(found=found, is_unknown=is_unknown):
            return Stop([found], found=Exit.UNKNOWN if is_unknown else Exit.BAD)
        case NothingToDecideError(paused=paused):
            return Stop([_nothing_to_decide(paused)])
        case NoConditionError(text=text):
            return Stop([no_condition(text)])
        case _:
            assert isinstance(error, TooManyOutcomesError)
            return _too_many(error)


def _too_many(error: TooManyOutcomesError) -> Stop:
    if isinstance(error, UncountedError):
        return Stop([complaint(*unknown(error, decided=True), error.help)], found=Exit.UNKNOWN)
    remedy = LIMIT_EXPLOSIONS if error.is_endless else _LESS_OF_DICE if error.sort == "roll" else _LESS_OF_CARDS
    return stopped(*unknown(error, decided=True), remedy)


_LESS_OF_DICE = "have the rules look at less of it, such as how many dice hit, or say in a script what comes"
_LESS_OF_CARDS = (
    "where decks are only drawn from and counted, cards fall as they are drawn: let that line draw, count or ask for"
    " `some`, keep discards in a list, or say in a script how the deck lies"
)


def no_condition(text: str) -> Diagnostic:
    """RW1204, for a condition that has no value at some end."""
    message = f"{quoted(text)} has no value at some end, so it is not known whether that play counts"
    return complaint("RW1204", message, "ask for what has a value at every end")


def never_so(text: str) -> Diagnostic:
    """RW1203, for a condition that no play comes to."""
    message = f"no play ends with {quoted(text)}, so there are no such plays to report"
    return complaint("RW1203", message, f"ask how likely it is, `--of {shlex.quote(text)}`, or begin elsewhere")


def _nothing_to_decide(paused: Paused | None) -> Diagnostic:
    if paused is None:
        return complaint("RW1131", "no player who plays for the best is asked anything here", "ask for `--of` instead")
    request = paused.request
    called = visible(request.prompt or request.address)
    remedy = f"say in a script how that goes, `{visible(request.address)}: …`, and add `--script FILE`"
    return complaint("RW1131", f"no choice is open yet: `{called}` comes first", remedy)


def _unseen(error: UnseenError, play: PlayToMeasure) -> Diagnostic:
    """RW1129, with what the player does not know."""
    request, unseen = error.paused.request, error.unseen
    player, name = visible(play.begun.names.player(request.player)), visible(unseen.name)
    what = {
        "secret": f"the secret answer `{name.rpartition('/')[2]}`",
        "drawn": f"the `{name.rpartition('/')[2]}` that {_other(unseen, play)} drew in secret",
        "shuffle": f"what the shuffle at `{name}` has put in order",
        "start": f"what lies in `{name}`",
        "order": f"in which order `{name}` lies",
    }[unseen.sort]
    message = f"`{player}` cannot see {what} when `{visible(request.prompt or request.address)}` is asked"
    remedy = f"say how `{player}` decides: `--policy {player}=first`, or a script"
    if unseen.sort == "secret" and unseen.player is not None:
        other = visible(play.begun.names.player(unseen.player))
        remedy += f"; or let a script say what `{other}` answers"
    if unseen.sort == "start":
        remedy = f"if all know what lies there, say so: `--known {name}`; or {remedy}"
    return complaint("RW1129", message, remedy, ["best play would answer as if it saw that"])


def _other(unseen: Unseen, play: PlayToMeasure) -> str:
    return "somebody" if unseen.player is None else f"`{visible(play.begun.names.player(unseen.player))}`"


def _undecided(error: UndecidedError, play: PlayToMeasure, answers: Answers) -> Diagnostic:
    request = error.paused.request
    own = error.paused.asked.policy[0]
    decided = bool(own or answers.policy) or request.player in {*answers.policies, *answers.best}
    told = unknown(error, decided=decided)
    if told[0] == "RW1122":
        return complaint(*told, *_wanted(error.paused, play, answers))
    if decided:
        return complaint(*told, "answer it in a script: `--script FILE`")
    met = choices(play.begun, answers, _LOOKED)
    notes = [f"players decide: {visible(prompt or address)} (`{address}`)" for address, prompt in met.items()]
    remedy = "add `--policy first`, `--policy random` or `--best PLAYER:EXPRESSION`, or answer them in a script"
    return complaint(*told, remedy, notes)


def _wanted(paused: Paused, play: PlayToMeasure, answers: Answers) -> tuple[str, tuple[str, ...]]:
    """What is to be said of externals, and which are meant."""
    request = paused.request
    program = play.begun.executable.program
    said = () if answers.elsewhere is None else answers.elsewhere.said
    lacking = [each for each in externals_of(play.begun.procedure, program) if each not in said]
    notes = tuple(f"`{visible(each)}` gives {_gives(each, program)}" for each in lacking)
    parts = [part.name for part in _named(request.name, program)]
    form = "{ANSWER: 2/3, ANSWER: 1/3}"
    if parts:
        answer = ", ".join(f"{each}: …" for each in parts)
        form = f"[{{answer: {{{answer}}}, likely: 2/3}}, …]"
    certain = f"what is certain may stand in a script: `{visible(request.address)}: {{always: …}}`"
    remedy = f"say how likely each answer is: `--external '{visible(request.name)}={form}'`; {certain}"
    with suppress(UnlistedError):
        possible_answers(paused, answers.names)
        remedy += "; or let `--policy random` take each with equal likelihood"
    return remedy, notes


def _gives(external: str, program: Program) -> str:
    """What an external gives, in words."""
    parts = _named(external, program)
    if parts:
        return " and ".join(f"`{each.name}` ({each.type})" for each in parts)
    term, procedure = program.external_terms.get(external), program.external_procedures.get(external)
    type_ = term.type if term is not None else procedure and procedure.result
    return str(type_) if type_ else "nothing, except what it changes"


def _named(external: str, program: Program) -> tuple[Field, ...]:
    """The results of an external that have names."""
    record = program.records.get(external)
    return record.parts if record is not None and external in program.external_procedures else ()
