"""What is proved to leave play as it is leaves it as it is: generated rulesets edited at random, and played."""

import re
from random import Random

from hypothesis import given, settings, strategies as st

from rulewright.diff.comparison import compare_rulesets
from rulewright.diff.differential_testing.play_comparison import compare_plays
from rulewright.diff.differential_testing.results import ComparisonEffort
from support.random_programs import write_program
from support.reference.ruleset_texts import load_text
from support.sample_sizes import choose_count

EFFORT = ComparisonEffort(work=60_000, workers=1, witnesses=1)


def edit_at_random(text: str, draw: Random) -> str:
    """A text with two neighbouring lines exchanged, a step joined with the one before, or a condition denied."""
    lines = text.splitlines()
    main = next(number for number, line in enumerate(lines) if line.startswith("procedure main"))
    body = range(main + 1, len(lines) - 1)
    match draw.choice(("exchanged", "exchanged", "joined", "denied")):
        case "exchanged":
            alike = [at for at in body if _is_plain(lines[at]) and _is_plain(lines[at + 1])]
            found = [at for at in alike if _measure_indent(lines[at]) == _measure_indent(lines[at + 1])]
            for at in draw.sample(found, min(1, len(found))):
                lines[at], lines[at + 1] = lines[at + 1], lines[at]
        case "joined":
            steps = [at for at in body if lines[at].startswith("  step ")][1:]
            for at in draw.sample(steps, min(1, len(steps))):
                del lines[at]
        case _:
            branches = [at for at in body if lines[at].lstrip().startswith("if ")]
            for at in draw.sample(branches, min(1, len(branches))):
                lines[at] = re.sub(r"if (.*):$", r"if not (\1):", lines[at])
    return "\n".join(lines) + "\n"


def _is_plain(line: str) -> bool:
    return bool(line) and not line.endswith(":")


def _measure_indent(line: str) -> int:
    return len(line) - len(line.lstrip())


@settings(max_examples=choose_count(5, 12), deadline=None)
@given(seed=st.integers(0, 2**32))
def test_what_is_proved_plays_alike(seed: int) -> None:
    text = write_program("random", seed)
    before, after = load_text(text), load_text(edit_at_random(text, Random(seed)))
    if before.program is None or after.program is None:
        return
    found = compare_rulesets(before, after)
    if found.is_proved_equivalent and found.structure_verdict != "identical":
        played = compare_plays(before.program, after.program, found.correspondence, effort=EFFORT)
        assert played.verdict.word != "changed"
