"""What comes over the wire to a workbench: nothing wrong is answered, waited for, or told as a fault."""

import json
import re
import resource
import socket
import struct
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

pytest.importorskip("uvicorn")

DUEL = 'ruleset duel "Duel"\n'
NONCE = "AAAAAAAAAAAAAAAAAAAAAA=="


@dataclass(frozen=True)
class Served:
    """A workbench that runs."""

    process: "subprocess.Popen[str]"
    port: int
    token: str
    folder: Path

    def heads(self, *more: str) -> bytes:
        """The heads of a question of the right browser, the last ones first."""
        own = (f"Host: 127.0.0.1:{self.port}", f"Cookie: rulewright-{self.port}={self.token}", "X-Rulewright: 1")
        return "\r\n".join((*more, *own, "Connection: close", "", "")).encode("latin-1")

    def asked(self, *sent: bytes) -> bytes:
        """What is answered to bytes, until the other end has nothing more to say, or for two seconds."""
        with socket.create_connection(("127.0.0.1", self.port)) as line:
            return heard(line, *sent)

    def memory(self) -> int:
        """How many bytes of memory the server takes."""
        pages = Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]
        return int(pages) * resource.getpagesize()

    def talking(self, path: str, reads: int | None = None) -> socket.socket:
        """A line on which frames may be sent; `reads` is how many bytes wait to be read at this end, about."""
        line = socket.socket()
        if reads is not None:
            line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, reads)
        line.connect(("127.0.0.1", self.port))
        upgrade = (
            "Upgrade: websocket",
            "Connection: Upgrade",
            "Sec-WebSocket-Version: 13",
            f"Sec-WebSocket-Key: {NONCE}",
        )
        heads = self.heads(f"Origin: http://127.0.0.1:{self.port}", *upgrade).replace(b"Connection: close\r\n", b"")
        line.sendall(f"GET {path} HTTP/1.1\r\n".encode() + heads)
        said = b""
        while b"\r\n\r\n" not in said:
            said += line.recv(4096)
        assert said.startswith(b"HTTP/1.1 101")
        return line

    def is_well(self) -> None:
        """Somebody who asks as one should is answered."""
        assert self.asked(b"GET /api/files HTTP/1.1\r\n" + self.heads()).startswith(b"HTTP/1.1 200")


def heard(line: socket.socket, *sent: bytes) -> bytes:
    """What is answered on a line."""
    line.settimeout(2)
    said = b""
    try:
        for each in sent:
            line.sendall(each)
        while part := line.recv(1 << 16):
            said += part
    except OSError:
        pass
    return said


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    top = tmp_path_factory.mktemp("wire")
    (top / "rules").mkdir()
    (top / "rules/duel.rules").write_text(DUEL)
    command = [sys.executable, "-m", "rulewright", "studio", str(top / "rules"), "--no-browser"]
    with (top / "told").open("w") as told:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=told, text=True)
    with process:
        assert process.stdout is not None
        found = next(each for line in process.stdout if (each := re.search(r":(\d+)/\?token=(\S+)", line)))
        made = Served(process, int(found[1]), found[2], top / "rules")
        yield made
        made.is_well()
        process.terminate()
    assert (top / "told").read_text() == ""
    assert {each.name: each.read_text() for each in made.folder.iterdir()} == {"duel.rules": DUEL}


POST = b"POST /api/file HTTP/1.1\r\nContent-Type: application/json\r\n"
QUESTIONS = {
    "a head without end": b"GET /api/files HTTP/1.1\r\nX-A: " + b"a" * 200_000 + b"\r\n",
    "heads without number": b"GET /api/files HTTP/1.1\r\n" + b"".join(b"X-%d: 1\r\n" % each for each in range(20_000)),
    "two hosts": b"GET /api/files HTTP/1.1\r\nHost: example.org\r\n",
    "a name that leads to this machine": b"GET /api/files HTTP/1.1\r\nX-Real-Host: 127.0.0.1\r\nHost: rebound.test\r\n",
    "a page without an origin": b"GET /api/files HTTP/1.1\r\nOrigin: null\r\n",
    "a proxy's question": b"GET http://example.org/api/files HTTP/1.1\r\n",
    "a tunnel": b"CONNECT example.org:443 HTTP/1.1\r\n",
    "a path that is no text": b"GET /api/file?path=\xff\xfe.rules HTTP/1.1\r\n",
    "two lengths": POST + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
    "less than nothing": POST + b"Content-Length: -5\r\n",
    "a part of no length": POST + b"Transfer-Encoding: chunked\r\n",
    "greetings of another protocol": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n",
    "nothing that is a question": b"\x00" * 1000 + b"\r\n",
}


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_question_that_is_none_is_not_answered(served: Served, name: str) -> None:
    said = served.asked(QUESTIONS[name], served.heads(), b"zz\r\n{}\r\n")
    assert re.match(rb"HTTP/1\.1 4\d\d |\Z", said), said[:200]
    assert b"duel" not in said
    served.is_well()


