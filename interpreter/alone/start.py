"""How the folder that runs by itself begins: its program is `rulewright`, and the Python of its processes too."""

import multiprocessing
import sys
from runpy import run_module

if __name__ == "__main__":
    multiprocessing.freeze_support()
    if sys.argv[1:2] == ["-m"]:
        del sys.argv[1]
        run_module(sys.argv.pop(1), run_name="__main__", alter_sys=False)
    else:
        from rulewright.__main__ import main

        main()
