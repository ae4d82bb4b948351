from support.duel_example import RunCommand


def test_the_generated_source_holds_no_text_of_the_rules(run: RunCommand) -> None:
    source = run("show", "duel.rules", "source").out
    assert source.startswith("def ")
    for word in ("strike", "Parry", "knight", "blow", "parry", "health"):
        assert word not in source
