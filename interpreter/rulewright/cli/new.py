"""The verb `new`."""

import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from string import Template
from typing import Any

import click

from rulewright.cli.options import format_option, verb
from rulewright.cli.output import Exit, Output, output, stopped
from rulewright.diagnostics.remedies import nearest, suggested
from rulewright.diagnostics.terminal import visible
from rulewright.files.writing import reason_of
from rulewright.frozen import dataclass
from rulewright.resources import folder as shipped
from rulewright.source import Span, Text
from rulewright.syntax.nodes.declarations import AmendsHeader, Header, RulesetHeader, UseHeader
from rulewright.syntax.nodes.expressions import Name, Title
from rulewright.syntax.parser import parse
from rulewright.workspace.locate import locate

_SEEDLING = Path(__file__).parent / "seedling"
_NAME = re.compile(r"[a-z][a-z0-9_-]*")


class _Name(click.Argument):
    """What is missing only where something is to be made."""

    def process_value(self, ctx: click.Context, value: Any) -> Any:  # as click has it
        return "" if ctx.params.get("listed") else super().process_value(ctx, value)


@verb("new")
@click.argument("name", cls=_Name)
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
        _tell_sources(_sources(), output(form))
        return Exit.FINE
    folder = Path(name)
    if name and os.path.lexists(folder):
        raise stopped("RW0787", f"`{name}` is already there", "take another name")
    if not _NAME.fullmatch(folder.name):
        remedy = "begin with a small letter; then small letters, digits, `_` and `-`"
        raise stopped("RW0786", f"`{folder.name}` is not a name for a ruleset", remedy)
    files = _seedling(folder) if source is None else _Copy(_chosen(source), folder).files()
    _write(folder, files)
    _tell(folder, [folder / each for each in files], output(form))
    return Exit.FINE


@dataclass(frozen=True, slots=True)
class _Source:
    sort: str  # `starter` or `ruleset`
    folder: Path

    @property
    def title(self) -> str:
        return self._readme()[0].removeprefix("# ")

    @property
    def about(self) -> str:
        """The first paragraph of its README."""
        return " ".join(self._readme()[1].split())

    def _readme(self) -> list[str]:
        return (self.folder / "README.md").read_text(encoding="utf-8").split("\n\n")


def _sources() -> list[_Source]:
    """Starters, then shipped rulesets, each sort by name."""
    sorts = (("starter", "starters"), ("ruleset", "rulesets"))
    return [_Source(sort, each) for sort, kind in sorts for each in sorted(shipped(kind).iterdir()) if each.is_dir()]


def _chosen(source: str) -> _Source:
    """What is copied; reports RW0580."""
    sources = {each.folder.name: each for each in _sources()}
    if source not in sources:
        close = nearest(source, sources)
        remedy = suggested(close, f"there are {', '.join(f'`{each}`' for each in sources)}")
        remedy = "it is a folder of yours; copy it as any folder" if os.path.isdir(source) else remedy  # noqa: PTH112 - a path may be impossible
        raise stopped("RW0580", f"`{source}` is neither a starter nor a shipped ruleset", remedy)
    return sources[source]


def _write(folder: Path, files: dict[str, str]) -> None:
    """Makes the folder with all its files, or nothing."""
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
        raise stopped("RW0011", f"`{folder}` cannot be written: {reason_of(error)}") from None
    finally:
        if draft is not None:
            shutil.rmtree(draft, ignore_errors=True)


def _ruleset(folder: Path) -> str:
    return folder.name.replace("-", "_")


def _title(folder: Path) -> str:
    return _ruleset(folder).replace("_", " ").capitalize()


def _seedling(folder: Path) -> dict[str, str]:
    """What to write: the seedling under the names of the new ruleset."""
    words = {"folder": visible(str(folder)), "ruleset": _ruleset(folder), "title": _title(folder)}
    return {
        path.name.replace("ruleset.", f"{_ruleset(folder)}."): Template(path.read_text(encoding="utf-8")).substitute(
            words
        )
        for path in sorted(_SEEDLING.iterdir())
    }


