"""Chromium without a window, spoken to over two pipes: pages as pictures and as paper."""

import base64
import json
import os
import subprocess
from collections.abc import Mapping
from itertools import count
from pathlib import Path
from time import sleep
from typing import Any, Self

_OPTIONS = ("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--remote-debugging-pipe")
_ON_PIPES = 'exec "$0" "${@:3}" 3<&"$1" 4>&"$2"'
_BLANK = 10_000
"""How many bytes the picture of a viewer has in which no page stands yet."""
_PATIENCE = 120
_SHRUNK = """new Promise(done => {
  const image = new Image();
  image.onload = () => {
    const canvas = Object.assign(document.createElement("canvas"), {width: %d, height: %d});
    const pen = canvas.getContext("2d");
    pen.imageSmoothingQuality = "high";
    pen.drawImage(image, 0, 0, canvas.width, canvas.height);
    const {data} = pen.getImageData(0, 0, canvas.width, canvas.height);
    done(Array.from({length: data.length / 4}, (_, at) => (data[4*at] + data[4*at + 1] + data[4*at + 2]) / 3 | 0));
  };
  image.src = "data:image/png;base64,%s";
})"""


class Browser:
    """One page of a Chromium of its own, which ends with it."""

    def __init__(self, program: str) -> None:
        orders, self._write = os.pipe()
        self._read, answers = os.pipe()
        pipes = str(orders), str(answers)
        self._process = subprocess.Popen(
            ["bash", "-c", _ON_PIPES, program, *pipes, *_OPTIONS],  # noqa: S607 - any bash
            pass_fds=(orders, answers),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(orders)
        os.close(answers)
        self._numbers = count(1)
        self._waiting = b""
        self._loaded = False
        self._session = ""
        target = self._call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self._call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self._call("Page.enable")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._session = ""
        self._call("Browser.close")
        self._process.wait()

    def size(self, width: int, height: int) -> None:
        """The size of the window in pixels."""
        self._call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def open(self, place: str) -> None:
        """Goes to a page, and waits until it is there."""
        self._loaded = False
        self._call("Page.navigate", url=place)
        while not self._loaded:
            self._receive()

    def asked(self, expression: str) -> Any:
        """What an expression of JavaScript comes to in the page."""
        made = self._call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        return made["result"]["value"]

    def picture(self) -> bytes:
        """What the window shows, as PNG."""
        return base64.b64decode(self._call("Page.captureScreenshot")["data"])

    def paper(self, width: float, height: float) -> bytes:
        """The page on paper of this size in inches, as PDF."""
        printed = self._call("Page.printToPDF", paperWidth=width, paperHeight=height, preferCSSPageSize=False)
        return base64.b64decode(printed["data"])

    def sheet_of_paper(self, file: Path, page: int) -> bytes:
        """A page of a PDF as a picture: what its viewer shows once it has stopped changing."""
        self.open("about:blank")
        self.open(f"{file.as_uri()}#toolbar=0&navpanes=0&view=Fit&page={page}")
        shown = b""
        for _ in range(_PATIENCE):
            sleep(0.5)
            before, shown = shown, self.picture()
            if shown == before and len(shown) > _BLANK:
                return shown
        message = f"{file} is not shown"
        raise RuntimeError(message)

    def shrunk(self, picture: bytes, width: int, height: int) -> tuple[int, ...]:
        """A picture as this many greys from 0 to 255, line by line."""
        self.open("about:blank")
        return tuple(self.asked(_SHRUNK % (width, height, base64.b64encode(picture).decode())))

    def _call(self, method: str, **parameters: Any) -> Mapping[str, Any]:
        number = next(self._numbers)
        order = {"id": number, "method": method, "params": parameters}
        os.write(
            self._write, json.dumps(order | ({"sessionId": self._session} if self._session else {})).encode() + b"\0"
        )
        while (answer := self._receive()).get("id") != number:
            pass
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return answer["result"]

    def _receive(self) -> Mapping[str, Any]:
        while b"\0" not in self._waiting:
            more = os.read(self._read, 1 << 20)
            if not more:
                message = "Chromium has ended"
                raise RuntimeError(message)
            self._waiting += more
        message, _, self._waiting = self._waiting.partition(b"\0")
        found: Mapping[str, Any] = json.loads(message)
        self._loaded = self._loaded or found.get("method") == "Page.loadEventFired"
        return found
