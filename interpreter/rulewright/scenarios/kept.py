"""What is kept between runs, and many cases played in one process or several."""

import gc
import json
import marshal
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path
from typing import Any

from rulewright.drivers.session import Session
from rulewright.files import Disk, Provider, read
from rulewright.files.providers import Listening
from rulewright.inputs.findings import Read
from rulewright.keeping import Shelf, key_of, maker
from rulewright.machine.compile import Written, linked, write
from rulewright.machine.faults import Limits
from rulewright.machine.trace import Entry
from rulewright.program.walk import ends_in
from rulewright.scenarios.opening import Ruled, Rules, Which, clause_ids, which
from rulewright.scenarios.play import play
from rulewright.scenarios.suite import ONLY_PLAYED, Case, Result, Suite
from rulewright.scenarios.suite_reader import Suites, read_suite
from rulewright.source import Text
from rulewright.workers import started_workers
from rulewright.workspace import Loaded, Located, load
from rulewright.workspace.kept import keep_values, kept_values

SUITES = Shelf("scenarios", most=1000, size=128_000_000)
SHELF = Shelf("rulesets", most=300, size=128_000_000)
_GOOD = frozenset({"passed", "skipped", ONLY_PLAYED})
LIMITS = Limits()
_SHELF = Shelf("failed", most=100, size=16_000_000)
_PARTS = 4
_EACH = 100
_UNTAKEN = frozenset({"failed", "passed", "not judged", "idle", "not found"})


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
            keep_values(SUITES, key, (files.said, tuple(texts)), found)
        return found


def _kept_suite(key: str, disk: Disk, texts: dict[str, Text]) -> Read[Suite] | None:
    """A scenario file as it was read before; none where that was not kept, or where a file it names is another now."""
    kept = kept_values(SUITES, key, disk, lambda names, found: (names, found))
    if kept is None:
        return None
    names, found = kept
    texts.update(read_again(names, disk))
    return found  # type: ignore[no-any-return]


def read_again(names: Iterable[str], disk: Disk) -> dict[str, Text]:
    """The texts of these places that can still be read, by name."""
    return {each.name: each for name in names if isinstance(each := read(name, disk), Text)}


@dataclass(frozen=True)
class KeptRules(KeptSuites, Rules):
    """As `Rules`; a ruleset of the disk that was compiled before from the same files is not compiled again."""

    def _load(self, located: Located, overlays: tuple[str, ...], provider: Provider) -> Read[Ruled]:
        if located.main is None or not isinstance(provider, Disk):
            return super()._load(located, overlays, provider)
        key = key_of(maker(), provider.identity(located.main), located.main, *located.overlays, *overlays)
        return self._kept(key, provider) or self._made(key, located, overlays, provider)

    def _kept(self, key: str, disk: Disk) -> Read[Ruled] | None:
        """What was kept; none where there is nothing, or where a file is another now."""
        kept = kept_values(SHELF, key, disk, _ruled)
        if kept is None:
            return None
        names, ruled = kept
        self.texts.update(read_again(names, disk))
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


def _ruled(names: Sequence[str], clauses: frozenset[str], code: bytes, rest: Any) -> tuple[Sequence[str], Ruled]:
    module, flows = rest
    return names, Ruled(linked(Written(module, flows, marshal.loads(code))), clauses)  # noqa: S302 - see decision 0035


def _keep(key: str, files: Listening, loaded: Loaded, written: Written) -> None:
    """Keeps a ruleset, first what has to be the same for it to be used again."""
    about = (files.said, tuple(loaded.texts), clause_ids(loaded), marshal.dumps(written.code))
    keep_values(SHELF, key, about, (written.module, written.flows))


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


def fitting(count: int) -> int:
    """How many workers are worth their start for so many cases: one for each hundred, as many as there are cores."""
    return min(os.cpu_count() or 1, 1 + count // _EACH)


def results(
    cases: Sequence[Case], workers: int, rules: Rules, step: str = "", limits: Limits = LIMITS
) -> Iterator[Result | None]:
    """The result of every case, in order, as soon as it is there; none for one that never comes to a step asked for.

    Several workers read the rules themselves; the texts they read are added to those of the rules.
    """
    if workers == 1 or len(cases) == 1:
        for each in cases:
            _prepare(each, rules)
            yield _result(each, rules, step, limits)
        return
    parts = _parts(cases, workers)
    found: dict[int, Result | None] = {}
    told = 0
    with started_workers(workers) as pool:
        given = [[cases[at] for at in part] for part in parts]
        played = pool.map(_part, given, repeat(rules.provider), repeat(step), repeat(limits))
        for part, (came, texts) in zip(parts, played, strict=True):
            rules.texts.update(texts)
            found.update(zip(part, came, strict=True))
            while told in found:
                yield found.pop(told)
                told += 1


def _parts(cases: Sequence[Case], workers: int) -> list[Sequence[int]]:
    """Positions of the cases that one worker plays at a time: of one ruleset, so that few workers have to load it."""
    together: dict[Which, list[int]] = {}
    for position, case in enumerate(cases):
        together.setdefault(which(case), []).append(position)
    size = max(1, len(cases) // (workers * _PARTS))
    return [all_[first : first + size] for all_ in together.values() for first in range(0, len(all_), size)]


_RULES: dict[Provider, KeptRules] = {}
"""Those of a worker, read once for all its parts."""


def _part(
    cases: Sequence[Case], files: Provider, step: str, limits: Limits
) -> tuple[list[Result | None], dict[str, Text]]:
    rules = _RULES.setdefault(files, KeptRules(files))
    for each in cases:
        _prepare(each, rules)
    return [_result(each, rules, step, limits) for each in cases], rules.texts


def _prepare(case: Case, rules: Rules) -> None:
    """Loads the rules of a case; they stay to the end, so what looks for garbage need not go through them."""
    if not (case.wrong or case.skip or rules.knows(case)):
        rules.of(case)
        gc.freeze()


def _result(case: Case, rules: Rules, step: str, limits: Limits) -> Result | None:
    if not step:
        return play(case, rules, limits=limits)
    came: list[bool] = []
    result = play(case, rules, lambda session: came.append(_comes_to(step, session)), limits)
    return result if result.outcome == "wrong" or any(came) else None


def _comes_to(step: str, session: Session) -> bool:
    """Whether a play comes to a step by its id, or by an address to whatever has it."""
    if "/" not in step:
        return any(each.sort == "step" and ends_in(each.address, step) for each in session.entries)
    return any(ends_in(address, step) for each in session.entries for address in _told(each))


def _told(entry: Entry) -> Iterator[str]:
    """The addresses of what happened, of the rows it took and of all that it read."""
    yield entry.address
    yield from (each.address for each in entry.rows if each.outcome not in _UNTAKEN)
    for each in entry.inner:
        yield from _told(each)
