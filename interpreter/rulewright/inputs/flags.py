"""Values given on the command line as `NAME=VALUE`, such as `--with striker=gawain`."""

from collections.abc import Sequence

from rulewright.diagnostics import Diagnostic, Severity
from rulewright.inputs.findings import Read
from rulewright.inputs.nodes import Key, Mapping, Node
from rulewright.inputs.wording import quoted
from rulewright.inputs.yaml_places import read
from rulewright.source import Span, Text

NO_TEXT = ""


def read_flags(flag: str, given: Sequence[str]) -> Read[Mapping]:
    """The values of a flag as a mapping without places; values are read as YAML, so `[1, 0]` is a cell.

    Reports RW0760: no `=`, no name, a name twice, a value that cannot be read.
    """
    found: dict[str, tuple[Key, Node]] = {}
    wrong: list[Diagnostic] = []
    for each in given:
        name, equals, written = each.partition("=")
        value = read(Text(NO_TEXT, written))
        if not equals or not name.strip():
            wrong.append(_wrong(f"`{flag} {each}` is not of the form `{flag} NAME=VALUE`"))
        elif name in found:
            wrong.append(_wrong(f"`{flag}` gives {quoted(name)} twice", "keep one of them"))
        elif value.value is None:
            wrong.append(_wrong(f"the value of `{flag} {each}` cannot be read", value.diagnostics[0].message))
        else:
            found[name] = (Key(name, Span(NO_TEXT, 0, 0), ""), value.value)
    mapping = Mapping(tuple(found.values()), Span(NO_TEXT, 0, 0), "")
    return Read(None if wrong else mapping, tuple(wrong))


def _wrong(message: str, remedy: str = "") -> Diagnostic:
    return Diagnostic("RW0760", Severity.ERROR, message, help=remedy)
