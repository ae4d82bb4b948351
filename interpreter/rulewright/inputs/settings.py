"""The settings of a play: those of the state file, then those of the command line."""

from collections.abc import Sequence

from rulewright.inputs.findings import Findings, Wrong
from rulewright.inputs.flags import read_flags
from rulewright.inputs.nodes import Key, Mapping, Node
from rulewright.inputs.sections import Sections
from rulewright.inputs.value_reader import ValueReader
from rulewright.inputs.wording import did_you_mean, one_of, quoted, shown
from rulewright.machine.constants import start_value
from rulewright.machine.values import Value


def read_settings(node: Node | None, flags: Sequence[str], sections: Sections, values: ValueReader) -> dict[str, Value]:
    """The value of every setting; `flags` are of the form `NAME=VALUE` and win.

    Reports RW0722 (no such setting), RW0760 (how a flag is written) and what `ValueReader` does.
    """
    declared = sections.program.settings
    found = {name: start_value(each.value, each.type) for name, each in declared.items()}
    if isinstance(node, Mapping):
        found |= _written(node, sections, values)
    elif node is not None:
        values.findings.error("RW0713", node, f"`settings` is {shown(node)}; it must be a mapping")
    given = read_flags("--set", flags)
    values.findings.found.extend(given.diagnostics)
    return found | (_written(given.value, sections, values) if given.value else {})


def unknown_setting(key: Key, sections: Sections, findings: Findings) -> None:
    """Reports RW0722 at the key."""
    valid = list(sections.settings)
    there = f"one may set {one_of(valid)}" if valid else "none are declared here"
    remedy = did_you_mean(key.text, valid) or f"{there}; more may be in an overlay, which is named with `--overlay`"
    findings.error("RW0722", key, f"there is no setting {quoted(key.text)}", help=remedy)


def _written(node: Mapping, sections: Sections, values: ValueReader) -> dict[str, Value]:
    found: dict[str, Value] = {}
    for key, given in node:
        name = sections.settings.get(key.text)
        if name is None:
            unknown_setting(key, sections, values.findings)
            continue
        value = values.read(given, sections.program.settings[name].type, f"the setting {quoted(key.text)}")
        if not isinstance(value, Wrong):
            found[name] = value
    return found
