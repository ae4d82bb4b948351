"""Every shipped ruleset, played at random: `pytest tests/plays --plays 1000 --reach` plays a thousand of each."""

from collections.abc import Callable

import pytest

from support.play_coverage import Reached
from support.random_plays import list_games, load_game, play_at_random
from support.sample_sizes import sample_cases


@pytest.mark.parametrize(
    ("name", "overlays", "procedure"),
    sample_cases(list_games(), 3),
    ids=lambda part: "+".join(part) if isinstance(part, tuple) else part,
)
def test_plays_end_and_agree(
    name: str, overlays: tuple[str, ...], procedure: str, plays: int, reaches: Callable[[set[Reached]], None]
) -> None:
    chosen = load_game(name, overlays, procedure)
    reached: set[Reached] = set()
    for seed in range(plays):
        try:
            reached |= play_at_random(chosen, seed)
        except Exception as error:
            error.add_note(f"play {seed} of {name} {procedure}")
            raise
    reaches(reached)
