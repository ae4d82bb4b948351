"""What `odds` and `simulate` are asked, and the play it is asked of."""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import click

from rulewright.cli.loading import value_of
from rulewright.cli.named_files import files_for
from rulewright.cli.opening import Asked, PlayToBegin, asked_play, open_play, player_of
from rulewright.cli.options import (
    OneOf,
    external_option,
    limit_options,
    overlay_option,
    play_options,
    policies_of,
    policy_option,
    together,
)
from rulewright.cli.output import FORMATS, stop_on, stopped
from rulewright.cli.session_files import resume
from rulewright.drivers.session import Begun, Session
from rulewright.files import DISK
from rulewright.frozen import dataclass
from rulewright.inputs.arguments import asked_as
from rulewright.inputs.findings import did_you_mean, quoted, there_are
from rulewright.inputs.names import GAME, Names
from rulewright.inputs.nodes import Mapping as MappingNode
from rulewright.inputs.state_file import read_flags
from rulewright.machine.run import Run
from rulewright.machine.values import Value
from rulewright.odds.advice import standing
from rulewright.odds.answering import Answers
from rulewright.odds.elsewhere import Elsewhere, both_said, likelihoods_beside, policies_said, read_elsewhere
from rulewright.odds.measures import RESULT, PlayToMeasure, play_to_measure
from rulewright.odds.secrecy import in_unseen_order, unseen_at_start
from rulewright.odds.sweeps import Varied, read_varied, starts
from rulewright.program import statements as st
from rulewright.program.expressions import Local
from rulewright.program.types import ThingType, present
from rulewright.program.walk import root_of, routines
from rulewright.roles import nodes
from rulewright.source import Text

asking_options = together(
    play_options,
    click.option("--of", multiple=True, metavar="EXPRESSION", help="what to ask about the end of the play; repeatable"),
    click.option(
        "--given",
        multiple=True,
        metavar="EXPRESSION",
        help="count only the plays at whose end this is true; repeatable",
    ),
    click.option(
        "--vary", multiple=True, metavar="PATH[=VALUES]", help="ask again from each of these starts; repeatable"
    ),
    external_option,
    policy_option,
    overlay_option,
    limit_options,
    click.option("--format", "form", type=OneOf((*FORMATS, "csv")), help="human, plain, json or csv"),
)
"""The play that is asked about, what is asked of its end, where it begins, who answers, and the form of it all."""


@dataclass(frozen=True, slots=True)
class AskedOdds:
    """What a command line asks."""

    play: Asked  # where it begins
    of: tuple[str, ...]  # expressions, as they were written
    vary: tuple[str, ...]  # what differs between starts, as it was written
    external: tuple[str, ...]  # what externals come to, as it was written
    policies: tuple[str, ...]  # who chooses what no script does, as it was written
    best: tuple[str, ...] = ()  # players with what they want the most of, as it was written
    load: str | None = None  # a save to go on from, or none
    given: tuple[str, ...] = ()  # what must be so in the plays that are told of, as it was written
    known: tuple[str, ...] = ()  # bags and decks of which all know what lies in them, but not in which order


def asked_by(given: Mapping[str, Any]) -> AskedOdds:
    """What the options say."""
    asks = [each for each in ("of", "vary", "external", "policies", "best", "load", "given", "known") if each in given]
    return AskedOdds(asked_play(given, "none"), **{name: given[name] for name in asks})


@dataclass(frozen=True, slots=True)
class AskedPlay:
    """What is asked, read and judged."""

    opening: PlayToBegin  # the play as it was opened
    play: PlayToMeasure  # it, with what is asked of its end
    varied: tuple[Varied, ...]  # what differs between its starts
    # every start: the value of each thing that is varied, and what begins there
    starts: tuple[tuple[tuple[Value, ...], PlayToMeasure], ...]
    answers: Answers  # who answers what is asked on the way
    texts: Mapping[str, Text]  # every text that was read, by name
    stands: Run | None = None  # where a saved play stands, or none


def opened(asked: AskedOdds) -> AskedPlay:
    """The play with what is asked of its end; of nothing the result.

    Raises:
        Stop: RW1120, nothing is asked and there is no result; RW1127, it is not well said who wants what; RW0260; what
            is wrong with an expression; what `open_play`, `read_varied` and `read_elsewhere` report.
    """
    asked = replace(asked, play=replace(asked.play, policies=policies_of(asked.policies)))
    texts = dict[str, Text]()
    beside = _beside(asked, texts)
    session, opening = (None, _open(asked, beside, texts)) if asked.load is None else _loaded(asked.load, asked)
    begun, procedure = opening.begun, opening.begun.procedure
    objectives = _objectives(asked.best, begun.names)
    if not asked.of and not objectives and procedure.result is None:
        message = f"`{procedure.name}` gives no result, so say what to ask about"
        raise stopped("RW1120", message, add_of(begun))
    varied = value_of(read_varied(asked.vary, begun))
    files = asked.play.revision or files_for(opening.ruleset, *opening.overlays)
    asks = asked.of or tuple(text for _, text in objectives) or (RESULT,)
    asks = tuple(" given ".join((each, *asked.given)) for each in asks)
    play = value_of(
        play_to_measure(
            begun,
            asks,
            opening.ruleset,
            opening.overlays,
            files,
            objectives,
            watching=True,
            loading=opening.laid.load,
        )
    )
    begun = knowing(play.begun, asked.known)
    play = play.beginning(begun).heard_by(opening.script)
    every = [(each.at, play.beginning(each.begun)) for each in starts(varied, begun)]
    texts |= opening.texts
    answers = _with_best(_answers(asked, opening, beside, texts), [each for _, each in every], asked.known, opening)
    if session is None:
        return AskedPlay(opening, play, varied, tuple(every), answers, texts)
    stands, hidden = standing(play, session, asked.known)
    return AskedPlay(opening, play, varied, tuple(every), replace(answers, hidden=hidden), texts, stands)


