"""Scenario files that were read and judged before: not again while they and all they name are the same."""

import pickle
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from io import BytesIO

from rulewright.files import Disk, read
from rulewright.files.providers import Listening, still_said
from rulewright.inputs.findings import Read
from rulewright.keeping import Shelf, as_installed, key_of
from rulewright.resources import folder
from rulewright.scenarios.suite import Suite
from rulewright.scenarios.suite_reader import Suites, read_suite
from rulewright.source import Text

SHELF = Shelf("scenarios", most=1000, size=128_000_000)


@dataclass(frozen=True)
class KeptSuites(Suites):
    """As `Suites`, of files of the disk."""

    def suite(self, text: Text) -> Read[Suite]:
        """As of `Suites`; a file of the disk is not read and judged again while it and all it names are the same."""
        if not isinstance(self.provider, Disk):
            return super().suite(text)
        key = key_of(maker(), text.name, text.content)
        return _kept_suite(key, self.provider, self.texts) or self._read_suite(key, text, self.provider)

    def _read_suite(self, key: str, text: Text, disk: Disk) -> Read[Suite]:
        files, texts = Listening(disk), dict[str, Text]()
        found = read_suite(text, files, texts)
        self.texts.update(texts)
        if found.value is not None:
            parts = [pickle.dumps(each, pickle.HIGHEST_PROTOCOL) for each in ((files.said, tuple(texts)), found)]
            SHELF.keep(key, b"".join(parts))
        return found


def _kept_suite(key: str, disk: Disk, texts: dict[str, Text]) -> Read[Suite] | None:
    """A scenario file as it was read before; none where that was not kept, or where a file it names is another now."""
    content = SHELF.kept(key)
    if content is None:
        return None
    parts = BytesIO(content)
    try:
        said, names = pickle.load(parts)  # noqa: S301 - as a ruleset, see decision 0035
        found: Read[Suite] = pickle.load(parts)  # noqa: S301
        if not still_said(said, disk):
            return None
    except Exception:  # noqa: BLE001 - what is no scenario file raises anything
        return None
    texts.update(read_again(names, disk))
    return found


def read_again(names: Iterable[str], disk: Disk) -> dict[str, Text]:
    """Those texts that can still be read, by name."""
    return {each.name: each for name in names if isinstance(each := read(name, disk), Text)}


@cache
def maker() -> str:
    """What determines anything kept beside the files it was made of: the grammar, all code, Lark, YAML and Python."""
    return as_installed(folder("grammar"), "lark", "yaml")
