"""Pages of the documentation, followed: a reader who does what they say, in order, sees what they show."""

import re
from pathlib import Path

from rulewright.base.files import get_resource_folder
from support.language_cases import run_transcript

ROOT = Path(__file__).parents[2]
GRAMMAR = ROOT / "grammar"
_BLOCK = re.compile(
    r"^```(?P<kind>rules|yaml|csv|toml|json|text|diff|more|console)(?: (?P<name>\S+))?\n(?P<content>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)


def run_page(page: str, folder: Path) -> str:
    """A page with what its commands print, each block done when it is come to.

    A block with the name of a file is written, one of `diff` changes the file it names, one of `more` is added to it.
    Rules without a name are `example.rules`, data without a name is only shown. Places below the repository are told
    from there.
    """

    def run_block(block: re.Match[str]) -> str:
        place = folder / (block["name"] or "example.rules")
        match block["kind"]:
            case "console":
                return f"```console\n{_localize_paths(run_transcript(block['content'], folder))}```"
            case "diff":
                place.write_text(_apply_diff(place.read_text(encoding="utf-8"), block["content"]), encoding="utf-8")
            case "more":
                place.write_text(place.read_text(encoding="utf-8") + block["content"], encoding="utf-8")
            case kind if block["name"] or kind == "rules":
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_text(block["content"], encoding="utf-8")
        return block[0]

    return _BLOCK.sub(run_block, page)


def _localize_paths(printed: str) -> str:
    """What is printed, with places from the repository, wherever the shipped rulesets are installed."""
    return printed.replace(get_resource_folder("rulesets").as_posix(), "rulesets").replace(f"{ROOT.as_posix()}/", "")


def _apply_diff(text: str, diff: str) -> str:
    """A text with the lines of a diff, which are found once."""
    lines = diff.splitlines(keepends=True)
    old = "".join(line[1:] for line in lines if line[0] in " -")
    new = "".join(line[1:] for line in lines if line[0] in " +")
    assert text.count(old) == 1, f"these lines stand {text.count(old)} times in the text:\n{old}"
    return text.replace(old, new)


def list_pages() -> list[Path]:
    """The pages that show what commands print, in order."""
    every = [ROOT / "README.md", *sorted(GRAMMAR.rglob("*.md"))]
    return [each for each in every if "```console\n" in each.read_text(encoding="utf-8")]
