"""A ruleset compared with all that lies beside it: as overlays amend it, and other rulesets of its folder."""

import posixpath
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from functools import cached_property
from time import monotonic

from rulewright.cli.diff_found import Asked, Found, Scenarios, Side, Wanted, compared, played
from rulewright.cli.output import Output
from rulewright.comparing.comparison import Comparison
from rulewright.comparing.playing.data import Behaviour, Migrated, Work
from rulewright.comparing.playing.suites import Beside, Files, Suites, files_beside, first_error, named_overlays
from rulewright.comparing.report.rows import Folded, Row
from rulewright.comparing.shifting.data import Shifts
from rulewright.files import DATA, read
from rulewright.files.providers import folders_below
from rulewright.source import Text
from rulewright.workspace import Loaded, Located, load, locate
from rulewright.workspace.kept import load_kept
from rulewright.workspace.locate import RULES, begins

_CLAUSES = ".clauses.yaml"
_TOLD = (*DATA, ".csv", RULES)
_SAME = frozenset({"identical", "cosmetic"})
_LEAST = 1.0
_FEW = 2
Shift = Callable[[Comparison, bool], Shifts | None]


def compared_whole(old: Side, new: Side, wanted: Wanted, out: Output, shift: Shift) -> Found:
    """Compares two revisions, and both as overlays beside them amend them: each overlay, and each set of a scenario.

    Where somebody says which overlays are meant, both are compared with these alone.
    """
    if old.beside.overlays or new.beside.overlays:
        found = compared(old, new, lambda comparison: played(old, new, comparison, wanted, out))
        return _with_odds(found, shift)
    return _Whole(old, new, wanted, out).found(shift)


def differ_beside(old: Side, new: Side) -> bool:
    """Whether rules or clause lists beside two rulesets differ that are no part of them, such as overlays."""
    if old.beside.overlays or new.beside.overlays:
        return False
    folders = _Folder(old), _Folder(new)
    read = folders[0].read_by(old.loaded) | folders[1].read_by(new.loaded)
    first, second = (folder.rules_beside(read) for folder in folders)
    return first != second


class _Folder:
    """What lies beside a revision, by the way from its folder."""

    def __init__(self, side: Side) -> None:
        self.beside: Beside = side.beside
        self.program = side.program
        self.is_named = side.asked.provider.sort(side.asked.place) != "file"

    def way(self, place: str) -> str:
        """The way to a place from the folder of the ruleset."""
        return posixpath.relpath(place, self.beside.home)

    def place(self, way: str) -> str:
        """The place that a way leads to."""
        return posixpath.normpath(posixpath.join(self.beside.home, way))

    @cached_property
    def files(self) -> Mapping[str, str]:
        """What the files hold that a play or a scenario may read, in the folder and below."""
        provider = self.beside.provider
        found: dict[str, str] = {}
        for folder in folders_below(self.beside.home, provider):
            for name in provider.files(folder):
                place = posixpath.normpath(posixpath.join(folder, name))
                text = read(place, provider) if name.endswith(_TOLD) and not name.startswith(".") else None
                if isinstance(text, Text):
                    found[self.way(place)] = text.content
        return found

    @cached_property
    def overlays(self) -> tuple[str, ...]:
        """The overlays of the ruleset in the folder and below."""
        return tuple(way for way in self.files if way.endswith(RULES) and self._is_amending(way))

    def _is_amending(self, way: str) -> bool:
        provider, place = self.beside.provider, self.place(way)
        word, name = begins(place, provider)
        if word != "amends":
            return False
        main = locate(place, provider).main
        if main is not None:
            return provider.identity(main) == provider.identity(self.beside.main)
        return name == self.program.name and "/" not in way

    def rules_beside(self, read: Collection[str]) -> Mapping[str, str]:
        """What rules and clause lists hold that are not among those that were read."""
        return {way: text for way, text in self.files.items() if _is_rules(way) and way not in read}

    def read_by(self, loaded: Loaded) -> set[str]:
        """The ways to the texts that a ruleset was read from."""
        return {self.way(each) for each in loaded.texts}


