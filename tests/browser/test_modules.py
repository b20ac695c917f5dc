"""The page's modules one by one, in the browser that runs them."""

import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest

pytestmark = pytest.mark.compiled

Call = Callable[..., Any]

BORDER = 3


@pytest.fixture
def call(visit: Callable[..., Any]) -> Iterator[Call]:
    """The result of a function of a module."""
    window = visit()
    window.page.goto(f"{window.address}/docs")  # any page of the same host

    def run(module: str, function: str, *arguments: Any) -> Any:
        return window.page.evaluate(
            f"(given) => import('/static/js/{module}.js').then((m) => m.{function}(...given))",
            list(arguments),
        )

    yield run


def step(kind: str, modifier: str | None = None, **more: Any) -> dict[str, Any]:
    maneuver = {"type": kind, "bearing_after": more.pop("bearing_after", 0)}
    maneuver |= {"exit": more.pop("exit")} if "exit" in more else {}
    maneuver |= {"modifier": modifier} if modifier else {}
    return (
        {"name": "", "mode": "driving", "distance": 1, "duration": 1}
        | more
        | {"maneuver": maneuver}
    )


SENTENCES = [
    (step("depart", "left", name="High Street", bearing_after=44), "Head northeast on High Street"),
    (step("depart", bearing_after=359), "Head north"),
    (step("turn", "left", name="Rua A"), "Turn left onto Rua A"),
    (step("turn", "slight right"), "Bear right"),
    (step("turn", "sharp left"), "Turn sharply left"),
    (step("turn", "straight", ref="N 1"), "Go straight on onto N 1"),
    (step("turn", "uturn", name="Rua A"), "Make a U-turn onto Rua A"),
    (step("new name", "straight", name="B", ref="N 1"), "Continue on B (N 1)"),
    (step("continue", "left", name="B"), "Turn left to stay on B"),
    (step("continue", "uturn", name="B"), "Make a U-turn to stay on B"),
    (step("continue", "straight", name="B"), "Continue straight on B"),
    (step("merge", "slight left", name="A 1"), "Merge left onto A 1"),
    (
        step("on ramp", "right", destinations="A 1: Lisboa"),
        "Take the ramp on the right towards Lisboa",
    ),
    (step("off ramp", "slight right", exits="7", name="B"), "Take exit 7 on the right onto B"),
    (step("fork", "slight left", destinations="Braga"), "Keep left at the fork towards Braga"),
    (step("end of road", "right", name="B"), "At the end of the road, turn right onto B"),
    (
        step("roundabout", "right", exit=3, name="B"),
        "At the roundabout, take the third exit onto B",
    ),
    (step("rotary", exit=11, rotary_name="Ring"), "At Ring, take the 11th exit"),
    (step("roundabout", "right"), "Enter the roundabout"),
    (step("exit roundabout", "right", name="B"), "Leave the roundabout onto B"),
    (step("roundabout turn", "left", name="B"), "At the roundabout, turn left onto B"),
    (step("turn", "left", mode="ferry", name="Blue Line"), "Take the ferry: Blue Line"),
    (step("arrive", "left"), "Arrive at your destination, on the left"),
    (step("arrive"), "Arrive at your destination"),
    (step("a word of tomorrow", "left", name="B"), "Turn left onto B"),
]


def test_sentences(call: Call) -> None:
    """Every kind of step is a sentence that a driver understands."""
    for given, expected in SENTENCES:
        assert call("directions", "sentence", given) == expected
    assert call("directions", "sentence", step("arrive"), "the stop") == "Arrive at the stop"


