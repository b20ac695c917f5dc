"""What turns cost: a sigmoid of the angle, with a bias for the side that one drives on."""

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class TurnCosts:
    """Seconds that turns cost, where there is a choice of ways.

    ``most_s`` is what the sharpest turn costs, ``bias`` how much dearer it is to the far side,
    ``oncoming_s`` the wait for a gap in the oncoming traffic, ``u_turn_s`` turning back.
    """

    most_s: float
    bias: float
    oncoming_s: float
    u_turn_s: float

    def __call__(self, angle_deg: int, u_turn: bool, junction: bool, left_hand: bool) -> float:
        """Seconds for a turn, as ``Profile.turn`` describes it."""
        if not (junction or u_turn):
            return 0.0
        crosses = angle_deg > 0 if left_hand else angle_deg < 0
        sharpness = 13.0 * abs(angle_deg) / 180.0
        far = (angle_deg >= 0) == left_hand
        bias = 1.0 / self.bias if far else self.bias
        cost_s = self.most_s * _sigmoid(sharpness / bias - 6.5 * bias)
        if u_turn:
            return cost_s + self.u_turn_s
        if crosses:
            cost_s += self.oncoming_s * _sigmoid(sharpness - 3.25)
        return cost_s


def _sigmoid(x: float) -> float:
    return 1.0 / (1.0 + math.exp(-x))
