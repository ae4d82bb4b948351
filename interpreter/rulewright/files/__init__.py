"""Files as the tool sees them: where texts come from, and reading one."""

from rulewright.files.project import Bounded, ProjectError, bounded
from rulewright.files.providers import DISK, Disk, Memory, Provider
from rulewright.files.reading import complaint, read

__all__ = ["DISK", "Bounded", "Disk", "Memory", "ProjectError", "Provider", "bounded", "complaint", "read"]
