"""The table of all requests of the workbench."""

from rulewright.studio import compare_pane, files_api, play_pane, rules_pane, scenario_panes
from rulewright.studio.request_table import RequestTable
from rulewright.studio.workbench import Workbench

_PANES = (rules_pane, play_pane, scenario_panes, compare_pane)


def make_request_table(files: files_api.FilesApi, workbench: Workbench) -> RequestTable:
    """All requests of a workbench."""
    panes = (request for pane in _PANES for request in pane.list_requests(workbench))
    return RequestTable([*files_api.list_requests(files, workbench), *panes])
