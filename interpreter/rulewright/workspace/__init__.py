"""Rulesets on disk: found by name, read with all they use, and checked."""

from rulewright.workspace.load import Loaded, load
from rulewright.workspace.locate import Located, locate
from rulewright.workspace.providers import DISK, Disk, Memory, Provider

__all__ = ["DISK", "Disk", "Loaded", "Located", "Memory", "Provider", "load", "locate"]
