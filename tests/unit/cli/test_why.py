"""The verb `why`: what it prints, as text and as JSON, what it keeps hidden, and how it ends."""

from support.duel_example import RunCommand


def test_two_rolls_are_called_by_name_and_what_would_follow_keeps_its_indentation(run: RunCommand) -> None:
    run("new", "skirmish", "--from", "plane-skirmish")
    told = run("why", "skirmish/plays.scenario.yaml", "a fight / the parry hurts", "--of", "result").out
    assert "goes on, because `blow` is 1, not equal to `parry` (2)\n" in told
    assert "shown 2, not 1, the result would be none\n" in told
    told = run("why", "skirmish/plays.scenario.yaml", "how far a fighter goes", "--of", "guard.health").out
    assert (
        "  2  Shoot, or fight\n    red: At whom? guard\n    because who can be shot at (scout, guard): yes\n"
        "    A shot (scout, guard)\n    1  Two dice\n      red    shots 2d6: 4 1\n"
    ) in told.partition("shown 4")[2]
