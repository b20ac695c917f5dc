"""Why an order is in no route."""

import numpy as np

from routing.courier.instance import NO_WAY, Instance
from routing.courier.plan import (
    JOB,
    NO_ROOM,
    NO_SKILLS,
    NO_TIME,
    SHIPMENT,
    TOO_FAR,
    TOO_LARGE,
    UNREACHABLE,
    Unserved,
)
from routing.courier.problem import CourierProblem
from routing.courier.trace import ARRIVAL, BEGIN, LEG, trace


def why_unserved(problem: CourierProblem, instance: Instance, order: int) -> Unserved:
    """The reason that would hold even if there were no other order, or that there is no room."""
    n_shipments = len(problem.shipments)
    _, different = np.unique(instance.fleet.alike, return_index=True)
    able = (v for v in different.tolist() if instance.may[order, v] != 0)
    reasons = {_why_never(instance, order, v) for v in able}
    reason = NO_SKILLS if not reasons else max(reasons, key=_HOW_FAR.index)
    if order < n_shipments:
        return Unserved(SHIPMENT, order, reason)
    return Unserved(JOB, order - n_shipments, reason)


_HOW_FAR = (UNREACHABLE, TOO_LARGE, TOO_FAR, NO_TIME, NO_ROOM)
"""Of several couriers, that counts which comes nearest to being able to do it."""


def _why_never(instance: Instance, order: int, v: int) -> str:
    """Why a courier who does nothing else cannot serve an order; ``NO_ROOM`` if he can."""
    fleet = instance.fleet
    pickup, delivery = int(instance.pickup[order]), int(instance.delivery[order])
    stops = [delivery] if pickup < 0 else [pickup, delivery]
    table = trace(instance, v, stops).table
    legs = table[:, LEG]
    if legs.max() >= NO_WAY:
        return UNREACHABLE
    if (instance.load[:, order] > fleet.capacity[v]).any():
        return TOO_LARGE
    if legs.sum() > fleet.most_travel[v]:
        return TOO_FAR
    if table[-1, BEGIN] < 0 or table[-1, ARRIVAL] > fleet.closes[v]:
        return NO_TIME
    return NO_ROOM
