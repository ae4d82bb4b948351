"""The question of `odds` and `simulate`: options, starts, measures, and who answers; with the refusals of odds."""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from rulewright.base.diagnostics import Diagnostic, make_visible
from rulewright.base.files import DISK
from rulewright.base.frozen import dataclass
from rulewright.base.node_roles import walk_nodes
from rulewright.base.source import Text
from rulewright.cli.command_files import files_for
from rulewright.cli.options import (
    ChoiceOption,
    make_external_option,
    make_policy_option,
    option,
    parse_policy_options,
    several,
)
from rulewright.cli.output import FORMATS, CommandStop, ExitCode, make_error, make_stop, stop_on_errors
from rulewright.cli.play_opening import OpenedPlay, PlayRequest, open_play, require_player
from rulewright.cli.ruleset_loading import unwrap_or_stop
from rulewright.cli.session_files import resume_save
from rulewright.documents.document_nodes import MapNode
from rulewright.documents.findings import describe_choices, did_you_mean, quote_name
from rulewright.documents.name_table import GAME, NameTable
from rulewright.documents.procedure_arguments import expand_measure_calls
from rulewright.documents.state_file import parse_assignments
from rulewright.odds.answerers import PlayAnswerer, UndecidedError
from rulewright.odds.best_play_solver import NoBestPlayError, NothingToDecideError, resume_from_session
from rulewright.odds.end_measures import MeasuredPlay, prepare_measured_play
from rulewright.odds.event_counting import UncountableError
from rulewright.odds.exact_odds import EXPLOSION_LIMIT_HELP, explain_unknown_odds, find_open_choices
from rulewright.odds.external_answers import (
    UnlistedError,
    list_asked_externals,
    list_possible_answers,
    merge_likelihoods,
    read_external_odds,
    read_likelihoods_beside,
    read_stated_policies,
)
from rulewright.odds.hidden_information import HiddenInformationError, find_hidden_at_start, hide_deck_orders
from rulewright.odds.measure_syntax import RESULT_NAME, UndefinedConditionError
from rulewright.odds.parameter_sweeps import SweepAxis, enumerate_sweep_points, read_sweep_axes
from rulewright.play.session import PlayStart
from rulewright.program import statements as st
from rulewright.program.declarations import Field, Program
from rulewright.program.expressions import Local
from rulewright.program.types import BagType, DeckType, ListType, SetType, ThingType, strip_optional
from rulewright.program.walk import get_changed_places, get_root_place, list_routines
from rulewright.runtime.chance_outcomes import TooManyOutcomesError
from rulewright.runtime.run import Paused, Run
from rulewright.runtime.values import Value

table_format_option = option("--format", "", "human, plain, json or csv", ChoiceOption((*FORMATS, "csv")))


@dataclass(frozen=True, slots=True)
class OddsOptions:
    """What a command line asks of the ends of plays, as written."""

    of: tuple[str, ...] = several("--of", "EXPRESSION", "what to ask about the end of the play; repeatable")
    given: tuple[str, ...] = several(
        "--given", "EXPRESSION", "count only the plays at whose end this is true; repeatable"
    )
    vary: tuple[str, ...] = several("--vary", "PATH[=VALUES]", "ask again from each of these starts; repeatable")
    external: tuple[str, ...] = make_external_option()
    policies: tuple[str, ...] = make_policy_option("where the script does not")


@dataclass(frozen=True, slots=True, kw_only=True)
class OddsArguments(OddsOptions):
    """Arguments of a command line that asks for odds."""

    play: PlayRequest
    best: tuple[str, ...] = ()  # `player:expression`, as written
    load: str | None = None  # save file
    known: tuple[str, ...] = ()  # names of bags and decks with known contents


@dataclass(frozen=True, slots=True)
class OddsQuery:
    """A question of odds, read and checked."""

    opening: OpenedPlay
    play: MeasuredPlay
    varied: tuple[SweepAxis, ...]
    # every start: its values by axis, and the play
    starts: tuple[tuple[tuple[Value, ...], MeasuredPlay], ...]
    answers: PlayAnswerer
    texts: Mapping[str, Text]  # by name
    saved_run: Run | None = None  # of the save


