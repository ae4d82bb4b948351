"""What is read of states, texts in YAML, saves, scripts and names of rulesets goes as the pages beside this file say.

A question of `state` and `save` is one edit or more, `OLD → NEW`, of the state of its section and of a save that is written; `signed`
gives parts of a save other values, and its sum fits them; `units` is lines below the units of the state; `reads` and `script` ask
of the text itself, `place` of a name among the files of the page. `⟨a0⟩` is the character of this number.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from rulewright.base.diagnostics import Diagnostic
from rulewright.base.files import MemoryFiles
from rulewright.base.source import Text
from rulewright.documents.answer_scripts import read_script
from rulewright.documents.document_nodes import node_to_data
from rulewright.documents.ruleset_location import locate_ruleset
from rulewright.documents.saved_sessions import RecordedAnswer, SavedSession, format_save, read_save
from rulewright.documents.state_file import read_state
from rulewright.documents.yaml_reader import parse_yaml
from rulewright.program.declarations import Program
from support.asked_pages import check_page
from support.language_cases import split_blocks

PAGES = sorted(each for each in Path(__file__).parent.glob("*.md") if each.name != "answers.md")
KINDS = {"state", "units", "reads", "save", "signed", "script", "place"}
_FILE = re.compile(r"^```(?:rules|text) (\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SAVE = SavedSession(
    ruleset="skirmish",
    revision="1",
    fingerprint="f" * 64,
    procedure="attack",
    arguments={"attacker": "hammer", "defender": "anvil"},
    start={"players": {"red": {}}},
    seed=7,
    answers=(RecordedAnswer("attack/1/push", "red", True), RecordedAnswer("attack/1/hit", "", [3, 4])),
    state={"version": 1},
)


def tell_findings(found: Iterable[Diagnostic], text: Text | None = None) -> Iterator[str]:
    """Code, line and column, pointer and message, with the remedy."""
    for each in found:
        at = text.get_position(each.primary.span.start) if text is not None and each.primary is not None else None
        place = "" if at is None else f" {at.line}:{at.column}"
        pointer = "" if each.pointer is None else f" {each.pointer or '(all)'}"
        remedy = f" — {each.help}" if each.help else ""
        yield f"{each.code}{place}{pointer}: {each.message}{remedy}"


def spell_control(line: str) -> str:
    return re.sub(r"[\0-\x1f]", lambda each: f"⟨{ord(each[0]):x}⟩", line)


def edit_text(content: str, question: str) -> str:
    for edit in question.split(" ; "):
        old, _, new = edit.partition(" → ")
        assert old in content, old
        content = content.replace(old, new)
    return content


def tell_yaml(content: str) -> Iterator[str]:
    """The data that a text holds; of a mapping with the one key `a`, what this is."""
    text = Text("x.yaml", content)
    outcome = parse_yaml(text)
    yield from tell_findings(outcome.diagnostics, text)
    if outcome.value is not None:
        data = node_to_data(outcome.value)
        yield ascii(data["a"] if isinstance(data, dict) and [*data] == ["a"] else data)


def sign_save(changes: str) -> str:
    """A save with other parts, and the sum of these; `null` leaves out any but the version."""
    given = json.loads(changes)
    left_out = {"sum", *(key for key, each in given.items() if each is None and key != "version")}
    rest = {key: each for key, each in (json.loads(format_save(SAVE)) | given).items() if key not in left_out}
    told = json.dumps(rest, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return json.dumps({**rest, "sum": hashlib.sha256(told.encode()).hexdigest()})


def tell_save(content: str, program: Program) -> Iterator[str]:
    text = Text("x.save", content)
    outcome = read_save(text, program)
    yield from tell_findings(outcome.diagnostics, text)
    if outcome.value is not None:
        yield "the same" if outcome.value == SAVE else "another save"


def tell_place(name: str, page: str) -> Iterator[str]:
    found = locate_ruleset(name, MemoryFiles(dict(_FILE.findall(page)), shipped="ship"))
    yield from tell_findings(found.diagnostics)
    if found.main is not None:
        yield " with ".join((found.main, *found.overlays))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_data_are_read_as_the_page_says(page: Path, program: Program, asking: Program, *, accept: bool) -> None:
    whole = page.read_text(encoding="utf-8")

    def answer(asks: str, about: str, question: str, section: str) -> Iterable[str]:
        written = re.sub("⟨([0-9a-f]+)⟩", lambda code: chr(int(code[1], 16)), question)
        state = next((each["content"] for each in (*split_blocks(section, "yaml"), *split_blocks(whole, "yaml"))), "")
        match asks:
            case "reads":
                return tell_yaml(written)
            case "save":
                return tell_save(written if not about else edit_text(format_save(SAVE), written), program)
            case "signed":
                return tell_save(sign_save(written), program)
            case "script":
                return tell_findings(read_script(Text("s.yaml", written), asking).diagnostics)
            case "place":
                return tell_place(written.strip('"'), whole)
            case "units":
                lines = "".join(f"  {line}\n" for line in written.split("\n"))
                state = state.replace("field:", f"{lines}field:")
            case _:
                state = edit_text(state, written)
        text = Text("s.yaml", state)
        return tell_findings(read_state(text, program, about.split()).diagnostics, text)

    check_page(page, KINDS, lambda *asked: map(spell_control, answer(*asked)), accept=accept)
