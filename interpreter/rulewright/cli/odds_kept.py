"""A question of odds kept as a file of scenarios, which `test` asks again: `odds --record`."""

import posixpath
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePath
from typing import Any

from rulewright.cli.asked_odds import AskedOdds, AskedPlay
from rulewright.cli.named_files import write
from rulewright.cli.odds_report import OddsFrom
from rulewright.cli.output import Stop, stopped
from rulewright.cli.session_files import can_name, may_record
from rulewright.cli.sweep_tables import at_start
from rulewright.codecs.table import fraction_text, to_json
from rulewright.files import DISK
from rulewright.inputs.names import Names
from rulewright.inputs.nodes import Json, one_line
from rulewright.inputs.state_json import state_json
from rulewright.odds.odds import Distribution, Odds
from rulewright.odds.size import MOST_MOMENTS
from rulewright.program.types import FlagType
from rulewright.scenarios.expectations.proposals import plain
from rulewright.scenarios.expectations.shares import share_in
from rulewright.scenarios.recording import differing, in_short, laid, way_from


def may_keep(file: str | None, asked: AskedOdds) -> None:
    """Looks, before the work, whether a scenario can ask the same; stops with RW0784 or as `may_record` does."""
    if file is None:
        return
    may_record(file)
    beside = PurePath(file).with_suffix("").stem
    others = {
        "`--best`": bool(asked.best),
        "`--known`": bool(asked.known),
        "`--load`": asked.load is not None,
        "`--script`": asked.play.script is not None,
        "`--external`": bool(asked.external),
    }
    wrong = next((what for what, given in others.items() if given), None)
    if wrong == "`--external`":
        raise _refused(wrong, f"write the likelihoods into `{beside}.odds.yaml` beside it instead")
    if wrong is not None:
        raise _refused(wrong, "ask without it, or without `--record`")


def _refused(what: str, remedy: str) -> Stop:
    return stopped("RW0784", f"a scenario cannot ask with {what}, so nothing can be recorded", remedy)


def keep(file: str, found: Sequence[OddsFrom], asked: AskedPlay) -> None:
    """Writes what was found as scenarios that expect it, one for each start.

    Raises:
        Stop: RW0784, not everything is known exactly, or can be written; RW1016, the file cannot name the rules;
            RW0011, it cannot be written.
    """
    opening, (first, *_) = asked.opening, found
    can_name(file, opening.ruleset, opening.overlays)
    begun = first.play.begun
    program, folder = begun.executable.program, posixpath.dirname(file)
    lines = ["# A question of odds: `rulewright test` asks it again, and fails where the rules give another answer."]
    lines.append(f"ruleset: {one_line(way_from(folder, opening.ruleset, DISK))}")
    if opening.overlays:
        lines.append(f"overlays: {one_line([way_from(folder, each, DISK) for each in opening.overlays])}")
    lines.append(f"procedure: {one_line(begun.procedure.name)}")
    given = begun.arguments_json()
    lines += [f"with: {one_line(given)}"] if given else []
    policies: list[Json] = [each.written for each in reversed(opening.policies)]
    lines += [f"policy: {one_line(policies[0] if len(policies) == 1 else policies)}"] if policies else []
    lines += laid("state", in_short(begun.situation, program), 0)
    name = PurePath(file).name.partition(".")[0].replace("_", " ").replace("-", " ")
    lines.append("scenarios:")
    indent = "  "
    if asked.varied:
        lines += [f"  {one_line(name)}:", "    cases:"]
        indent = "      "
    for each in found:
        lines += _case(each, name, first, asked, indent)
    write(Path(file), "\n".join(lines) + "\n")


def _case(found: OddsFrom, name: str, first: OddsFrom, asked: AskedPlay, indent: str) -> Iterator[str]:
    """The scenario of one start: what is otherwise there than at the first, the script, and what is expected."""
    begun, case = found.play.begun, asked.opening.case
    names, program = begun.names, begun.executable.program
    at = at_start(asked.varied, found.at, names)
    called = ", ".join(f"{each.path} {value}" for each, value in zip(asked.varied, at, strict=True))
    yield f"{indent}{one_line(called or name)}:"
    inner = len(indent) + 2
    before, now = (state_json(each.play.begun.situation, program) for each in (first, found))
    patch = differing(before, now, program, names)
    if patch:
        yield from laid("patch", patch, inner)
    if begun.arguments_json() != first.play.begun.arguments_json():
        yield from laid("with", begun.arguments_json(), inner)
    if asked.opening.script is not None and case is not None and case.script is not None:
        yield from laid("script", plain(case.script), inner)
    if found.odds is None:
        yield from laid("expect", {"refused": [each.text for each in found.refused]}, inner)
        return
    told = found.odds.distributions[: asked.play.told]
    yield from laid("expect", {"odds": dict(_expected(each, found.odds, names) for each in told)}, inner)


def _expected(told: Distribution, found: Odds, names: Names) -> tuple[str, Json]:
    """An expression with the share of each of its values, of a flag with that of `yes`."""
    if found.open or found.faults or found.never or found.moments > MOST_MOMENTS:
        remedy = "record plays that end within that; `--picture` keeps the rest"
        message = f"only odds of plays that all end, within {MOST_MOMENTS:,} moments, can be recorded"
        raise stopped("RW0784", message, remedy)
    shares = {value: _share(fraction_text(likely), told) for value, likely in told.likely.items()}
    if isinstance(told.measure.type, FlagType):
        return told.measure.text, shares.get(True, 0)
    written = {_key(to_json(value, told.measure.type, names), told): share for value, share in shares.items()}
    return told.measure.text, written


def _share(written: str, told: Distribution) -> Json:
    if share_in(written) is None:
        raise _unwritable(told, "has a fraction that is too long")
    return int(written) if written in {"0", "1"} else written


def _key(value: Json, told: Distribution) -> Any:  # a number or a text
    if isinstance(value, dict | list) or value is None:
        raise _unwritable(told, "has values that a scenario cannot name")
    return ("yes" if value else "no") if isinstance(value, bool) else value


def _unwritable(told: Distribution, why: str) -> Stop:
    remedy = f"ask for one of them: `--of '{told.measure.text} = VALUE'`"
    return stopped("RW0784", f"`{told.measure.text}` {why}, so nothing is recorded", remedy)
