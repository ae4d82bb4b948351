"""From a case to a play that can begin; conditions that hold all through it are an overlay of its ruleset."""

import posixpath
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

from rulewright.analysis.clauses import clauses_called
from rulewright.diagnostics import Diagnostic, Label, has_errors
from rulewright.drivers.chance import Chance
from rulewright.drivers.run import run
from rulewright.drivers.session import Begun
from rulewright.drivers.sources import Sources
from rulewright.files import Provider
from rulewright.files.providers import Laid
from rulewright.inputs.arguments import IN_SCENARIO, arguments_of, find_procedure
from rulewright.inputs.findings import Read, as_meant, did_you_mean, finding, one_of, quoted
from rulewright.inputs.names import SETTINGS, Addresses, Sections, Unresolved, request_addresses
from rulewright.inputs.nodes import Items, Json, Key, Mapping, Node, Scalar, merged_mappings
from rulewright.inputs.policies import Deciding, Policy, deciding
from rulewright.inputs.script import Script, script_of
from rulewright.inputs.state_file import state_of
from rulewright.inputs.state_json import state_json
from rulewright.inputs.value_reader import node_of
from rulewright.inputs.yaml_places import LARGEST_TEXT
from rulewright.machine.compile import compile_program
from rulewright.machine.executable import Executable
from rulewright.machine.faults import Limits
from rulewright.machine.request import Ended
from rulewright.machine.state import Situation
from rulewright.machine.values import Value
from rulewright.program.declarations import Procedure, Program
from rulewright.program.types import Type
from rulewright.program.walk import rows, shared_address, step_addresses
from rulewright.scenarios.expectations.shapes import (
    END,
    chance_lines,
    named_lines,
    rolled_lines,
    row_addresses,
    tally_types,
)
from rulewright.scenarios.suite import Case
from rulewright.scenarios.suite_reader import Suites
from rulewright.source import Text
from rulewright.workspace import Loaded, Located, locate
from rulewright.workspace.kept import load_kept
from rulewright.workspace.policies import NO_POLICIES, LaidPolicies, with_policies

_NAME = "scenario_always_"
_FILE = "always-of-a-scenario.rules"
_EACH = "for each "
_NAMED = "things of the state have no name here: ask it of all of a kind, as in `for each u in units: u.health >= 0`"
_WRITTEN = "write a condition, such as `u.health >= 0`, or `for each u in units: u.health >= 0`"


@dataclass(frozen=True)
class Ruled:
    """A compiled ruleset; its lists of addresses are made once."""

    executable: Executable
    clauses: frozenset[str]  # ids of all clauses of its lists
    policies: LaidPolicies = NO_POLICIES  # what is laid at its questions
    _starts: dict[tuple[int, int, int, int], tuple[Case, Read[Situation]]] = field(default_factory=dict)
    _written: dict[int, tuple[Situation, dict[str, Json]]] = field(default_factory=dict)

    def situation(self, case: Case, before: "Ruled | None" = None) -> Read[Situation]:
        """Where a case begins, under its settings; read once for all cases that begin with it.

        What it comes after is played by another ruleset where one is given. Reports RW1020: that does not end.
        """
        key = (id(case.state), id(case.patch), id(case.settings), id(case.after))
        if key not in self._starts:
            state = Read[Node](case.state) if case.after is None else (before or self).end(case.after, case)
            found = Read[Situation](None, state.diagnostics)
            if state.value is not None:
                found = state_of(state.value, self.program, patch=_with_settings(case))
            self._starts[key] = case, found
        return self._starts[key][1]

    def end(self, case: Case, following: Case) -> Read[Node]:
        """The state in which a case ends, for the one that follows."""
        begun = opened_case(replace(case, covers=()), self, Limits())
        if begun.value is None:
            return Read(None, begun.diagnostics)
        outcome = run(begun.value.begun, begun.value.sources(case, 0)).session.outcome
        if isinstance(outcome, Ended):
            return Read(node_of(state_json(outcome.state.situation(), self.program), most=LARGEST_TEXT))
        message = f"{quoted(case.name)} does not end, so no play can follow it"
        remedy = "mend what it does first, or take `then:` out"
        return Read(None, (finding("RW1020", following.place, message, remedy),))

    def written(self, start: Situation) -> dict[str, Json]:
        """The data of a state that a case begins with; made once."""
        if id(start) not in self._written:
            self._written[id(start)] = start, state_json(start, self.program)
        return self._written[id(start)][1]

    @property
    def program(self) -> Program:
        """What was compiled."""
        return self.executable.program

    @cached_property
    def sections(self) -> Sections:
        """What a state of it has."""
        return Sections(self.program)

    @cached_property
    def questions(self) -> Addresses:
        """Where something can be asked."""
        return Addresses(request_addresses(self.program))

    @cached_property
    def steps(self) -> tuple[str, ...]:
        """Addresses of all steps."""
        return step_addresses(self.program)

    @cached_property
    def rows(self) -> tuple[str, ...]:
        """Addresses of all rows of tallies, decides and tables."""
        return row_addresses(self.program)

    @cached_property
    def row_lists(self) -> tuple[str, ...]:
        """Addresses of all tallies, decides and tables."""
        return tuple(dict.fromkeys(each.address.removesuffix(f"/{each.id}") for each in rows(self.program)))

    @cached_property
    def named(self) -> dict[str, Type]:
        """The lines that give something a name by working it out or by asking, with the type of what they give.

        Those of one step that give one name something are called the same.
        """
        return {shared_address(address): type_ for address, type_ in named_lines(self.program).items()}

    @cached_property
    def giving(self) -> dict[str, Type]:
        """The lines of `named`, and those that roll or draw; what a roll of dice gives is the list of its faces."""
        return {shared_address(address): type_ for address, type_ in chance_lines(self.program).items()} | self.named

    @cached_property
    def rolls(self) -> frozenset[str]:
        """The addresses of lines that roll dice."""
        return frozenset(map(shared_address, rolled_lines(self.program))) - self.named.keys()

    @cached_property
    def sharing(self) -> dict[str, frozenset[str]]:
        """The lines that give a value, by what they are called."""
        found: dict[str, frozenset[str]] = {}
        for address in (*named_lines(self.program), *chance_lines(self.program)):
            called = shared_address(address)
            found[called] = found.get(called, frozenset()) | {address}
        return found

    @cached_property
    def tallies(self) -> dict[str, Type]:
        """Addresses of all tallies, with their types."""
        return tally_types(self.program)


