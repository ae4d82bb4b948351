"""Files as the tool sees them: where texts come from, and reading one."""

from rulewright.files.providers import DISK, Disk, Memory, Provider
from rulewright.files.reading import complaint, read

__all__ = ["DISK", "Disk", "Memory", "Provider", "complaint", "read"]
