"""From a course to the drafts of a leg's steps."""

from gis.jit import inner_kernel
from routing.guidance.codes import ARRIVE, DEPART, NO_MODIFIER
from routing.guidance.collapse import collapse
from routing.guidance.fold import drop_short_names, fold, silence_only_ways
from routing.guidance.lanes_ahead import anticipate
from routing.guidance.passage import (
    AT,
    EXIT,
    FIRST,
    INNER,
    KIND,
    LANES,
    MODE,
    N_DRAFTS,
    N_NEEDED,
    N_PASSED,
    NOWHERE,
    ONTO,
    OWN_LANES,
    PLACE,
    RECORD,
    RING,
    ROTARY,
    SAID_KIND,
    SAID_RING,
    SAID_WAY,
    TEXTS,
    WAY,
    WITHIN,
    Passage,
)
from routing.guidance.rings_passed import join_rings
from routing.guidance.segregated import collapse_segregated
from routing.guidance.sliproads_taken import mark_sliproads
from routing.guidance.trail import Course
from routing.guidance.trim import trim_ends


@inner_kernel
def _add(passage: Passage, course: Course, at: int, arc: int, record: int) -> None:
    """Add a draft with one crossing, from which one goes on along an arc of the trail."""
    i = passage.counts[N_DRAFTS]
    draft, passed = passage.draft[i], passage.passed[i]
    said = passage.record[record]
    draft[AT], draft[FIRST], draft[MODE] = at, i, course.mode[arc]
    draft[KIND], draft[WAY], draft[RING] = said[SAID_KIND], said[SAID_WAY], said[SAID_RING]
    draft[TEXTS], draft[ROTARY], draft[EXIT], draft[INNER] = course.texts[arc], 0, 0, 0
    passed[RECORD], passed[PLACE], passed[ONTO] = record, at, course.texts[arc]
    passed[LANES] = said[OWN_LANES]
    if record != WITHIN and said[OWN_LANES] == 0:
        passed[LANES] = course.lanes[arc]
    passage.counts[N_DRAFTS] = passage.counts[N_PASSED] = i + 1


@inner_kernel
def _draft_all(passage: Passage, course: Course, k: int) -> bool:
    """Add a draft for the departure, each crossing and the arrival; whether there are lanes."""
    passage.counts[N_DRAFTS] = passage.counts[N_NEEDED] = 0
    _add(passage, course, 0, 0, WITHIN)
    has_lanes = False
    for at in range(1, k):
        if course.record[at] != NOWHERE:
            _add(passage, course, at, at, course.record[at])
            has_lanes = has_lanes or passage.passed[passage.counts[N_PASSED] - 1, LANES] > 0
    _add(passage, course, k, k - 1, WITHIN)
    last = passage.counts[N_DRAFTS] - 1
    passage.draft[0, KIND], passage.draft[last, KIND] = DEPART, ARRIVE
    passage.draft[0, WAY] = passage.draft[last, WAY] = NO_MODIFIER
    return has_lanes


@inner_kernel
def draft_steps(passage: Passage, course: Course, k: int) -> bool:
    """Fill the drafts of the steps along k arcs; whether all was known that had to be.

    Lanes come first, since joined drafts keep those of one crossing; what follows on lanes
    must know which maneuvers are left.
    """
    has_lanes = _draft_all(passage, course, k)
    mark_sliproads(passage)
    trim_ends(passage)
    collapse_segregated(passage)
    join_rings(passage)
    collapse(passage)
    if has_lanes:
        anticipate(passage)
    fold(passage)
    drop_short_names(passage)
    silence_only_ways(passage)
    return bool(passage.counts[N_NEEDED] == 0)