def conditions(case: Case) -> tuple[Scalar, ...]:
    """The conditions of a case, in order, each on one line."""
    node = case.expect.get("always")
    return tuple(each for each in node.items if isinstance(each, Scalar)) if isinstance(node, Items) else ()


def number_of(address: str) -> int | None:
    """Which condition, from 0, a fault at an address is about; none where it is about another line."""
    return int(address.removeprefix(_NAME)) if address.startswith(_NAME) else None


def laid(wanted: tuple[str, ...], ruleset: str, main: str, under: Provider) -> Laid:
    """The files of a ruleset, given by its name and main file, with the overlay of these conditions."""
    lines = [f'amends {ruleset} revision "scenario"', *map(_line, range(len(wanted)), wanted)]
    return Laid(under, posixpath.join(posixpath.dirname(main), _FILE), "\n".join(lines) + "\n")


def _line(number: int, condition: str) -> str:
    written = " ".join(condition.split())
    between = " " if written.startswith(_EACH) else ": "
    return f"always {_NAME}{number}{between}{written}"


def at_conditions(found: tuple[Diagnostic, ...], case: Case, texts: dict[str, Text]) -> Iterator[Diagnostic]:
    """Findings about the overlay, told at the conditions of the scenario."""
    nodes = conditions(case)
    for each in found:
        text = texts.get(each.primary.span.source) if each.primary else None
        if each.primary is None or text is None or posixpath.basename(text.name) != _FILE:
            yield each
            continue
        node = nodes[min(max(text.position(each.primary.span.start).line - 2, 0), len(nodes) - 1)]
        remedy = _WRITTEN if each.code == "RW0101" else each.help
        remedy = _NAMED if each.code == "RW0301" and not remedy else remedy
        yield replace(
            each, primary=Label(node.span), secondary=(), edits=(), address="", pointer=node.pointer, help=remedy
        )


Which = tuple[str, tuple[str, ...], tuple[str, ...]]
"""A ruleset by its name, its overlays and the conditions that are to hold always."""


def which(case: Case) -> Which:
    """What a case is played under but for its policies, to tell which cases share it."""
    overlays = tuple(each.text for each in case.overlays)
    return case.ruleset, overlays, tuple(each.written for each in conditions(case))


def _traced(loaded: Loaded) -> Executable:
    assert loaded.program is not None
    return compile_program(loaded.program, traced=True)


