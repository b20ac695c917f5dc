import json
from collections.abc import Callable
from io import BytesIO
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gis.errors import DatasetError
from gis.manifest import (
    VERSION,
    About,
    ArraySpec,
    Extract,
    Manifest,
    checksum,
    decode_manifest,
    describe_array,
    encode_manifest,
    npy_header,
)

ABOUT = About(
    "0.1.0",
    Extract("cité.osm.pbf", 3170430, "2026-01-02T03:04:05Z"),
    ("car",),
    (-8.7, 41.1, -8.5, 41.2),
    {"nodes": 5, "edges": 7},
)
SPEC = ArraySpec("network.edge_tail", "<u4", (7,), 0xDEADBEEF)
MANIFEST = Manifest(ABOUT, (SPEC,))

dtypes = st.sampled_from(["|b1", "|i1", "|u1", "<u2", "<i4", "<u4", "<i8", "<u8", "<f4", "<f8"])
shapes = st.lists(st.integers(0, 40), max_size=3).map(tuple)


def test_round_trip() -> None:
    """A manifest reads back as it was written, names in any script included."""
    assert decode_manifest(encode_manifest(MANIFEST), "m") == MANIFEST


@given(dtypes, shapes)
def test_header_is_what_numpy_reads(dtype: str, shape: tuple[int, ...]) -> None:
    """NumPy reads the header that is written for any type and shape, and data are aligned."""
    array = np.ones(shape, dtype)
    spec = describe_array("a", array)
    header = npy_header(spec)
    assert len(header) % 64 == 0
    read = np.load(BytesIO(header + array.tobytes()), allow_pickle=False)
    assert read.dtype == array.dtype and np.array_equal(read, array)
    assert spec.nbytes == array.nbytes


@given(st.binary(max_size=300), st.data())
def test_checksum_sees_one_bit(content: bytes, data: st.DataObject) -> None:
    """Flipping any one bit changes the checksum."""
    array = np.frombuffer(content, np.uint8)
    assert checksum(array) == checksum(array.copy())
    if content:
        bit = data.draw(st.integers(0, 8 * len(content) - 1))
        flipped = array.copy()
        flipped[bit // 8] ^= 1 << bit % 8
        assert checksum(flipped) != checksum(array)


@pytest.mark.parametrize(
    ("name", "array"),
    [
        ("../evil", np.zeros(1)),
        ("a/b", np.zeros(1)),
        ("", np.zeros(1)),
        ("a..b", np.zeros(1)),
        ("objects", np.array([None])),
        ("text", np.array(["x"])),
        ("big_endian", np.zeros(1, ">u4")),
    ],
)
def test_only_plain_arrays_are_described(name: str, array: np.ndarray[Any, Any]) -> None:
    """Names that leave the folder and types that need pickle are refused."""
    with pytest.raises(ValueError, match="cannot be in a dataset"):
        describe_array(name, array)


def edited(change: Callable[[dict[str, Any]], object]) -> bytes:
    """The manifest's text after a change, with the data folder's hash as it was."""
    found = json.loads(encode_manifest(MANIFEST))
    change(found)
    return json.dumps(found).encode()


@pytest.mark.parametrize("version", [VERSION + 1, VERSION - 1, "1", None])
def test_other_version(version: object) -> None:
    """A dataset of another version names both versions and what to do."""
    text = edited(lambda m: m.update(version=version))
    with pytest.raises(DatasetError, match=rf"version {version!r}, expected {VERSION}; build it"):
        decode_manifest(text, "m.json")


@pytest.mark.parametrize(
    "text",
    [b"", b"{", b"[]", b"null", b"\xff\xfe", b"{}", b'{"format": "other"}', b"[" * 100_000],
)
def test_not_a_manifest(text: bytes) -> None:
    """Anything else than a manifest is refused in one line that names the file."""
    with pytest.raises(DatasetError, match=r"^m\.json: not [^\n]*$"):
        decode_manifest(text, "m.json")


@pytest.mark.parametrize(
    "change",
    [
        lambda m: m.pop("bounds"),
        lambda m: m.update(more=1),
        lambda m: m.update(data="data-0123456789abcdef"),
        lambda m: m.update(data="../../etc"),
        lambda m: m.update(bounds=[1, 2, 3]),
        lambda m: m.update(bounds=[1, 2, 3, "x"]),
        lambda m: m.update(profiles="car"),
        lambda m: m.update(counts=[1]),
        lambda m: m["counts"].update(nodes=6),
        lambda m: m["extract"].update(bytes=True),
        lambda m: m["extract"].pop("name"),
        lambda m: m.update(arrays=[]),
        lambda m: m["arrays"].update({"../x": dict(m["arrays"][SPEC.name])}),
        lambda m: m["arrays"][SPEC.name].update(dtype="O"),
        lambda m: m["arrays"][SPEC.name].update(dtype="<u8"),
        lambda m: m["arrays"][SPEC.name].update(shape=[-1]),
        lambda m: m["arrays"][SPEC.name].update(shape=7),
        lambda m: m["arrays"][SPEC.name].update(shape=[10**30]),
        lambda m: m["arrays"][SPEC.name].update(crc32=1),
        lambda m: m["arrays"].update({SPEC.name: 5}),
    ],
)
def test_edited_manifest(change: Callable[[dict[str, Any]], object]) -> None:
    """Every departure from what is written is refused in one line that names the file."""
    with pytest.raises(DatasetError, match=r"^m\.json: damaged: [^\n]*$"):
        decode_manifest(edited(change), "m.json")


def test_every_damaged_byte_is_noticed() -> None:
    """No byte of the text can change so that another manifest is read."""
    text = encode_manifest(MANIFEST)
    for position in range(len(text)):
        damaged = bytearray(text)
        damaged[position] ^= 4
        try:
            assert decode_manifest(bytes(damaged), "m") == MANIFEST
        except DatasetError:
            pass
