"""The check: all passes in order, from linked modules to the program; fingerprints, and overlays written for other ones."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from hashlib import sha256
from typing import Any

from rulewright.base.diagnostics import Diagnostic, DiagnosticCollector, Edit, has_errors, sort_by_place
from rulewright.base.frozen import dataclass
from rulewright.base.node_roles import Role, get_field_names, is_node_class
from rulewright.checker import preconditions
from rulewright.checker.clauses import check_clauses, collect_accounts, collect_rulings
from rulewright.checker.declaration_types import declare_all
from rulewright.checker.error_suppression import (
    deduplicate_inherited_diagnostics,
    find_mismatched_derivations,
    label_overlay_changes,
    suppress_consequences,
)
from rulewright.checker.facts.fact_store import MAX_CHECK_PROOF_STEPS, ProofEffortExhausted
from rulewright.checker.finding_codes import STALE_OVERLAY_CODE
from rulewright.checker.functions import demand_building, function_bodies
from rulewright.checker.incremental import PreviousCheck
from rulewright.checker.infer.expression_inference import make_declaration_scope
from rulewright.checker.linker import SourceFile, link_sources
from rulewright.checker.lint import (
    check_grids_have_boards,
    check_implicit_choices,
    check_nested_conditionals,
    check_title_texts,
    check_unused,
)
from rulewright.checker.name_spaces import collect_names
from rulewright.checker.preconditions import check_requirements_of_calls
from rulewright.checker.read_sets import ANY_STATE, rotate_identity_caches
from rulewright.checker.routines import event_windows
from rulewright.checker.routines.inner_procedures import type_all_procedures
from rulewright.checker.scope import Scope, TypeEnvironment
from rulewright.checker.symbol_table import SymbolTable
from rulewright.checker.symbols import LinkedModule, LinkedProgram, find_amends_header, find_header
from rulewright.checker.termination import check_termination
from rulewright.program import declarations as typed
from rulewright.program.declarations import Program
from rulewright.program.types import DieType, PoolType
from rulewright.program.walk import may_hold_type
from rulewright.syntax.nodes import declarations as d
from rulewright.syntax.nodes.declarations import WrittenForHeader


@dataclass(frozen=True, slots=True)
class CheckResult:
    """Result of a check: the program (None after errors), all diagnostics, the state for an incremental check, names."""

    program: Program | None
    diagnostics: tuple[Diagnostic, ...]
    previous_check: PreviousCheck | None = None
    symbols: SymbolTable = SymbolTable()


def check_linked_program(
    linked: LinkedProgram, texts: Mapping[str, str] | None = None, earlier: PreviousCheck | None = None
) -> CheckResult:
    """Checks linked modules and reports all that is wrong in any of them.

    With `texts` (contents by source name) and an earlier check, results of declarations are used
    again where nothing they read has changed. An error in one declaration does not keep the others from being checked. Where proofs take too many
    steps, or expressions are nested too deeply, the check stops: RW0850.
    """
    report = DiagnosticCollector()
    rotate_identity_caches()
    try:
        checked = _run_check_passes(linked, report, texts or {}, earlier)
    except (ProofEffortExhausted, RecursionError) as stopped:
        _report_check_abort(linked, report, deep=isinstance(stopped, RecursionError))
        checked = CheckResult(None, sort_by_place(report.diagnostics))
    return replace(checked, symbols=SymbolTable(tuple(report.uses), frozenset(linked.derivations)))


def _report_check_abort(linked: LinkedProgram, report: DiagnosticCollector, *, deep: bool) -> None:
    name = report.address.partition("/")[0]
    named = [
        declaration.name.span
        for module in linked.modules
        for declaration in module.declarations
        if hasattr(declaration, "name") and module.prefix + declaration.name.text == name
    ]
    header = linked.main.header or linked.main.declarations[0]
    what = "terms and names are nested too deep" if deep else f"proofs take more than {MAX_CHECK_PROOF_STEPS:,} steps"
    remedy = "cut long chains of names by a term that says its bounds, as `term … gives 0..9`"
    report.error("RW0850", (named or [header.span])[0], f"checking stops here: {what}", help=remedy)


def _run_check_passes(
    linked: LinkedProgram, report: DiagnosticCollector, texts: Mapping[str, str], earlier: PreviousCheck | None
) -> CheckResult:
    reusable = earlier.find_reusable(linked, texts) if earlier is not None else None
    collect_names(linked, report)
    environment = declare_all(linked, report, reusable.results if reusable is not None else None)
    store = environment.results_store
    _find_lasting_kinds(environment)
    if earlier is not None and (earlier.environment.lasting_counts, earlier.environment.lasting_kinds) != (
        environment.lasting_counts,
        environment.lasting_kinds,
    ):
        reusable, store.reusable = None, {}
    named = demand_building.build_all_functions(environment)
    if reusable is not None:
        store.reusable = reusable.filter_by_effects(environment.effects)
    checked = _finish_check(environment, named)
    return replace(checked, previous_check=PreviousCheck(environment, texts))


def _find_lasting_kinds(environment: TypeEnvironment) -> None:
    """Enters the kinds of which nothing leaves play, and the bounds of their numbers that an `always` states.

    Where the bounds are one number, a line that takes one out of play is an error (RW0547). The mapping is changed in
    place: functions that wait to be typed have facts that hold it.
    """
    effects = environment.effects
    routines = map(effects.get_routine_effects, effects.iterate_routine_names())
    written = effects.expand_fact_keys({name for routine in routines for name in routine.written_state})
    environment.lasting_kinds |= {kind for kind in environment.kinds if written.isdisjoint({f"{kind}/gone", ANY_STATE})}
    for kind, counted in environment.always_counted.items():
        if counted[0] == counted[1] or kind in environment.lasting_kinds:
            environment.lasting_counts[kind] = counted


def _finish_check(environment: TypeEnvironment, named: dict[str, typed.Function]) -> CheckResult:
    linked, report = environment.linked, environment.report
    parts = _type_declarations(environment, find_mismatched_derivations(linked, report))
    _check_call_preconditions(environment, parts)
    report.diagnostics[:] = label_overlay_changes(linked, deduplicate_inherited_diagnostics(linked, report.diagnostics))
    event_windows.check_handler_holders(parts["events"], parts["handlers"].values(), report)
    report.address = ""
    check_clauses(linked, report)
    if has_errors(report.diagnostics):
        return CheckResult(None, sort_by_place(suppress_consequences(linked, report.diagnostics)))
    program = _assemble_program(environment, named, parts)
    check_unused(linked, environment.effects.collect_written_names(), report)
    check_title_texts(linked, report)
    check_grids_have_boards(linked, report)
    check_nested_conditionals(linked, report)
    if program is not None:
        _check_stored_dice(program, report)
        known = environment.make_initial_facts()
        check_termination(program, known, report)
        if not has_errors(report.diagnostics):
            check_implicit_choices(program, linked, known, report)
    report.diagnostics[:] = label_overlay_changes(linked, deduplicate_inherited_diagnostics(linked, report.diagnostics))
    return CheckResult(
        None if has_errors(report.diagnostics) else program,
        sort_by_place(suppress_consequences(linked, report.diagnostics)),
    )


def _check_stored_dice(program: Program, report: DiagnosticCollector) -> None:
    """Reports attributes and game fields that can hold dice, also nested (RW0247)."""
    fields = [item for kind in program.kinds.values() for item in kind.fields]
    fields += [item for board in program.boards.values() for item in (*board.fields, *board.sides)]
    for field in (*fields, *program.game.values()):
        if may_hold_type(field.type, (DieType, PoolType), program):
            report.address = field.address
            remedy = "keep what it shows, a number or a word: `0..6`, then `set` it to `blow.natural`"
            report.error("RW0247", field.span, "a die lasts as long as the play, so it is not stored", help=remedy)


def _type_declarations(environment: TypeEnvironment, skipped: frozenset[str]) -> dict[str, dict[str, Any]]:
    """Typed expressions and routines by their field of a program, each by qualified name; `skipped` are left out."""
    linked, report = environment.linked, environment.report

    def type_all_of_sort(sort: type[d.Declared], make: Callable[[Any, Scope], Any]) -> dict[str, Any]:
        result = {}
        for module, node in linked.iterate_declarations(sort):
            name = report.address = module.prefix + node.name.text  # type: ignore[attr-defined]
            if name in skipped:
                continue
            scope = make_declaration_scope(linked.procedure_views.get(name, module), environment)
            key = (sort.__name__, name)
            declared_result = environment.results_store.get_or_make_result(key, partial(make, node, scope))
            if declared_result is not None:
                result[declared_result.name] = declared_result
        return result

    return {
        "external_terms": type_all_of_sort(d.ExternalTerm, function_bodies.type_external_term),
        "measures": type_all_of_sort(d.Measure, function_bodies.type_measure),
        "invariants": type_all_of_sort(d.Always, function_bodies.type_invariant),
        "events": type_all_of_sort(d.Event, event_windows.type_event),
        "handlers": type_all_of_sort(d.Handler, event_windows.type_handler),
        "rules": type_all_of_sort(d.Whenever, event_windows.type_standing_rule),
        "procedures": type_all_procedures(environment, skipped),
    }


def _check_call_preconditions(environment: TypeEnvironment, parts: Mapping[str, dict[str, Any]]) -> None:
    parameters = {procedure.name: procedure.parameters for procedure in parts["procedures"].values()}
    holders: dict[str, tuple[str, ...]] = {}
    for handler in parts["handlers"].values():
        event = parts["events"].get(handler.event)
        if event is not None:
            parameters[handler.name] = handler.variables[: len(event.parameters)]
            holders[event.name] = (*holders.get(event.name, ()), handler.name)
    check_requirements_of_calls(environment.preconditions, parts["procedures"], environment.report)
    result = preconditions.find_unmet_preconditions(environment, parameters, holders)
    scope = make_declaration_scope(environment.linked.main, environment)
    preconditions.report_unmet_preconditions(result, scope)


def _assemble_program(
    environment: TypeEnvironment, named: dict[str, typed.Function], parts: Mapping[str, dict[str, Any]]
) -> Program | None:
    linked = environment.linked
    header = linked.main.header
    if header is None:
        return None
    declared = ("values", "dice", "kinds", "records", "boards", "game", "settings", "relations", "external_procedures")
    return Program(
        name=header.name.text,
        title=header.title.text if header.title else "",
        revision=header.revision.text,
        fingerprint=compute_fingerprint(linked),
        documents=linked.declared_documents,
        functions=named,
        **{name: getattr(environment, name) for name in declared},
        **parts,
        accounts=collect_accounts(linked),
        rulings=collect_rulings(linked),
    )


_FIELDS_OMITTED_WHEN_EMPTY = frozenset({"bases", "copied", "edition", "inner", "policies", "unit"})
"""Later additions to the language: hashed only where written, so that older rulesets keep their fingerprints."""


def compute_fingerprint(linked: LinkedProgram) -> str:
    """SHA-256, in hexadecimal, of everything that can change play or what people read.

    Titles, cites and settings count; comments, layout, file names and places do not. Overlays count by what they made
    of the ruleset and by their revisions.
    """
    digest = sha256()
    for module in linked.modules:
        headers = [
            header for file in module.files for header in file.headers if not isinstance(header, d.WrittenForHeader)
        ]
        digest.update(_serialize_for_digest(module.prefix, (*headers, *module.declarations)))
    return digest.hexdigest()


def compute_node_digest(node: object) -> str:
    """SHA-256, in hexadecimal, of a syntax tree; comments, layout and places do not count."""
    return sha256(_serialize_for_digest("", node)).hexdigest()


def _serialize_for_digest(prefix: str, value: object) -> bytes:
    written: list[str] = [prefix]
    _serialize_node(value, written.append)
    return "\x00".join(written).encode()


def _serialize_node(value: object, write: Callable[[str], None]) -> None:
    """Writes all parts of a tree in order; brackets and class names keep different trees different."""
    if isinstance(value, tuple):
        write("(")
        for item in value:
            _serialize_node(item, write)
        write(")")
        return
    if not is_node_class(type(value)):
        write(repr(value))
        return
    write(type(value).__name__)
    for name in get_field_names(type(value), Role.PLACE):
        part = getattr(value, name)
        if part or name not in _FIELDS_OMITTED_WHEN_EMPTY:
            _serialize_node(part, write)


_RULESET_DIGEST_DIGITS, _ADDRESS_DIGEST_DIGITS = 8, 6
"""Number of hexadecimal digits of the digest of a ruleset, and of one address."""

_MAX_FINGERPRINTED_ADDRESSES = 30
"""Overlays with more addresses have no digest for each address."""


@dataclass(frozen=True, slots=True)
class _AmendedBase:
    """Revision and digests of what an overlay amends now, as its `written for` line should have them."""

    revision: str
    ruleset_digest: str
    addresses: tuple[str, ...]
    contents: tuple[str, ...]

    @property
    def fingerprint_parts(self) -> tuple[str, ...]:
        if len(self.addresses) > _MAX_FINGERPRINTED_ADDRESSES:
            return (self.ruleset_digest[:_RULESET_DIGEST_DIGITS],)
        return (
            self.ruleset_digest[:_RULESET_DIGEST_DIGITS],
            compute_node_digest(self.addresses)[:_ADDRESS_DIGEST_DIGITS],
            *self.contents,
        )

    @property
    def written_for_line(self) -> str:
        return f'written for revision "{self.revision}" fingerprint "{" ".join(self.fingerprint_parts)}"'


def check_stale_overlays(linked: LinkedProgram, sources: Mapping[str, SourceFile], report: DiagnosticCollector) -> None:
    """Warns of overlays that were written for other rules than those they amend now (RW0617).

    A line `written for revision "1" fingerprint "3f2a9c01 77e2b5 4b1d02"` holds the first digits of the fingerprint of
    the ruleset without overlays, of a digest of the addresses that the overlay is about, and of the node at each
    address, in the order of the addresses.
    """
    for header in linked.overlays:
        overlay = header.span.source
        line = find_header(sources[overlay].file, d.WrittenForHeader)
        module = next((module for module in linked.modules if overlay in module.sources), None)
        if line is None or module is None or module.header is None:
            continue
        base = _compute_amended_base(module, overlay, linked, sources)
        digests = _split_fingerprint(line)
        same = (
            len(digests[0]) >= _RULESET_DIGEST_DIGITS and base.ruleset_digest.startswith(digests[0])
            if digests
            else line.fingerprint is None
        )
        if line.revision.text != base.revision or not same:
            _warn_stale_overlay(line, base, module.header.name.text, report)


def _compute_amended_base(
    module: LinkedModule, overlay: str, linked: LinkedProgram, sources: Mapping[str, SourceFile]
) -> _AmendedBase:
    assert module.header is not None
    met = sorted(linked.amended_nodes.get(overlay, {}).items())
    contents = tuple(compute_node_digest(node)[:_ADDRESS_DIGEST_DIGITS] for _, node in met)
    plain = {
        name: replace(
            source_file,
            uses={path: to for path, to in source_file.uses.items() if find_amends_header(sources[to].file) is None},
        )
        for name, source_file in sources.items()
    }
    alone = link_sources(module.header.span.source, plain, (), linked.clause_lists, DiagnosticCollector())
    return _AmendedBase(
        module.header.revision.text, compute_fingerprint(alone), tuple(address for address, _ in met), contents
    )


def _split_fingerprint(line: WrittenForHeader) -> list[str]:
    return line.fingerprint.text.split() if line.fingerprint else []


def _warn_stale_overlay(line: WrittenForHeader, base: _AmendedBase, name: str, report: DiagnosticCollector) -> None:
    edits = (Edit(line.head, base.written_for_line),)
    if line.revision.text == base.revision and not _split_fingerprint(line):
        message = f"the fingerprint of `{name}` is not written yet"
        edits = (replace(edits[0], safe=True),)
        report.warning(STALE_OVERLAY_CODE, line.head, message, help="`check --fix` writes it", edits=edits)
        return
    if line.revision.text != base.revision:
        message = f'this was written for revision "{line.revision.text}" of `{name}`, which is at "{base.revision}" now'
    else:
        message = f'`{name}` revision "{base.revision}" has changed since this was written'
    remedy = "check that the overlay still does what it should; then `check --fix --unsafe` renews this line"
    report.warning(
        STALE_OVERLAY_CODE, line.head, message, notes=_describe_changed_addresses(line, base), help=remedy, edits=edits
    )


def _describe_changed_addresses(line: WrittenForHeader, base: _AmendedBase) -> tuple[str, ...]:
    _, *digests = _split_fingerprint(line) or [""]
    _, *now = base.fingerprint_parts
    if not digests or len(digests) != len(now) or digests[0] != now[0]:
        return ()
    pairs = zip(base.addresses, digests[1:], now[1:], strict=True)
    changed = [f"`{address}`" for address, before, after in pairs if before != after]
    if not changed:
        return ("Nothing that this overlay is about has changed.",)
    return (f"These parts that the overlay is about have changed: {', '.join(changed)}.",)
