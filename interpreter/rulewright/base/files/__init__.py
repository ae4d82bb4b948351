"""File providers: where texts come from, and reading one."""

from rulewright.base.files.project import BoundedFiles, ProjectFileError, make_file_error, read_text_file
from rulewright.base.files.providers import DATA_SUFFIXES, DISK, DiskFiles, FileProvider, MemoryFiles

__all__ = [
    "DATA_SUFFIXES",
    "DISK",
    "BoundedFiles",
    "DiskFiles",
    "FileProvider",
    "MemoryFiles",
    "ProjectFileError",
    "make_file_error",
    "read_text_file",
]
