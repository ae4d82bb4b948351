"""The verb `new`: a small ruleset, or a copy of a starter or shipped ruleset."""

import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from string import Template
from typing import Any

import click

from rulewright.base.diagnostics import make_visible
from rulewright.base.diagnostics.remedies import find_nearest_name, suggest_name
from rulewright.base.files import describe_write_error, get_resource_folder
from rulewright.base.frozen import dataclass
from rulewright.base.source import Span, Text
from rulewright.cli.options import format_option, verb_command
from rulewright.cli.output import ExitCode, Output, make_output, make_stop
from rulewright.documents.ruleset_location import locate_ruleset
from rulewright.syntax.nodes.declarations import AmendsHeader, Header, RulesetHeader, UseHeader
from rulewright.syntax.nodes.expressions import Name, Title
from rulewright.syntax.parser import parse_rules_text

_SEEDLING_FOLDER = Path(__file__).parent / "seedling"
_RULESET_NAME_PATTERN = re.compile(r"[a-z][a-z0-9_-]*")


class _OptionalNameArgument(click.Argument):
    """Name argument that is required only if something is to be made."""

    def process_value(self, ctx: click.Context, value: Any) -> Any:  # as click has it
        return "" if ctx.params.get("listed") else super().process_value(ctx, value)


@verb_command("new")
@click.argument("name", cls=_OptionalNameArgument)
@click.option(
    "--from",
    "source",
    metavar="STARTER|RULESET",
    help="copy a starter or a shipped ruleset, with its scenarios and examples",
)
@click.option("--list", "listed", is_flag=True, is_eager=True, help="list what --from can copy")
@format_option
def command(name: str, source: str | None, form: str | None, *, listed: bool) -> int:
    """Makes a folder NAME with a small ruleset, its scenarios and a README, to start from.

    With --from it copies a starter, such as combat on a map of hexes, or a shipped ruleset, under the new name. You can
    test, play and change the copy at once.

    Example: `rulewright new skirmish`.
    """
    if listed:
        _output_copy_sources(_list_copy_sources(), make_output(form))
        return ExitCode.SUCCESS
    folder = Path(name)
    if name and os.path.lexists(folder):
        raise make_stop("RW0787", f"`{name}` is already there", "take another name")
    if not _RULESET_NAME_PATTERN.fullmatch(folder.name):
        remedy = "begin with a small letter; then small letters, digits, `_` and `-`"
        near = re.sub(r"[^a-z0-9_]+", "-", folder.name.lower()).strip("-")
        remedy = (
            f"did you mean `{near}`? A name begins with a small letter; then small letters, digits, `_` and `-`"
            if _RULESET_NAME_PATTERN.fullmatch(near)
            else remedy
        )
        raise make_stop("RW0786", f"`{folder.name}` is not a name for a ruleset", remedy)
    files = (
        _make_seedling_files(folder)
        if source is None
        else _RulesetCopy(_choose_copy_source(source), folder).make_copied_files()
    )
    _write_new_folder(folder, files)
    _output_written_files(folder, [folder / file for file in files], make_output(form))
    return ExitCode.SUCCESS


@dataclass(frozen=True, slots=True)
class _CopySource:
    sort: str  # `starter` or `ruleset`
    folder: Path

    @property
    def title(self) -> str:
        return self._readme_paragraphs()[0].removeprefix("# ")

    @property
    def description(self) -> str:
        """First paragraph of its README."""
        return " ".join(self._readme_paragraphs()[1].split())

    def _readme_paragraphs(self) -> list[str]:
        return (self.folder / "README.md").read_text(encoding="utf-8").split("\n\n")


def _list_copy_sources() -> list[_CopySource]:
    sorts = (("starter", "starters"), ("ruleset", "rulesets"))
    return [
        _CopySource(sort, path)
        for sort, kind in sorts
        for path in sorted(get_resource_folder(kind).iterdir())
        if path.is_dir()
    ]


def _choose_copy_source(source: str) -> _CopySource:
    """The named source; raises RW0580 if there is none."""
    sources = {copy_source.folder.name: copy_source for copy_source in _list_copy_sources()}
    if source not in sources:
        close = find_nearest_name(source, sources)
        remedy = suggest_name(close, f"there are {', '.join(f'`{item}`' for item in sources)}")
        remedy = "it is a folder of yours; copy it as any folder" if os.path.isdir(source) else remedy  # noqa: PTH112 - a path may be impossible
        raise make_stop("RW0580", f"`{source}` is neither a starter nor a shipped ruleset", remedy)
    return sources[source]


def _write_new_folder(folder: Path, files: dict[str, str]) -> None:
    """Write a folder with all its files, or nothing."""
    draft = None
    try:
        if not os.path.lexists(folder.parent):
            folder.parent.mkdir(parents=True)
        draft = Path(tempfile.mkdtemp(dir=folder.parent, prefix=f".{folder.name}."))
        for name, content in files.items():
            place = draft / folder.name / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content.encode())
        (draft / folder.name).rename(folder)
    except OSError as error:
        raise make_stop("RW0011", f"`{folder}` cannot be written: {describe_write_error(error)}") from None
    finally:
        if draft is not None:
            shutil.rmtree(draft, ignore_errors=True)