def resolve_odds_query(arguments: OddsArguments) -> OddsQuery:
    """The question with its opened plays; by default it asks for the result.

    Raises:
        CommandStop: RW1120, nothing is asked and there is no result; RW1127, it is unclear who maximizes what; RW0260;
            an expression has errors; as in `open_play`, `read_sweep_axes` and `read_external_odds`.
    """
    arguments = replace(arguments, play=replace(arguments.play, policies=parse_policy_options(arguments.policies)))
    texts = dict[str, Text]()
    beside = read_likelihoods_beside(arguments.play.state or arguments.play.ruleset, DISK, texts)
    stop_on_errors(beside.diagnostics, texts)
    if arguments.load is None:
        policies = unwrap_or_stop(read_stated_policies(beside.value), *texts.values())
        session, opening = None, open_play(replace(arguments.play, policies_beside=policies))
    elif arguments.vary:
        raise make_stop("RW1124", "a saved play has only one start", "leave out `--vary` or `--load`")
    else:
        session, opening = resume_save(arguments.load, arguments.play, seed=None, rolls=False)
    start, procedure = opening.start, opening.start.procedure
    objectives = _parse_objectives(arguments.best, start.names)
    if not arguments.of and not objectives and procedure.result is None:
        message = f"`{procedure.name}` gives no result, so say what to ask about"
        raise make_stop("RW1120", message, suggest_of_option(start))
    varied = unwrap_or_stop(read_sweep_axes(arguments.vary, start))
    files = arguments.play.revision or files_for(opening.ruleset, *opening.overlays)
    asks = arguments.of or tuple(text for _, text in objectives) or (RESULT_NAME,)
    asks = tuple(" given ".join((ask, *arguments.given)) for ask in asks)
    rules, loader = (opening.ruleset, opening.overlays, files), opening.laid_policies.loader
    play = unwrap_or_stop(prepare_measured_play(start, asks, *rules, objectives, watching=True, loading=loader))
    start = mark_contents_known(play.start, arguments.known)
    play = play.with_start(start).adapt_to_script(opening.script)
    points = enumerate_sweep_points(varied, start)
    every = tuple((point.axis_values, play.with_start(point.start)) for point in points)
    texts |= opening.texts
    answers = _make_answerer(arguments, opening, [play for _, play in every], beside.value, texts)
    if session is None:
        return OddsQuery(opening, play, varied, every, answers, texts)
    stands, hidden = resume_from_session(play, session, arguments.known)
    return OddsQuery(opening, play, varied, every, replace(answers, hidden_facts=hidden), texts, stands)


def suggest_of_option(start: PlayStart) -> str:
    """Remedy with an expression that can be asked of a play."""
    such = next(_suggest_expressions(start), "")
    return f"add `--of EXPRESSION`{f', such as `--of {shlex.quote(such)}`' if such else ''}"


def _suggest_expressions(start: PlayStart) -> Iterator[str]:
    """Expressions to ask of a play: attributes that rules change, those of roles first; then measures."""
    program, procedure = start.executable.program, start.procedure
    nodes = walk_nodes(list_routines(program))
    lines = (node for node in nodes if isinstance(node, st.Line))
    places = [
        get_root_place(place)
        for line in lines
        for place in get_changed_places(line)
        if not isinstance(place.type, SetType | ListType | BagType | DeckType)
    ]
    changed = [(place.kind, place.name) for place in places if isinstance(place, st.AttributePlace)]
    of_roles = {
        (place.target.variable.name, place.name)
        for place in places
        if isinstance(place, st.AttributePlace) and isinstance(place.target, Local)
    }
    roles = [(one.name, strip_optional(one.type)) for one in procedure.parameters]
    kinds = dict.fromkeys(changed)
    result = [(role, name) for role, type_ in roles for kind, name in kinds if type_ == ThingType(kind)]
    result.sort(key=lambda item: item not in of_roles)
    yield from (f"{role}.{name}" for role, name in result)
    yield from (f"{GAME}.{place.name}" for place in places if isinstance(place, st.GamePlace))
    for measure in program.measures.values():
        yield from expand_measure_calls(measure, program, start.situation) or ()


def mark_contents_known(start: PlayStart, known: Sequence[str]) -> PlayStart:
    """The start with decks whose contents all know, in unknown order; stops with RW1220 for any other name."""
    executable, situation = start.executable, start.situation
    names = [one.name for one in find_hidden_at_start(executable, start.procedure, situation)]
    unknown = next((item for item in known if item not in names), None)
    if unknown is not None:
        remedy = did_you_mean(unknown, names) or (describe_choices(names) if names else "leave it out")
        message = f"no bag or deck {quote_name(unknown)} holds anything at the start that the play may reach"
        raise make_stop("RW1220", message, remedy)
    return replace(start, situation=hide_deck_orders(executable, situation, known))


