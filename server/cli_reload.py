"""The command that tells a running server to take its dataset anew."""

import json
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import Any
from urllib.parse import urlsplit

from gis.errors import EngineError
from server.console import out

TOKEN = "WHIMBREL_ADMIN_TOKEN"
_WAIT_S = 1800.0


def reload_dataset(url: str, token: str, as_json: bool) -> None:
    """Ask the server, wait until it answers from the dataset, and say what it is."""
    if not token:
        raise EngineError(f"no token: set {TOKEN} or say --token")
    answer = _post(url, token)
    if as_json:
        out.print_json(json.dumps(answer))
    elif answer["dataset"] == answer["previous"]:
        out.print(f"dataset {answer['dataset']} is as it was")
    else:
        out.print(f"dataset {answer['dataset']} is served, in place of {answer['previous']}")
    if answer["removed_profiles"] and not as_json:
        out.print(f"not served any more: {', '.join(answer['removed_profiles'])}")


def _post(url: str, token: str) -> dict[str, Any]:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise EngineError(f"{url}: expected the address of a server such as http://127.0.0.1:5000")
    kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
    try:
        connection = kind(parts.hostname, parts.port, timeout=_WAIT_S)
        try:
            connection.request(
                "POST",
                f"{parts.path.rstrip('/')}/datasets/v1/reload",
                headers={"Authorization": f"Bearer {token}"},
            )
            response = connection.getresponse()
            status, body = response.status, response.read()
        finally:
            connection.close()
    except (OSError, HTTPException, ValueError) as error:
        raise EngineError(f"{url}: {getattr(error, 'strerror', None) or error}") from None
    try:
        answer: dict[str, Any] = json.loads(body)
        message = answer.get("message", "")
    except (ValueError, AttributeError):
        raise EngineError(f"{url}: HTTP status {status}, expected a Whimbrel server") from None
    if status == 200 and "dataset" in answer:
        return answer
    if answer.get("code") == "InvalidService":
        message = f"it takes no datasets: start it with {TOKEN}"
    raise EngineError(f"{url}: {message or f'HTTP status {status}'}")