def add_of(begun: Begun) -> str:
    """The remedy where nothing is asked of a play, with something that can be."""
    such = next(_changing(begun), "")
    return f"add `--of EXPRESSION`{f', such as `--of {shlex.quote(such)}`' if such else ''}"


def _changing(begun: Begun) -> Iterator[str]:
    """What may be asked of the end of a play: attributes that rules change, first of roles; then measures."""
    program, procedure = begun.executable.program, begun.procedure
    places = [root_of(each.place) for each in nodes(routines(program)) if isinstance(each, st.Assign | st.AddAmount)]
    changed = [(each.kind, each.name) for each in places if isinstance(each, st.AttributePlace)]
    of_roles = {
        (each.target.variable.name, each.name)
        for each in places
        if isinstance(each, st.AttributePlace) and isinstance(each.target, Local)
    }
    roles = [(each.name, present(each.type)) for each in procedure.parameters]
    found = [(role, name) for role, held in roles for kind, name in dict.fromkeys(changed) if held == ThingType(kind)]
    found.sort(key=lambda each: each not in of_roles)
    yield from (f"{role}.{name}" for role, name in found)
    yield from (f"{GAME}.{each.name}" for each in places if isinstance(each, st.GamePlace))
    for measure in program.measures.values():
        yield from asked_as(measure, program, begun.situation) or ()


def _loaded(file: str, asked: AskedOdds) -> tuple[Session, PlayToBegin]:
    """The session of a save, and what it was opened from."""
    if asked.vary:
        raise stopped("RW1124", "a saved play has only one start", "leave out `--vary` or `--load`")
    return resume(file, asked.play, seed=None, rolls=False)


def knowing(begun: Begun, known: Sequence[str]) -> Begun:
    """The start with decks that lie in an unseen order, whose contents all know; stops with RW1220 without one."""
    executable, situation = begun.executable, begun.situation
    held = [each.name for each in unseen_at_start(executable, begun.procedure, situation)]
    other = next((each for each in known if each not in held), None)
    if other is not None:
        remedy = did_you_mean(other, held) or (there_are(held) if held else "leave it out")
        message = f"no bag or deck {quoted(other)} holds anything at the start that the play may reach"
        raise stopped("RW1220", message, remedy)
    return replace(begun, situation=in_unseen_order(executable, situation, known))


def _objectives(best: Sequence[str], names: Names) -> tuple[tuple[int, str], ...]:
    """The number of each player with what that player wants the most of."""
    found: dict[int, str] = {}
    for each in best:
        who, colon, text = each.partition(":")
        if not colon or not text.strip():
            remedy = "write the player, a colon and an expression: `--best 'red: hammer.health'`"
            raise stopped("RW1127", f"{quoted(each)} does not say who wants the most of what", remedy)
        player = player_of(who.strip(), names)
        if player in found:
            message = f"{quoted(who.strip())} wants two things"
            raise stopped("RW1127", message, "make one expression of them, such as a sum")
        found[player] = text.strip()
    return tuple(found.items())


def _beside(asked: AskedOdds, texts: dict[str, Text]) -> MappingNode | None:
    """What the file of likelihoods beside the state says; its text is added."""
    beside = likelihoods_beside(asked.play.state or asked.play.ruleset, DISK, texts)
    stop_on(beside.diagnostics, texts)
    return beside.value


def _open(asked: AskedOdds, beside: MappingNode | None, texts: Mapping[str, Text]) -> PlayToBegin:
    """The play, with the policies that stand beside its state where nobody says otherwise."""
    policies = value_of(policies_said(beside), *texts.values())
    return open_play(replace(asked.play, policies_beside=policies))


def _answers(asked: AskedOdds, opening: PlayToBegin, beside: MappingNode | None, texts: Mapping[str, Text]) -> Answers:
    """Who answers: the script, policies, and what is said of externals."""
    begun, decided = opening.begun, opening.deciding
    elsewhere = _elsewhere(asked, begun, beside, texts)
    return Answers(begun.names, opening.script, decided.everyone, elsewhere, decided.players)


def _with_best(answers: Answers, plays: Sequence[PlayToMeasure], known: Sequence[str], opening: PlayToBegin) -> Answers:
    """The same with those who play for the best, and what nobody can know of any of the starts."""
    play = plays[0]
    answers = replace(answers, watched=play.watched)
    own = {each.player for each in opening.policies if each.player}
    both = next((each for each in play.objectives if answers.names.player(each) in own), None)
    if both is not None:
        who = answers.names.player(both)
        raise stopped("RW1127", f"{quoted(who)} plays for the best and has a policy", "leave one of them out")
    if not play.objectives:
        return answers
    begun = [each.begun for each in plays]
    hidden = [
        unseen for each in begun for unseen in unseen_at_start(each.executable, each.procedure, each.situation, known)
    ]
    return replace(answers, best=frozenset(play.objectives), hidden=tuple(dict.fromkeys(hidden)))


def _elsewhere(asked: AskedOdds, begun: Begun, beside: MappingNode | None, texts: Mapping[str, Text]) -> Elsewhere:
    """What externals come to: as the options say, else as the file beside the state does."""
    said = value_of(read_flags("--external", asked.external))
    found = read_elsewhere(both_said(said, beside), begun.executable.program, begun.names)
    return value_of(found, *texts.values())
