"""Worker pools where processes do not begin as copies of their parent, as on other systems than Linux."""

import subprocess
import sys
from pathlib import Path

_PROGRAM = """\
from multiprocessing import set_start_method
from operator import add

from rulewright.base.workers import ProcessPool

if __name__ == "__main__":
    set_start_method("spawn")
    pool = ProcessPool(1, 40)
    print(*pool.map(add, [1, 2]))
    pool.close()
"""


def test_processes_that_begin_anew_have_the_context(tmp_path: Path) -> None:
    program = tmp_path / "sums.py"
    program.write_text(_PROGRAM, encoding="utf-8")
    done = subprocess.run([sys.executable, str(program)], capture_output=True, text=True, check=False)
    assert (done.stdout, done.returncode) == ("41 42\n", 0), done.stderr
