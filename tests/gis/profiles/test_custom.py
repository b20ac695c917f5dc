"""Profiles of one's own: files that are loaded, files that are not, and the truck of the README."""

import re
import shlex
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from engines import engine_of
from world import World

from gis.errors import ProfileError
from gis.profiles.car import CAR
from gis.profiles.car import PROFILE as CAR_PROFILE
from gis.profiles.custom import find_profiles, load_profile
from gis.profiles.rules import Profile
from routing.build import build_dataset
from routing.engine import Engine

README = (Path(__file__).resolve().parents[3] / "README.md").read_text()

FINE = """
from __future__ import annotations
from dataclasses import dataclass, replace
from gis.profiles.car import CAR

@dataclass(frozen=True)
class Load:
    weight_t: float

PROFILE = replace(CAR, name="NAME").profile()
"""


def write(folder: Path, text: str, name: str = "mine.py") -> str:
    path = folder / name
    path.write_text(text)
    return str(path)


@pytest.fixture(scope="module")
def truck(tmp_path_factory: pytest.TempPathFactory) -> Profile:
    """The truck, from the block of the README."""
    blocks = re.findall(r"```python\n(# my_truck\.py\n.*?)```", README, re.DOTALL)
    assert len(blocks) == 1 and blocks[0].count("\n") <= 30
    return load_profile(Path(write(tmp_path_factory.mktemp("truck"), blocks[0], "my_truck.py")))


def test_a_file(tmp_path: Path) -> None:
    """A file gives its profile, leaves nothing beside it and nothing in the interpreter."""
    path = write(tmp_path, FINE.replace("NAME", "my-van_2"))
    modules = set(sys.modules)
    profile = load_profile(Path(path))
    assert profile.name == "my-van_2"
    assert set(sys.modules) == modules
    assert [entry.name for entry in tmp_path.iterdir()] == ["mine.py"]
    assert find_profiles(["car", path, "car", path])[0] is CAR_PROFILE
    assert [p.name for p in find_profiles(["car", path, "car", path])] == ["car", "my-van_2"]
    write(tmp_path, FINE.replace("NAME", "another"))
    assert load_profile(Path(path)).name == "another"


def test_profiles_as_they_are() -> None:
    """A profile that is at hand needs no file, but has to be as good."""
    van = replace(CAR, name="van").profile()
    assert find_profiles([van, "car", CAR_PROFILE, van]) == [van, CAR_PROFILE]
    with pytest.raises(ProfileError, match="profile 'car' is called 'car', as a vehicle of"):
        find_profiles([replace(CAR_PROFILE, description="other")])


CHANGED = FINE.replace('"NAME").profile()', '"x").profile()\nPROFILE = replace(PROFILE, WHAT)')
"""A profile of which one field is something else."""

