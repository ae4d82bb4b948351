"""The verb `explain`: the page of a message code."""

import textwrap
from collections.abc import Iterator
from dataclasses import asdict

from rulewright.base.diagnostics.pages import DiagnosticPage, FencedBlock, find_page, list_page_files
from rulewright.base.diagnostics.remedies import find_nearest_name, suggest_name
from rulewright.cli.options import argument, format_option, verb_command
from rulewright.cli.output import ExitCode, Output, make_output, make_stop


@verb_command("explain")
def command(*, code: str | None = argument(required=False), form: str | None = format_option) -> int:
    """Explains a message by its CODE, such as RW0201: an example that fails, and the same one mended.

    Without CODE it lists all messages.

    Example: `rulewright explain RW0201`.
    """
    out = make_output(form)
    if code is None:
        pages = [page for page in map(find_page, list_page_files()) if page is not None]
        out.print_report(
            lambda: [{"code": page.code, "title": page.title, "severity": page.severity} for page in pages],
            (f"{out.paint(page.code, page.severity)}  {page.title}" for page in pages),
        )
    else:
        page = find_page(code)
        if page is None:
            close = find_nearest_name(code.upper(), list_page_files())
            remedy = suggest_name(close, "`rulewright explain` lists all codes")
            raise make_stop("RW0785", f"there is no message with the code `{code}`", remedy)
        document = asdict(page)
        keys = ("code", "title", "severity", "text", "fails", "mended")
        out.print_report(lambda: {key: document[key] for key in keys}, _render_message_page(page, out))
    return ExitCode.SUCCESS


def _render_message_page(page: DiagnosticPage, out: Output) -> Iterator[str]:
    yield f"{out.paint(f'{page.severity} {page.code}', page.severity)}: {out.paint(page.title, 'strong')}\n"
    for paragraph in page.text.split("\n\n"):
        fill = _fill_table_rows if paragraph.startswith("|") else _fill_paragraph
        yield fill(paragraph, out.width) + "\n"
    yield from _render_example_blocks("Fails", page.fails, out)
    yield from _render_example_blocks("Mended", page.mended, out)


def _fill_paragraph(paragraph: str, width: int, first: str = "") -> str:
    """Wrapped lines, those after the first with a hanging indent."""
    text = " ".join(paragraph.split())
    return textwrap.fill(text, width, initial_indent=first, subsequent_indent=" " * len(first), break_long_words=False)


def _fill_table_rows(table: str, width: int) -> str:
    lines = [line.strip("| ").split(" | ", 1) for line in table.splitlines() if not line.startswith("|---")]
    column = max(len(first.strip()) for first, _ in lines) + 2
    return "\n".join(_fill_paragraph(second, width, first.strip().ljust(column)) for first, second in lines)


def _render_example_blocks(heading: str, blocks: tuple[FencedBlock, ...], out: Output) -> Iterator[str]:
    if blocks:
        yield out.paint(f"{heading}:", "strong")
    for block in blocks:
        if block.kind != "rules":
            yield out.paint(f"  {block.kind}:", "dim")
        yield textwrap.indent(block.content.rstrip("\n"), "    ") + "\n"
