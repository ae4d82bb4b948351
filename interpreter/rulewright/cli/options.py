"""Options that several verbs have."""

import os
from collections.abc import Callable, Sequence
from math import isnan
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

from rulewright.cli.output import FORMATS, output
from rulewright.inputs.findings import any_of, quoted

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from rulewright.inputs.policies import Policy

LARGEST_SEED = (1 << 63) - 1

_Command = TypeVar("_Command", bound=Callable[..., object])


class MisfitError(click.BadParameter):
    """A value that does not fit, in a clause that follows the name of the option or argument."""


class WholeNumber(click.IntRange):
    """Whole numbers between bounds; a misfit is told in our words."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The number."""
        try:
            return int(super().convert(value, param, ctx))
        except click.BadParameter:
            until = "" if self.max is None else f" to {self.max}"
            message = f"is {quoted(str(value))}; it must be a whole number from {self.min}{until}"
            raise MisfitError(message, ctx, param) from None


class Number(click.FloatRange):
    """Numbers above one bound and up to another; a misfit is told in our words."""

    def __init__(self, above: float, most: float) -> None:
        super().__init__(above, most, min_open=True)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The number."""
        try:
            number = float(super().convert(value, param, ctx))
            if not isnan(number):
                return number
        except click.BadParameter:
            pass
        message = f"is {quoted(str(value))}; it must be a number above {self.min:g}, and at most {self.max:g}"
        raise MisfitError(message, ctx, param)


class OneOf(click.Choice[str]):
    """One of some words; a misfit is told in our words."""

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The word."""
        try:
            return str(super().convert(value, param, ctx))
        except click.BadParameter:
            raise MisfitError(f"is {quoted(str(value))}; it must be {any_of(self.choices)}", ctx, param) from None


