"""Addresses in scripts and scenarios that mean something else, or nothing, in a new revision."""

from collections.abc import Iterator, Mapping

from rulewright.base.frozen import dataclass
from rulewright.base.source import Span, Text
from rulewright.diff.differential_testing.fixtures import read_data_beside
from rulewright.diff.differential_testing.scenario_migration import LocatedRevision, filter_own_cases
from rulewright.diff.edits import Correspondence
from rulewright.documents.document_nodes import DocumentNode, ListNode, MapKey, MapNode, ScalarNode
from rulewright.documents.name_table import RequestAddresses, request_addresses
from rulewright.documents.yaml_reader import parse_yaml
from rulewright.program.declarations import Program
from rulewright.program.walk import list_step_addresses
from rulewright.scenarios.case_opening import RulesetLoader
from rulewright.scenarios.expectation_schema import named_line_types, row_addresses
from rulewright.scenarios.scenario_files import all_cases, read_suites

_REQUEST_KEYS = ("asked", "asked_of", "offered", "rejects")
_PATH_KEYS = ("path", "passed_over")
_ROW_KEYS = ("applied", "not_applied", "counted", "decided")
_VALUE_KEYS = ("values",)


@dataclass(frozen=True, slots=True)
class AddressChange:
    """Place in a script or scenario that names an address."""

    span: Span
    written: str  # text at the place
    old: str  # address meant in the old revision
    new: str  # its new address; empty if removed

    @property
    def description(self) -> str:
        """`4/rolled` is now `4/rolled#2`."""
        short = f", which is `{self.old}`," if self.written != self.old else ""
        if self.new == self.old:
            return f"`{self.written}`{short} means something else now; write `{self.new}`"
        return f"`{self.written}`{short} {f'is now `{self.new}`' if self.new else 'is gone'}"


@dataclass(frozen=True, slots=True)
class OutdatedAddress:
    """An address that means something else, or nothing, in a new revision, with the text that names it."""

    text: Text
    change: AddressChange

    def __str__(self) -> str:
        line = self.text.get_position(self.change.span.start).line
        return f"{self.text.name}:{line}: {self.change.description}"


class AddressChangeFinder:
    """Finder of addresses in scripts and scenarios that mean something else, or nothing, in a new revision."""

    def __init__(self, old: Program, new: Program, same: Correspondence) -> None:
        self._correspondence = same
        self._addresses = _collect_addresses(old), _collect_addresses(new)

    @property
    def is_needed(self) -> bool:
        """Whether any address could read differently."""
        old, new = self._addresses
        return any(known.all != new[use].all for use, known in old.items())

    def find_script_changes(self, node: DocumentNode | None) -> Iterator[AddressChange]:
        """Outdated addresses of a script: the questions that its answers are for."""
        match node:
            case ListNode(items):
                for item in items:
                    at = item.get("at") if isinstance(item, MapNode) and "answer" in item else None
                    yield from self._find_address_change(at, "asked")
            case MapNode(entries):
                for key, _ in entries:
                    yield from self._find_address_change(key, "asked")

    def find_expectation_changes(self, expect: MapNode) -> Iterator[AddressChange]:
        """Outdated addresses in the expectations of a scenario."""
        for sort, keys in {
            "asked": _REQUEST_KEYS,
            "path": _PATH_KEYS,
            "rows": _ROW_KEYS,
            "values": _VALUE_KEYS,
        }.items():
            for key in keys:
                yield from self._find_expected_changes(expect.get(key), sort)

    def _find_expected_changes(self, node: DocumentNode | None, sort: str) -> Iterator[AddressChange]:
        match node:
            case ListNode(items):
                for item in items:
                    yield from self._find_address_change(item.get("at") if isinstance(item, MapNode) else item, sort)
            case MapNode(entries):
                for key, _ in entries:
                    yield from self._find_address_change(key, sort)
            case _:
                yield from self._find_address_change(node, sort)

    def _find_address_change(self, node: DocumentNode | MapKey | None, sort: str) -> Iterator[AddressChange]:
        written = node.text if isinstance(node, MapKey) else node.written if isinstance(node, ScalarNode) else ""
        old, new = (addresses[sort] for addresses in self._addresses)
        meant = old.resolve(written) if written else None
        if node is None or not isinstance(meant, str):
            return
        now = self._correspondence.addresses.get(meant, "")
        now = now if now in new.all else ""
        if new.resolve(written) != now:
            yield AddressChange(node.span, written, meant, now)

    def is_old_script(self, node: DocumentNode) -> bool:
        """Whether a text can only be a script of the old revision."""
        match node:
            case ListNode(items):
                return any(isinstance(item, MapNode) and "answer" in item for item in items)
            case MapNode(entries):
                known = self._addresses[0]["asked"]
                return bool(entries) and all(isinstance(known.resolve(key.text), str) for key, _ in entries)
            case _:
                return False


def _collect_addresses(program: Program) -> Mapping[str, RequestAddresses]:
    """Addresses of a program by what scripts and scenarios say of them."""
    rows = row_addresses(program)
    lists = dict.fromkeys(row.rpartition("/")[0] for row in rows)
    return {
        "asked": RequestAddresses(request_addresses(program)),
        "path": RequestAddresses(list_step_addresses(program)),
        "rows": RequestAddresses((*rows, *lists)),
        "values": RequestAddresses(tuple(named_line_types(program))),
    }


def find_outdated_addresses(
    old: LocatedRevision, new: LocatedRevision, same: Correspondence
) -> tuple[OutdatedAddress, ...]:
    """Outdated addresses of all scripts and scenarios beside the old revision, each once, by file and line."""
    finder = AddressChangeFinder(old.program, new.program, same)
    if not finder.is_needed:
        return ()
    rules = RulesetLoader(old.provider)
    cases = all_cases(read_suites((old.home,), rules).value or ())
    addresses: list[AddressChange] = []
    for case in filter_own_cases(cases, old):
        addresses += (*finder.find_script_changes(case.script), *finder.find_expectation_changes(case.expect))
    texts = dict(rules.texts)
    for text in read_data_beside(old.home, old.provider):
        node = parse_yaml(text).value
        if node is not None and finder.is_old_script(node):
            texts[text.name] = text
            addresses += finder.find_script_changes(node)
    ordered = sorted(dict.fromkeys(addresses), key=lambda address: (address.span.source, address.span.start))
    return tuple(OutdatedAddress(texts[address.span.source], address) for address in ordered)