BAD = {
    "x = 1": "mine.py defines no PROFILE",
    "PROFILE = 'car'": "PROFILE of .*mine.py is a str, not a Profile",
    "from gis.profiles.car import CAR as PROFILE": "is a MotorVehicle, not a Profile",
    "x = 1\ny = = 2": "mine.py, line 2: invalid syntax",
    "def f():\nreturn 1": "mine.py, line 2: expected an indented block",
    "x = 1\n\nimport nothing_of_that_name": "line 3: ModuleNotFoundError: No module named 'nothing",
    "def f():\n    return 1 / 0\n\nf()": "mine.py, line 2: ZeroDivisionError: division by zero",
    "raise SystemExit(3)": "mine.py, line 1: SystemExit: 3",
    "raise ValueError('a\\nb')": "line 1: ValueError: a b",
    "x = '\0'": "null bytes",
    FINE.replace("NAME", "car"): "PROFILE of .* is called 'car', as a vehicle of Whimbrel's own is",
    FINE.replace("NAME", ""): "the name '' is not of the form",
    FINE.replace("NAME", "My Truck"): "the name 'My Truck' is not of the form",
    FINE.replace("NAME", "a/b"): "the name 'a/b' is not",
    FINE.replace("NAME", "a\\n"): r"the name 'a\\n' is not",
    FINE.replace("NAME", "2cv"): "the name '2cv' is not",
    **{
        CHANGED.replace("WHAT", change): expected
        for change, expected in {
            "way=None": "way is no function",
            "way_keys='h'": "way_keys is no tuple of strings",
            "way_keys=()": "way_keys is empty",
            "classes=()": r"excludable names \['\w+'\], no classes",
            "classes=tuple('abcdefghi'), excludable=()": "more than 8 classes",
            "classes=('a,b',), excludable=()": "not all classes are of the form",
            "classes=('',), excludable=()": "not all classes are of the form",
            "excludable=('toll',)": "excludable is no tuple of sets",
            "excludable=None": "excludable is no tuple of sets",
            "road_tags=(('highway', 'residential'),)": "road_tags are no pairs of a key and",
            "road_tags=None": "road_tags are no pairs of a key and",
            "dimensions={'height': 3}": "dimensions is no tuple of pairs of a name and a number",
            "dimensions=(('height', '3'),)": "dimensions is no tuple of pairs of a name and",
            "mode='driving'": "mode is 'driving', no way to travel",
            "mode=type(PROFILE.mode)(0)": "mode is <Mode.INACCESSIBLE: 0>, no way to travel",
            "weight_name=None": "weight_name is no string",
        }.items()
    },
}


@pytest.mark.parametrize("text", BAD, ids=[expected[:40] for expected in BAD.values()])
def test_bad_files(text: str, tmp_path: Path) -> None:
    """What is wrong is said in one line that names the file, and the line where there is one."""
    path = write(tmp_path, text)
    modules = set(sys.modules)
    with pytest.raises(ProfileError, match=BAD[text]) as caught:
        find_profiles([path])
    assert "\n" not in str(caught.value)
    assert path in str(caught.value)
    assert set(sys.modules) == modules


def test_no_file(tmp_path: Path) -> None:
    """A file that is not there, or is none."""
    with pytest.raises(ProfileError, match=r"truck\.py cannot be read: No such file or directory"):
        find_profiles([str(tmp_path / "truck.py")])
    (tmp_path / "folder.py").mkdir()
    with pytest.raises(ProfileError, match=r"folder\.py cannot be read: Is a directory"):
        find_profiles([str(tmp_path / "folder.py")])
    with pytest.raises(ProfileError, match="no profile 'tank'; there is: "):
        find_profiles(["tank"])


def test_two_of_a_name(tmp_path: Path) -> None:
    """Two files may not call their profile the same."""
    paths = [write(tmp_path, FINE.replace("NAME", "van"), name) for name in ("a.py", "b.py")]
    with pytest.raises(ProfileError, match="two profiles are called 'van'"):
        find_profiles(paths)


STOPS_TRUCKS = (
    *("maxheight=3.5", "maxheight=11'6''", "maxheight:physical=3.7", "maxheight:forward=3"),
    *("maxweight=7.5", "maxweight=7500kg", "maxweight:hgv=3.5", "maxweightrating=7.5"),
    *(
        "maxaxleload=6",
        "maxlength=8",
        "maxwidth=2.3",
        "width=2.4 oneway=yes",
        "maxwidth:physical=2.2",
    ),
    *("hgv=no", "hgv=forestry", "access=yes hgv=no", "motor_vehicle=yes hgv=no"),
    *("motor_vehicle=no motorcar=yes", "oneway:hgv=-1", "hgv:forward=no"),
    *("hgv=destination", "hgv=delivery", "access=yes hgv=private"),
    *("hgv:conditional=no@(weight>7.5)", "hgv:conditional=no@(height>3.5)"),
)
LETS_TRUCKS_PASS = (
    *("maxheight=3.8", "maxheight=4", "maxheight=12'6''", "maxheight=none", "maxheight=default"),
    *("maxweight=12", "maxweight=40", "maxweight=7.5 maxweight:hgv=18", "maxlength=12"),
    *("width=5", "hgv=yes", "hgv=designated", "maxheight:backward=2", "hgv:backward=no"),
    *("hgv:conditional=no@(weight>18)", "hgv:conditional=no@(22:00-06:00)"),
)


