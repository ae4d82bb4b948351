"""Rulesets on disk: located by name, loaded with all they use, and checked."""

from rulewright.base.files import DISK, DiskFiles, FileProvider, MemoryFiles
from rulewright.documents.workspace.ruleset_loading import IncrementalLoader, LoadedRuleset, load_ruleset
from rulewright.documents.workspace.ruleset_location import (
    RulesetListing,
    RulesetLocation,
    find_main_files,
    list_rulesets,
    locate_ruleset,
    unread_beside,
)

__all__ = [
    "DISK",
    "DiskFiles",
    "FileProvider",
    "IncrementalLoader",
    "LoadedRuleset",
    "MemoryFiles",
    "RulesetListing",
    "RulesetLocation",
    "find_main_files",
    "list_rulesets",
    "load_ruleset",
    "locate_ruleset",
    "unread_beside",
]
