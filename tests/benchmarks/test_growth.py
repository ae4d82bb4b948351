"""The command of growth runs on small sizes, and finds the exponent of what grows by one."""

from math import log2

import pytest

from benchmarks.growth import CURVES, EXITS, exponent, main


@pytest.mark.parametrize("power", [0.5, 1, 2])
def test_it_finds_the_exponent(power: float) -> None:
    assert exponent((size, 0.003 * size**power) for size in (10, 20, 50, 400)) == pytest.approx(power)


def test_what_sorts_grows_a_little_faster_than_its_length() -> None:
    assert 1 < exponent((size, size * log2(size)) for size in (1000, 2000, 4000)) < 1.2


def test_every_curve_has_a_row_for_every_verb(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "")
    main(sizes=(10, 12))
    rows = [tuple(line[:35].rsplit(maxsplit=1)) for line in capsys.readouterr().out.splitlines()]
    assert [(name.strip(), verb) for name, verb in rows] == [(curve.name, verb) for curve in CURVES for verb in EXITS]