def _parse_objectives(best: Sequence[str], names: NameTable) -> tuple[tuple[int, str], ...]:
    """Player numbers with the expression that each maximizes."""
    result: dict[int, str] = {}
    for item in best:
        who, colon, text = item.partition(":")
        if not colon or not text.strip():
            remedy = "write the player, a colon and an expression: `--best 'red: hammer.health'`"
            raise make_stop("RW1127", f"{quote_name(item)} does not say who wants the most of what", remedy)
        player = require_player(who.strip(), names)
        if player in result:
            message = f"{quote_name(who.strip())} wants two things"
            raise make_stop("RW1127", message, "make one expression of them, such as a sum")
        result[player] = text.strip()
    return tuple(result.items())


def _make_answerer(
    arguments: OddsArguments,
    opening: OpenedPlay,
    plays: Sequence[MeasuredPlay],
    beside: MapNode | None,
    texts: Mapping[str, Text],
) -> PlayAnswerer:
    """The answerer with the maximizing players, and what no player knows at any start.

    Externals answer by the options, else by the file beside the state.
    """
    start, decided, play = opening.start, opening.deciding, plays[0]
    assignments = unwrap_or_stop(parse_assignments("--external", arguments.external))
    outcomes = read_external_odds(merge_likelihoods(assignments, beside), start.executable.program, start.names)
    elsewhere = unwrap_or_stop(outcomes, *texts.values())
    answers = PlayAnswerer(start.names, opening.script, decided.default, elsewhere, decided.by_player)
    answers = replace(answers, counted_events=play.counted_events)
    with_policy = {policy.player for policy in opening.policies if policy.player}
    for player in play.objectives:
        who = answers.names.player_id(player)
        if who in with_policy:
            message = f"{quote_name(who)} plays for the best and has a policy"
            raise make_stop("RW1127", message, "leave one of them out")
    if not play.objectives:
        return answers
    hidden = dict.fromkeys(
        unseen
        for one in (each.start for each in plays)
        for unseen in find_hidden_at_start(one.executable, one.procedure, one.situation, arguments.known)
    )
    return replace(answers, maximizing_players=frozenset(play.objectives), hidden_facts=tuple(hidden))


_MAX_INSPECTED_MOMENTS = 2_000
"""States explored to find the questions of players; heuristic."""
REFUSALS = (
    UndecidedError,
    HiddenInformationError,
    NoBestPlayError,
    NothingToDecideError,
    UndefinedConditionError,
    TooManyOutcomesError,
)
"""Errors by which odds cannot be computed, explained by `explain_odds_refusal`."""


def explain_odds_refusal(
    error: Exception, play: MeasuredPlay, answers: PlayAnswerer, texts: Mapping[str, Text]
) -> CommandStop:
    """The end of a command after one of `REFUSALS`; `texts` are those that findings point into.

    RW1121, nobody answers a question; RW1122, an external has no likelihoods; RW1123, one roll or draw has too many
    outcomes; RW1127 to RW1130, best play cannot be computed; RW1131, no question is pending; RW1204, a condition has no
    value; errors of a script.
    """
    match error:
        case UndecidedError(findings=wrong):
            return CommandStop(wrong or [_undecided_error(error, play, answers)], texts)
        case HiddenInformationError():
            return CommandStop([_unseen_error(error, play)])
        case NoBestPlayError(finding=finding, is_limit_hit=is_unknown):
            return CommandStop([finding], error_exit=ExitCode.UNKNOWN if is_unknown else ExitCode.BAD_INPUT)
        case NothingToDecideError(paused=paused):
            return CommandStop([_no_choice_error(paused)])
        case UndefinedConditionError(text=text):
            return CommandStop([undefined_condition_error(text)])
        case UncountableError(help=remedy):
            return CommandStop(
                [make_error(*explain_unknown_odds(error, decided=True), remedy)], error_exit=ExitCode.UNKNOWN
            )
        case _:
            assert isinstance(error, TooManyOutcomesError)
            remedy = (
                EXPLOSION_LIMIT_HELP if error.is_endless else _DICE_REMEDY if error.sort == "roll" else _CARDS_REMEDY
            )
            return make_stop(*explain_unknown_odds(error, decided=True), remedy)


_DICE_REMEDY = "have the rules look at less of it, such as how many dice hit, or say in a script what comes"
_CARDS_REMEDY = (
    "where decks are only drawn from and counted, cards fall as they are drawn: let that line draw, count or ask for"
    " `some`, keep discards in a list, or say in a script how the deck lies"
)


def undefined_condition_error(text: str) -> Diagnostic:
    """RW1204, for a condition that has no value at some end."""
    message = f"{quote_name(text)} has no value at some end, so it is not known whether that play counts"
    return make_error("RW1204", message, "ask for what has a value at every end")