@pytest.mark.parametrize("tags", STOPS_TRUCKS)
def test_a_truck_goes_round(tags: str, truck: Profile) -> None:
    """Where a bridge is low or weak, or a sign speaks of trucks, cars alone pass."""
    assert ways_taken(tags, truck) == ("straight", "round")


@pytest.mark.parametrize("tags", LETS_TRUCKS_PASS)
def test_a_truck_passes(tags: str, truck: Profile) -> None:
    """What it keeps to does not stop it."""
    assert ways_taken(tags, truck) == ("straight", "straight")


@pytest.mark.parametrize("tags", ["motorcar=no", "motor_vehicle=no hgv=yes", "access=no hgv=yes"])
def test_a_truck_passes_where_cars_do_not(tags: str, truck: Profile) -> None:
    """The keys of cars say nothing of trucks."""
    assert ways_taken(tags, truck) == ("round", "straight")


@pytest.mark.parametrize(
    "tags",
    ["barrier=height_restrictor maxheight=2.5", "hgv=no", "barrier=gate access=yes hgv=private"],
)
def test_a_truck_at_a_barrier(tags: str, truck: Profile) -> None:
    """A node stops it as a way does."""
    assert ways_taken("", truck, tags) == ("straight", "round")


def test_a_truck_is_slower(truck: Profile) -> None:
    """Not faster than it may ever be, and less gladly through living streets than a car."""
    engine = engine_of(World("a - b", "ab highway=motorway maxspeed=130"), CAR_PROFILE, truck)
    ends = [(24.9, 60.2), (24.9018, 60.2)]
    car, lorry = (engine.route(ends, profile=p).duration_s for p in ("car", "my_truck"))
    assert lorry / car == pytest.approx(0.8 * 130 / 80, rel=0.01)
    rules = [p.way({"highway": "living_street"}, lambda *_: None) for p in (CAR_PROFILE, truck)]
    assert [rule and rule.forward_preference for rule in rules] == [1.0, 0.4]


def ways_taken(tags: str, truck: Profile, node_tags: str = "") -> tuple[str, str]:
    """Which way a car and a truck go from a to c."""
    world = World(
        """
        a - b - c
        |       |
        d - - - e
        """,
        f"""
        abc   highway=primary name=straight {" ".join(map(shlex.quote, tags.split()))}
        adec  highway=primary name=round
        """,
        nodes=f"b {node_tags}" if node_tags else "",
    )
    engine = engine_of(world, CAR_PROFILE, truck)
    ends = [world.position("d"), world.position("e")]
    ends = [(lon, lat + 0.0016) for lon, lat in ends]  # close to a and c, on the way round
    taken = [engine.route(ends, profile=name).legs[0].names for name in ("car", "my_truck")]
    car, lorry = ("straight" if "straight" in names else "round" for names in taken)
    return car, lorry


@pytest.mark.compiled
def test_a_dataset_for_both(tmp_path: Path, truck: Profile) -> None:
    """Built from a file of the map and a file of the profile, in one dataset."""
    world = World(
        "a - b - c",
        "ab highway=primary maxheight=3\nbc highway=primary",
    )
    extract = world.write_osm(tmp_path / "town.osm")
    source = write(tmp_path, FINE.replace("NAME", "van"))
    report = build_dataset(extract, tmp_path / "town", ["car", source, truck])
    assert set(report.warnings) <= {"car", "van", "my_truck"}
    engine = Engine.open(tmp_path / "town")
    assert engine.profiles == ("car", "van", "my_truck")
    ends = [world.position("a"), world.position("c")]
    assert engine.route(ends, profile="van").distance_m == pytest.approx(800, rel=0.01)
    lengths = [engine.route(ends, profile=name).distance_m for name in engine.profiles]
    assert lengths[0] == lengths[1] > lengths[2]
