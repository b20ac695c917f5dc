"""Runs a command and tells what it took: a small program, for the sake of the kernel's counts.

The most memory that a process ever had is counted from before it becomes another program: it
begins with that of whoever starts it, here a few megabytes. ``launcher.py FILE COMMAND...`` writes
a line of JSON to the open file number FILE.
"""

import json
import os
import signal
import sys
import time


def main() -> None:
    """Run the command to its end, by its own clock."""
    report, command = int(sys.argv[1]), sys.argv[2:]
    os.set_inheritable(report, False)
    start = time.perf_counter()
    try:
        pid = os.posix_spawnp(
            command[0], command, os.environ, setsigdef=(signal.SIGPIPE, signal.SIGXFSZ)
        )
    except OSError as error:
        os.write(report, json.dumps({"error": error.strerror}).encode())
        return
    _, status, used = os.wait4(pid, 0)
    found = {
        "wall_s": time.perf_counter() - start,
        "peak_kb": used.ru_maxrss,
        "code": os.waitstatus_to_exitcode(status),
    }
    os.write(report, json.dumps(found).encode())


if __name__ == "__main__":
    main()