def test_points(call: Call) -> None:
    """Coordinates as people write them; what is none is no point."""
    good = {
        "41.15, -8.61": [-8.61, 41.15],
        "41.15 -8.61": [-8.61, 41.15],
        " 41.15/-8.61 ": [-8.61, 41.15],
        "41.15 N, 8.61 W": [-8.61, 41.15],
        "41.15°N 8.61°W": [-8.61, 41.15],
        "8.61W 41.15N": [-8.61, 41.15],
        "33.9 s; 18.4 e": [18.4, -33.9],
        "0,0": [0, 0],
    }
    for text, point in good.items():
        assert call("geo", "parsePoint", text) == point, text
    for text in ("", "41.15", "91, 0", "0, 181", "Rua 5, 7", "1,2,3", "41.15, -8.61 x", "NaN,0"):
        assert call("geo", "parsePoint", text) is None, text


def test_distance_to_a_line(call: Call) -> None:
    """Metres to the nearest place of a line, at its ends, too."""
    line = [[0, 60], [0.01, 60], [0.01, 60.01]]
    for point, metres in (([0.005, 60.001], 111.2), ([-0.001, 60], 55.6), ([0.01, 60.005], 0)):
        assert call("geo", "distanceToLine", point, line) == pytest.approx(metres, abs=0.2)


def test_numbers(call: Call) -> None:
    """Distances and durations are as exact as they are useful."""
    for metres, text in (
        (3.4, "3 m"),
        (347, "350 m"),
        (999, "1.0 km"),
        (1240, "1.2 km"),
        (56_700, "57 km"),
    ):
        assert call("units", "distanceText", metres) == text
    for seconds, text in (
        (12, "12 s"),
        (59.7, "1 min"),
        (600, "10 min"),
        (3599, "1 h 00 min"),
        (7260, "2 h 01 min"),
    ):
        assert call("units", "durationText", seconds) == text


def test_state_and_address(call: Call) -> None:
    """An address that is written is read as what it was."""
    state = call("state", "emptyState") | {
        "panel": "reach",
        "profile": "car",
        "points": [[-8.61, 41.15], None, [-8.6, 41.16]],
        "chosen": 2,
        "centre": [24.9, 60.1],
        "minutes": [3, 7],
        "direction": "to",
        "view": "13.2/41.15/-8.61",
    }
    written = call("state", "writeHash", state)
    assert call("state", "readHash", written) == state
    empty = call("state", "emptyState")
    assert call("state", "writeHash", empty) == "#"
    assert call("state", "readHash", "#") == empty
    assert call("state", "readMinutes", "15, 5;10 5") == [5, 10, 15]
    assert call("state", "readMinutes", "0, -3, 1.5, 121, x") == []


def fields(message: bytes) -> Iterator[tuple[int, Any]]:
    """Numbers and contents of a protocol buffer."""
    place = 0

    def number() -> int:
        nonlocal place
        value = shift = 0
        while True:
            byte = message[place]
            place += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while place < len(message):
        key = number()
        if key & 7 == 0:
            yield key >> 3, number()
            continue
        assert key & 7 == 2
        size = number()
        yield key >> 3, message[place : place + size]
        place += size


