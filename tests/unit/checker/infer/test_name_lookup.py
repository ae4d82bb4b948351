"""Names of a ruleset used under a prefix."""

from support.reference.ruleset_texts import load_files

BASE = """\
ruleset base "Base" revision "1"

values Symbol: sword, flag_face

kind Unit, units:
  morale: 0..9
  symbol: Symbol = sword

game:
  active: Unit

record Hit:
  amount: 1..20

term strong(u: Unit) gives flag means u.morale >= 5
"""


def found(lines: str) -> list[str]:
    files = {
        "base.rules": BASE,
        "example.rules": f'ruleset example "Example" revision "1"\nuse "base.rules" as base\n\n{lines}',
    }
    loaded = load_files(files)
    own = [each for each in loaded.diagnostics if each.primary and each.primary.span.source == "example.rules"]
    return [f"{each.code} {each.message}" for each in own]


def test_everything_is_reached_by_the_prefix() -> None:
    lines = (
        "measure strong_ones: count(each u in base.units where base.strong(u))\n"
        "measure swords: count(each u in base.units where u.symbol = sword)\n"
        "measure ready: base.active.morale > base.Hit(amount: 3).amount\n"
        "measure symbol: base.Symbol.flag_face\n"
        "measure of_one(u: base.Unit): base.strong(u)\n"
    )
    assert found(lines) == []


def test_names_under_the_prefix_are_checked() -> None:
    assert found("measure it: count(base.unitz)\n") == ["RW0301 `unitz` is not known in `base`"]
    assert found("measure it(u: base.Unit): base.storng(u)\n") == ["RW0314 there is no function `storng`"]
    assert found("measure it: base.Symbol.swrod\n") == ["RW0304 `swrod` is not a word of `base.Symbol`"]
    assert found("measure it: count(units)\n") == ["RW0301 `units` is not known here"]