@dataclass(frozen=True)
class Rules(Suites):
    """Rulesets as scenarios need them, each read and compiled once."""

    compiled: Callable[[Loaded], Executable] = _traced  # makes the executable of a ruleset without errors
    # reads and checks a ruleset with overlays
    loader: Callable[[Located, tuple[str, ...], Provider], Loaded] = load_kept
    _known: dict[tuple[str, tuple[str, ...], tuple[str, ...], tuple[str, ...]], Read[Ruled]] = field(
        default_factory=dict
    )

    def of(self, case: Case) -> Read[Ruled]:
        """The compiled ruleset of a case with its overlays and policies, or its errors."""
        name, overlays, wanted = which(case)
        plain = self._plain(case)
        if not wanted or plain.value is None:
            return plain
        found = self._once(name, overlays, wanted, case.policies)
        return Read(found.value, tuple(at_conditions(found.diagnostics, case, self.texts)))

    def _plain(self, case: Case) -> Read[Ruled]:
        """The same without conditions that are to hold always."""
        name, overlays, _ = which(case)
        return self._once(name, overlays, (), case.policies)

    def before(self, case: Case) -> Ruled | None:
        """The ruleset that plays what a case comes after, of which nothing is judged here; none where it is alone."""
        return None if case.after is None else self._plain(case.after).value

    def knows(self, case: Case) -> bool:
        """Whether the ruleset of a case was looked for."""
        return any(key[:3] == which(case) for key in self._known)

    def _once(
        self, name: str, overlays: tuple[str, ...], wanted: tuple[str, ...], policies: tuple[Policy, ...] = ()
    ) -> Read[Ruled]:
        """A ruleset with overlays, with conditions that are to hold always, and with policies for its questions."""
        own = tuple(each for each in policies if each.question)
        key = (name, overlays, wanted, tuple(each.written for each in own))
        if key not in self._known:
            located, provider = locate(name, self.provider), self.provider
            if wanted and located.main is not None:
                plain = self._once(name, overlays, ()).value
                assert plain is not None
                provider = laid(wanted, plain.program.name, located.main, self.provider)
                overlays = (*overlays, provider.place)
            if not own:
                self._known[key] = self._load(located, overlays, provider)
            else:
                found = self._with_policies(located, overlays, provider, own)
                if found.value is None:  # which is told where this case says it
                    return found
                self._known[key] = found
        return self._known[key]

    def _with_policies(
        self, located: Located, overlays: tuple[str, ...], provider: Provider, policies: tuple[Policy, ...]
    ) -> Read[Ruled]:
        loaded = self.loader(located, overlays, provider)
        made, laid_ = with_policies(loaded, located, overlays, provider, policies)
        self.texts.update(made.texts)
        if made.program is None:
            return Read(None, made.errors)
        return Read(Ruled(self.compiled(made), clause_ids(made), laid_))

    def _load(self, located: Located, overlays: tuple[str, ...], provider: Provider) -> Read[Ruled]:
        loaded = self.loader(located, overlays, provider)
        self.texts.update(loaded.texts)
        if loaded.program is None:
            return Read(None, loaded.errors)
        return Read(Ruled(self.compiled(loaded), clause_ids(loaded)))


def clause_ids(loaded: Loaded) -> frozenset[str]:
    """The ids of all clauses of the lists of a ruleset that was found."""
    assert loaded.linked is not None
    return frozenset(each.id for entries in loaded.linked.clauses.values() for each in entries)


@dataclass(frozen=True, slots=True)
class OpenedCase:
    """A play that can begin, its ruleset and its script."""

    ruled: Ruled
    begun: Begun
    script: Script | None
    deciding: Deciding  # who decides what the script does not, and no policy for one question

    def sources(self, case: Case, number: int) -> Sources:
        """Who answers in a play of the case, by its number from 0."""
        seed = None if case.seed is None else case.seed + number
        return Sources(
            names=self.begun.names,
            chance=Chance(seed or 0),
            script=self.script,
            rolls=seed is not None,
            insisted=seed is not None,
            policy=self.deciding.everyone or None,
            policies=self.deciding.players,
        )


def opening(case: Case, rules: Rules, limits: Limits) -> Read[OpenedCase]:
    """What a case begins with, or everything wrong with it.

    Reports RW1014 (a clause that no list has) and what loading a ruleset, reading a state, a script, settings and
    roles do, with a place in the scenario wherever it is the scenario that is wrong.
    """
    ruled = rules.of(case)
    if ruled.value is None:
        return Read(None, tuple(_of_ruleset(each, case) for each in ruled.diagnostics))
    return opened_case(case, ruled.value, limits, rules.before(case))


def opened_case(case: Case, ruled: Ruled, limits: Limits, before: Ruled | None = None) -> Read[OpenedCase]:
    """As `opening`, under a ruleset that is compiled already, whichever one the case names; what it comes after too."""
    program = ruled.program
    procedure = find_procedure(case.procedure.text, program)
    situation = ruled.situation(case, before)
    script = Read[Script | None](None) if case.script is None else script_of(case.script, program)
    found: tuple[Diagnostic, ...] = (
        *_unlaid(case, ruled),
        *(placed(each, case.procedure.place) for each in procedure.diagnostics),
        *situation.diagnostics,
        *script.diagnostics,
        *(_unknown_questions(case, ruled) if has_errors(script.diagnostics) else ()),
        *unknown_clauses(case, ruled),
    )
    if procedure.value is None or situation.value is None or has_errors(found):
        return Read(None, found)
    arguments = roles_of(case, procedure.value, situation.value, program)
    if arguments.value is None:
        return Read(None, arguments.diagnostics)
    begun = Begun(ruled.executable, procedure.value, situation.value, arguments.value, limits)
    decided = deciding(case.policies, begun.names)
    if decided.value is None:
        return Read(None, decided.diagnostics)
    return Read(OpenedCase(ruled, begun, script.value, decided.value))


