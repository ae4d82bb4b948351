from pathlib import Path

import pytest

from rulewright.base.bounded_files import MAX_FILE_BYTES, read_text_file
from rulewright.base.diagnostics import Diagnostic
from rulewright.base.files import DiskFiles, MemoryFiles
from rulewright.base.source import Text


def found(content: bytes) -> Text | Diagnostic:
    return read_text_file("a.rules", MemoryFiles({"a.rules": content}))


def test_a_byte_order_mark_is_no_part_of_the_text() -> None:
    assert found(b"\xef\xbb\xbfgame") == Text("a.rules", "game")


def test_line_ends_stay_as_they_are() -> None:
    assert found(b"a\r\nb") == Text("a.rules", "a\r\nb")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a\nb\xff", "`a.rules` is not UTF-8: byte 3 in line 2"),
        ("game".encode("utf-16-le"), "`a.rules` is not UTF-8; it looks like UTF-16"),
        ("game".encode("utf-16-be"), "`a.rules` is not UTF-8; it looks like UTF-16"),
        ("é".encode("utf-16"), "`a.rules` is not UTF-8; it looks like UTF-16"),
    ],
)
def test_other_encodings_are_refused_with_their_place(content: bytes, message: str) -> None:
    refused = found(content)
    assert isinstance(refused, Diagnostic)
    assert (refused.code, refused.message) == ("RW0004", message)


def test_a_huge_file_is_not_read() -> None:
    refused = found(b"[" * (MAX_FILE_BYTES + 1))
    assert isinstance(refused, Diagnostic)
    assert refused.code == "RW0005"


def test_folders_and_missing_files_on_disk(tmp_path: Path) -> None:
    folder, missing = read_text_file(str(tmp_path), DiskFiles()), read_text_file(str(tmp_path / "x.rules"), DiskFiles())
    assert isinstance(folder, Diagnostic)
    assert isinstance(missing, Diagnostic)
    assert (folder.code, missing.code) == ("RW0002", "RW0001")


def test_a_file_that_may_not_be_read_says_why() -> None:
    class Locked(MemoryFiles):
        def read_file_bytes(self, place: str, most: int) -> bytes:  # noqa: ARG002 - a disk that refuses needs neither  # noqa: ARG002 - as the protocol says
            raise PermissionError(13, "Permission denied", place)

    refused = read_text_file("a.rules", Locked({"a.rules": ""}))
    assert isinstance(refused, Diagnostic)
    assert refused.message == "`a.rules` cannot be read: permission denied"


def test_what_never_ends_is_read_no_further_than_a_text_may_reach() -> None:
    refused = read_text_file("/dev/zero", DiskFiles())
    assert isinstance(refused, Diagnostic)
    assert (refused.code, refused.message) == ("RW0005", "`/dev/zero` is larger than 8,000,000 bytes")


def test_a_file_that_the_disk_refuses() -> None:
    class Refusing(MemoryFiles):
        def read_file_bytes(self, place: str, most: int) -> bytes:  # noqa: ARG002 - a disk that refuses needs neither
            raise PermissionError(13, "Permission denied")

    found = read_text_file("a.rules", Refusing({"a.rules": b""}))
    assert isinstance(found, Diagnostic)
    assert (found.code, found.message) == ("RW0003", "`a.rules` cannot be read: permission denied")
