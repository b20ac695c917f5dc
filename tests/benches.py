"""What tests of benchmarks share: a quick subject, and a peer that is a few lines of Python."""

import sys
from pathlib import Path

from server.benchmark.measure import Subject
from server.benchmark.peers.peer import Peer

STUB = """
import json, os, sys, time
answers = os.fdopen(os.dup(1), "w")
for line in sys.stdin:
    request = json.loads(line)
    do = request["do"]
    if do == "commands":
        make = [sys.executable, "-c", "open('data', 'w').write('x' * 1000); open('rest', 'w')"]
        answer = {"commands": [make], "rest": ["rest"]}
    elif do == "die":
        sys.exit("it hurts")
    elif do == "sleep":
        time.sleep(600)
    elif do == "rubbish":
        answers.write("Segmentation fault\\n"); answers.flush(); continue
    elif do == "list":
        answer = [1]
    elif do == "halves":
        for part in ('{"seconds": ', "2.5}\\n"):
            answers.write(part); answers.flush(); time.sleep(0.05)
        continue
    elif do == "error":
        answer = {"error": "ValueError: no such road"}
    elif do == "durations":
        answer = {"durations": [100.0] * request.get("n", 0)}
    elif do == "echo":
        answer = request
    else:
        answer = {"seconds": request.get("wanted", 0.5)}
    answers.write(json.dumps(answer) + "\\n")
    answers.flush()
"""

ALL = frozenset({"prepare", "route", "table", "threads", "large tables", "graph"})


def stub_peer(folder: Path, name: str = "Stub", abilities: frozenset[str] = ALL) -> Peer:
    """A peer whose answers are made up."""
    script = folder / "stub.py"
    script.write_text(STUB)
    return Peer(name, "stub", "1.0", [sys.executable, str(script)], abilities, folder)


def quick_subject(extract: Path, dataset: Path, folder: Path) -> Subject:
    """The least that can be measured, of a dataset that is there."""
    subject = Subject(extract, folder, 2, workers=2, n_pairs=20, n_many=50, n_table=6, n_checked=10)
    subject.dataset = dataset  # type: ignore[misc]
    return subject
