"""Roads that are other for one request alone: areas to keep out of, and speeds."""

from routing.changes.reweight import MANY
from routing.changes.wishes import Wishes
from routing.errors import TooBig
from server.api.osrm_params import Params, RouteParams
from server.settings import Settings
from server.state import Serving


def has_own_roads(params: object) -> bool:
    """Whether a request wants roads to be other than they are."""
    if not isinstance(params, Params):
        return False
    return params.avoid_polygons is not None or params.speeds is not None


def check_own_roads(params: object, settings: Settings) -> None:
    """Raise ``TooBig`` for more of them than the server takes."""
    if not isinstance(params, Params):
        return
    polygons = params.avoid_polygons or ()
    n_points = sum(len(ring) for polygon in polygons for ring in polygon)
    for what, number, most in (
        ("polygons to avoid", len(polygons), settings.max_avoid_polygons),
        ("points of polygons to avoid", n_points, settings.max_avoid_points),
        ("speeds", len(params.speeds or ()), settings.max_speeds),
    ):
        if number > most:
            raise TooBig(f"Number of {what} {number} is higher than current maximum ({most})")


def with_own_roads(serving: Serving, params: object) -> Serving:
    """What a request is answered from, with the roads it wants: some milliseconds of work.

    Raises ``InvalidInput`` for areas that are none.
    """
    if not isinstance(params, Params) or not has_own_roads(params):
        return serving
    wishes = params.speeds.wishes() if params.speeds is not None else Wishes()
    n_routes = MANY
    if isinstance(params, RouteParams) and not params.alternatives:
        n_routes = len(params.coordinates) - 1
    engine = serving.engine.with_weights(
        profile=serving.profile,
        speeds=wishes.speeds,
        way_speeds=wishes.way_speeds,
        avoid=params.avoid_polygons or (),
        n_routes=n_routes,
    )
    return serving._replace(engine=engine)
