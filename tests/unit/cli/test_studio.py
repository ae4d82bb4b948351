"""The verb `studio` where it does not come to a workbench; with one, `tests/unit/studio` asks it."""

import base64
import errno
import gzip
import io
import json
import re
import socket
import zipfile
from functools import cache
from pathlib import Path

import pytest

from rulewright.studio import site_writer
from rulewright.studio.site_writer import is_site, list_site_imports
from support.duel_example import RunCommand

STATIC_FOLDER = Path(site_writer.__file__).with_name("static")
AWAY = "  help: name a folder; `rulewright new NAME` makes one with a small ruleset\n"


@pytest.mark.parametrize(
    ("named", "told"),
    [
        ("nowhere", "error RW1206: `nowhere` is not there\n"),
        ("a.rules", "error RW1206: `a.rules` is a file, not a folder\n"),
        ("x" * 400, f"error RW1206: `{'x' * 400}` is not there\n"),
    ],
)
def test_it_needs_a_folder(
    run: RunCommand, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: str, told: str
) -> None:
    (tmp_path / "a.rules").touch()
    monkeypatch.chdir(tmp_path)
    done = run("studio", named)
    assert (done.exit, done.out, done.err) == (2, "", told + AWAY)


def test_a_port_that_is_taken_is_told(run: RunCommand, tmp_path: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        done = run("studio", str(tmp_path), "--port", str(port), "--no-browser")
    told = f"error RW1207: port {port} cannot be used: address already in use\n"
    assert (done.exit, done.err) == (2, f"{told}  help: leave out `--port`, and a free one is taken\n")


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """A site without its modules, which take seconds to be packed."""
    monkeypatch.setattr(site_writer, "pack_site_modules", lambda: b"modules")


def test_a_site_is_written_whole_and_written_again(
    run: RunCommand, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(site_writer, "pack_site_modules", cache(site_writer.pack_site_modules))  # seconds each time
    hostile = "<script>alert(1)</script>"
    rules = tmp_path / "rules"
    rules.mkdir()
    (rules / "a.rules").write_text(f'ruleset a "{hostile}"\n', encoding="utf-8")
    (rules / ".hidden.rules").write_text("ruleset hidden\n", encoding="utf-8")
    done = run("studio", "rules", "--site", "public")
    assert (done.exit, done.err) == (0, "")
    assert done.out.startswith("wrote public: ")
    site = tmp_path / "public"
    described = json.loads((site / "site.json").read_text())
    assert [base64.b64decode(text).decode() for text in described["files"].values()] == [f'ruleset a "{hostile}"\n']
    assert described["name"] == "rules"
    page = (site / "index.html").read_text()
    assert "Content-Security-Policy" in page
    assert not re.search(r"<script(?![^>]* src=)|<style| on\w+=", page)
    assert hostile not in "".join(path.read_text() for path in site.glob("*.json"))
    licences = (site / "licences.txt").read_text()
    assert all(f"\n{name} " in licences for name in ("click", "lark", "pygls", "Jinja2"))
    before = {path.relative_to(site): path.read_bytes() for path in site.rglob("*") if path.is_file()}
    again = run("studio", "rules", "--site", "public")
    assert again.exit == 0
    assert {path.relative_to(site): path.read_bytes() for path in site.rglob("*") if path.is_file()} == before
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


@pytest.mark.usefixtures("quick")
def test_a_site_is_not_written_over_anything_else(
    run: RunCommand, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "site.json").write_text('{"made_by": "me"}')
    (tmp_path / "file").write_text("text")
    (tmp_path / "empty").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "empty")
    before = sorted(tmp_path.rglob("*"))
    for taken in ("mine", "file", "link"):
        done = run("studio", "--site", taken)
        assert (done.exit, done.out) == (2, "")
        assert done.err.startswith(f"error RW0013: `{taken}` holds something else and is not overwritten\n")
    below = run("studio", "--site", "file/below")
    assert below.err.startswith("error RW0011: `file/below` cannot be written: ")
    away = run("studio", "nowhere", "--site", "new")
    assert away.err.startswith("error RW1206: `nowhere` is not there")
    assert sorted(tmp_path.rglob("*")) == before
    assert run("studio", "--site", "empty").exit == 0
    assert is_site(tmp_path / "empty")


@pytest.mark.usefixtures("quick")
def test_a_disk_that_is_full_leaves_the_earlier_site(
    run: RunCommand, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("studio", "--site", "public").exit == 0
    earlier = (tmp_path / "public" / "site.json").read_bytes()
    write = Path.write_bytes

    def fill_disk(path: Path, content: bytes) -> int:
        if path.name == "site.json":
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(path, content)

    monkeypatch.setattr(Path, "write_bytes", fill_disk)
    done = run("studio", "--site", "public")
    assert done.err.startswith("error RW0011: `public` cannot be written: ")
    assert (tmp_path / "public" / "site.json").read_bytes() == earlier
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_what_a_site_imports_is_there() -> None:
    """Python's library in a page has all that modules of ours import; what is compiled for a machine is imported nowhere."""
    held = set[str]()
    for name in ("library.zip.gz", "more.zip.gz"):
        content = gzip.decompress((STATIC_FOLDER / "engine" / name).read_bytes())
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            held |= {
                each.removesuffix(".pyc").removesuffix("/__init__").replace("/", ".") for each in archive.namelist()
            }
    built_in = {
        "array",
        "errno",
        "gc",
        "itertools",
        "marshal",
        "math",
        "sys",
        "time",
        "unicodedata",
        "zlib",
        "__future__",
        "collections.abc",
    }
    imported = {name for name in list_site_imports() if name not in built_in}
    only_with_processes = {"concurrent.futures.process", "multiprocessing"}
    only_where_installed = {"jsonschema"}  # a page judges without the library
    assert imported - held - only_with_processes - only_where_installed == {"shapely"}
