"""The states that the scenarios of a file begin with: written out, under a name, or in a file beside it."""

import posixpath
from dataclasses import dataclass, field
from typing import Any, TypeVar

from rulewright.diagnostics import Diagnostic, Severity
from rulewright.files import DATA, Provider, read as read_file
from rulewright.inputs.findings import Findings, Read, did_you_mean, finding, quoted, there_are
from rulewright.inputs.nodes import Mapping, Node, Scalar, entries_of
from rulewright.inputs.tables import Tables
from rulewright.inputs.yaml_places import read
from rulewright.source import Text

_N = TypeVar("_N", bound=Node)


@dataclass(frozen=True)
class Fixtures:
    """The states of one scenario file."""

    file: str  # its name
    root: Mapping  # the whole of it
    findings: Findings  # what is wrong with it
    provider: Provider  # where files come from
    texts: dict[str, Text]  # where every text that was read is added
    _used: set[str] = field(default_factory=set)
    _read: dict[str, Read[Node]] = field(default_factory=dict)
    _met: dict[Any, Any] = field(default_factory=dict)
    _whole: dict[int, tuple[Node, Any, tuple[Diagnostic, ...]]] = field(default_factory=dict)

    def state(self, given: Node) -> Node | None:
        """A state, named or written out."""
        found = self._named(given) if isinstance(given, Scalar) else given
        return None if found is None else self.whole(found)

    def whole(self, node: _N) -> _N:
        """A state or patch with the rows of its tables, read once."""
        if id(node) not in self._whole:
            findings = Findings()
            whole = Tables(self.provider, self.texts).inlined(node, findings)
            self._whole[id(node)] = node, whole, tuple(findings.found)
        _, made, wrong = self._whole[id(node)]
        self.findings.found.extend(wrong)
        found: _N = self.once(made)
        return found

    def once(self, node: _N) -> _N:
        """The first of equal parts, so that what many scenarios begin with is read once."""
        found: _N = self._met.setdefault(node, node)
        return found

    def warn_of_unused(self) -> None:
        """RW1015 for each state under `states` that was never named."""
        states = self.root.get("states")
        for key, _ in entries_of(states):
            if key.text not in self._used:
                self.findings.found.append(
                    finding(
                        "RW1015",
                        key,
                        f"no scenario begins with the state {quoted(key.text)}",
                        "take it out, or name it in `state:`",
                        severity=Severity.WARNING,
                    )
                )

    def _named(self, name: Scalar) -> Node | None:
        """The state of a name or file; reports RW1004."""
        states = self.root.get("states")
        valid = [key.text for key, _ in entries_of(states)]
        if isinstance(states, Mapping) and name.written in states:
            self._used.add(name.written)
            found = states.get(name.written)
            return self._file(found) if isinstance(found, Scalar) else found
        if name.written.endswith(DATA):
            return self._file(name)
        remedy = did_you_mean(name.written, valid) or (
            there_are(valid) if valid else "write it under `states:`, or name a file beside this one"
        )
        self.findings.error("RW1004", name, f"there is no state {quoted(name.written)}", help=remedy)
        return None

    def _file(self, name: Scalar) -> Node | None:
        """The state of a file, read once; what is wrong with it is told to each that names it."""
        folder = posixpath.join(posixpath.dirname(self.file), "")
        place = posixpath.join(folder, name.written)
        if place not in self._read:
            text = read_file(place, self.provider)
            if not isinstance(text, Text):
                self.findings.error("RW1004", name, text.message, help=text.help.replace(f"`{folder}", "`"))
                return None
            self.texts[text.name] = text
            self._read[place] = read(text)
        self.findings.found.extend(self._read[place].diagnostics)
        return self._read[place].value
