"""The verbs `odds` and `simulate`: what they print, as text and as JSON, and how they end."""

import json

from support.duel import START, Run

OF = ["--of", "mordred.health", "--of", "mordred.gone"]


def test_odds_are_told_with_fractions(run: Run) -> None:
    done = run("odds", *START, *OF, "--policy", "random")
    assert done.exit == 0
    assert done.out == (
        "A strike: 5 different moments of play\n"
        "\n"
        "mordred.health\n"
        "  0   25.000 %  1/4  ████████\n"
        "  2   75.000 %  3/4  ██████████████████████\n"
        "\n"
        "mordred.gone\n"
        "   no   75.000 %  3/4  ██████████████████████\n"
        "  yes   25.000 %  1/4  ████████\n"
    )


def test_odds_are_data(run: Run) -> None:
    done = run("odds", *START, *OF, "--policy", "random", "--format", "json")
    found = json.loads(done.out)
    assert [each["of"] for each in found["odds"]] == ["mordred.health", "mordred.gone"]
    assert found["odds"][0]["values"] == [
        {"value": 0, "likely": "1/4", "about": 0.25},
        {"value": 2, "likely": "3/4", "about": 0.75},
    ]
    assert found["odds"][0]["mean"] == "3/2"
    assert (found["never"], found["open"]) == ("0", "0")


def test_beyond_the_limit_is_unknown(run: Run) -> None:
    done = run("odds", *START, *OF, "--policy", "first", "--most", "1")
    assert done.exit == 3
    assert "--most N follows more of them" in done.out


def test_questions_without_anybody_to_decide_are_listed(run: Run) -> None:
    done = run("odds", *START, *OF)
    assert done.exit == 2
    assert "error RW1121: nobody decides `Parry?`" in done.err
    assert "note: players decide: Parry? (`strike/2/parry`)" in done.err


def test_a_wrong_expression_is_told_as_it_was_written(run: Run) -> None:
    done = run("odds", *START, "--of", "mordred.helth")
    assert done.exit == 2
    assert done.err == (
        "error RW0306: `Knight` has no attribute `helth`\n"
        "  note: in what is asked: `mordred.helth`\n"
        "  help: did you mean `health`?\n"
    )


def test_plays_are_counted_alike_by_one_and_by_two(run: Run) -> None:
    wanted = ["simulate", *START, *OF, "--policy", "random", "--seed", "7", "--runs", "1200", "--format", "json"]
    one, two = run(*wanted, "--workers", "1"), run(*wanted, "--workers", "2")
    assert (one.exit, two.exit) == (0, 0)
    assert json.loads(one.out) == json.loads(two.out)
    (lost, _) = json.loads(one.out)["counts"][0]["values"]
    assert lost["interval"][0] <= 0.25 <= lost["interval"][1]


def test_enough_plays_are_enough(run: Run) -> None:
    done = run("simulate", *START, *OF, "--policy", "random", "--seed", "7", "--runs", "90000", "--within", "5")
    assert done.exit == 0
    assert done.out.startswith("A strike: 500 plays, seed 7; intervals hold 95% of the time\n")


def test_a_question_without_an_answer_ends_it(run: Run) -> None:
    done = run("simulate", *START, *OF, "--runs", "1000", "--workers", "2")
    assert done.exit == 2
    assert "RW0746" in done.err
