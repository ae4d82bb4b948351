"""Rulesets with policies of players for single questions: an expression says which answer is best."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace

from rulewright.analysis.question_policies import ByQuestion
from rulewright.diagnostics import Diagnostic
from rulewright.diagnostics.terminal import visible
from rulewright.files import Provider
from rulewright.frozen import dataclass
from rulewright.inputs.findings import Read, did_you_mean, quoted
from rulewright.inputs.names import Addresses, Unresolved, numbered_addresses, request_addresses
from rulewright.inputs.policies import Policy
from rulewright.machine.concealed import Concealed
from rulewright.program.declarations import Program
from rulewright.program.effects import Footprint
from rulewright.program.statements import Ask, AskAll
from rulewright.program.walk import all_lines, lines_of, routines, shared_address
from rulewright.source import Text
from rulewright.syntax.nodes import declarations as d, statements as s
from rulewright.syntax.parser import parse
from rulewright.workspace.load import Loaded, load
from rulewright.workspace.locate import Located

_TEXT = "policy "
"""What the texts of expressions of policies are called, with a number behind it."""


@dataclass(frozen=True, slots=True)
class LaidPolicies:
    """Policies for single questions, as they are laid at these."""

    policies: tuple[Policy, ...] = ()  # those first that count
    laid: ByQuestion = field(default_factory=dict)  # by the address of the line
    # by what is written what an expression may name beside the game: the answer, then other names of its routine
    names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def load(self, located: Located, overlays: tuple[str, ...], provider: Provider) -> Loaded:
        """A ruleset with them, told as it is without; what is wrong with one stands where it is written."""
        found = load(located, overlays, provider, policies=self.laid)
        wrong = tuple(dict.fromkeys(self._told(each) for each in found.errors))
        if not wrong and found.program is not None:
            wrong = tuple(self._unseen(found.program))
        return replace(found, program=None, diagnostics=wrong) if wrong else found

    def _told(self, found: Diagnostic) -> Diagnostic:
        """A finding about an expression, at the policy that has it."""
        source = found.primary.span.source if found.primary else ""
        if not source.startswith(_TEXT):
            return found
        policy = self.policies[int(source.removeprefix(_TEXT))]
        if found.code == "RW0546":
            message = f"the policy uses something hidden: {found.message}"
            return policy.at("RW0747", message, _SEEN)
        message, remedy = found.message.replace(" after `:`", "", 1), found.help
        if found.code == "RW0301" and not remedy:
            name = found.message.partition("`")[2].partition("`")[0]
            known = self.names.get(policy.written, ())
            remedy = did_you_mean(name, known) or f"the answer is `{known[0]}`; {_NAMELESS}"
        return policy.at(found.code, message, remedy or _VALUED, found.notes)

    def _unseen(self, program: Program) -> Iterator[Diagnostic]:
        """RW0747 and RW0749 of expressions that look into bags and decks, or at what comes from elsewhere."""
        concealed, footprint = Concealed(program), Footprint(program)
        for line in lines_of(program, Ask):
            for each in line.policies:
                if each.worth is None:
                    continue
                policy = self._of(each.worth.span.source)
                if concealed.looks(each.worth):
                    message = "the policy uses something hidden: it looks into a bag or deck"
                    yield policy.at("RW0747", message, _SEEN)
                reads = footprint.reads(each.worth)
                for name, term in program.external_terms.items():
                    if name in reads and not term.default:
                        message = f"a policy cannot go by {quoted(name)}, which comes from elsewhere"
                        remedy = f"go by what the rules made of it, or give {quoted(name)} a `default`"
                        yield policy.at("RW0749", message, remedy)

    def _of(self, source: str) -> Policy:
        return self.policies[int(source.removeprefix(_TEXT))]


_NAMELESS = "things of the state have no names here"
_VALUED = "write an expression that gives a number, a flag or a word for every answer"
_SEEN = "judge by the answer, and by what all players may see when it is given"
NO_POLICIES = LaidPolicies()


def laid_policies(policies: Iterable[Policy], program: Program) -> Read[LaidPolicies]:
    """The policies for single questions of a program; of two of one player for one question the first counts.

    Reports RW0740 (nothing is asked there), RW0741 (several questions are meant), RW0749 (it is no question to a
    player), and what is wrong with the form of an expression.
    """
    own = tuple(each for each in policies if each.question)
    laid: dict[str, tuple[s.QuestionPolicy, ...]] = {}
    names: dict[str, tuple[str, ...]] = {}
    wrong: list[Diagnostic] = []
    if not own:
        return Read(NO_POLICIES)
    asked = {each.address for each in lines_of(program, Ask)}
    asked |= {shared_address(each) for each in asked}
    addresses = Addresses(request_addresses(program), numbered_addresses(program))
    questions = Addresses(tuple(each for each in addresses.all if each in asked), tuple(asked))
    for number, each in enumerate(own):
        found = questions.resolve(each.question)
        if isinstance(found, Unresolved):
            elsewhere = addresses.resolve(each.question)
            if isinstance(elsewhere, str):
                remedy = found.help or "no player is asked anything in these rules"
                message = f"at {quoted(each.question)} no player is asked"
                wrong.append(each.at("RW0749", message, remedy))
            else:
                wrong.append(each.at("RW0741" if found.several else "RW0740", found.message, found.help))
            continue
        worth = None
        if each.expression:
            read = _expression(each, number, program)
            if read.value is None:
                wrong += read.diagnostics
                continue
            worth = read.value.value
        names[each.written] = _names(found, program)
        laid[found] = (*laid.get(found, ()), s.QuestionPolicy(each.player, each.word, worth))
    return Read(None, tuple(wrong)) if wrong else Read(LaidPolicies(own, laid, names))


def _names(address: str, program: Program) -> tuple[str, ...]:
    """The name of the answer to a question, then those of the routine that asks it."""
    for routine in routines(program):
        for line in all_lines(routine):
            ask = line.question if isinstance(line, AskAll) else line
            if isinstance(ask, Ask) and address in {ask.address, shared_address(ask.address)}:
                return tuple(dict.fromkeys((ask.variable.name, *(each.name for each in routine.variables))))
    return ()


def _expression(policy: Policy, number: int, program: Program) -> Read[d.Measure]:
    """The expression of a policy, as the value of a measure that nobody declares."""
    written = " ".join(policy.expression.split())
    text = Text(f"{_TEXT}{number}", f'amends {program.name} revision "policy"\nmeasure worth: {written}\n')
    said = parse(text)
    declared = () if said.file is None else said.file.declarations
    if not said.diagnostics and len(declared) == 1 and isinstance(declared[0], d.Measure) and not declared[0].title:
        return Read(declared[0])
    first = next(iter(said.diagnostics), None)
    message = f"{quoted(written)} is not an expression that can judge an answer"
    remedy = "write one expression, as in the rules: `highest EXPRESSION`"
    if first is not None and "`measure" not in f"{first.message}{first.help}":
        message, remedy = first.message.replace(" after `:`", "", 1), first.help or remedy
    return Read(None, (policy.at(first.code if first else "RW0749", visible(message), remedy),))


def with_policies(
    loaded: Loaded,
    located: Located,
    overlays: Sequence[str],
    provider: Provider,
    policies: Iterable[Policy],
) -> tuple[Loaded, LaidPolicies]:
    """A ruleset that was loaded, with policies for its questions, which change nothing else of it."""
    if loaded.program is None:
        return loaded, NO_POLICIES
    found = laid_policies(policies, loaded.program)
    if found.value is None:
        return replace(loaded, program=None, diagnostics=found.diagnostics), NO_POLICIES
    if not found.value.laid:
        return loaded, NO_POLICIES
    made = found.value.load(located, tuple(overlays), provider)
    if made.program is None:
        return replace(made, texts={**loaded.texts, **made.texts}), NO_POLICIES
    return replace(made, program=replace(made.program, fingerprint=loaded.program.fingerprint)), found.value
