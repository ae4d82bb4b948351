import pickle
from dataclasses import FrozenInstanceError, field, fields, replace

import pytest

from rulewright.base.frozen import dataclass


@dataclass(frozen=True, slots=True)
class Point:
    x: int
    y: int = 0
    tags: tuple[str, ...] = field(default_factory=tuple)


@dataclass(frozen=True, slots=True)
class Other:
    x: int
    y: int = 0
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Base:
    name: str
    size: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Derived(Base):
    colour: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    name: str
    parts: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Empty:
    pass


def test_instances_are_equal_by_class_and_fields() -> None:
    assert Point(1) == Point(1, 0, ())
    assert Point(1) != Point(2)
    assert Point(1) != Other(1)
    assert hash(Point(1)) == hash(Point(1))


def test_instances_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        Point(1).x = 2  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        del Point(1).x


def test_wrong_arguments_are_refused() -> None:
    with pytest.raises(TypeError):
        Point()  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        Derived("a", "red")  # type: ignore[misc]


def test_the_tools_of_dataclasses_work() -> None:
    assert replace(Point(1), y=3) == Point(1, 3)
    assert [each.name for each in fields(Derived)] == ["name", "size", "colour"]
    assert repr(Derived(name="a", colour="red")) == "Derived(name='a', size=1, colour='red')"
    for each in (Point(1, 2), Derived(name="a", colour="red"), Empty()):
        assert pickle.loads(pickle.dumps(each)) == each  # noqa: S301 - made right here


def test_each_class_has_defaults_of_its_own() -> None:
    assert (Point(1).y, Point(1).tags, Other(1).tags, Named(name="b").parts) == (0, (), (), {})
    assert Named(name="b").parts is not Named(name="b").parts
    assert Derived(colour="red", name="a").size == 1
    assert Empty() == Empty()


def test_a_wrong_argument_is_called_by_its_name() -> None:
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'x'"):
        Point()  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="unexpected keyword argument 'z'"):
        Other(1, z=2)  # type: ignore[call-arg]


def test_patterns_match_by_position() -> None:
    match Point(1, 2):
        case Point(x, y):
            assert (x, y) == (1, 2)


def test_instances_of_a_class_with_an_order_compare_by_fields() -> None:
    @dataclass(frozen=True, slots=True, order=True)
    class Version:
        major: int
        minor: int

    assert sorted([Version(2, 0), Version(1, 9)]) == [Version(1, 9), Version(2, 0)]
    assert Version(1, 0) <= Version(1, 0) < Version(1, 1)
    assert Version(1, 1) >= Version(1, 0)
    assert not Version(1, 0) > Version(1, 0)
    with pytest.raises(TypeError):
        sorted([Version(1, 0), Point(1)])  # type: ignore[type-var]
