"""Mistakes in a command line, in the words of this project."""

import re
from collections.abc import Iterable

import click

from rulewright.cli.options import EmptyError
from rulewright.cli.stop import complaint
from rulewright.diagnostics import Diagnostic
from rulewright.diagnostics.suggest import nearest
from rulewright.inputs.wording import quoted

_EXTRA = re.compile(r"Got unexpected extra arguments? \((?P<words>.*)\)", re.DOTALL)


def unknown_verb(written: str, verbs: Iterable[str]) -> Diagnostic:
    """RW0780: there is no such verb."""
    known = list(verbs)
    close = nearest(written, known)
    return complaint(
        "RW0780",
        f"there is no verb `{written}`",
        f"did you mean `{close}`?" if close else f"the verbs are {', '.join(f'`{each}`' for each in known)}",
    )


def in_our_words(mistake: click.UsageError) -> Diagnostic:
    """What a refused command line says: RW0781 to RW0784."""
    help_ = f"`rulewright {mistake.ctx.info_name} --help` shows how" if mistake.ctx and mistake.ctx.parent else ""
    match mistake:
        case click.NoSuchOption():
            return _unknown_option(mistake)
        case click.MissingParameter(param=click.Parameter() as parameter):
            return complaint("RW0782", f"`{_named(parameter)}` is missing", help_)
        case click.BadOptionUsage(option_name=option):
            needed = "requires" in mistake.message
            trouble = "needs a value" if needed else f"does not fit: {_clause(mistake)}"
            return complaint("RW0783", f"`{option}` {trouble}", help_)
        case EmptyError(param=click.Parameter() as parameter):
            remedy = "say what it is to be" if parameter.required else "leave it out, or say what it is to be"
            return complaint("RW0783", f"`{_named(parameter)}` is empty", remedy)
        case click.BadParameter(param=click.Parameter() as parameter):
            return complaint("RW0783", f"`{_named(parameter)}` {_misfit(mistake, parameter)}", help_)
        case _:
            extra = _EXTRA.fullmatch(mistake.message)
            message = f"there is no place for {quoted(extra['words'])}" if extra else _clause(mistake)
            return complaint("RW0784", message, help_)


def _misfit(mistake: click.BadParameter, parameter: click.Parameter) -> str:
    """Why a value does not fit an option or argument."""
    wanted = parameter.type
    if not isinstance(wanted, click.IntRange):
        return f"does not fit: {_clause(mistake)}"
    given = mistake.message.partition(" is not ")[0].strip("'")
    until = "" if wanted.max is None else f" to {wanted.max}"
    return f"is {quoted(given)}; it must be a whole number from {wanted.min}{until}"


def _unknown_option(mistake: click.NoSuchOption) -> Diagnostic:
    options = [
        name
        for parameter in (mistake.ctx.command.params if mistake.ctx else ())
        for name in (*parameter.opts, *parameter.secondary_opts)
        if name.startswith("--")
    ]
    close = nearest(mistake.option_name, [*options, "--help"])
    return complaint(
        "RW0781",
        f"there is no option `{mistake.option_name}`",
        f"did you mean `{close}`?" if close else f"the options are {', '.join(f'`{each}`' for each in options)}",
    )


def _named(parameter: click.Parameter) -> str:
    """An option as it is written, an argument in capitals."""
    return (
        max(parameter.opts, key=len)
        if isinstance(parameter, click.Option)
        else (parameter.metavar or parameter.name or "").upper()
    )


def _clause(mistake: click.UsageError) -> str:
    text = mistake.message.strip().rstrip(".").replace("'", "`")
    return text[:1].lower() + text[1:]
