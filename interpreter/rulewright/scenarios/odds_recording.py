"""Recording of odds as scenarios that expect them, one for each start."""

from collections.abc import Iterator, Sequence
from typing import Any

from rulewright.base.files import FileProvider
from rulewright.base.frozen import dataclass
from rulewright.documents.answer_scripts import PlayerPolicy
from rulewright.documents.document_nodes import DocumentNode, Json, format_one_line
from rulewright.documents.name_table import NameTable
from rulewright.documents.state_json import state_to_json
from rulewright.odds.exact_odds import OutcomeDistribution, PlayOdds
from rulewright.odds.state_space_size import MAX_STATES
from rulewright.play.session import PlayStart
from rulewright.program.types import FlagType
from rulewright.runtime.type_codecs import format_exact_fraction, value_to_json
from rulewright.scenarios.expected_odds import parse_share
from rulewright.scenarios.proposals import node_to_json
from rulewright.scenarios.scenario_recording import (
    diff_states,
    format_yaml_lines,
    name_by_file,
    render_scenario_head,
    shorten_state,
)


class UnrecordableOddsError(Exception):
    """Not everything is known exactly, or can be written."""

    def __init__(self, message: str, remedy: str) -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy


@dataclass(frozen=True, slots=True)
class RecordedStart:
    """What is known of a start."""

    title: str  # what varies; empty where nothing does
    start: PlayStart
    odds: PlayOdds | None  # None: it cannot begin
    refusals: Sequence[str]  # why it cannot begin


@dataclass(frozen=True, slots=True)
class RecordedQuestion:
    """Where the rules of a question are, who answers, and how many measures are asked for."""

    ruleset: str
    overlays: Sequence[str]
    policies: Sequence[PlayerPolicy]
    script: DocumentNode | None
    measure_count: int


def record_odds(file: str, starts: Sequence[RecordedStart], question: RecordedQuestion, files: FileProvider) -> str:
    """Text of a file of scenarios.

    Raises:
        UnrecordableOddsError: a share cannot be written.
    """
    first, *_ = starts
    start = first.start
    policies: list[Json] = [policy.written for policy in reversed(question.policies)]
    entries: dict[str, Json] = {
        "procedure": start.procedure.name,
        "with": start.arguments_to_json(),
        "policy": policies[0] if len(policies) == 1 else policies,
    }
    lines = ["# A question of odds: `rulewright test` asks it again, and fails where the rules give another answer."]
    lines += render_scenario_head(file, question.ruleset, question.overlays, files, entries)
    lines += format_yaml_lines("state", shorten_state(start.situation, start.executable.program), 0)
    name = name_by_file(file)
    lines.append("scenarios:")
    indent = "  "
    if first.title:
        lines += [f"  {format_one_line(name)}:", "    cases:"]
        indent = "      "
    for recorded in starts:
        lines.append(f"{indent}{format_one_line(recorded.title or name)}:")
        lines += _render_case(recorded, start, question, len(indent) + 2)
    return "\n".join(lines) + "\n"


def _render_case(recorded: RecordedStart, first: PlayStart, question: RecordedQuestion, indent: int) -> Iterator[str]:
    """Lines of the scenario of one start; after the first start only what differs from it."""
    start = recorded.start
    names, program = start.names, start.executable.program
    first_state, state = (state_to_json(one.situation, program) for one in (first, start))
    patch = diff_states(first_state, state, program, names)
    if patch:
        yield from format_yaml_lines("patch", patch, indent)
    if start.arguments_to_json() != first.arguments_to_json():
        yield from format_yaml_lines("with", start.arguments_to_json(), indent)
    if question.script is not None:
        yield from format_yaml_lines("script", node_to_json(question.script), indent)
    odds = recorded.odds
    if odds is None:
        yield from format_yaml_lines("expect", {"refused": [*recorded.refusals]}, indent)
        return
    if odds.open_share or odds.faults or odds.never_ends or odds.state_count > MAX_STATES:
        remedy = "record plays that end within that; `--picture` keeps the rest"
        message = f"only odds of plays that all end, within {MAX_STATES:,} moments, can be recorded"
        raise UnrecordableOddsError(message, remedy)
    shares = dict(_expected_shares(each, names) for each in odds.distributions[: question.measure_count])
    yield from format_yaml_lines("expect", {"odds": shares}, indent)


def _expected_shares(distribution: OutcomeDistribution, names: NameTable) -> tuple[str, Json]:
    """An expression with the probability of each value, of a flag with that of `yes`."""
    shares = {
        value: _write_share(format_exact_fraction(likely), distribution)
        for value, likely in distribution.probabilities.items()
    }
    if isinstance(distribution.measure.type, FlagType):
        return distribution.measure.text, shares.get(True, 0)
    written = {
        _value_key(value_to_json(value, distribution.measure.type, names), distribution): share
        for value, share in shares.items()
    }
    return distribution.measure.text, written


def _write_share(written: str, distribution: OutcomeDistribution) -> Json:
    if parse_share(written) is None:
        raise _unwritable_measure(distribution, "has a fraction that is too long")
    return int(written) if written in {"0", "1"} else written


def _value_key(value: Json, distribution: OutcomeDistribution) -> Any:  # a number or a text
    if isinstance(value, dict | list) or value is None:
        raise _unwritable_measure(distribution, "has values that a scenario cannot name")
    return ("yes" if value else "no") if isinstance(value, bool) else value


def _unwritable_measure(distribution: OutcomeDistribution, why: str) -> UnrecordableOddsError:
    remedy = f"ask for one of them: `--of '{distribution.measure.text} = VALUE'`"
    return UnrecordableOddsError(f"`{distribution.measure.text}` {why}, so nothing is recorded", remedy)
