import pytest

from support.duel_example import RunCommand


def test_the_nodes_are_what_was_written(run: RunCommand) -> None:
    done = run("show", "duel.rules", "nodes")
    assert done.exit == 0
    assert done.out.splitlines()[:2] == ["  duel.rules: File", "    headers:"]
    assert "name: Name" in done.out
    assert "span" not in done.out


def test_the_program_is_resolved(run: RunCommand) -> None:
    shown = run("show", "duel.rules", "program").out
    assert shown.startswith("Program\n  name: 'duel'\n  title: 'A duel'\n  revision: '1'\n  fingerprint: ")
    assert "address: 'strike/1/blow'" in shown


def test_the_core_says_what_happens(run: RunCommand) -> None:
    shown = run("show", "duel.rules", "core").out.splitlines()
    assert next(line for line in shown if line.startswith("procedure:strike(")).endswith("  @strike")
    assert any(line.endswith("  @strike/1/blow") for line in shown)


def test_the_graph_has_the_routines_that_may_stop(run: RunCommand) -> None:
    shown = run("show", "duel.rules", "graph").out.splitlines()
    assert "procedure:strike:" in shown
    assert "  block 0, entered:" in shown
    assert any(line.startswith("    request chance: roll") and "  @strike/1/blow; " in line for line in shown)


def test_the_generated_source_holds_no_text_of_the_rules(run: RunCommand) -> None:
    source = run("show", "duel.rules", "source").out
    assert source.startswith("def ")
    for word in ("strike", "Parry", "knight", "blow", "parry", "health"):
        assert word not in source


@pytest.mark.parametrize("stage", ["tree", ""])
def test_an_unknown_stage(run: RunCommand, stage: str) -> None:
    done = run("show", "duel.rules", stage)
    assert done.exit == 2
    assert done.err.splitlines()[0] == (
        f"error RW0783: `STAGE` is `{stage}`; it must be `nodes`, `program`, `core`, `graph` or `source`"
    )
