"""The verb `explain`."""

import textwrap

import click

from rulewright.cli.options import format_option, verb
from rulewright.cli.output import Exit, Output, output, stopped
from rulewright.diagnostics.pages import Block, Page, codes, page
from rulewright.diagnostics.remedies import nearest, suggested


@verb("explain")
@click.argument("code", required=False)
@format_option
def command(code: str | None, form: str | None) -> int:
    """Explains a message by its CODE, such as RW0201: an example that fails, and the same one mended.

    Without CODE it lists all messages.

    Example: `rulewright explain RW0201`.
    """
    out = output(form)
    if code is None:
        _list(out)
    else:
        _explain(_found(code), out)
    return Exit.FINE


def _found(code: str) -> Page:
    found = page(code)
    if found is None:
        close = nearest(code.upper(), codes())
        help_ = suggested(close, "`rulewright explain` lists all codes")
        raise stopped("RW0785", f"there is no message with the code `{code}`", help_)
    return found


def _list(out: Output) -> None:
    pages = [found for found in map(page, codes()) if found is not None]
    if out.form == "json":
        out.data([{"code": each.code, "title": each.title, "severity": each.severity} for each in pages])
        return
    out.tell(f"{out.paint(each.code, each.severity)}  {each.title}" for each in pages)


def _explain(found: Page, out: Output) -> None:
    if out.form == "json":
        out.data(_data(found))
        return
    out.say(f"{out.paint(f'{found.severity} {found.code}', found.severity)}: {out.paint(found.title, 'strong')}\n")
    for paragraph in found.text.split("\n\n"):
        rows = _rows(paragraph, out.width) if paragraph.startswith("|") else _filled(paragraph, out.width)
        out.say(rows + "\n")
    _blocks("Fails", found.fails, out)
    _blocks("Mended", found.mended, out)


def _filled(paragraph: str, width: int, first: str = "") -> str:
    """A paragraph in lines, those after the first indented by as much as stands before it."""
    text = " ".join(paragraph.split())
    return textwrap.fill(text, width, initial_indent=first, subsequent_indent=" " * len(first), break_long_words=False)


def _rows(table: str, width: int) -> str:
    """The rows of a table in Markdown with two columns, below each other."""
    lines = [line.strip("| ").split(" | ", 1) for line in table.splitlines() if not line.startswith("|---")]
    column = max(len(first.strip()) for first, _ in lines) + 2
    return "\n".join(_filled(second, width, first.strip().ljust(column)) for first, second in lines)


def _blocks(heading: str, blocks: tuple[Block, ...], out: Output) -> None:
    if not blocks:
        return
    out.say(out.paint(f"{heading}:", "strong"))
    for block in blocks:
        if block.kind != "rules":
            out.say(out.paint(f"  {block.kind}:", "dim"))
        out.say(textwrap.indent(block.content.rstrip("\n"), "    ") + "\n")


def _data(found: Page) -> dict[str, object]:
    def listed(blocks: tuple[Block, ...]) -> list[dict[str, str]]:
        return [{"kind": block.kind, "content": block.content} for block in blocks]

    return {
        "code": found.code,
        "title": found.title,
        "severity": found.severity,
        "text": found.text,
        "fails": listed(found.fails),
        "mended": listed(found.mended),
    }
