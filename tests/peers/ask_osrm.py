"""Asks osrm-bindings for routes and tiles: JSON lines in, JSON lines out.

A program of its own for whatever Python has the package: ``ask_osrm.py DATA``.
"""

import base64
import json
import os
import sys

import osrm


def plain(value):
    """The package's own objects as those of the language."""
    kind = type(value).__name__
    if kind == "Object":
        return {key: plain(value[key]) for key in value}
    if kind == "Array":
        return [plain(item) for item in value]
    return value


def answer_to(question):
    """A route, or a tile as base64."""
    if "tile" in question:
        return base64.b64encode(engine.Tile(osrm.TileParameters(question["tile"]))).decode()
    question["coordinates"] = [tuple(point) for point in question["coordinates"]]
    return plain(engine.Route(osrm.RouteParameters(**question)))


answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)  # what the engine writes is no answer
engine = osrm.OSRM(sys.argv[1])
for line in sys.stdin:
    question = json.loads(line)
    try:
        answer = answer_to(question)
    except Exception as error:
        answer = {"code": str(error)}
    answers.write(json.dumps(answer) + "\n")
    answers.flush()
