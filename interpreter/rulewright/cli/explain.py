"""The verb `explain`: the page of a message code."""

import textwrap

import click

from rulewright.base.diagnostics.pages import DiagnosticPage, FencedBlock, find_page, list_page_files
from rulewright.base.diagnostics.remedies import find_nearest_name, suggest_name
from rulewright.cli.options import format_option, verb_command
from rulewright.cli.output import ExitCode, Output, make_output, make_stop


@verb_command("explain")
@click.argument("code", required=False)
@format_option
def command(code: str | None, form: str | None) -> int:
    """Explains a message by its CODE, such as RW0201: an example that fails, and the same one mended.

    Without CODE it lists all messages.

    Example: `rulewright explain RW0201`.
    """
    out = make_output(form)
    if code is None:
        _output_message_list(out)
    else:
        _output_message_page(_require_message_page(code), out)
    return ExitCode.SUCCESS


def _require_message_page(code: str) -> DiagnosticPage:
    result = find_page(code)
    if result is None:
        close = find_nearest_name(code.upper(), list_page_files())
        help_ = suggest_name(close, "`rulewright explain` lists all codes")
        raise make_stop("RW0785", f"there is no message with the code `{code}`", help_)
    return result


def _output_message_list(out: Output) -> None:
    pages = [diagnostic_page for diagnostic_page in map(find_page, list_page_files()) if diagnostic_page is not None]
    if out.form == "json":
        out.print_json([{"code": page.code, "title": page.title, "severity": page.severity} for page in pages])
        return
    out.print_lines(f"{out.paint(page.code, page.severity)}  {page.title}" for page in pages)


def _output_message_page(page: DiagnosticPage, out: Output) -> None:
    if out.form == "json":
        out.print_json(_message_page_json(page))
        return
    out.print_line(f"{out.paint(f'{page.severity} {page.code}', page.severity)}: {out.paint(page.title, 'strong')}\n")
    for paragraph in page.text.split("\n\n"):
        rows = (
            _fill_table_rows(paragraph, out.width)
            if paragraph.startswith("|")
            else _fill_paragraph(paragraph, out.width)
        )
        out.print_line(rows + "\n")
    _output_example_blocks("Fails", page.fails, out)
    _output_example_blocks("Mended", page.mended, out)


def _fill_paragraph(paragraph: str, width: int, first: str = "") -> str:
    """Wrapped lines, those after the first with a hanging indent."""
    text = " ".join(paragraph.split())
    return textwrap.fill(text, width, initial_indent=first, subsequent_indent=" " * len(first), break_long_words=False)


def _fill_table_rows(table: str, width: int) -> str:
    lines = [line.strip("| ").split(" | ", 1) for line in table.splitlines() if not line.startswith("|---")]
    column = max(len(first.strip()) for first, _ in lines) + 2
    return "\n".join(_fill_paragraph(second, width, first.strip().ljust(column)) for first, second in lines)


def _output_example_blocks(heading: str, blocks: tuple[FencedBlock, ...], out: Output) -> None:
    if not blocks:
        return
    out.print_line(out.paint(f"{heading}:", "strong"))
    for block in blocks:
        if block.kind != "rules":
            out.print_line(out.paint(f"  {block.kind}:", "dim"))
        out.print_line(textwrap.indent(block.content.rstrip("\n"), "    ") + "\n")


def _message_page_json(page: DiagnosticPage) -> dict[str, object]:
    def blocks_to_json(blocks: tuple[FencedBlock, ...]) -> list[dict[str, str]]:
        return [{"kind": block.kind, "content": block.content} for block in blocks]

    return {
        "code": page.code,
        "title": page.title,
        "severity": page.severity,
        "text": page.text,
        "fails": blocks_to_json(page.fails),
        "mended": blocks_to_json(page.mended),
    }
