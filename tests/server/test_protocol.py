"""What the server does with requests that do not fit, over a real connection."""

import socket
import time
from collections.abc import Iterator

import pytest
from serving import fake_serving

from server.transport.protocol import origin_form


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    """The port of a running server."""
    with fake_serving(1) as port:
        yield port


def talk(port: int, pieces: Iterator[bytes] | list[bytes]) -> str:
    """All that comes back until the server closes, or a whole JSON answer has come."""
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        for piece in pieces:
            connection.sendall(piece)
        answer = b""
        while not answer.endswith(b"}"):
            part = connection.recv(1 << 16)
            if not part:
                break
            answer += part
        return answer.decode()


def endless(start: bytes) -> Iterator[bytes]:
    """Something that begins like a request and goes on for 400 kB."""
    yield start
    for _ in range(400):
        yield b"a" * 1000
        time.sleep(0.0005)


def request(target: bytes, headers: bytes = b"") -> list[bytes]:
    return [b"GET " + target + b" HTTP/1.1\r\nHost: x\r\n" + headers + b"\r\n"]


def test_a_long_url_is_answered(port: int) -> None:
    """4,000 coordinates are too many for a URL, and the caller is told."""
    for points in (4000, 20_000):
        answer = talk(port, request(b"/route/v1/car/" + b"8.612,41.153;" * points + b"1,1"))
        assert answer.startswith("HTTP/1.1 414 ")
        assert "use POST" in answer
    answer = talk(port, request(b"/search/v1/streets?text=" + b"a" * 30_000))
    assert answer.startswith("HTTP/1.1 414 ")


def test_the_longest_url(port: int) -> None:
    """500 coordinates with all their digits fit."""
    target = b"/route/v1/car/" + b";".join([b"-123.1234567,-41.1234567"] * 500)
    assert talk(port, request(target)).startswith("HTTP/1.1 200 ")


def test_a_lone_question_mark(port: int) -> None:
    """Without options behind it, it changes nothing."""
    plain, asking = (talk(port, request(b"/route/v1/car/1,1;2,2" + end)) for end in (b"", b"?"))
    assert asking.startswith("HTTP/1.1 200 ")
    assert asking.partition("\r\n\r\n")[2] == plain.partition("\r\n\r\n")[2]


@pytest.mark.parametrize(
    "path", [b"/route/v1/car/1,1;2,2", b"/health", b"/", b"/search/v1/streets?text=a", b"/nowhere"]
)
@pytest.mark.parametrize("length", [20_000, 300_000])
def test_large_headers(port: int, path: bytes, length: int) -> None:
    """Headers beyond the limit are refused, whatever is asked; those within it are not."""
    answer = talk(port, request(path, b"X-Large: " + b"a" * length + b"\r\n"))
    assert answer.startswith("HTTP/1.1 431 ")
    assert "connection: close" in answer and '"code":"InvalidQuery"' in answer
    assert " 431 " not in talk(port, request(path, b"X-Large: " + b"a" * 15_000 + b"\r\n"))


def test_what_does_not_end(port: int) -> None:
    """A request line or a header without an end is refused while it still comes in."""
    assert talk(port, endless(b"GET /")).startswith("HTTP/1.1 414 ")
    assert talk(port, endless(b"GET / HTTP/1.1\r\nHost: x\r\nX: ")).startswith("HTTP/1.1 431 ")


def test_a_large_body_is_refused_before_it_is_sent(port: int) -> None:
    """Its announced length is enough."""
    head = b"POST /route/v1/car HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
    answer = talk(port, [head + b"Content-Length: 2000000\r\n\r\n"])
    assert answer.startswith("HTTP/1.1 413 ")


@pytest.mark.parametrize("chunked", [False, True])
def test_a_large_body_that_is_sent_nevertheless(port: int, chunked: bool) -> None:
    """Who sends all of it before reading gets the answer too, not a broken connection."""
    head = b"POST /route/v1/car HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
    part = b"a" * (1 << 20)
    if chunked:
        head += b"Transfer-Encoding: chunked\r\n\r\n"
        pieces = [head, *[b"100000\r\n" + part + b"\r\n"] * 20, b"0\r\n\r\n"]
    else:
        pieces = [head + b"Content-Length: %d\r\n\r\n" % (20 << 20), *[part] * 20]
    answer = talk(port, pieces)
    assert answer.startswith("HTTP/1.1 413 ")
    assert "connection: close" in answer


@pytest.mark.parametrize(
    ("target", "wanted"),
    [
        (b"/route/v1/car/1,1;2,2", b"/route/v1/car/1,1;2,2"),
        (b"http://x:5000/route?a=b", b"/route?a=b"),
        (b"HTTPS://user@x/", b"/"),
        (b"http://x", b"/"),
        (b"http://x?a", b"/?a"),
        (b"/http://x/y", b"/http://x/y"),
        (b"*", b"*"),
        (b"x:443", b"x:443"),
    ],
)
def test_origin_form(target: bytes, wanted: bytes) -> None:
    """What a client says to a proxy is cut off, and nothing else."""
    assert origin_form(target) == wanted


def test_targets_for_proxies(port: int) -> None:
    """A target with scheme and host is the path behind them."""
    path = b"/route/v1/car/1,1;2,2"
    plain, absolute = (talk(port, request(start + path)) for start in (b"", b"http://x:1"))
    assert absolute.startswith("HTTP/1.1 200 ")
    assert absolute.partition("\r\n\r\n")[2] == plain.partition("\r\n\r\n")[2]
    answer = talk(port, request(b"http://x" + path + b"?x"))
    assert "Query string malformed close to position 22" in answer
    answer = talk(port, request(b"http://x" + path + b"?"))
    assert answer.partition("\r\n\r\n")[2] == plain.partition("\r\n\r\n")[2]
    assert "HTTP/1.1 200 " in talk(port, request(b"http://x/health"))


def test_targets_that_are_no_paths(port: int) -> None:
    """They are answered as well, and the server goes on."""
    end = b" HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    assert talk(port, [b"OPTIONS *" + end]).startswith("HTTP/1.1 204 ")
    assert talk(port, [b"CONNECT x:443" + end]).startswith("HTTP/1.1 405 ")
    assert "InvalidUrl" in talk(port, [b"GET *" + end])


def test_what_is_no_http(port: int) -> None:
    """It is refused, and the server goes on."""
    refused = talk(port, [b"\x16\x03\x01 hello\r\n\r\n"])
    assert refused.startswith("HTTP/1.1 400 ") and '"code":"InvalidUrl"' in refused
    refused = talk(port, [b"GET /route/v1/c ar/1,2 HTTP/1.1\r\nHost: x\r\n\r\n"])
    assert refused.startswith("HTTP/1.1 400 ") and '"code":"InvalidUrl"' in refused
    refused = talk(port, [b"FOO / HTTP/1.1\r\nHost: x\r\n\r\n"])
    assert refused.startswith("HTTP/1.1 405 ") and '"code":"InvalidMethod"' in refused
    assert talk(port, request(b"/route/v1/car/1,1;2,2")).startswith("HTTP/1.1 200 ")
