"""Which two rulesets a command line of `diff` means."""

from rulewright.cli.diff_sides import Asked, asked_for, at_revision
from rulewright.cli.reading import files_for
from rulewright.cli.stop import Stop, complaint
from rulewright.diagnostics import Diagnostic
from rulewright.files import Provider
from rulewright.files.replaced import Replaced
from rulewright.frozen import dataclass
from rulewright.workspace import load, locate, whole_files


@dataclass(frozen=True, slots=True)
class Written:
    """What stands in the command line.

    Attributes:
        places: the arguments.
        revision: of `--git`.
        version_of: of `--as`.
        both: overlays of both sides.
        old: overlays of the old side only.
        new: overlays of the new one only.
    """

    places: tuple[str, ...]
    revision: str | None
    version_of: str | None
    both: tuple[str, ...]
    old: tuple[str, ...]
    new: tuple[str, ...]


def places_of(written: Written) -> tuple[Asked, Asked]:
    """The old and the new side.

    Raises:
        Stop: RW1105, there are too few or too many arguments; what `asked_for` and `at_revision` raise.
    """
    before, after = (*written.both, *written.old), (*written.both, *written.new)
    match written:
        case Written(revision=str(revision), version_of=None, places=() | (_,)):
            place = written.places[0] if written.places else "."
            files = files_for(place, *after)
            return at_revision("OLD", revision, place, before), Asked("NEW", place, place, files, after)
        case Written(revision=None, version_of=str(place), places=(old, new)):
            files = files_for(place, old, new, *before, *after)
            was, now = Replaced(files, place, old), Replaced(files, place, new)
            main = _ruleset(place, now, was)
            return Asked("OLD", f"a/{place}", main, was, before), Asked("NEW", f"b/{place}", main, now, after)
        case Written(revision=None, version_of=None, places=(old, new)):
            return asked_for("OLD", old, before), asked_for("NEW", new, after)
        case _:
            raise Stop([_miscounted(written)])


def _ruleset(place: str, *providers: Provider) -> str:
    """The file itself where it is a ruleset or overlay, else the first near it that uses it; or again itself."""
    files = ((each, provider) for provider in providers for each in whole_files(place, provider))
    return next((each for each, provider in files if each == place or _reads(each, place, provider)), place)


def _reads(ruleset: str, place: str, provider: Provider) -> bool:
    texts = load(locate(ruleset, provider), (), provider).texts
    return provider.identity(place) in map(provider.identity, texts)


def _miscounted(written: Written) -> Diagnostic:
    number = len(written.places)
    given = {0: "none is given", 1: "one is given"}.get(number, f"{number} are given")
    if written.revision is not None and written.version_of is not None:
        return complaint("RW1105", "`--git` and `--as` exclude each other", "use one of them")
    if written.revision is not None:
        return complaint("RW1105", f"with `--git` at most one place is compared, and {given}", "NEW is the work tree")
    return complaint("RW1105", f"`diff` compares two, OLD and NEW, and {given}", "or write `--git REV` and one place")
