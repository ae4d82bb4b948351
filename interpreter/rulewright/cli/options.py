"""Parameters of verbs, option types and command classes that several verbs share.

A parameter is declared once, where the function of the verb takes it, or where a class holds it that is an argument of
the function:

    @verb_command("mutate")
    def command(*, places: tuple[str, ...] = places_argument, step: str = option("--step", "ID", "…", default=""),
                listed: bool = flag("--list", "…"), limits: LimitOptions = options_of(LimitOptions)) -> int: ...

The help lists them in this order. The function is always called with all of its arguments.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, asdict, field, fields
from functools import wraps
from math import isnan
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

from rulewright.base.frozen import dataclass
from rulewright.cli.output import FORMATS, make_output
from rulewright.documents.findings import join_alternatives, quote_name

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from rulewright.documents.answer_scripts import PlayerPolicy

LARGEST_SEED = (1 << 63) - 1

_Group = TypeVar("_Group")


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


def _declare(default: Any, make: Callable[..., click.Parameter], /, *words: str, **attributes: Any) -> Any:
    """What `verb_command` makes a parameter of: the default of a field, or of an argument of a function."""
    return field(default=default, metadata={"make": make, "words": words, "attributes": attributes})


def argument(metavar: str | None = None, make: type[click.Argument] = click.Argument, **attributes: Any) -> Any:
    """An argument by position; one that is not `required` is None unless it is given."""
    return _declare(MISSING if attributes.get("required", True) else None, make, metavar=metavar, **attributes)


def option(name: str, metavar: str, help: str, type: click.ParamType[Any] | None = None, **attributes: Any) -> Any:  # noqa: A002
    """An option with a value; None unless it is given or has a `default`."""
    return _declare(
        attributes.get("default"), click.Option, name, metavar=metavar or None, help=help, type=type, **attributes
    )


def several(name: str, metavar: str, help: str, type: click.ParamType[Any] | None = None) -> Any:  # noqa: A002
    """An option that may be repeated; a tuple."""
    return _declare((), click.Option, name, metavar=metavar, help=help, type=type, multiple=True)


def flag(name: str, help: str, **attributes: Any) -> Any:  # noqa: A002
    """An option without a value; a boolean."""
    return _declare(False, click.Option, name, is_flag=True, help=help, **attributes)  # noqa: FBT003 - the default


def options_of(group: type[_Group], **instead: Any) -> _Group:
    """The declared fields of a class as parameters at this place; `instead` declares some of them in another way."""
    declared: _Group = field(metadata={"group": group, "instead": instead})
    return declared


def make_policy_option(where: str) -> Any:
    """The option `--policy`; `where` ends its help."""
    says = f"how players answer {where}: first, random, or `highest EXPRESSION` for one question; repeatable"
    return several("--policy", "[PLAYER[/QUESTION]=]POLICY", says, PolicyOption())


policy_option = make_policy_option("where the script does not")


def parse_policy_options(written: Sequence[str]) -> "tuple[PlayerPolicy, ...]":
    """Policies in order of precedence: later options first."""
    from rulewright.documents.answer_scripts import PlayerPolicy, parse_policy  # noqa: PLC0415 - verbs load what they need

    result = map(parse_policy, reversed(written))
    return tuple(one for one in result if isinstance(one, PlayerPolicy))


paths_argument = argument("PATH...", nargs=-1)
places_argument = argument("[PATH]...", nargs=-1)


def make_format_option(last: str = " or json", *more: str) -> Any:
    """The option `--format`; `last` ends its help, and `more` are forms of one verb."""
    says = f"human (default on a terminal), plain (default elsewhere){last}"
    return option("--format", "", says, ChoiceOption((*FORMATS, *more)))


format_option = make_format_option()
overlay_option = several("--overlay", "FILE", "apply this overlay, a file that amends the ruleset; repeatable")

ALLOWED_FOLDERS_KEY = "rulewright.allowed"
"""Key of the folders of `--allow` in the metadata of the click context."""


def _store_allowed_folders(ctx: click.Context, option: click.Parameter, folders: tuple[str, ...]) -> None:
    for folder in folders:
        if not os.path.isdir(folder):  # noqa: PTH112 - of no name it says that there is none
            raise OptionValueError(f"does not fit: there is no folder {quote_name(folder)}", ctx, option)
    ctx.meta[ALLOWED_FOLDERS_KEY] = folders


allow_option = _declare(
    None,
    click.Option,
    "--allow",
    metavar="DIR",
    help="allow the rules to read files from this folder; repeatable",
    multiple=True,
    expose_value=False,
    callback=_store_allowed_folders,
)
view_option = option("--view", "PLAYER", "show only what this player may see")
record_option = option("--record", "FILE", "save the play as a scenario")
play_seed_option = option(
    "--seed", "N", "seed for the dice: the same seed rolls the same dice", WholeNumberOption(0, LARGEST_SEED)
)
save_option = option("--save", "FILE", "save the play, to continue later")


def make_external_option() -> Any:
    return several("--external", "NAME={ANSWER: 1/2, …}", "how likely each answer of an external is; repeatable")


@dataclass(frozen=True, slots=True)
class PlayOptions:
    """What a play begins with, as a command line names it."""

    ruleset: str = argument("RULESET|SCENARIO")  # file, folder or shipped name; or scenario file
    # name of a procedure or scenario; None: the only one
    procedure: str | None = argument("[PROCEDURE|CASE]", required=False)
    state: str | None = option("--state", "FILE", "the starting position, in YAML or JSON")
    roles: Sequence[str] = several("--with", "ROLE=ID", "who or what takes a role of the procedure; repeatable")
    settings: Sequence[str] = several("--set", "SETTING=VALUE", "choose a reading for this play; repeatable")
    script: str | None = option("--script", "FILE", "answers and dice, in YAML or JSON")
    unscripted: bool = flag("--no-script", "ignore the script of the scenario")


@dataclass(frozen=True, slots=True)
class LimitOptions:
    """Limits of a run, by field of `RunLimits`, and folders that rules may read."""

    allowed: None = allow_option
    work: int | None = option("--max-steps", "N", "stop after N steps of work", WholeNumberOption(1))
    depth: int | None = option(
        "--max-depth", "N", "stop if procedures call each other more than N deep", WholeNumberOption(1)
    )
    members: int | None = option(
        "--max-members", "N", "stop at a set or list of more than N members", WholeNumberOption(1)
    )
    dice: int | None = option("--max-dice", "N", "stop at a roll of more than N dice", WholeNumberOption(1))
    size: int | None = option("--max-size", "N", "stop if all values together grow beyond N", WholeNumberOption(1))

    def list_given(self) -> dict[str, Any]:
        """The limits that were given."""
        return {name: value for name, value in asdict(self).items() if value is not None}


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


def verb_command(name: str) -> Callable[[Callable[..., int]], click.Command]:
    """Decorator: a function as the command of a verb, which refuses empty options and arguments."""

    def make_command(function: Callable[..., int]) -> click.Command:
        declared: Mapping[str, Any] = function.__kwdefaults__ or {}
        groups = {key: one.metadata["group"] for key, one in declared.items() if "group" in one.metadata}

        @wraps(function)
        def call_with_groups(**given: Any) -> int:
            for key, group in groups.items():
                given[key] = group(**{one.name: given.pop(one.name) for one in fields(group) if one.name in given})
            return function(**given)

        parameters = [one for key, each in declared.items() for one in _make_parameters(key, each)]
        return click.command(name, cls=_VerbCommand, params=parameters)(call_with_groups)

    return make_command


def _make_parameters(name: str, declared: Any) -> list[click.Parameter]:
    about = declared.metadata
    if "group" in about:
        parts = ((one.name, about["instead"].get(one.name, one)) for one in fields(about["group"]) if one.metadata)
        return [parameter for part in parts for parameter in _make_parameters(*part)]
    return [about["make"]([*about["words"], name], **about["attributes"])]
