"""The car: which roads it may use, how fast, and what barriers and turns cost it.

Speeds are those of free-flowing traffic; the tables follow what OSRM's car profile is known for.
"""

from gis.profiles.access import AccessRules
from gis.profiles.carriers import CARRIER_KMH
from gis.profiles.dimensions import Dimensions
from gis.profiles.motor import MotorVehicle
from gis.profiles.motor_nodes import NodeDelays
from gis.profiles.turn_costs import TurnCosts

MAX_SPEED_KMH = 180.0

CLASS_KMH = {
    "motorway": 90.0,
    "motorway_link": 45.0,
    "trunk": 85.0,
    "trunk_link": 40.0,
    "primary": 65.0,
    "primary_link": 30.0,
    "secondary": 55.0,
    "secondary_link": 25.0,
    "tertiary": 40.0,
    "tertiary_link": 20.0,
    "unclassified": 25.0,
    "residential": 25.0,
    "living_street": 10.0,
    "service": 15.0,
    "winter_road": 20.0,
    "ice_road": 15.0,
}

CONDITION_KMH = {
    "surface": {
        **dict.fromkeys(("cement", "compacted", "fine_gravel"), 80.0),
        **dict.fromkeys(("paving_stones", "metal", "bricks"), 60.0),
        **dict.fromkeys(("grass", "wood", "sett", "grass_paver", "gravel", "unpaved"), 40.0),
        **dict.fromkeys(("ground", "dirt", "pebblestone", "tartan"), 40.0),
        **dict.fromkeys(("cobblestone", "unhewn_cobblestone", "clay", "snow"), 30.0),
        **dict.fromkeys(("earth", "stone", "rocky", "sand", "ice"), 20.0),
        "laterite": 15.0,
        "mud": 10.0,
    },
    "tracktype": {"grade1": 60.0, "grade2": 40.0, "grade3": 30.0, "grade4": 25.0, "grade5": 20.0},
    "smoothness": {
        "intermediate": 80.0,
        "bad": 40.0,
        "very_bad": 20.0,
        "horrible": 10.0,
        "very_horrible": 5.0,
        "impassable": 0.0,
    },
}

ACCESS = AccessRules(
    keys=("motorcar", "motor_vehicle", "vehicle", "access"),
    open=frozenset(
        (
            *("yes", "permissive", "designated", "public", "discouraged", "hov"),
            *("motorcar", "motor_vehicle", "vehicle"),
        )
    ),
    restricted=frozenset(
        (
            *("destination", "delivery", "customers", "customer", "local", "unknown"),
            *("private", "permit", "residents", "resident", "tenants", "visitors"),
            *("employees", "staff", "members", "key"),
        )
    ),
    closed=frozenset(
        (
            *("no", "restricted", "agricultural", "forestry"),
            *("emergency", "emergency_vehicle", "military", "official"),
            *("psv", "bus", "minibus", "taxi", "share_taxi", "foot"),
        )
    ),
)

DELAYS = NodeDelays(
    sign_s={"traffic_signals": 2.0, "stop": 2.0, "give_way": 1.0, "mini_roundabout": 1.0},
    barrier_s={
        **dict.fromkeys(("no", "entrance", "cattle_grid", "sally_port"), 0.0),
        **dict.fromkeys(("height_restrictor", "arch"), 0.0),
        "toll_booth": 15.0,
        "border_control": 60.0,
        "gate": 60.0,
        "lift_gate": 60.0,
    },
    gates=frozenset(("gate", "lift_gate")),
)

CAR = MotorVehicle(
    name="car",
    description="A passenger car.",
    access=ACCESS,
    dimensions=Dimensions(height_m=2.0, width_m=1.9, length_m=4.8, weight_t=2.0),
    class_kmh=CLASS_KMH,
    condition_kmh=CONDITION_KMH,
    carrier_kmh=CARRIER_KMH,
    turns=TurnCosts(most_s=7.5, bias=1.075, oncoming_s=2.0, u_turn_s=20.0),
    delays=DELAYS,
    max_speed_kmh=MAX_SPEED_KMH,
)
"""Make other vehicles of it with ``dataclasses.replace``."""

PROFILE = CAR.profile()