class PolicyOf(click.ParamType[str]):
    """A policy, of all, of one player or for one question; a misfit is told in our words."""

    name = "policy"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The text as it is written."""
        from rulewright.inputs.policies import policy_in  # noqa: PLC0415 - only where there is a policy

        found = policy_in(str(value))
        if isinstance(found, str):
            raise MisfitError(f"is {quoted(str(value))}; {found}", ctx, param)
        return str(value)


def policy_option_for(where: str) -> Callable[[_Command], _Command]:
    """The option that says how players answer somewhere."""
    return click.option(
        "--policy",
        "policies",
        type=PolicyOf(),
        multiple=True,
        metavar="[PLAYER[/QUESTION]=]POLICY",
        help=f"how players answer {where}: first, random, or `highest EXPRESSION` for one question; repeatable",
    )


policy_option = policy_option_for("where the script does not")


def policies_of(written: Sequence[str]) -> "tuple[Policy, ...]":
    """The policies of options, those first that count: the later ones."""
    from rulewright.inputs.policies import Policy, policy_in  # noqa: PLC0415 - verbs load what they need

    found = map(policy_in, reversed(written))
    return tuple(each for each in found if isinstance(each, Policy))


paths_argument = click.argument("paths", nargs=-1, metavar="PATH...")

format_option = click.option(
    "--format", "form", type=OneOf(FORMATS), help="human (default on a terminal), plain (default elsewhere) or json"
)
overlay_option = click.option(
    "--overlay",
    "overlays",
    multiple=True,
    metavar="FILE",
    help="apply this overlay, a file that amends the ruleset; repeatable",
)

ALLOWED = "rulewright.allowed"
"""Where the folders of `--allow` are kept while a command runs."""


def _allow(ctx: click.Context, option: click.Parameter, folders: tuple[str, ...]) -> None:
    for each in folders:
        if not os.path.isdir(each):  # noqa: PTH112 - of no name it says that there is none
            raise MisfitError(f"does not fit: there is no folder {quoted(each)}", ctx, option)
    ctx.meta[ALLOWED] = folders


allow_option = click.option(
    "--allow",
    multiple=True,
    metavar="DIR",
    expose_value=False,
    callback=_allow,
    help="allow the rules to read files from this folder; repeatable",
)

view_option = click.option("--view", metavar="PLAYER", help="show only what this player may see")

record_option = click.option("--record", "recorded", metavar="FILE", help="save the play as a scenario")

external_option = click.option(
    "--external",
    multiple=True,
    metavar="NAME={ANSWER: 1/2, …}",
    help="how likely each answer of an external is; repeatable",
)


def together(*options: Callable[[Any], Any]) -> Callable[[_Command], _Command]:
    """Several options and arguments as one, in the order in which help shows them."""

    def decorated(command: _Command) -> _Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorated


_PLAY = together(
    click.argument("procedure", required=False, metavar="[PROCEDURE|CASE]"),
    click.option("--state", metavar="FILE", help="the starting position, in YAML or JSON"),
    click.option(
        "--with",
        "roles",
        multiple=True,
        metavar="ROLE=ID",
        help="who or what takes a role of the procedure; repeatable",
    ),
    click.option(
        "--set", "settings", multiple=True, metavar="SETTING=VALUE", help="choose a reading for this play; repeatable"
    ),
    click.option("--script", metavar="FILE", help="answers and dice, in YAML or JSON"),
    click.option("--no-script", "unscripted", is_flag=True, help="ignore the script of the scenario"),
)

_SEEDED = together(
    click.option(
        "--seed",
        type=WholeNumber(0, LARGEST_SEED),
        metavar="N",
        help="seed for the dice: the same seed rolls the same dice",
    ),
    click.option("--save", metavar="FILE", help="save the play, to continue later"),
)

limit_options = together(
    allow_option,
    click.option("--max-steps", type=WholeNumber(1), metavar="N", help="stop after N steps of work"),
    click.option(
        "--max-depth", type=WholeNumber(1), metavar="N", help="stop if procedures call each other more than N deep"
    ),
    click.option(
        "--max-members", type=WholeNumber(1), metavar="N", help="stop at a set or list of more than N members"
    ),
    click.option("--max-dice", type=WholeNumber(1), metavar="N", help="stop at a roll of more than N dice"),
    click.option("--max-size", type=WholeNumber(1), metavar="N", help="stop if all values together grow beyond N"),
)
"""The limits of a run, and what its rules may have read."""


class EmptyError(MisfitError):
    """An option or argument is given, and nothing with it."""

    def __init__(self, ctx: click.Context, option: click.Parameter) -> None:
        super().__init__("is empty", ctx, option)


class Told(click.Command):
    """A command whose help is printed as everything else is, so that a full disk is noticed."""

    def get_help_option(self, ctx: click.Context) -> click.Option | None:
        """The option that prints the help."""
        found = super().get_help_option(ctx)
        if found is not None:
            found.callback = _help
        return found


def _help(ctx: click.Context, option: click.Parameter, wanted: bool) -> None:  # noqa: FBT001 - as Click calls it
    del option
    if wanted and not ctx.resilient_parsing:
        output("plain").say(ctx.get_help())
        ctx.exit()


class _Place(click.types.StringParamType):
    """The name of a file or folder, which shells complete."""

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> "list[CompletionItem]":
        """What the shell finds for itself."""
        from click.shell_completion import CompletionItem  # noqa: PLC0415 - only shells ask

        del ctx, param
        return [CompletionItem(incomplete, type="file")]


_PLACES = frozenset({"folder", "paths", "places", "ruleset", "DIR", "FILE"})
"""What arguments are called, and the values of options, that are places."""


class _Verb(Told):
    allow_extra_args = True

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """The arguments and options; those that are places are known as such."""
        found = super().get_params(ctx)
        for each in found:
            if each.type is click.STRING and {each.name, each.metavar} & _PLACES:
                each.type = _Place()
        return found

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            rest = super().parse_args(ctx, args)
        except click.BadOptionUsage as mistake:
            mistake.ctx = ctx
            raise
        if rest:
            raise click.UsageError(f"there is no place for {quoted(' '.join(rest))}", ctx)
        for each in self.params:
            if _is_given_empty(each.name or "", ctx):
                raise EmptyError(ctx, each)
        return rest


def _is_given_empty(name: str, ctx: click.Context) -> bool:
    value = ctx.params.get(name)
    given = value if isinstance(value, tuple) else (value,)
    empty = any(isinstance(each, str) and not each.strip() for each in given)
    return empty and ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE


def verb(name: str) -> Callable[[Callable[..., object]], click.Command]:
    """Makes a function the command of a verb, whose options and arguments are never given empty."""
    return click.command(name, cls=_Verb)


def starting_options(*, named: bool = True) -> Callable[[_Command], _Command]:
    """What a play begins with: rules or a scenario, state, roles, settings, script, seed, and where to save.

    `named` says whether the rules or the scenario have to be given.
    """
    return together(_ruleset(named=named), _PLAY, _SEEDED)


def _ruleset(*, named: bool) -> Callable[[_Command], _Command]:
    return click.argument("ruleset", metavar="RULESET|SCENARIO", required=named)


play_options = together(_ruleset(named=True), _PLAY)
"""What a play is and begins with: rules or a scenario, state, roles, settings and script."""
