"""Rulesets compiled with policies of players for single questions, whose expressions choose the best answer."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING

from rulewright.base.diagnostics import Diagnostic, make_visible
from rulewright.base.files import FileProvider
from rulewright.base.frozen import dataclass
from rulewright.base.source import Text
from rulewright.documents.answer_scripts import PlayerPolicy
from rulewright.documents.document_schemas import document_shapes
from rulewright.documents.findings import ReadResult, did_you_mean, quote_name
from rulewright.documents.name_table import RequestAddresses, UnresolvedAddress
from rulewright.documents.ruleset_loading import LoadedRuleset, LoadRuleset, load_cached_ruleset, load_ruleset
from rulewright.documents.ruleset_location import RulesetLocation
from rulewright.program.declarations import Program
from rulewright.program.effects import ReadFootprint
from rulewright.program.statements import Ask, AskAll
from rulewright.program.walk import list_lines_of_class, list_routines, strip_address_numbers, walk_routine_lines
from rulewright.runtime.concealment import ConcealmentAnalysis
from rulewright.syntax.nodes import declarations as d, statements as s

if TYPE_CHECKING:
    from rulewright.checker.incremental import PreviousCheck
    from rulewright.checker.linker import PoliciesByQuestion

_POLICY_TEXT_PREFIX = "policy "
"""Name of the texts of policy expressions, with a number behind it."""


@dataclass(frozen=True, slots=True)
class QuestionPolicies:
    """Policies of single questions, resolved to their lines."""

    policies: tuple[PlayerPolicy, ...] = ()  # earlier ones win
    by_question: "PoliciesByQuestion" = field(default_factory=dict)  # by address of the line
    # names in scope by written question: the answer, then other names of its routine
    names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def loader(self) -> LoadRuleset:
        """What loads rulesets compiled with the policies; without any it reads what is kept on disk."""
        return self.load_under_policies if self.by_question else load_cached_ruleset

    def load_under_policies(
        self,
        located: RulesetLocation,
        overlays: tuple[str, ...],
        provider: FileProvider,
        earlier: "PreviousCheck | None" = None,
    ) -> LoadedRuleset:
        """Ruleset compiled with the policies; errors in one are reported where it is written.

        `earlier` is a check of the same files, before edits, with the same policies.
        """
        loaded_ruleset = load_ruleset(located, overlays, provider, earlier=earlier, policies=self.by_question)
        wrong = tuple(dict.fromkeys(self._relocate_finding(error) for error in loaded_ruleset.errors))
        if not wrong and loaded_ruleset.program is not None:
            wrong = tuple(self._find_hidden_uses(loaded_ruleset.program))
        return replace(loaded_ruleset, program=None, diagnostics=wrong) if wrong else loaded_ruleset

    def _relocate_finding(self, diagnostic: Diagnostic) -> Diagnostic:
        """Finding about an expression, moved to its policy."""
        source = diagnostic.primary.span.source if diagnostic.primary else ""
        if not source.startswith(_POLICY_TEXT_PREFIX):
            return diagnostic
        policy = self.policies[int(source.removeprefix(_POLICY_TEXT_PREFIX))]
        if diagnostic.code == "RW0546":
            message = f"the policy uses something hidden: {diagnostic.message}"
            return policy.report_error("RW0747", message, _VISIBLE_REMEDY)
        message, remedy = diagnostic.message.replace(" after `:`", "", 1), diagnostic.help
        if diagnostic.code == "RW0301" and not remedy:
            name = diagnostic.message.partition("`")[2].partition("`")[0]
            known = self.names.get(policy.written, ())
            remedy = did_you_mean(name, known) or f"the answer is `{known[0]}`; {_NO_NAMES_HINT}"
        return policy.report_error(diagnostic.code, message, remedy or _EXPRESSION_REMEDY, diagnostic.notes)

    def _find_hidden_uses(self, program: Program) -> Iterator[Diagnostic]:
        """RW0747 and RW0749 for expressions that look into bags and decks, or use externals."""
        concealed, footprint = ConcealmentAnalysis(program), ReadFootprint(program)
        for line in list_lines_of_class(program, Ask):
            for question_policy in line.policies:
                if question_policy.worth is None:
                    continue
                policy = self._policy_of_text(question_policy.worth.span.source)
                if concealed.expression_looks_inside(question_policy.worth):
                    message = "the policy uses something hidden: it looks into a bag or deck"
                    yield policy.report_error("RW0747", message, _VISIBLE_REMEDY)
                reads = footprint.collect_read_places(question_policy.worth)
                for name, term in program.external_terms.items():
                    if name in reads and not term.default:
                        message = f"a policy cannot go by {quote_name(name)}, which comes from elsewhere"
                        remedy = f"go by what the rules made of it, or give {quote_name(name)} a `default`"
                        yield policy.report_error("RW0749", message, remedy)

    def _policy_of_text(self, source: str) -> PlayerPolicy:
        return self.policies[int(source.removeprefix(_POLICY_TEXT_PREFIX))]


_NO_NAMES_HINT = "things of the state have no names here"
_EXPRESSION_REMEDY = "write an expression that gives a number, a flag or a word for every answer"
_VISIBLE_REMEDY = "judge by the answer, and by what all players may see when it is given"
NO_QUESTION_POLICIES = QuestionPolicies()


def resolve_policies(policies: Iterable[PlayerPolicy], program: Program) -> ReadResult[QuestionPolicies]:
    """Policies of single questions of a program; of two by one player for one question the first counts.

    Reports RW0740 (nothing is asked there), RW0741 (an ambiguous address), RW0749 (no question to a player), and syntax
    errors of expressions.
    """
    question_policies = tuple(policy for policy in policies if policy.question)
    by_question: dict[str, tuple[s.QuestionPolicy, ...]] = {}
    names: dict[str, tuple[str, ...]] = {}
    wrong: list[Diagnostic] = []
    if not question_policies:
        return ReadResult(NO_QUESTION_POLICIES)
    question_addresses = {line.address for line in list_lines_of_class(program, Ask)}
    question_addresses |= {strip_address_numbers(item) for item in question_addresses}
    addresses = document_shapes(program).addresses
    questions = RequestAddresses(
        tuple(item for item in addresses.all if item in question_addresses), tuple(question_addresses)
    )
    for number, player_policy in enumerate(question_policies):
        unresolved_address = questions.resolve(player_policy.question)
        if isinstance(unresolved_address, UnresolvedAddress):
            resolved = addresses.resolve(player_policy.question)
            if isinstance(resolved, str):
                remedy = unresolved_address.help or "no player is asked anything in these rules"
                message = f"at {quote_name(player_policy.question)} no player is asked"
                wrong.append(player_policy.report_error("RW0749", message, remedy))
            else:
                wrong.append(
                    player_policy.report_error(
                        "RW0741" if unresolved_address.is_ambiguous else "RW0740",
                        unresolved_address.message,
                        unresolved_address.help,
                    )
                )
            continue
        worth = None
        if player_policy.expression:
            read = _parse_expression(player_policy, number, program)
            if read.value is None:
                wrong += read.diagnostics
                continue
            worth = read.value.value
        names[player_policy.written] = _names_in_scope(unresolved_address, program)
        by_question[unresolved_address] = (
            *by_question.get(unresolved_address, ()),
            s.QuestionPolicy(player_policy.player, player_policy.word, worth),
        )
    return (
        ReadResult(None, tuple(wrong)) if wrong else ReadResult(QuestionPolicies(question_policies, by_question, names))
    )


def _names_in_scope(address: str, program: Program) -> tuple[str, ...]:
    """Name of the answer to a question, then those of the routine that asks it."""
    for routine in list_routines(program):
        for line in walk_routine_lines(routine):
            ask = line.question if isinstance(line, AskAll) else line
            if isinstance(ask, Ask) and address in {ask.address, strip_address_numbers(ask.address)}:
                return tuple(dict.fromkeys((ask.variable.name, *(variable.name for variable in routine.variables))))
    return ()


def _parse_expression(policy: PlayerPolicy, number: int, program: Program) -> ReadResult[d.Measure]:
    """Expression of a policy, as the value of a synthetic measure."""
    written = " ".join(policy.expression.split())
    text = Text(
        f"{_POLICY_TEXT_PREFIX}{number}", f'amends {program.name} revision "policy"\nmeasure worth: {written}\n'
    )
    from rulewright.syntax.parser import parse_rules_text  # noqa: PLC0415 - seldom wanted

    parsed = parse_rules_text(text)
    declared = () if parsed.file is None else parsed.file.declarations
    if not parsed.diagnostics and len(declared) == 1 and isinstance(declared[0], d.Measure) and not declared[0].title:
        return ReadResult(declared[0])
    first = next(iter(parsed.diagnostics), None)
    message = f"{quote_name(written)} is not an expression that can judge an answer"
    remedy = "write one expression, as in the rules: `highest EXPRESSION`"
    if first is not None and first.code == "RW0146":
        message, remedy = first.message, 'leave `"` out, or write one at both ends of a text'
    elif first is not None and "`measure" not in f"{first.message}{first.help}":
        message, remedy = first.message.replace(" after `:`", "", 1), first.help or remedy
    return ReadResult(None, (policy.report_error(first.code if first else "RW0749", make_visible(message), remedy),))


def load_with_policies(
    loaded: LoadedRuleset,
    located: RulesetLocation,
    overlays: Sequence[str],
    provider: FileProvider,
    policies: Iterable[PlayerPolicy],
) -> tuple[LoadedRuleset, QuestionPolicies]:
    """Loaded ruleset with policies for its questions, otherwise unchanged."""
    if loaded.program is None:
        return loaded, NO_QUESTION_POLICIES
    read_result = resolve_policies(policies, loaded.program)
    if read_result.value is None:
        return replace(loaded, program=None, diagnostics=read_result.diagnostics), NO_QUESTION_POLICIES
    if not read_result.value.by_question:
        return loaded, NO_QUESTION_POLICIES
    loaded_again = read_result.value.load_under_policies(located, tuple(overlays), provider)
    if loaded_again.program is None:
        return replace(loaded_again, texts={**loaded.texts, **loaded_again.texts}), NO_QUESTION_POLICIES
    return replace(
        loaded_again, program=replace(loaded_again.program, fingerprint=loaded.program.fingerprint)
    ), read_result.value