def _unlaid(case: Case, ruled: Ruled) -> Iterator[Diagnostic]:
    """RW0749 where a case is to be played under a ruleset without its policies for single questions."""
    own = next((each for each in case.policies if each.question), None)
    if own is not None and not ruled.policies.laid:
        yield own.at("RW0749", "this scenario is played here without its policies for single questions")


_LACKS = "RW0724"
"""A role without a value, which stands where roles do."""


def roles_of(case: Case, procedure: Procedure, situation: Situation, program: Program) -> Read[tuple[Value, ...]]:
    """The arguments of its procedure."""
    found = arguments_of(given_roles(case, procedure), procedure, situation, program, IN_SCENARIO)
    if found.value is not None:
        return found
    return Read(None, tuple(placed(each, case.roles) if each.code == _LACKS else each for each in found.diagnostics))


def given_roles(case: Case, procedure: Procedure) -> Mapping:
    """The roles of a case with those that are shared; one that has a default has it unless the case says otherwise."""
    own = case.roles
    if case.shared_roles is None:
        return own
    pairs = zip(procedure.parameters, procedure.defaults, strict=True)
    needed = {each.name for each, default in pairs if default is None and each.name not in own}
    lent = tuple((key, node) for key, node in case.shared_roles if key.text in needed)
    return Mapping((*own.entries, *lent), own.span, own.pointer) if lent else own


def placed(diagnostic: Diagnostic, place: Key | Node) -> Diagnostic:
    """A finding with a place in the scenario where it has none; what was given on a command line has no place.

    Its remedy is an edit too where it finds fault with the very word that stands there.
    """
    if diagnostic.primary is not None or not place.span.source:
        return diagnostic
    is_about = isinstance(place, Scalar) and quoted(place.written) in diagnostic.message
    edits = as_meant(place, diagnostic.help) if is_about and not diagnostic.edits else diagnostic.edits
    return replace(diagnostic, primary=Label(place.span), pointer=place.pointer, edits=edits)


def _of_ruleset(diagnostic: Diagnostic, case: Case) -> Diagnostic:
    """A finding about a ruleset that could not be found or read is one about the line that names it."""
    if diagnostic.primary is not None:
        return diagnostic
    named = next((each.place for each in case.overlays if f"`{each.text}`" in diagnostic.message), case.ruleset_place)
    return diagnostic if named is None else placed(diagnostic, named)


_OF_QUESTIONS = ("asked_of", "offered", "rejects")
"""What is expected of single questions, by their addresses."""


def _unknown_questions(case: Case, ruled: Ruled) -> Iterator[Diagnostic]:
    """RW1007 for each question that is expected by an address nobody is asked at, beside a script that errs so too.

    Where the script is right, the play is judged and tells the same.
    """
    for key in _OF_QUESTIONS:
        node = case.expect.get(key)
        if isinstance(node, Mapping):
            yield from _unresolved(((name.text, name) for name, _ in node), ruled)
        elif isinstance(node, Items):
            held = (one.get(at) for one in node.items if isinstance(one, Mapping) for at in ("at", "when"))
            yield from _unresolved(((each.written, each) for each in held if isinstance(each, Scalar)), ruled)


def _unresolved(named: Iterable[tuple[str, Key | Node]], ruled: Ruled) -> Iterator[Diagnostic]:
    for written, place in named:
        found = ruled.questions.resolve(written) if written != END else written
        if isinstance(found, Unresolved):
            yield finding("RW1007", place, found.message, found.help)


def unknown_clauses(case: Case, ruled: Ruled) -> Iterator[Diagnostic]:
    """RW1014 for each clause that is covered and in no list."""
    for each in case.covers:
        if each.text not in ruled.clauses:
            called = clauses_called(each.text, ruled.clauses)
            remedy = f"did you mean {one_of(called)}?" if called else did_you_mean(each.text, ruled.clauses)
            remedy = remedy or ("name one of its clause list" if ruled.clauses else "the ruleset has no clause list")
            message = f"`{ruled.program.name}` has no clause {quoted(each.text)}"
            yield finding("RW1014", each.place, message, remedy)


def _with_settings(case: Case) -> Mapping | None:
    patch, settings = case.patch, case.settings
    if settings is None:
        return patch
    chosen = Mapping(((Key(SETTINGS, settings.span, settings.pointer), settings),), settings.span, settings.pointer)
    return chosen if patch is None else merged_mappings(patch, chosen)
