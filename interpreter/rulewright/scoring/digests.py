"""What tells texts and cases apart, for verdicts that are kept."""

from collections.abc import Iterable
from hashlib import sha256

from rulewright import __version__
from rulewright.inputs.nodes import Items, Mapping, Node, Scalar
from rulewright.mutations.mutant import Mutant
from rulewright.scenarios.suite import Case
from rulewright.source import Text

_LONG = 24


def digest(parts: Iterable[object]) -> str:
    """The same for the same parts in the same order."""
    return sha256("\x00".join(map(repr, parts)).encode()).hexdigest()[:_LONG]


def rules_digest(texts: Iterable[Text]) -> str:
    """The same for the same rules, played by the same version of rulewright."""
    return digest([__version__, *sorted((each.name, each.content) for each in texts)])


def mutant_digest(mutant: Mutant, rules: str) -> str:
    """The same for the same change of the same rules."""
    return digest([rules, mutant.place.source, mutant.place.start, mutant.place.end, mutant.new])


def case_digest(case: Case) -> str:
    """The same for cases that play and expect the same, wherever they are written."""
    written = (case.roles, case.settings, case.state, case.script, case.expect)
    overlays = [each.text for each in case.overlays]
    return digest(
        [
            *(case.file, case.name, case.ruleset, overlays, case.procedure.text, case.seed, case.policy, case.plays),
            *(None if each is None else _plain(each) for each in written),
        ]
    )


def _plain(node: Node) -> object:
    match node:
        case Mapping(entries=entries):
            return {key.text: _plain(value) for key, value in entries}
        case Items(items=items):
            return [_plain(each) for each in items]
        case Scalar(value=value, written=written):
            return (value, written)
