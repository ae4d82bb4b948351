"""Policies: who chooses what no script does, as command lines, scenarios and files of likelihoods say it."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field

from rulewright.base.diagnostics import Diagnostic, Label, Severity
from rulewright.base.frozen import dataclass
from rulewright.documents.document_nodes import DocumentNode, ListNode, MapKey, ScalarNode
from rulewright.documents.document_schemas import PLAIN_POLICIES
from rulewright.documents.findings import ReadResult, describe_choices, did_you_mean, join_alternatives, quote_name
from rulewright.documents.name_table import NameTable

POLICY_KEY = "policy"
POLICY_FORMS = "`PLAYER=first`, or `PLAYER/QUESTION=highest EXPRESSION`"
_JUDGED_PATTERN = re.compile(r"(highest|lowest)\s+(\S.*)", re.DOTALL)
_JUDGED_START_PATTERN = re.compile(r"highest\b|lowest\b")


@dataclass(frozen=True, slots=True)
class PlayerPolicy:
    """Who chooses, or how a player chooses."""

    written: str  # as it was written
    word: str  # `first`, `random`, `highest` or `lowest`
    player: str = ""  # id of the only one whose policy it is, or empty
    question: str = ""  # the only question that it is for, as it was written, or empty
    expression: str = ""  # what answers are judged by, of `highest` and `lowest`
    place: MapKey | DocumentNode | None = None  # where it is written, in a file

    def report_error(self, code: str, message: str, remedy: str = "", notes: Sequence[str] = ()) -> Diagnostic:
        """What is wrong with it: in a file at its place, else with its text in a note."""
        if self.place is not None and self.place.span.source:
            where, pointer = Label(self.place.span), self.place.pointer
            return Diagnostic(code, Severity.ERROR, message, where, notes=tuple(notes), help=remedy, pointer=pointer)
        notes = (*notes, f"in the policy {quote_name(self.written)}")
        return Diagnostic(code, Severity.ERROR, message, notes=notes, help=remedy)


def parse_policy(written: str, place: MapKey | DocumentNode | None = None) -> PlayerPolicy | str:
    """The policy of a text; where it is none, what it must be."""
    who, equals, how = written.partition("=")
    who, how = who.strip(), how.strip()
    if not equals:
        who, how = "", written.strip()
    player, slash, question = who.partition("/")
    judged = _JUDGED_PATTERN.fullmatch(how)
    if (equals and not player) or (slash and not question):
        return f"it must be {join_alternatives(PLAIN_POLICIES)}, or {POLICY_FORMS}"
    if judged and question:
        return PlayerPolicy(written, judged[1], player, question, judged[2], place)
    if how in PLAIN_POLICIES:
        return PlayerPolicy(written, how, player, question, "", place)
    if _JUDGED_START_PATTERN.match(how):
        if not judged:
            return f"write an expression after `{how}`, such as `{who or 'PLAYER/QUESTION'}={how} EXPRESSION`"
        return f"say whose answers to which question are judged: `{player or 'PLAYER'}/QUESTION={how}`"
    if question:
        return (
            f"after `{who}=` it must be `highest EXPRESSION`, `lowest EXPRESSION`, {join_alternatives(PLAIN_POLICIES)}"
        )
    return f"it must be {join_alternatives(PLAIN_POLICIES)}, or {POLICY_FORMS}"


def read_policies(node: DocumentNode | None) -> Iterator[tuple[ScalarNode, PlayerPolicy | str]]:
    """The policies of a file: a text, or a list of texts; where one is none, what it must be."""
    for item in node.items if isinstance(node, ListNode) else (node,):
        if isinstance(item, ScalarNode):
            yield item, parse_policy(item.written, item)


@dataclass(frozen=True, slots=True)
class PolicyTable:
    """Who chooses in one play; of a single question its line says it."""

    default: str = ""  # the policy of all who have none of their own, or empty
    by_player: Mapping[int, str] = field(default_factory=dict)  # those of players, by number


EMPTY_POLICY_TABLE = PolicyTable()


def build_policy_table(policies: Iterable[PlayerPolicy], names: NameTable) -> ReadResult[PolicyTable]:
    """Who chooses in a play, of policies of which the first count; reports RW0260, there is no such player."""
    policies, mapping = tuple(policies), dict[int, str]()
    ids = names.ids_of_kind("player")
    for policy in policies:
        if not policy.player:
            continue
        if policy.player not in ids:
            remedy = did_you_mean(policy.player, ids) or (
                describe_choices(list(ids)) if ids else "the state has no players"
            )
            return ReadResult(
                None, (policy.report_error("RW0260", f"there is no player {quote_name(policy.player)}", remedy),)
            )
        if not policy.question:
            mapping.setdefault(ids.index(policy.player), policy.word)
    return ReadResult(PolicyTable(default_policy(policies), mapping))


def default_policy(policies: Iterable[PlayerPolicy]) -> str:
    """The policy of all who have none of their own; empty without one."""
    return next((policy.word for policy in policies if not policy.player), "")


def format_policies(policies: Sequence[PlayerPolicy]) -> str:
    """Policies as they were written, in the order in which they were given."""
    return ", ".join(policy.written for policy in reversed(policies))