def test_who_stops_in_the_middle_of_a_question_is_no_fault(served: Served) -> None:
    whole = b'{"path": "duel.rules", "text": "x", "version": null}'
    for part in (b"", whole[:20]):
        with socket.create_connection(("127.0.0.1", served.port)) as line:
            line.sendall(POST + b"Content-Length: %d\r\n" % len(whole) + served.heads() + part)
    served.is_well()


def test_many_who_never_end_their_questions_keep_nobody_waiting(served: Served) -> None:
    held = [socket.create_connection(("127.0.0.1", served.port)) for _ in range(200)]
    for each in held:
        each.sendall(b"GET / HTTP/1.1\r\nHost: 127")
    served.is_well()
    for each in held:
        each.close()


def frame(sort: int, content: bytes, *, length: int | None = None, ends: bool = True, masks: bool = True) -> bytes:
    """A frame, which may say another length than it has."""
    size = len(content) if length is None else length
    mask = 0x80 if masks else 0
    head = bytes([(0x80 if ends else 0) | sort])
    if size < 126:
        head += bytes([mask | size])
    else:
        head += (
            bytes([mask | 126]) + struct.pack(">H", size)
            if size < 1 << 16
            else bytes([mask | 127]) + struct.pack(">Q", size)
        )
    return head + (bytes(4) if masks else b"") + content


FRAMES = {
    "larger than any memory": frame(1, b"x", length=1 << 62),
    "larger than a number": frame(1, b"x", length=(1 << 63) + 5),
    "larger than what is taken": frame(1, b" " * 100, length=17_000_000),
    "no text": frame(1, b"\xff\xfe\xfd"),
    "half a sign": frame(1, b"\xed\xa0\x80"),
    "unmasked": frame(1, b"{}", masks=False),
    "of no sort": frame(3, b"{}"),
    "packed": bytes([0xC1]) + frame(1, b"{}")[1:],
    "the end of nothing": frame(0, b"{}"),
    "a long ping": frame(9, b"x" * 200),
    "half an end": frame(8, b"\x01"),
    "an end without a cause": frame(8, b"\x00\x01"),
}


@pytest.mark.parametrize("path", ["/api/watch?tab=a", "/api/language"])
@pytest.mark.parametrize("name", FRAMES)
def test_a_frame_that_is_none_ends_its_line_alone(served: Served, path: str, name: str) -> None:
    with served.talking("/api/watch?tab=other") as other:
        with served.talking(path) as line:
            assert heard(line, FRAMES[name])[:1] == b"\x88"
        other.sendall(frame(9, b"here"))
        assert other.recv(100) == bytes([0x8A, 4]) + b"here"


def test_a_message_in_pieces_without_end_takes_no_more_than_one_may(served: Served) -> None:
    with served.talking("/api/language") as line:
        pieces = (frame(0 if at else 1, b"x" * 60_000, ends=False) for at in range(300))
        assert heard(line, *pieces)[:1] in {b"\x88", b""}
    served.is_well()


def test_who_reads_no_answers_to_pings_takes_no_more_memory_the_more_are_sent(served: Served) -> None:
    with served.talking("/api/watch?tab=silent", reads=4096) as line:
        line.settimeout(5)
        many, before = frame(9, b"x" * 125) * 5_000, served.memory()
        with suppress(OSError):  # nothing more is read of it
            for _ in range(60):
                line.sendall(many)
        assert served.memory() - before < 15_000_000
    served.is_well()


def test_who_reads_no_answers_of_the_language_server_is_not_read_either(served: Served) -> None:
    def said(**more: object) -> bytes:
        return frame(1, json.dumps({"jsonrpc": "2.0", **more}).encode())

    root = "file:///rules"
    text = "".join(f'\nprocedure p{number}() "P":\n  step 1 "S":\n    finish\n' for number in range(300))
    opened = {"uri": f"{root}/duel.rules", "languageId": "rulewright", "version": 1, "text": DUEL + text}
    with served.talking("/api/language", reads=4096) as line:
        line.settimeout(3)
        line.sendall(said(id=0, method="initialize", params={"capabilities": {}, "rootUri": root}))
        line.sendall(said(method="initialized", params={}))
        line.sendall(said(method="textDocument/didOpen", params={"textDocument": opened}))
        before = served.memory()
        asked = {"textDocument": {"uri": opened["uri"]}, "more": " " * 20_000}
        many = b"".join(
            said(id=number, method="textDocument/documentSymbol", params=asked) for number in range(1, 3_000)
        )
        with pytest.raises(TimeoutError):
            line.sendall(many)
        assert served.memory() - before < len(many) / 2  # some of which its first answers take
    served.is_well()


def test_tokens_that_almost_fit_let_nobody_in(served: Served) -> None:
    token = served.token
    near = (
        token[:-1],
        f"{token}=",
        token.swapcase(),
        token[::-1],
        f"{token}{token}",
        token.encode().hex(),
        f"{token[:-1]}*",
        "",
    )
    for each in near:
        first = f"GET /?token={each} HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\nConnection: close\r\n\r\n"
        assert served.asked(first.encode()).startswith(b"HTTP/1.1 403"), each
        known = b"GET /api/files HTTP/1.1\r\n" + served.heads().replace(token.encode(), each.encode())
        assert served.asked(known).startswith(b"HTTP/1.1 403"), each
