"""Scripts and scenarios beside the old revision that name what is called otherwise in the new one."""

import posixpath
from collections.abc import Iterator, Mapping

from rulewright.cli.diff_sides import Side
from rulewright.comparing.addressed import Readdressed, Readdressing, once
from rulewright.comparing.comparison import Comparison
from rulewright.comparing.playing.fixtures import fitting
from rulewright.files import read as read_file
from rulewright.frozen import dataclass
from rulewright.inputs.yaml_places import read
from rulewright.scenarios.beginning import Rules
from rulewright.scenarios.finding import ENDING
from rulewright.scenarios.loading import all_cases, suites_of
from rulewright.source import Text
from rulewright.workspace.load import overlay_place

_FOLDERS = ("", "examples")
_ENDINGS = (".yaml", ".yml", ".json")


@dataclass(frozen=True, slots=True)
class Named:
    """One such place: the file and line, and what stands there."""

    text: Text
    place: Readdressed

    @property
    def told(self) -> str:
        """The place in one line, without its file: `4/rolled` is now `4/rolled#2`."""
        place = self.place
        short = f", which is `{place.old}`," if place.written != place.old else ""
        if place.new == place.old:
            return f"`{place.written}`{short} means something else now; write `{place.new}`"
        return f"`{place.written}`{short} {f'is now `{place.new}`' if place.new else 'is gone'}"

    @property
    def file(self) -> str:
        """The file with the line."""
        return f"{self.text.name}:{self.text.position(self.place.span.start).line}"


def named_beside(old: Side, new: Side, comparison: Comparison) -> tuple[Named, ...]:
    """The places of all scripts and scenarios beside the old revision, each once, by file and line."""
    readdressing = Readdressing(old.program, new.program, comparison.correspondence)
    if not readdressing.is_needed:
        return ()
    texts: dict[str, Text] = {}
    found = once((*_in_scenarios(old, readdressing, texts), *_in_scripts(old, readdressing, texts)))
    return tuple(Named(texts[each.span.source], each) for each in found)


def _in_scenarios(side: Side, readdressing: Readdressing, texts: dict[str, Text]) -> Iterator[Readdressed]:
    rules = Rules(side.asked.provider)
    home = posixpath.dirname(side.main)
    overlays = [
        overlay_place(each, home, side.asked.provider) for each in (*side.located.overlays, *side.asked.overlays)
    ]
    cases = all_cases(suites_of((home or ".",), rules).value or ())
    for case in fitting(cases, side.main, overlays, side.asked.provider):
        yield from readdressing.script(case.script)
        yield from readdressing.expectations(case.expect)
    texts.update(rules.texts)


def _in_scripts(side: Side, readdressing: Readdressing, texts: dict[str, Text]) -> Iterator[Readdressed]:
    for text in _yaml_beside(side):
        node = read(text).value
        if node is not None and readdressing.is_script(node):
            texts[text.name] = text
            yield from readdressing.script(node)


def _yaml_beside(side: Side) -> Iterator[Text]:
    provider = side.asked.provider
    home = posixpath.dirname(side.main)
    for folder in (posixpath.join(home, each) if each else home for each in _FOLDERS):
        for name in provider.files(folder):
            if name.endswith(_ENDINGS) and not name.endswith(ENDING):
                text = read_file(posixpath.join(folder, name), provider)
                if isinstance(text, Text):
                    yield text


def as_json(found: tuple[Named, ...]) -> list[Mapping[str, object]]:
    """The places as data."""
    return [
        {
            "file": each.text.name,
            "line": (position := each.text.position(each.place.span.start)).line,
            "column": position.column,
            "written": each.place.written,
            "old": each.place.old,
            "new": each.place.new or None,
        }
        for each in found
    ]
