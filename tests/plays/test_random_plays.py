"""Every shipped ruleset, played at random: `pytest tests/plays --plays 1000` plays a thousand of each."""

import pytest
from random_plays import game, games, play


@pytest.mark.parametrize(
    ("name", "overlays", "procedure"),
    list(games()),
    ids=lambda part: "+".join(part) if isinstance(part, tuple) else part,
)
def test_plays_end_and_agree(name: str, overlays: tuple[str, ...], procedure: str, plays: int) -> None:
    chosen = game(name, overlays, procedure)
    for seed in range(plays):
        try:
            play(chosen, seed)
        except Exception as error:
            error.add_note(f"play {seed} of {name} {procedure}")
            raise
