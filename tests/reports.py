"""Made-up results of benchmarks."""

from server.benchmark.growth import Grid, Growth
from server.benchmark.results import Figure, Report, figure


def report_of(*figures: Figure) -> Report:
    """A report with these figures."""
    return Report(
        "whimbrel bench query city.osm.pbf",
        "2026-01-02 03:04 UTC",
        "a machine",
        {"whimbrel": "1.2", "other": "3"},
        "city.osm.pbf",
        {"nodes": 1234, "arcs": 5678, "extract_bytes": 2_345_678},
        list(figures),
        ["5 pairs agree"],
        ["valhalla is not installed"],
    )


GROWTH = Growth(
    [Grid("1x1", 1, 10, 100, 10**6), Grid("2x2", 4, 40, 400, 4 * 10**6)],
    [
        figure("growth", "build", "1x1", "s", [1.0]),
        figure("growth", "build", "2x2", "s", [4.0, 5.0, 3.5]),
        figure("growth", "disk", "1x1", "MB", [2.0]),
        figure("growth", "disk", "2x2", "MB", [4.0]),
    ],
    {"build": 1.0, "disk": 0.5},
)
