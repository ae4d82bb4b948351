"""What an author is warned of: plays that now end at a fault, answers that are open now, settings nothing reads."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field

from rulewright.cli.diff_found import Found, Side
from rulewright.comparing.playing.changes import declarations
from rulewright.diagnostics import Diagnostic, Severity
from rulewright.frozen import dataclass
from rulewright.outline.items import Name
from rulewright.program import expressions as ex, statements as st
from rulewright.program.declarations import Program
from rulewright.roles import nodes
from rulewright.telling.conditions import listed

_MOST = 2


def warnings(found: Found) -> tuple[str, ...]:
    """One line each, each once; what is so only with overlays is behind their names."""
    told: dict[str, str] = {}
    for part in found.parts:
        for line in (*_faults(part), *_secrets(part), *_dead(part)):
            told.setdefault(line, f"{line}, {part.called}" if part.called else line)
    return (*told.values(), *_new_findings(found))


def _faults(found: Found) -> Iterator[str]:
    """Where plays end at lines that cannot be carried out, and did not."""
    scenarios = [each for each in found.scenarios if each.sort == "fault" and not found.called]
    for each in found.whole.behaviour.faults if found.whole.behaviour else ():
        often = f", in {each.times} of the {each.faces} faces of `{each.roll}`" if each.roll else ""
        shown = sum(one.addresses[1] == each.address for one in scenarios)
        also = f"; so {'does' if shown == 1 else 'do'} {shown} of the scenarios" if shown else ""
        yield f"FAULT   plays now end in {each.code} at {each.address}{often}: {each.message}{also}"


def _secrets(found: Found) -> Iterator[str]:
    """Answers that were kept from the other players and are not, or that are shown where they were not."""
    old, new = (_asked(each.program) for each in (found.old, found.new))
    names = found.whole.comparison.correspondence.names
    for owner, was in old.items():
        now = new.get(names.get(owner, owner), _Asked())
        came = sorted(now.open - was.open)
        for name in sorted(was.secret - now.secret):
            if came:
                also = "" if name in came else f": {listed([f'`{each}`' for each in came])} is asked openly"
                yield f"SECRET  `{name}` of {owner.name} is no longer secret{also}"
        kept = was.secret & now.secret
        yield from (f"SECRET  `{name}` of {owner.name} is shown now" for name in sorted(kept & now.shown - was.shown))
        for name, asked in was.shown_after.items():
            sooner = sorted((asked - now.shown_after.get(name, asked)) & (now.secret | now.open))
            if sooner:
                later = listed([f"`{each}`" for each in sooner])
                yield f"SECRET  `{name}` of {owner.name} is shown before {later} is asked"
        yield from (f"SECRET  `{name}` of {owner.name} is secret now" for name in sorted(was.open & now.secret))


@dataclass(frozen=True, slots=True)
class _Asked:
    """The names of the questions of a declaration: those answered in secret, those answered openly, those shown."""

    secret: frozenset[str] = frozenset()
    open: frozenset[str] = frozenset()
    shown_after: Mapping[str, frozenset[str]] = field(default_factory=dict)  # what is asked before each is shown

    @property
    def shown(self) -> frozenset[str]:
        """The names of those that are shown."""
        return frozenset(self.shown_after)


def _asked(program: Program) -> dict[Name, _Asked]:
    found: dict[Name, _Asked] = {}
    for owner, declared in declarations(program):
        every = [*nodes(declared)]
        together = {each.question.variable.name for each in every if isinstance(each, st.AskAll)}
        asked = [each for each in every if isinstance(each, st.Ask) and each.variable.name not in together]
        found[owner] = _Asked(
            frozenset(together.union(each.variable.name for each in asked if each.secret)),
            frozenset(each.variable.name for each in asked if not each.secret),
            dict(_shown(every)),
        )
    return found


def _shown(every: Sequence[object]) -> Iterator[tuple[str, frozenset[str]]]:
    """What is revealed, with what was asked before it, in the order of the text."""
    asked: set[str] = set()
    for each in every:
        if isinstance(each, st.Ask):
            asked.add(each.variable.name)
        elif isinstance(each, st.Reveal):
            yield each.variable.name, frozenset(asked)


def _dead(found: Found) -> Iterator[str]:
    """Settings of both revisions that OLD reads and NEW does not."""
    names = found.whole.comparison.correspondence.names
    read = [_read(each.program) for each in (found.old, found.new)]
    for name in sorted(read[0]):
        now = names.get(Name("setting", name))
        if now is not None and now.name in found.new.program.settings and now.name not in read[1]:
            yield f"DEAD    no line reads the setting `{now.name}` any more: its readings play alike"


def _read(program: Program) -> frozenset[str]:
    every = (node for _, declared in declarations(program) for node in nodes(declared))
    return frozenset(each.name for each in every if isinstance(each, ex.SettingValue))


def _new_findings(found: Found) -> Iterator[str]:
    """What `check` warns of in NEW and not in OLD."""
    known = {(each.code, each.message) for part in found.parts for each in _warned(part.old)}
    new = {
        (each.code, each.message): _placed(each, part.new)
        for part in found.parts
        for each in _warned(part.new)
        if (each.code, each.message) not in known
    }
    told = [*new.values()]
    yield from (f"CHECK   {each}" for each in told[:_MOST])
    if len(told) > _MOST:
        yield f"CHECK   warns of {len(told) - _MOST} more places of NEW, and not of OLD"


def _warned(side: Side) -> tuple[Diagnostic, ...]:
    return tuple(each for each in side.loaded.diagnostics if each.severity is Severity.WARNING)


def _placed(each: Diagnostic, side: Side) -> str:
    if each.primary is None:
        return f"warns of NEW, and not of OLD: {each.code}: {each.message}"
    text = side.loaded.texts[each.primary.span.source]
    line = text.position(each.primary.span.start).line
    return f"warns of NEW, and not of OLD: {each.code} at {text.name}:{line}: {each.message}"
