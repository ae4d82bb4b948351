"""Every type of the language has a codec."""

from typing import get_args

from rulewright.codecs.table import TABLE, codec
from rulewright.program import plane
from rulewright.program.types import PlaneType, Type


def test_every_type_has_a_codec() -> None:
    assert set(TABLE) | {PlaneType} == set(get_args(Type))


def test_every_type_of_the_plane_has_a_codec() -> None:
    types = [each for each in vars(plane).values() if isinstance(each, PlaneType)]
    assert len({id(codec(each)) for each in types}) == len(types) == 5
