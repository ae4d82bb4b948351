"""What is kept between runs: rulesets without errors, checked and compiled, and which scenarios failed last."""

import json
import marshal
import pickle
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from io import BytesIO
from pathlib import Path

from rulewright.files import Disk, Provider, read
from rulewright.files.listening import Listening, still_said
from rulewright.inputs.findings import Read
from rulewright.keeping import Shelf, key_of, made_by
from rulewright.machine.compile import Written, linked, write
from rulewright.resources import folder
from rulewright.scenarios.beginning import Rules, clause_ids
from rulewright.scenarios.results import Result
from rulewright.scenarios.ruled import Ruled
from rulewright.source import Text
from rulewright.workspace import Loaded, Located, load

SHELF = Shelf("rulesets", most=300, size=128_000_000)


@dataclass(frozen=True)
class KeptRules(Rules):
    """As `Rules`; a ruleset of the disk that was compiled before from the same files is not compiled again."""

    def _load(self, located: Located, overlays: tuple[str, ...], provider: Provider) -> Read[Ruled]:
        if located.main is None or not isinstance(provider, Disk):
            return super()._load(located, overlays, provider)
        key = key_of(_maker(), provider.identity(located.main), located.main, *located.overlays, *overlays)
        return self._kept(key, provider) or self._made(key, located, overlays, provider)

    def _kept(self, key: str, disk: Disk) -> Read[Ruled] | None:
        """What was kept; none where there is nothing, or where a file is another now."""
        content = SHELF.kept(key)
        if content is None:
            return None
        parts = BytesIO(content)
        try:
            said, names, clauses, code = pickle.load(parts)  # noqa: S301 - as the code itself, see decision 0035
            if not still_said(said, disk):
                return None
            module, flows = pickle.load(parts)  # noqa: S301
            ruled = Ruled(linked(Written(module, flows, marshal.loads(code))), clauses)  # noqa: S302
        except Exception:  # noqa: BLE001 - what is no ruleset raises anything
            return None
        texts = (read(name, disk) for name in names)
        self.texts.update({each.name: each for each in texts if isinstance(each, Text)})
        return Read(ruled)

    def _made(self, key: str, located: Located, overlays: tuple[str, ...], disk: Disk) -> Read[Ruled]:
        files = Listening(disk)
        loaded = load(located, overlays, files)
        self.texts.update(loaded.texts)
        if loaded.program is None:
            return Read(None, loaded.errors)
        written = write(loaded.program, traced=True)
        _keep(key, files, loaded, written)
        return Read(Ruled(linked(written), clause_ids(loaded)))


def _keep(key: str, files: Listening, loaded: Loaded, written: Written) -> None:
    """Keeps a ruleset, first what has to be the same for it to be used again."""
    about = (files.said, tuple(loaded.texts), clause_ids(loaded), marshal.dumps(written.code))
    parts = [pickle.dumps(each, pickle.HIGHEST_PROTOCOL) for each in (about, (written.module, written.flows))]
    SHELF.keep(key, b"".join(parts))


@cache
def _maker() -> str:
    """What determines a compiled ruleset beside its files: the grammar, all code on the way, Lark, YAML and Python."""
    grammar = (folder("grammar") / "rules.lark").read_bytes()
    return key_of(grammar, made_by(_CODE, "lark"), made_by((), "yaml"))


_CODE = (
    "analysis",
    "diagnostics",
    "files",
    "frozen.py",
    "inputs",
    "machine",
    "program",
    "scenarios/kept.py",
    "source",
    "syntax",
    "workspace",
)


_GOOD = frozenset({"passed", "skipped"})
_SHELF = Shelf("failed", most=100, size=16_000_000)


def remember(results: Iterable[Result]) -> None:
    """Keeps which of the results failed; cases that were not played stay as they were."""
    played = list(results)
    kept = failed() - {_key(each) for each in played} | {_key(each) for each in played if each.outcome not in _GOOD}
    _SHELF.keep(_here(), json.dumps(sorted(kept)).encode("utf-8", "surrogatepass"))


def failed() -> frozenset[tuple[str, str]]:
    """File and name of every case that failed when it was last played; none where nothing is kept."""
    kept = _SHELF.kept(_here())
    return frozenset((file, name) for file, name in json.loads(kept)) if kept else frozenset()


def _key(result: Result) -> tuple[str, str]:
    return result.case.file, result.case.name


def _here() -> str:
    return key_of(str(Path.cwd()))
