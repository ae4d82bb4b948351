"""The pane `compare`."""

from starlette.routing import BaseRoute

from rulewright.studio.workbench import Workbench


def routes(workbench: Workbench) -> list[BaseRoute]:
    """What the pane is answered."""
    del workbench
    return []
