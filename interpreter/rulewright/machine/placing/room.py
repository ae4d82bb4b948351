"""A quick look whether a base would surely stand over another or off the board, before conditions are judged."""

from collections.abc import Callable

from rulewright.machine.placing.scene import Scene
from rulewright.machine.plane.outlines import Point


def free(scene: Scene) -> Callable[[Point], bool]:
    """A test of points that only those fail where a base cannot fit; every point passes where it need not fit."""
    if not scene.solid:
        return lambda _: True
    width, depth, inner = scene.width, scene.depth, scene.inner
    solid = [each for each in scene.fixed if each.inner]
    size = max([each.inner + inner for each in solid], default=1)
    cells: dict[tuple[int, int], list[tuple[int, int, int]]] = {}
    for each in solid:
        (x, y), least = each.middle, each.inner + inner - 1
        for column in range(x // size - 1, x // size + 2):
            for row in range(y // size - 1, y // size + 2):
                cells.setdefault((column, row), []).append((x, y, least * least))

    def fits(point: Point) -> bool:
        px, py = point
        if width is not None and not (inner <= px <= width - inner):
            return False
        if depth is not None and not (inner <= py <= depth - inner):
            return False
        near = cells.get((px // size, py // size), ())
        return all((px - x) ** 2 + (py - y) ** 2 >= least for x, y, least in near)

    return fits
