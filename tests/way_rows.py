"""What a profile makes of a way, as the columns of a table that a person can read.

Speeds are km/h forward and backward, ``-`` is closed. Then come facts, in this order:
``restricted`` (``restricted/-`` forward alone), ``roundabout``, ``circular``, the mode where it is
not the vehicle's own, ``no-start`` where no route begins or ends (nor does one on ferries and
trains), a duration in seconds (``90s``), a preference (``x0.5``, or ``x0.5/1`` forward and
backward), classes (``+toll``) and warnings (``!kind``).

Of walkers and cyclists a direction tells more: ``15r`` may be reached but not passed through,
``p4`` is pushed; then come words in any order: ``ferry``, ``train``, ``tunnel``, ``no-start``.
"""

from collections.abc import Iterator

from tag_rows import Warned, read_tags

from gis.profiles.rules import Mode, Profile, WayRule


def check_way_row(profile: Profile, row: tuple[str, ...]) -> None:
    """Assert that the profile says what a row tells: tags, forward, backward, facts."""
    tags, *wanted = (*row, "")[:4]
    expected = (wanted[0], wanted[1], " ".join(wanted[2].split()))
    found = columns_of(profile, tags)
    assert found == expected, f"{tags}: {found}, not {expected}"


def columns_of(profile: Profile, tags: str) -> tuple[str, str, str]:
    """The columns after the tags."""
    warned = Warned()
    declared = {key: value for key, value in read_tags(tags).items() if key in profile.way_keys}
    rule = profile.way(declared, warned) or WayRule(0.0, 0.0)
    closed = rule.forward_kmh == rule.backward_kmh == 0.0
    facts = [] if closed else _facts(rule)
    warnings = sorted({f"!{kind}" for kind, _ in warned})
    return _speed(rule.forward_kmh), _speed(rule.backward_kmh), " ".join([*facts, *warnings])


def _speed(kmh: float) -> str:
    return f"{kmh:.6g}" if kmh else "-"


def _facts(rule: WayRule) -> Iterator[str]:
    forward = rule.forward_restricted and rule.forward_kmh > 0
    backward = rule.backward_restricted and rule.backward_kmh > 0
    if forward or backward:
        whole = (forward or not rule.forward_kmh) and (backward or not rule.backward_kmh)
        yield "restricted" if whole else "restricted/-" if forward else "-/restricted"
    yield from ["roundabout"] * rule.roundabout + ["circular"] * rule.circular
    modes = rule.forward_mode, rule.backward_mode
    yield from _pair(_mode(modes[0]), _mode(modes[1]), "")
    carried = Mode.FERRY in modes or Mode.TRAIN in modes
    if rule.startpoint == carried:  # where one is carried, no route begins
        yield "start" if carried else "no-start"
    if rule.duration_s is not None:
        yield f"{rule.duration_s:g}s"
    forward_text, backward_text = f"{rule.forward_preference:g}", f"{rule.backward_preference:g}"
    yield from ("x" + text for text in _pair(forward_text, backward_text, "1"))
    yield from (f"+{word}" for word in sorted(rule.classes))


def _mode(mode: Mode | None) -> str:
    return "" if mode is None else mode.word.replace(" ", "-")


def _pair(forward: str, backward: str, usual: str) -> Iterator[str]:
    if (forward, backward) != (usual, usual):
        yield forward if forward == backward else f"{forward}/{backward}"


def check_path_row(profile: Profile, row: tuple[str, ...]) -> None:
    """Assert that walkers or cyclists do as a row tells."""
    tags, forward, backward, more = (*row, "")[:4]
    warned = Warned()
    declared = {key: value for key, value in read_tags(tags).items() if key in profile.way_keys}
    rule = profile.way(declared, warned) if declared else None
    facts = set(more.split())
    assert {kind for kind, _ in warned} == {fact[1:] for fact in facts if fact.startswith("!")}
    if rule is None:
        assert (forward, backward) == ("-", "-")
        return
    assert (
        _cell(rule.forward_kmh, rule.forward_restricted, rule.forward_mode),
        _cell(rule.backward_kmh, rule.backward_restricted, rule.backward_mode),
    ) == (forward, backward)
    assert rule.roundabout == ("roundabout" in facts)
    assert rule.circular == ("circular" in facts)
    assert rule.startpoint == facts.isdisjoint(("ferry", "train", "no-start"))
    assert rule.classes == facts & {"ferry", "tunnel"}
    carrier = Mode.FERRY if "ferry" in facts else Mode.TRAIN if "train" in facts else None
    own = {None, Mode.PUSHING_BIKE} if profile.mode is Mode.CYCLING else {None}
    assert {rule.forward_mode, rule.backward_mode} <= ({carrier} if carrier else own)
    seconds = [float(fact[:-1]) for fact in facts if fact[:-1].isdigit() and fact.endswith("s")]
    assert rule.duration_s == (seconds[0] if seconds else None)


def _cell(kmh: float, restricted: bool, mode: Mode | None) -> str:
    if kmh == 0.0:
        return "-"
    pushing = "p" if mode is Mode.PUSHING_BIKE else ""
    return f"{pushing}{kmh:g}{'r' if restricted else ''}"


def check_restriction_row(profile: Profile, row: tuple[str, ...]) -> None:
    """Assert that a restriction binds a vehicle as a row tells: ``no``, ``only`` or ``-``."""
    tags, kind = row
    found, reason = profile.restriction({"type": "restriction", **read_tags(tags)}, Warned())
    assert (found or "-") == kind
    assert bool(reason) == (found is None)
