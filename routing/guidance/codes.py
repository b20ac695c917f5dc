"""Types and modifiers of maneuvers as numbers: what the passes of guidance compute with."""

from gis.jit import inner_kernel
from routing.guidance import drafts

TYPES = (
    *(drafts.TURN, drafts.CONTINUE, drafts.NEW_NAME, drafts.END_OF_ROAD, drafts.FORK),
    *(drafts.MERGE, drafts.ON_RAMP, drafts.OFF_RAMP, drafts.ROUNDABOUT, drafts.ROTARY),
    *(drafts.ROUNDABOUT_TURN, drafts.EXIT_ROUNDABOUT, drafts.EXIT_ROTARY, drafts.DEPART),
    *(drafts.ARRIVE, drafts.NOTIFICATION, drafts.SUPPRESSED, drafts.SLIPROAD),
)
TURN, CONTINUE, NEW_NAME, END_OF_ROAD, FORK, MERGE, ON_RAMP, OFF_RAMP = range(8)
ROUNDABOUT, ROTARY, ROUNDABOUT_TURN, EXIT_ROUNDABOUT, EXIT_ROTARY = range(8, 13)
DEPART, ARRIVE, NOTIFICATION, SUPPRESSED, SLIPROAD = range(13, 18)
"""Their places in ``TYPES``."""

TURNS = 1 << TURN | 1 << CONTINUE
ENTRIES = 1 << ROUNDABOUT | 1 << ROTARY | 1 << ROUNDABOUT_TURN
CIRCLES = ENTRIES | 1 << EXIT_ROUNDABOUT | 1 << EXIT_ROTARY
ENDS = 1 << DEPART | 1 << ARRIVE
PLAIN = TURNS | 1 << NEW_NAME | 1 << SUPPRESSED
"""Sets of types, a bit for each."""

MODIFIERS = (
    *(drafts.UTURN, drafts.SHARP_RIGHT, drafts.RIGHT, drafts.SLIGHT_RIGHT, drafts.STRAIGHT),
    *(drafts.SLIGHT_LEFT, drafts.LEFT, drafts.SHARP_LEFT),
)
UTURN, SHARP_RIGHT, RIGHT, SLIGHT_RIGHT, STRAIGHT, SLIGHT_LEFT, LEFT, SHARP_LEFT = range(8)
"""Their places in ``MODIFIERS``: to the right are those below STRAIGHT, to the left those above."""
NO_MODIFIER = -1

TYPE_CODES = {word: code for code, word in enumerate(TYPES)}
MODIFIER_CODES = {word: code for code, word in enumerate(MODIFIERS)} | {None: NO_MODIFIER}


@inner_kernel
def is_in(kind: int, kinds: int) -> bool:
    """Whether a type is in a set of types."""
    return (kinds >> kind) & 1 == 1
