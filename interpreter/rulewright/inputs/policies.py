"""Policies: who chooses what no script does, as command lines, scenarios and files of likelihoods say it."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field

from rulewright.diagnostics import Diagnostic, Label, Severity
from rulewright.frozen import dataclass
from rulewright.inputs.document_schemas import POLICIES
from rulewright.inputs.findings import Read, any_of, did_you_mean, quoted, there_are
from rulewright.inputs.names import Names
from rulewright.inputs.nodes import Items, Key, Node, Scalar

POLICY = "policy"
HOW = "`PLAYER=first`, or `PLAYER/QUESTION=highest EXPRESSION`"
_JUDGED = re.compile(r"(highest|lowest)\s+(\S.*)", re.DOTALL)
_BEGINS = re.compile(r"highest\b|lowest\b")


@dataclass(frozen=True, slots=True)
class Policy:
    """Who chooses, or how a player chooses."""

    written: str  # as it was written
    word: str  # `first`, `random`, `highest` or `lowest`
    player: str = ""  # id of the only one whose policy it is, or empty
    question: str = ""  # the only question that it is for, as it was written, or empty
    expression: str = ""  # what answers are judged by, of `highest` and `lowest`
    place: Key | Node | None = None  # where it is written, in a file

    def at(self, code: str, message: str, remedy: str = "", notes: Sequence[str] = ()) -> Diagnostic:
        """What is wrong with it: in a file at its place, else with its text in a note."""
        if self.place is not None and self.place.span.source:
            where, pointer = Label(self.place.span), self.place.pointer
            return Diagnostic(code, Severity.ERROR, message, where, notes=tuple(notes), help=remedy, pointer=pointer)
        notes = (*notes, f"in the policy {quoted(self.written)}")
        return Diagnostic(code, Severity.ERROR, message, notes=notes, help=remedy)


def policy_in(written: str, place: Key | Node | None = None) -> Policy | str:  # noqa: PLR0911 - one for each form
    """The policy of a text; where it is none, what it must be."""
    who, equals, how = written.partition("=")
    who, how = who.strip(), how.strip()
    if not equals:
        who, how = "", written.strip()
    player, slash, question = who.partition("/")
    judged = _JUDGED.fullmatch(how)
    if (equals and not player) or (slash and not question):
        return f"it must be {any_of(POLICIES)}, or {HOW}"
    if judged and question:
        return Policy(written, judged[1], player, question, judged[2], place)
    if how in POLICIES:
        return Policy(written, how, player, question, "", place)
    if _BEGINS.match(how):
        if not judged:
            return f"write an expression after `{how}`, such as `{who or 'PLAYER/QUESTION'}={how} EXPRESSION`"
        return f"say whose answers to which question are judged: `{player or 'PLAYER'}/QUESTION={how}`"
    if question:
        return f"after `{who}=` it must be `highest EXPRESSION`, `lowest EXPRESSION`, {any_of(POLICIES)}"
    return f"it must be {any_of(POLICIES)}, or {HOW}"


def policies_at(node: Node | None) -> Iterator[tuple[Scalar, Policy | str]]:
    """The policies of a file: a text, or a list of texts; where one is none, what it must be."""
    for each in node.items if isinstance(node, Items) else (node,):
        if isinstance(each, Scalar):
            yield each, policy_in(each.written, each)


@dataclass(frozen=True, slots=True)
class Deciding:
    """Who chooses in one play; of a single question its line says it."""

    everyone: str = ""  # the policy of all who have none of their own, or empty
    players: Mapping[int, str] = field(default_factory=dict)  # those of players, by number


NOBODY = Deciding()


def deciding(policies: Iterable[Policy], names: Names) -> Read[Deciding]:
    """Who chooses in a play, of policies of which the first count; reports RW0260, there is no such player."""
    policies, found = tuple(policies), dict[int, str]()
    ids = names.ids("player")
    for each in policies:
        if not each.player:
            continue
        if each.player not in ids:
            remedy = did_you_mean(each.player, ids) or (there_are(list(ids)) if ids else "the state has no players")
            return Read(None, (each.at("RW0260", f"there is no player {quoted(each.player)}", remedy),))
        if not each.question:
            found.setdefault(ids.index(each.player), each.word)
    return Read(Deciding(everyone(policies), found))


def everyone(policies: Iterable[Policy]) -> str:
    """The policy of all who have none of their own; empty without one."""
    return next((each.word for each in policies if not each.player), "")


def told_policies(policies: Sequence[Policy]) -> str:
    """Policies as they were written, in the order in which they were given."""
    return ", ".join(each.written for each in reversed(policies))
