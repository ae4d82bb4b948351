"""Rulesets on disk: found by name, read with all they use, and checked."""

from rulewright.files import DISK, Disk, Memory, Provider
from rulewright.workspace.load import Again, Loaded, load
from rulewright.workspace.locate import Found, Located, locate, rulesets_of, unread_beside, whole_files

__all__ = [
    "DISK",
    "Again",
    "Disk",
    "Found",
    "Loaded",
    "Located",
    "Memory",
    "Provider",
    "load",
    "locate",
    "rulesets_of",
    "unread_beside",
    "whole_files",
]
