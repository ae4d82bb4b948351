"""Files as the tool sees them: where texts come from, and reading one."""

from rulewright.files.project import Bounded, ProjectError, complaint, read
from rulewright.files.providers import DATA, DISK, Disk, Memory, Provider

__all__ = ["DATA", "DISK", "Bounded", "Disk", "Memory", "ProjectError", "Provider", "complaint", "read"]
