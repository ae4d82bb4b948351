"""Whatever stands in a file, checking ends in diagnostics; the formatter never changes what a text means."""

from functools import cache
from pathlib import Path
from random import Random

from hypothesis import example, given, settings, strategies as st

from rulewright.base.diagnostics import has_errors
from rulewright.base.source import Text
from rulewright.syntax.format import format_file
from rulewright.syntax.parser import parse_rules_text
from support.language_cases import list_cases, split_blocks
from support.random_programs import write_program
from support.reference.ruleset_texts import load_text
from support.sample_sizes import choose_count

MEL = Path(__file__).parents[2] / "rulesets" / "mel"
SEEDS = st.integers(0, 2**32)


@cache
def _collect_texts() -> tuple[str, ...]:
    shipped = [path.read_text(encoding="utf-8") for path in sorted(MEL.glob("*.rules"))]
    written = [block["content"] for case in list_cases() for block in split_blocks(case.read_text(), "rules")]
    return (*shipped, *written)


@settings(max_examples=choose_count(15, 150), deadline=None)
@given(st.text())
@example("\ufeff")
@example("\x00")
@example('ruleset a "A" revision "1"\r\n')
@example("(" * 5000)
@example('ruleset a "A" revision "1"\nterm f() gives flag means ' + "(" * 2000 + "yes" + ")" * 2000)
@example('ruleset a "A" revision "1"\n' + "".join(f"{'  ' * depth}if yes:\n" for depth in range(300)))
def test_any_text_ends_in_diagnostics(text: str) -> None:
    found = load_text(text)
    assert found.program is not None or has_errors(found.diagnostics)


@settings(max_examples=choose_count(15, 150), deadline=None)
@given(seed=SEEDS)
def test_any_damage_to_a_good_text_ends_in_diagnostics(seed: int) -> None:
    draw = Random(seed)
    text = draw.choice(_collect_texts())
    for _ in range(draw.randint(1, 3)):
        at = draw.randrange(len(text))
        length = draw.randrange(12)
        other = draw.choice(_collect_texts())
        start = draw.randrange(len(other))
        text = (
            text[:at]
            + draw.choice(("", other[start : start + length], "  ", "\n", "(", '"', ":"))
            + text[at + length :]
        )
    found = load_text(text)
    assert found.program is not None or has_errors(found.diagnostics)


def _format_text(text: str) -> str:
    parsed = parse_rules_text(Text("example.rules", text))
    assert parsed.file is not None
    return format_file(parsed.file, Text("example.rules", text))


def _is_sound(text: str) -> bool:
    parsed = parse_rules_text(Text("example.rules", text))
    return parsed.file is not None and not has_errors(parsed.diagnostics)


def _compute_fingerprint(text: str) -> str:
    """The fingerprint of a text's program, which comments and layout do not change."""
    found = load_text(text)
    assert found.program is not None
    return found.program.fingerprint


def test_formatting_twice_is_formatting_once() -> None:
    for text in filter(_is_sound, _collect_texts()):
        once = _format_text(text)
        assert _format_text(once) == once


@settings(max_examples=choose_count(6, 25), deadline=None)
@given(seed=SEEDS)
def test_formatting_keeps_the_meaning(seed: int) -> None:
    text = write_program("random", seed)
    damaged = "\n".join(line + " " * (number % 3) for number, line in enumerate(text.splitlines())) + "\n\n"
    once = _format_text(damaged)
    assert _format_text(once) == once
    assert _compute_fingerprint(once) == _compute_fingerprint(text)
