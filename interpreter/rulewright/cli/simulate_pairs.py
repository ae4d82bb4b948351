"""Paired simulation (common random numbers): the options of the second of each pair."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import click

from rulewright.base.files import DISK, FileProvider, FilesWithExtra
from rulewright.cli.command_files import read_text
from rulewright.cli.odds_query import OddsArguments
from rulewright.cli.options import PolicyOption, combine_options
from rulewright.cli.output import make_stop
from rulewright.cli.play_opening import PlayRequest, is_scenario_path
from rulewright.scenarios.scenario_files import resolve_shipped_place

pair_options = combine_options(
    click.option("--against", metavar="RULESET|SCENARIO|REV:PLACE", help="also play by these rules, on the same dice"),
    click.option(
        "--against-overlay",
        "against_overlays",
        multiple=True,
        metavar="FILE",
        help="an overlay for --against; repeatable",
    ),
    click.option(
        "--against-set",
        "against_settings",
        multiple=True,
        metavar="SETTING=VALUE",
        help="a reading for --against; repeatable",
    ),
    click.option(
        "--against-policy",
        "against_policies",
        type=PolicyOption(),
        multiple=True,
        metavar="[PLAYER[/QUESTION]=]POLICY",
        help="how players choose for --against; repeatable",
    ),
    click.option("--against-first", is_flag=True, help="compare each start of --vary with the first"),
)
"""Options of the second of a pair."""
AGAINST_OPTIONS = ("against", "against_overlays", "against_settings", "against_policies")


def parse_second_of_pair(arguments: OddsArguments, given: Mapping[str, Any], *, first: bool) -> OddsArguments | None:
    """Question of the second of each pair; None if plays are not paired, or paired with the first start.

    Stops with RW1135 if it is unclear what is paired.
    """
    given_options = [one for one in AGAINST_OPTIONS if given[one]]
    if first and (given_options or not arguments.vary):
        message = "`--against-first` compares the starts of one sweep with the first of them"
        remedy = "leave out the other `--against` options" if given_options else "add `--vary PATH=VALUES`"
        raise make_stop("RW1135", message, remedy)
    if not given_options:
        return None
    play, place = arguments.play, given["against"]
    play = replace(
        play,
        overlays=(*play.overlays, *given["against_overlays"]),
        settings=(*play.settings, *given["against_settings"]),
    )
    if place is not None:
        place, revision = _resolve_against_place(place, play)
        play = replace(play, revision=revision)
    if place is not None and (is_scenario_path(place) or not is_scenario_path(play.ruleset)):
        play = replace(play, ruleset=place)
    elif place is not None:
        play = replace(play, rules=place)
    return replace(arguments, play=play, policies=given["against_policies"] or arguments.policies)


def _resolve_against_place(place: str, play: PlayRequest) -> tuple[str, FileProvider | None]:
    """Place and file provider of a place or `REV:PLACE`; a scenario that is played stays that of the disk."""
    from rulewright.cli.diff_result import resolve_side  # noqa: PLC0415 - seldom wanted

    if DISK.get_file_type(place) or ":" not in place:
        return place, None
    side_request = resolve_side("--against", place, ())
    if not is_scenario_path(play.ruleset) or is_scenario_path(side_request.place):
        return side_request.place, side_request.provider
    scenario = resolve_shipped_place(play.ruleset, DISK)
    return side_request.place, FilesWithExtra(side_request.provider, scenario, read_text(scenario).content)


def describe_second_of_pair(given: Mapping[str, Any]) -> str:
    """The second of each pair, as written."""
    parts = [f"{given['against']}"] if given["against"] else []
    parts += [f"with {item}" for item in given["against_overlays"]]
    parts += [f"by {item}" for item in given["against_settings"]]
    parts += [f"policy {item}" for item in given["against_policies"]]
    return " ".join(parts)