def _ruleset_name(folder: Path) -> str:
    return folder.name.replace("-", "_")


def _ruleset_title(folder: Path) -> str:
    return _ruleset_name(folder).replace("_", " ").capitalize()


def _make_seedling_files(folder: Path) -> dict[str, str]:
    words = {"folder": make_visible(str(folder)), "ruleset": _ruleset_name(folder), "title": _ruleset_title(folder)}
    return {
        path.name.replace("ruleset.", f"{_ruleset_name(folder)}."): Template(
            path.read_text(encoding="utf-8")
        ).substitute(words)
        for path in sorted(_SEEDLING_FOLDER.iterdir())
    }


class _RulesetCopy:
    def __init__(self, source: _CopySource, folder: Path) -> None:
        self._sort, self._source, self._folder = source.sort, source.folder, folder
        self._main = Path(locate_ruleset(str(source.folder)).main or "").name
        self._old = Path(self._main).stem
        self._new = _ruleset_name(folder)

    def make_copied_files(self) -> dict[str, str]:
        paths = sorted(path for path in self._source.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
        places = [path.relative_to(self._source).as_posix() for path in paths]
        if f"{self._new}.rules" in places and self._new != self._old:
            message = f"`{self._new}.rules` is already one of the files of `{self._source.name}`"
            raise make_stop("RW0787", message, "take another name")
        contents = (path.read_text(encoding="utf-8") for path in paths)
        copies = (
            (self._copied_path(place), self._copied_content(place, content))
            for place, content in zip(places, contents, strict=True)
        )
        return dict(sorted(copies))

    def _copied_path(self, place: str) -> str:
        return f"{self._new}.rules" if place == self._main else place

    def _copied_content(self, place: str, content: str) -> str:
        match Path(place).suffix:
            case ".rules":
                return self._rename_in_rules(content)
            case ".md":
                return self._rewrite_readme(content)
            case _:
                named = f"ruleset: ({re.escape(self._source.name)}|{re.escape(self._old)})$"
                return re.sub(named, f"ruleset: {self._new}.rules", content, flags=re.MULTILINE)

    def _rename_in_rules(self, content: str) -> str:
        file = parse_rules_text(Text("", content)).file
        changes = [
            header_edit for header in (file.headers if file else ()) for header_edit in self._header_edits(header)
        ]
        for span, written in sorted(changes, reverse=True):
            content = content[: span.start] + written + content[span.end :]
        return content

    def _header_edits(self, header: Header) -> Iterator[tuple[Span, str]]:
        match header:
            case RulesetHeader(name=name, title=title) if name.text == self._old:
                yield name.span, self._new
                if title is not None:
                    yield title.span, f'"{_ruleset_title(self._folder)}"'
            case AmendsHeader(name=Name() as name) if name.text == self._old:
                yield name.span, self._new
            case AmendsHeader(name=Title() as path) if path.text == self._main:
                yield path.span, f'"{self._new}.rules"'
            case UseHeader(path=path) if path.text == self._main:
                yield path.span, f'"{self._new}.rules"'

    def _rewrite_readme(self, content: str) -> str:
        source = re.escape(self._source.name)
        introduction = f"A copy of `{self._source.name}`, which comes with rulewright. About the original:"
        about = "" if self._sort == "starter" else f"\n{introduction}\n\n#"
        content = re.sub(
            r"\A# .*\n", lambda match: f"# {_ruleset_title(self._folder)}\n{about}{match[0] if about else ''}", content
        )
        content = re.sub(
            rf"(?<![\w/.-])(?:rulesets|starters)/{source}/", lambda _: f"{make_visible(str(self._folder))}/", content
        )
        command = re.compile(rf"^(rulewright \w+ ){source}(?= |$)", re.MULTILINE)
        content = command.sub(lambda match: f"{match[1]}{make_visible(str(self._folder))}", content)
        advice = re.search(rf"`rulewright new ([\w-]+) --from {source}` makes a copy of your own\.", content)
        if advice is not None:
            content = content.replace(advice[0], "This is your copy.").replace(
                advice[1], make_visible(str(self._folder))
            )
        introduction = f"\nA copy of `{self._source.name}`, a starter that comes with rulewright.\n"
        content += introduction if self._sort == "starter" else ""
        return content.replace(f"`{self._main}`", f"`{self._new}.rules`")


def _output_written_files(folder: Path, files: list[Path], out: Output) -> None:
    if out.form == "json":
        out.print_json({"version": 1, "folder": str(folder), "files": [str(path) for path in files]})
        return
    out.print_lines(f"wrote {make_visible(str(path))}" for path in files)
    out.print_line(f"next: rulewright test {make_visible(str(folder))}")


def _output_copy_sources(sources: list[_CopySource], out: Output) -> None:
    if out.form == "json":
        sources_json = [
            {"name": source.folder.name, "sort": source.sort, "title": source.title, "about": source.description}
            for source in sources
        ]
        out.print_json({"version": 1, "sources": sources_json})
        return
    width = max(len(source.folder.name) for source in sources)
    out.print_lines(f"{source.folder.name:<{width}}  {source.title}" for source in sources)
    out.print_line("next: rulewright new NAME --from one of these")
