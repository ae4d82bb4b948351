"""Rulesets to start from: a small one, and copies of starters and shipped rulesets under another name."""

import re
from collections.abc import Iterator
from pathlib import Path
from string import Template

from rulewright.base.diagnostics import make_visible
from rulewright.base.files import get_resource_folder
from rulewright.base.frozen import dataclass
from rulewright.base.source import Span, Text
from rulewright.documents.ruleset_location import locate_ruleset
from rulewright.syntax.nodes.declarations import AmendsHeader, Header, RulesetHeader, UseHeader
from rulewright.syntax.nodes.expressions import Name, Title
from rulewright.syntax.parser import parse_rules_text

_SEEDLING_FOLDER = Path(__file__).parent / "seedling"


@dataclass(frozen=True, slots=True)
class CopySource:
    """A starter or shipped ruleset."""

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


def list_copy_sources() -> list[CopySource]:
    """All of them, starters first."""
    sorts = (("starter", "starters"), ("ruleset", "rulesets"))
    return [
        CopySource(sort, path)
        for sort, kind in sorts
        for path in sorted(get_resource_folder(kind).iterdir())
        if path.is_dir()
    ]


def _ruleset_name(folder: Path) -> str:
    return folder.name.replace("-", "_")


def _ruleset_title(folder: Path) -> str:
    return _ruleset_name(folder).replace("_", " ").capitalize()


def make_seedling_files(folder: Path) -> dict[str, str]:
    """Contents by path of a small ruleset that is named as its folder."""
    words = {"folder": make_visible(str(folder)), "ruleset": _ruleset_name(folder), "title": _ruleset_title(folder)}
    return {
        path.name.replace("ruleset.", f"{_ruleset_name(folder)}."): Template(
            path.read_text(encoding="utf-8")
        ).substitute(words)
        for path in sorted(_SEEDLING_FOLDER.iterdir())
    }


class RulesetCopy:
    """The files of a starter or shipped ruleset under another name."""

    def __init__(self, source: CopySource, folder: Path) -> None:
        self._sort, self._source, self._folder = source.sort, source.folder, folder
        self._main = Path(locate_ruleset(str(source.folder)).main or "").name
        self._old = Path(self._main).stem
        self._new = _ruleset_name(folder)

    def make_copied_files(self) -> dict[str, str]:
        """Contents by path.

        Raises:
            FileExistsError: its main file would be named as another of its files.
        """
        paths = sorted(path for path in self._source.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
        places = [path.relative_to(self._source).as_posix() for path in paths]
        if f"{self._new}.rules" in places and self._new != self._old:
            raise FileExistsError(f"{self._new}.rules")
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
        changes = [edit for header in (file.headers if file else ()) for edit in self._header_edits(header)]
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
