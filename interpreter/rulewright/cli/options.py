"""Options, option types and command classes that several verbs share."""

import os
from collections.abc import Callable, Sequence
from math import isnan
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

from rulewright.cli.output import FORMATS, make_output
from rulewright.documents.findings import join_alternatives, quote_name

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from rulewright.documents.answer_scripts import PlayerPolicy

LARGEST_SEED = (1 << 63) - 1

_Command = TypeVar("_Command", bound=Callable[..., object])


class OptionValueError(click.BadParameter):
    """A misfit value; the message is a clause that follows the name of the option or argument."""


def _misfit(value: object, expected: str, param: click.Parameter | None, ctx: click.Context | None) -> OptionValueError:
    return OptionValueError(f"is {quote_name(str(value))}; it must be {expected}", ctx, param)


class WholeNumberOption(click.IntRange):
    """Whole numbers between inclusive bounds."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        try:
            return int(super().convert(value, param, ctx))
        except click.BadParameter:
            until = "" if self.max is None else f" to {self.max}"
            raise _misfit(value, f"a whole number from {self.min}{until}", param, ctx) from None


class NumberOption(click.FloatRange):
    """Numbers above one bound and up to another."""

    def __init__(self, above: float, most: float) -> None:
        super().__init__(above, most, min_open=True)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        try:
            number = float(super().convert(value, param, ctx))
            if not isnan(number):
                return number
        except click.BadParameter:
            pass
        raise _misfit(value, f"a number above {self.min:g}, and at most {self.max:g}", param, ctx)


class ChoiceOption(click.Choice[str]):
    """One of some words."""

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> str:
        try:
            return str(super().convert(value, param, ctx))
        except click.BadParameter:
            raise _misfit(value, join_alternatives(self.choices), param, ctx) from None


class PolicyOption(click.ParamType[str]):
    """A policy: for all players, one player or one question; the text is checked and passed on."""

    name = "policy"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        from rulewright.documents.answer_scripts import parse_policy  # noqa: PLC0415 - only where there is a policy

        text = parse_policy(str(value))
        if isinstance(text, str):
            raise OptionValueError(f"is {quote_name(str(value))}; {text}", ctx, param)
        return str(value)


def make_policy_option(where: str) -> Callable[[_Command], _Command]:
    """The option `--policy`; `where` ends its help."""
    return click.option(
        "--policy",
        "policies",
        type=PolicyOption(),
        multiple=True,
        metavar="[PLAYER[/QUESTION]=]POLICY",
        help=f"how players answer {where}: first, random, or `highest EXPRESSION` for one question; repeatable",
    )


policy_option = make_policy_option("where the script does not")


def parse_policy_options(written: Sequence[str]) -> "tuple[PlayerPolicy, ...]":
    """Policies in order of precedence: later options first."""
    from rulewright.documents.answer_scripts import PlayerPolicy, parse_policy  # noqa: PLC0415 - verbs load what they need

    result = map(parse_policy, reversed(written))
    return tuple(one for one in result if isinstance(one, PlayerPolicy))


paths_argument = click.argument("paths", nargs=-1, metavar="PATH...")

format_option = click.option(
    "--format",
    "form",
    type=ChoiceOption(FORMATS),
    help="human (default on a terminal), plain (default elsewhere) or json",
)
overlay_option = click.option(
    "--overlay",
    "overlays",
    multiple=True,
    metavar="FILE",
    help="apply this overlay, a file that amends the ruleset; repeatable",
)

ALLOWED_FOLDERS_KEY = "rulewright.allowed"
"""Key of the folders of `--allow` in the metadata of the click context."""


def _store_allowed_folders(ctx: click.Context, option: click.Parameter, folders: tuple[str, ...]) -> None:
    for folder in folders:
        if not os.path.isdir(folder):  # noqa: PTH112 - of no name it says that there is none
            raise OptionValueError(f"does not fit: there is no folder {quote_name(folder)}", ctx, option)
    ctx.meta[ALLOWED_FOLDERS_KEY] = folders


allow_option = click.option(
    "--allow",
    multiple=True,
    metavar="DIR",
    expose_value=False,
    callback=_store_allowed_folders,
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


def combine_options(*options: Callable[[Any], Any]) -> Callable[[_Command], _Command]:
    """Several options and arguments as one decorator, in the order of the help."""

    def apply_options(command: _Command) -> _Command:
        for option in reversed(options):
            command = option(command)
        return command

    return apply_options


_PLAY_OPTIONS = combine_options(
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

_SEED_OPTIONS = combine_options(
    click.option(
        "--seed",
        type=WholeNumberOption(0, LARGEST_SEED),
        metavar="N",
        help="seed for the dice: the same seed rolls the same dice",
    ),
    click.option("--save", metavar="FILE", help="save the play, to continue later"),
)

LIMIT_OPTIONS = {
    "max_steps": ("work", "stop after N steps of work"),
    "max_depth": ("depth", "stop if procedures call each other more than N deep"),
    "max_members": ("members", "stop at a set or list of more than N members"),
    "max_dice": ("dice", "stop at a roll of more than N dice"),
    "max_size": ("size", "stop if all values together grow beyond N"),
}
"""By option: the field of `RunLimits`, and the help."""
limit_options = combine_options(
    allow_option,
    *(
        click.option(f"--{name.replace('_', '-')}", type=WholeNumberOption(1), metavar="N", help=help_)
        for name, (_, help_) in LIMIT_OPTIONS.items()
    ),
)
"""Limits of a run, and folders that rules may read."""


class EmptyOptionError(OptionValueError):
    """An option or argument with an empty value."""


class PrintedHelpCommand(click.Command):
    """A command whose help goes through `Output`, so that a full disk is noticed."""

    def get_help_option(self, ctx: click.Context) -> click.Option | None:
        result = super().get_help_option(ctx)
        if result is not None:
            result.callback = _print_help
        return result


def _print_help(ctx: click.Context, option: click.Parameter, wanted: bool) -> None:  # noqa: FBT001 - as Click calls it
    del option
    if wanted and not ctx.resilient_parsing:
        make_output("plain").print_line(ctx.get_help())
        ctx.exit()


class _PlaceParameter(click.types.StringParamType):
    """Parameter that names a file or folder, for shell completion."""

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> "list[CompletionItem]":
        from click.shell_completion import CompletionItem  # noqa: PLC0415 - only shells ask

        del ctx, param
        return [CompletionItem(incomplete, type="file")]


_PLACE_PARAMETER_NAMES = frozenset({"folder", "paths", "places", "ruleset", "DIR", "FILE"})
"""Metavariables of parameters that are places."""


class _VerbCommand(PrintedHelpCommand):
    allow_extra_args = True

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """The arguments and options; those that are places are known as such."""
        result = super().get_params(ctx)
        for parameter in result:
            if parameter.type is click.STRING and {parameter.name, parameter.metavar} & _PLACE_PARAMETER_NAMES:
                parameter.type = _PlaceParameter()
        return result

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            rest = super().parse_args(ctx, args)
        except click.BadOptionUsage as mistake:
            mistake.ctx = ctx
            raise
        if rest:
            raise click.UsageError(f"there is no place for {quote_name(' '.join(rest))}", ctx)
        for parameter in self.params:
            name = parameter.name or ""
            value = ctx.params.get(name)
            empty = any(
                isinstance(one, str) and not one.strip() for one in (value if isinstance(value, tuple) else [value])
            )
            if empty and ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE:
                raise EmptyOptionError("is empty", ctx, parameter)
        return rest


def verb_command(name: str) -> Callable[[Callable[..., object]], click.Command]:
    """Decorator: a function as the command of a verb, which refuses empty options and arguments."""
    return click.command(name, cls=_VerbCommand)


def make_starting_options(*, named: bool = True) -> Callable[[_Command], _Command]:
    """Options of the start of a play: rules or scenario, state, roles, settings, script, seed, save.

    `named`: whether the rules or the scenario are required.
    """
    ruleset = click.argument("ruleset", metavar="RULESET|SCENARIO", required=named)
    return combine_options(ruleset, _PLAY_OPTIONS, _SEED_OPTIONS)


play_options = combine_options(click.argument("ruleset", metavar="RULESET|SCENARIO"), _PLAY_OPTIONS)
"""Options of a play: rules or scenario, state, roles, settings and script."""