class _Copy:
    def __init__(self, source: _Source, folder: Path) -> None:
        self._sort, self._source, self._folder = source.sort, source.folder, folder
        self._main = Path(locate(str(source.folder)).main or "").name
        self._old = Path(self._main).stem
        self._new = _ruleset(folder)

    def files(self) -> dict[str, str]:
        paths = sorted(path for path in self._source.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
        places = [path.relative_to(self._source).as_posix() for path in paths]
        if f"{self._new}.rules" in places and self._new != self._old:
            message = f"`{self._new}.rules` is already one of the files of `{self._source.name}`"
            raise stopped("RW0787", message, "take another name")
        contents = (path.read_text(encoding="utf-8") for path in paths)
        made = ((self._place(place), self._content(place, each)) for place, each in zip(places, contents, strict=True))
        return dict(sorted(made))

    def _place(self, place: str) -> str:
        return f"{self._new}.rules" if place == self._main else place

    def _content(self, place: str, content: str) -> str:
        match Path(place).suffix:
            case ".rules":
                return self._rules(content)
            case ".md":
                return self._readme(content)
            case _:
                named = f"ruleset: ({re.escape(self._source.name)}|{re.escape(self._old)})$"
                return re.sub(named, f"ruleset: {self._new}.rules", content, flags=re.MULTILINE)

    def _rules(self, content: str) -> str:
        file = parse(Text("", content)).file
        changes = [each for header in (file.headers if file else ()) for each in self._renamed(header)]
        for span, written in sorted(changes, reverse=True):
            content = content[: span.start] + written + content[span.end :]
        return content

    def _renamed(self, header: Header) -> Iterator[tuple[Span, str]]:
        match header:
            case RulesetHeader(name=name, title=title) if name.text == self._old:
                yield name.span, self._new
                if title is not None:
                    yield title.span, f'"{_title(self._folder)}"'
            case AmendsHeader(name=Name() as name) if name.text == self._old:
                yield name.span, self._new
            case AmendsHeader(name=Title() as path) if path.text == self._main:
                yield path.span, f'"{self._new}.rules"'
            case UseHeader(path=path) if path.text == self._main:
                yield path.span, f'"{self._new}.rules"'

    def _readme(self, content: str) -> str:
        """The page under the new title, with commands that run the copy."""
        source = re.escape(self._source.name)
        begun = f"A copy of `{self._source.name}`, which comes with rulewright. About the original:"
        about = "" if self._sort == "starter" else f"\n{begun}\n\n#"
        content = re.sub(
            r"\A# .*\n", lambda found: f"# {_title(self._folder)}\n{about}{found[0] if about else ''}", content
        )
        content = re.sub(
            rf"(?<![\w/.-])(?:rulesets|starters)/{source}/", lambda _: f"{visible(str(self._folder))}/", content
        )
        command = re.compile(rf"^(rulewright \w+ ){source}(?= |$)", re.MULTILINE)
        content = command.sub(lambda found: f"{found[1]}{visible(str(self._folder))}", content)
        advice = re.search(rf"`rulewright new ([\w-]+) --from {source}` makes a copy of your own\.", content)
        if advice is not None:
            content = content.replace(advice[0], "This is your copy.").replace(advice[1], visible(str(self._folder)))
        begun = f"\nA copy of `{self._source.name}`, a starter that comes with rulewright.\n"
        content += begun if self._sort == "starter" else ""
        return content.replace(f"`{self._main}`", f"`{self._new}.rules`")


def _tell(folder: Path, files: list[Path], out: Output) -> None:
    if out.form == "json":
        out.data({"version": 1, "folder": str(folder), "files": [str(path) for path in files]})
        return
    out.tell(f"wrote {visible(str(path))}" for path in files)
    out.say(f"next: rulewright test {visible(str(folder))}")


def _tell_sources(sources: list[_Source], out: Output) -> None:
    if out.form == "json":
        told = [
            {"name": each.folder.name, "sort": each.sort, "title": each.title, "about": each.about} for each in sources
        ]
        out.data({"version": 1, "sources": told})
        return
    width = max(len(each.folder.name) for each in sources)
    out.tell(f"{each.folder.name:<{width}}  {each.title}" for each in sources)
    out.say("next: rulewright new NAME --from one of these")