class _Whole:
    """Two folders with a ruleset, as they are compared."""

    def __init__(self, old: Side, new: Side, wanted: Wanted, out: Output) -> None:
        self._sides, self._wanted, self._out = (old, new), wanted, out
        self._folders = _Folder(old), _Folder(new)
        self._began = monotonic()
        self._covered: tuple[set[str], set[str]] = set(), set()
        self._only: tuple[dict[str, None], dict[str, None]] = {}, {}
        self._lone: list[str] = []
        self._open: list[str] = []

    def found(self, shift: Shift) -> Found:
        """What is between them."""
        old, new = self._sides
        base = compared(old, new, lambda each: self._played(self._sides, each, (), self._wanted.work))
        self._cover(old.loaded, new.loaded)
        every = self._sets(base)
        lacking = [each for each in every if not self._is_of_both(each)]
        sets = [each for each in every if each not in lacking and not self._is_same(each, base)]
        amended, skipped = list[Found](), lacking
        changed = [frozenset[str]()] if base.whole.verdict.word == "changed" else []
        left = self._wanted.work
        for number, ways in enumerate(sets):
            if any(self._edited(ways) <= each and (not self._edited(ways) or each <= {*ways}) for each in changed):
                skipped.append(ways)
                if ways not in self._named:
                    self._stands(ways, self._loaded(ways))
                continue
            found = self._amended(ways, max(left // (len(sets) - number), min(left, 1)))
            if found is not None:
                left -= found.whole.behaviour.work if found.whole.behaviour else 0
                changed += [frozenset(ways)] if found.whole.verdict.word == "changed" else []
                amended.append(found)
            else:
                skipped.append(ways)
        amended = _each_once(base, [*amended, *self._others(self._wanted.work)])
        only = [
            f"only {word} has {_some([*names])}"
            for word, names in zip(("OLD", "NEW"), self._only, strict=True)
            if names
        ]
        base = replace(base, amended=tuple(amended), lone=(*only, *self._lone), open=tuple(self._open))
        base = replace(base, with_overlays=self._played_skipped(base, skipped))
        whole = _with_odds(base, shift)
        return replace(whole, unread=tuple(self._unread()), spared=self._spared(whole))

    def _cover(self, old: Loaded, new: Loaded) -> None:
        for covered, folder, loaded in zip(self._covered, self._folders, (old, new), strict=True):
            covered.update(folder.read_by(loaded))

    @cached_property
    def _files(self) -> Files:
        return files_beside(self._folders[0].beside)

    def _played(
        self, sides: tuple[Side, Side], comparison: Comparison, ways: tuple[str, ...], work: int
    ) -> Behaviour | None:
        seconds = self._wanted.seconds
        if seconds is not None:
            seconds = max(_LEAST, seconds - (monotonic() - self._began))
        wanted = replace(self._wanted, work=work, seconds=seconds)
        scenarios = Scenarios(self._files, lambda named: self._ways(named) == ways)
        return played(*sides, comparison, wanted, self._out, scenarios)

    def _ways(self, named: Sequence[str], side: int = 0) -> tuple[str, ...]:
        return tuple(map(self._folders[side].way, named))

    def _sets(self, base: Found) -> tuple[tuple[str, ...], ...]:
        """The overlays by themselves, then as the scenarios of either revision name them; each once."""
        if self._is_nothing_edited and base.whole.comparison.text in _SAME:
            return ()
        alone = ((each,) for folder in self._folders for each in folder.overlays)
        return tuple(dict.fromkeys((*alone, *self._named)))

    @cached_property
    def _named(self) -> tuple[tuple[str, ...], ...]:
        """The sets of overlays that scenarios name."""
        found: dict[tuple[str, ...], None] = {}
        for side, folder in enumerate(self._folders):
            for _, cases in self._files if side == 0 else files_beside(folder.beside):
                for case in cases.value or ():
                    named = named_overlays(case, folder.beside)
                    found.update({self._ways(named, side): None} if named else {})
        return tuple(found)

    @cached_property
    def _is_nothing_edited(self) -> bool:
        """Whether both folders hold the same rules and clause lists, but for those of the rulesets themselves."""
        old, new = (folder.rules_beside(covered) for folder, covered in zip(self._folders, self._covered, strict=True))
        return old == new

    def _is_same(self, ways: tuple[str, ...], base: Found) -> bool:
        """Whether reading the files says that both say the same with these overlays."""
        return base.whole.comparison.text in _SAME and not self._edited(ways)

    def _edited(self, ways: tuple[str, ...]) -> frozenset[str]:
        """Which of these overlays are otherwise; all where something is that only an overlay may use."""
        old, new = (folder.files for folder in self._folders)
        overlays = {*self._folders[0].overlays, *self._folders[1].overlays}
        edited = {each for each in old.keys() | new.keys() if _is_rules(each) and old.get(each) != new.get(each)}
        loose = edited - self._covered[0] - self._covered[1] - overlays
        return frozenset(ways if loose else edited.intersection(ways))

    def _is_of_both(self, ways: tuple[str, ...]) -> bool:
        """Whether both revisions have these overlays; what one lacks is noted once."""
        here, there = ([each for each in ways if not self._has(each, side)] for side in (0, 1))
        for lacking, side in ((here, 1), (there, 0)):
            self._only[side].update(dict.fromkeys(each for each in lacking if each not in here or each not in there))
        return not here and not there

    def _has(self, way: str, side: int) -> bool:
        return bool(self._place(way, side))

    def _place(self, way: str, side: int) -> str:
        """The place of an overlay for a revision: of one that is named by its file also that of the other one."""
        folder, other = self._folders[side], self._folders[1 - side]
        place = folder.place(way)
        if folder.beside.provider.sort(place) == "file":
            return place
        is_shared = folder.beside.provider is other.beside.provider and not (folder.is_named and other.is_named)
        elsewhere = other.place(way)
        return elsewhere if is_shared and other.beside.provider.sort(elsewhere) == "file" else ""

    def _amended(self, ways: tuple[str, ...], work: int) -> Found | None:
        """What is between both with overlays; none where one of them is no ruleset then, which is noted."""
        loaded = self._loaded(ways)
        if not self._stands(ways, loaded):
            return None
        found = self._compared(
            [replace(each.asked, overlays=self._places(ways, number)) for number, each in enumerate(self._sides)],
            [each.located for each in self._sides],
            loaded,
            ways,
            work,
        )
        return replace(found, called=f"with {_called(ways)}")

    def _compared(
        self,
        asked: Sequence[Asked],
        located: Sequence[Located],
        loaded: Sequence[Loaded],
        ways: tuple[str, ...],
        work: int,
    ) -> Found:
        """What is between two other rulesets of the folders, or between both as they are amended."""
        old, new = (
            Side(*each[:2], each[2].program, each[2])
            for each in zip(asked, located, loaded, strict=True)
            if each[2].program is not None
        )
        return compared(old, new, lambda comparison: self._played((old, new), comparison, ways, work))

    def _loaded(self, ways: tuple[str, ...]) -> tuple[Loaded, Loaded]:
        old, new = (
            load_kept(side.located, self._places(ways, number), side.asked.provider)
            for number, side in enumerate(self._sides)
        )
        self._cover(old, new)
        return old, new

    def _places(self, ways: tuple[str, ...], side: int) -> tuple[str, ...]:
        return tuple(self._place(way, side) for way in ways)

    def _stands(self, ways: tuple[str, ...], loaded: tuple[Loaded, Loaded]) -> bool:
        """Whether both revisions are rulesets without errors with overlays; notes where one is not.

        An overlay that is none by itself may be one with others, as scenarios name them.
        """
        wrong = [word for word, each in zip(("OLD", "NEW"), loaded, strict=True) if each.program is None]
        if not wrong:
            return True
        why = first_error(next(each for each in loaded if each.program is None).errors)
        if len(wrong) == 1:
            self._lone.append(f"with {_called(ways)} {wrong[0]} has errors: {why}")
        elif self._edited(ways) and not any({*ways} < {*each} for each in self._named):
            self._open.append(f"with {_called(ways)} both have errors, so they were not compared: {why}")
        return False

    def _others(self, work: int) -> Iterator[Found]:
        """What is between other rulesets of both folders, where something of the rules differs and nothing read it."""
        if not all(folder.is_named for folder in self._folders) or self._is_nothing_edited:
            return
        for way in self._folders[0].files:
            located = [Located(folder.place(way)) for folder in self._folders]
            begun = [
                begins(each.main or "", side.asked.provider)[0] for each, side in zip(located, self._sides, strict=True)
            ]
            if way in self._covered[0] | self._covered[1] or begun != ["ruleset", "ruleset"]:
                continue
            loaded = [load(each, (), side.asked.provider) for each, side in zip(located, self._sides, strict=True)]
            self._cover(*loaded)
            if any(each.program is None for each in loaded):
                self._open.append(f"{way} has errors, so it was not compared")
                continue
            asked = [
                replace(side.asked, place=each.main or "") for each, side in zip(located, self._sides, strict=True)
            ]
            yield replace(self._compared(asked, located, loaded, (), work), called=way)

    def _played_skipped(self, base: Found, skipped: Sequence[tuple[str, ...]]) -> tuple[Migrated, ...]:
        """The scenarios that name overlays with which nothing else was compared, for less of them shows a change."""
        old, new = (each.beside for each in self._sides)
        names = base.whole.comparison.correspondence
        suites = Suites(old, new, names, self._files, lambda named: self._ways(named) in skipped)
        return tuple(suites.played(Work(self._wanted.work))) if skipped and self._wanted.work else ()

    def _spared(self, found: Found) -> int:
        if not self._wanted.work:
            return 0
        names = found.whole.comparison.correspondence
        old, new = (each.beside for each in self._sides)
        return max(0, Suites(old, new, names, self._files).number - len(found.scenarios))

    def _unread(self) -> Iterator[str]:
        """The files that differ and were not read as rules: both have them, or one has them and they are rules."""
        old, new = (folder.files for folder in self._folders)
        covered = self._covered[0] | self._covered[1] | {*self._folders[0].overlays, *self._folders[1].overlays}
        is_folder = all(each.is_named for each in self._folders)
        for each in sorted(old.keys() | new.keys()):
            is_meant = (each in old and each in new) or (is_folder and _is_rules(each))
            if is_meant and each not in covered and old.get(each) != new.get(each):
                yield each


def _with_odds(found: Found, shift: Shift) -> Found:
    """With what becomes of odds; nothing can where all that was compared is proved to play alike."""
    proved = all(each.whole.known is not None for each in found.parts)
    return replace(found, whole=replace(found.whole, odds=shift(found.whole.comparison, proved)))


def _called(ways: Sequence[str]) -> str:
    return " and ".join(map(posixpath.basename, ways))


def _some(names: Sequence[str]) -> str:
    return " and ".join(names) if len(names) <= _FEW else f"{len(names)} overlays"


def _is_rules(way: str) -> bool:
    return way.endswith((RULES, _CLAUSES))


def _each_once(base: Found, amended: Sequence[Found]) -> list[Found]:
    """Of each only what is not told already; a row stands with the first that shows it by a play, if any does."""
    amended = [_without_proved(each, base) for each in amended]
    first: dict[tuple[str, ...], Found] = {}
    for wanted in (True, False):
        for each in amended:
            for row in each.screen.rows:
                if row.shown or not wanted:
                    first.setdefault(_said(row), each)
    told: list[Found] = []
    for each in amended:
        rows = {key for key, found in first.items() if found is not each}
        told.append(_without(each, (base, *told), rows))
    return told


def _without_proved(found: Found, base: Found) -> Found:
    """Without rows of edits that are proved to say the same without overlays, where there are others."""
    proved = {(each.place, each.text) for each in base.told if each.section == "rewritten"}
    same = {each.number for each in found.told if (each.place, each.text) in proved}
    rows = tuple(each for each in found.screen.rows if not same.issuperset(each.edits))
    if not rows:
        return found
    told = tuple(each for each in found.told if each.number not in same)
    return replace(found, screen=replace(found.screen, rows=rows), told=told)


def _without(found: Found, others: Sequence[Found], elsewhere: Collection[tuple[str, ...]]) -> Found:
    """What is told of two amended revisions, without what is told already or elsewhere."""
    known_rows = {_said(each): each.shown for each in others[0].screen.rows}
    rows = {_said(each) for each in found.screen.rows if known_rows.get(_said(each), False) >= each.shown}
    rows = {each for each in rows if each in known_rows} | {*elsewhere}
    edits = {(each.section, each.place, each.text) for one in others for each in one.told}
    own = tuple(each for each in found.screen.rows if _said(each) not in rows)
    kept, gone = (
        {number for each in found.screen.rows if (_said(each) in rows) is gone for number in each.edits}
        for gone in (False, True)
    )
    told = tuple(
        each
        for each in found.told
        if each.number in kept or not (each.number in gone or (each.section, each.place, each.text) in edits)
    )
    known, names = {each.number for each in told}, {each for one in others for each in one.screen.names}
    folded = Folded(*(tuple(known.intersection(getattr(found.screen.folded, each.name))) for each in fields(Folded)))
    screen, behaviour = replace(found.screen, rows=own, folded=folded), found.whole.behaviour
    screen = replace(
        screen,
        names=tuple(each for each in screen.names if each not in names),
        reworded=tuple(each for each in screen.reworded if all(each not in one.screen.reworded for one in others)),
        stated=tuple(each for each in screen.stated if all(each not in one.screen.stated for one in others)),
    )
    if behaviour is not None:
        values = {each for one in others if one.whole.behaviour for each in map(repr, one.whole.behaviour.values)}
        behaviour = replace(
            behaviour,
            witnesses=tuple(
                each for each in behaviour.witnesses if not each.subject or known.intersection(each.subject.edits)
            ),
            values=tuple(each for each in behaviour.values if repr(each) not in values),
        )
    return replace(found, screen=screen, told=told, whole=replace(found.whole, behaviour=behaviour))


def _said(row: Row) -> tuple[str, ...]:
    return row.kind, row.name, row.was, row.now