def test_letters(visit: Callable[..., Any]) -> None:
    """They come as MapLibre wants them: fields of distances, high inside and low outside."""
    window = visit()
    window.page.goto(f"{window.address}/docs")
    found = window.page.evaluate(
        "import('/static/js/glyphs.js').then((m) => m.loadGlyphs({url: 'letters://Sans/0-255'}))"
        ".then(({data}) => [...new Uint8Array(data)])"
    )
    ((kind, stack),) = fields(bytes(found))
    assert kind == 1
    parts = list(fields(stack))
    assert parts[:2] == [(1, b"Sans"), (2, b"0-255")]
    letters = {}
    for kind, content in parts[2:]:
        assert kind == 3
        letter = dict(fields(content))
        letters[chr(letter[1])] = letter
    assert set("Aaz09-ãéßÖ ") <= set(letters)
    assert not {"\n", "\x00"} & set(letters)
    for text, letter in letters.items():
        assert letter[7] > 0 or not text.strip("\xad")
        if letter[3] and letter[4]:
            width, height = letter[3] + 2 * BORDER, letter[4] + 2 * BORDER
            assert len(letter[2]) == width * height
            assert max(letter[2][0], letter[2][width - 1], letter[2][-1]) < 192
    bar = letters["l"]
    width, height = bar[3] + 2 * BORDER, bar[4] + 2 * BORDER
    middle = bar[2][height // 2 * width : (height // 2 + 1) * width]
    assert max(middle) > 192
    assert middle[0] < 160
    assert letters[" "][7] > 0 and 2 not in letters[" "]


def test_distances_are_exact(visit: Callable[..., Any]) -> None:
    """The transform finds what trying every pair of places finds."""
    window = visit()
    window.page.goto(f"{window.address}/docs")
    draw = random.Random(7)
    for _ in range(20):
        w, h = draw.randint(1, 9), draw.randint(1, 9)
        zeros = {(draw.randrange(w), draw.randrange(h)) for _ in range(draw.randint(1, 4))}
        grid = [0.0 if (i % w, i // w) in zeros else 1e20 for i in range(w * h)]
        found = window.page.evaluate(
            "([grid, w, h]) => import('/static/js/glyphs.js').then((m) => {"
            " const array = Float64Array.from(grid);"
            " m.transform(array, w, h); return [...array]; })",
            [grid, w, h],
        )
        assert found == [
            min((i % w - x) ** 2 + (i // w - y) ** 2 for x, y in zeros) for i in range(w * h)
        ]


def test_errands_in_the_address(call: Call) -> None:
    """They come back as they were; what makes no sense is left out."""
    rng = random.Random(5)
    for _ in range(20):
        errands = [
            [[round(rng.uniform(-180, 180), 6), round(rng.uniform(-90, 90), 6)] for _ in range(n)]
            for n in rng.choices((1, 2), k=rng.randint(0, 5))
        ]
        state = call("state", "emptyState") | {"errands": errands, "depots": [[1.5, 2]]}
        state |= {"couriers": rng.randint(1, 20), "capacity": rng.randint(0, 9)}
        found = call("state", "readHash", call("state", "writeHash", state))
        assert found == state
    odd = "#errands=1,2~3,4~5,6;1,2~;x;7,8;200,0&depots=1,2;&couriers=99&capacity=-1&seconds=1"
    found = call("state", "readHash", odd)
    assert (found["errands"], found["depots"]) == ([[[7, 8]]], [[1, 2]])
    assert (found["couriers"], found["capacity"], found["seconds"]) == (1, 0, 5)


def test_what_couriers_are_asked(call: Call) -> None:
    """All depots are begin and end of each; without a capacity there are no amounts."""
    state = {"errands": [[[1, 2], [3, 4]], [[5, 6]]], "depots": [[7, 8]], "couriers": 2}
    problem = call("errands", "problemOf", state | {"capacity": 3, "seconds": 4})
    depots = {"starts": [[7, 8]], "ends": [[7, 8]], "capacity": [3]}
    assert problem["vehicles"] == [{"id": 0} | depots, {"id": 1} | depots]
    (parcel,), (visit,) = problem["shipments"], problem["jobs"]
    assert parcel["pickup"]["location"] == [1, 2] and parcel["delivery"]["location"] == [3, 4]
    assert parcel["amount"] == visit["delivery"] == [1] and visit["location"] == [5, 6]
    free = call("errands", "problemOf", state | {"depots": [], "capacity": 0, "seconds": 4})
    assert free["vehicles"] == [{"id": 0}, {"id": 1}]
    assert free["shipments"][0]["amount"] == []


def test_events_that_are_read(call: Call) -> None:
    """Comments are no events; data may be on several lines."""
    assert call("events", "readEvent", ": still here") is None
    assert call("events", "readEvent", "event: plan\ndata: [1,\ndata: 2]") == {
        "name": "plan",
        "data": [1, 2],
    }