def impossible_condition_error(text: str) -> Diagnostic:
    """RW1203, for a condition that no play meets."""
    message = f"no play ends with {quote_name(text)}, so there are no such plays to report"
    return make_error("RW1203", message, f"ask how likely it is, `--of {shlex.quote(text)}`, or begin elsewhere")


def _no_choice_error(paused: Paused | None) -> Diagnostic:
    if paused is None:
        return make_error("RW1131", "no player who plays for the best is asked anything here", "ask for `--of` instead")
    request = paused.request
    called = make_visible(request.prompt or request.address)
    remedy = f"say in a script how that goes, `{make_visible(request.address)}: …`, and add `--script FILE`"
    return make_error("RW1131", f"no choice is open yet: `{called}` comes first", remedy)


def _unseen_error(error: HiddenInformationError, play: MeasuredPlay) -> Diagnostic:
    """RW1129, with what the player does not know."""
    request, unseen = error.paused.request, error.fact
    player, name = make_visible(play.start.names.player_id(request.player)), make_visible(unseen.name)
    whose = unseen.player
    other = "somebody" if whose is None else f"`{make_visible(play.start.names.player_id(whose))}`"
    what = {
        "secret": f"the secret answer `{name.rpartition('/')[2]}`",
        "drawn": f"the `{name.rpartition('/')[2]}` that {other} drew in secret",
        "shuffle": f"what the shuffle at `{name}` has put in order",
        "start": f"what lies in `{name}`",
        "order": f"in which order `{name}` lies",
    }[unseen.sort]
    message = f"`{player}` cannot see {what} when `{make_visible(request.prompt or request.address)}` is asked"
    remedy = f"say how `{player}` decides: `--policy {player}=first`, or a script"
    if unseen.sort == "secret" and whose is not None:
        remedy += f"; or let a script say what {other} answers"
    if unseen.sort == "start":
        remedy = f"if all know what lies there, say so: `--known {name}`; or {remedy}"
    return make_error("RW1129", message, remedy, ["best play would answer as if it saw that"])


def _undecided_error(error: UndecidedError, play: MeasuredPlay, answers: PlayAnswerer) -> Diagnostic:
    request = error.paused.request
    request_policy = error.paused.asked.policy[0]
    decided = bool(request_policy or answers.policy) or request.player in {
        *answers.policies,
        *answers.maximizing_players,
    }
    explanation = explain_unknown_odds(error, decided=decided)
    if explanation[0] == "RW1122":
        return make_error(*explanation, *_external_remedy(error.paused, play, answers))
    if decided:
        return make_error(*explanation, "answer it in a script: `--script FILE`")
    met = find_open_choices(play.start, answers, _MAX_INSPECTED_MOMENTS)
    notes = [f"players decide: {make_visible(prompt or address)} (`{address}`)" for address, prompt in met.items()]
    remedy = "add `--policy first`, `--policy random` or `--best PLAYER:EXPRESSION`, or answer them in a script"
    return make_error(*explanation, remedy, notes)


def _external_remedy(paused: Paused, play: MeasuredPlay, answers: PlayAnswerer) -> tuple[str, tuple[str, ...]]:
    """Remedy for externals without likelihoods, and notes with the externals."""
    request = paused.request
    program = play.start.executable.program
    answered = () if answers.external_odds is None else answers.external_odds.answers_by_external
    unanswered = [one for one in list_asked_externals(play.start.procedure, program) if one not in answered]
    notes = tuple(f"`{make_visible(item)}` gives {_describe_external_result(item, program)}" for item in unanswered)
    parts = [part.name for part in _named_results(request.name, program)]
    form = "{ANSWER: 2/3, ANSWER: 1/3}"
    if parts:
        answer = ", ".join(f"{item}: …" for item in parts)
        form = f"[{{answer: {{{answer}}}, likely: 2/3}}, …]"
    certain = f"what is certain may stand in a script: `{make_visible(request.address)}: {{always: …}}`"
    remedy = f"say how likely each answer is: `--external '{make_visible(request.name)}={form}'`; {certain}"
    with suppress(UnlistedError):
        list_possible_answers(paused, answers.names)
        remedy += "; or let `--policy random` take each with equal likelihood"
    return remedy, notes


def _describe_external_result(external: str, program: Program) -> str:
    parts = _named_results(external, program)
    if parts:
        return " and ".join(f"`{part.name}` ({part.type})" for part in parts)
    term, procedure = program.external_terms.get(external), program.external_procedures.get(external)
    type_ = term.type if term is not None else procedure and procedure.result
    return str(type_) if type_ else "nothing, except what it changes"


def _named_results(external: str, program: Program) -> tuple[Field, ...]:
    record = program.records.get(external)
    return record.parts if record is not None and external in program.external_procedures else ()
