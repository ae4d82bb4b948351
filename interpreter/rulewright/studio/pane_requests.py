"""The table of all requests of the workbench."""

from collections.abc import Sequence

from rulewright.studio import compare_pane, files_api, play_pane, rules_pane, scenario_panes
from rulewright.studio.request_table import PaneRequest, RequestTable
from rulewright.studio.workbench import Workbench

_PANES = (rules_pane, play_pane, scenario_panes, compare_pane)


def make_request_table(
    files: files_api.FilesApi, workbench: Workbench, more: Sequence[PaneRequest] = ()
) -> RequestTable:
    """All requests of a workbench, and `more`."""
    panes = (request for pane in _PANES for request in pane.list_requests(workbench))
    return RequestTable([*files_api.list_requests(files, workbench), *panes, *more])
