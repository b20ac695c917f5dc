"""A plain PBF writer: every encoding that the format allows, chosen by the caller.

It shares nothing with the reader that it tests. Numbers of fields stand beside their names in
the format's .proto files (https://wiki.openstreetmap.org/wiki/PBF_Format).
"""

import lzma
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import lz4.block
import zstandard

Text = str | bytes
Tags = Sequence[tuple[Text, Text]]

COMPRESSIONS = ("raw", "zlib", "lzma", "lz4", "zstd")
FEATURES = ("OsmSchema-V0.6", "DenseNodes")


@dataclass(frozen=True)
class Node:
    """Longitude and latitude in 1e-9 degree; what the granularity cannot express is cut off."""

    id: int
    lon: int
    lat: int
    tags: Tags = ()


@dataclass(frozen=True)
class Way:
    """A way and the nodes that it names."""

    id: int
    refs: Sequence[int]
    tags: Tags = ()


@dataclass(frozen=True)
class Relation:
    """A relation; a member is its type (0 node, 1 way, 2 relation), id and role."""

    id: int
    members: Sequence[tuple[int, int, Text]]
    tags: Tags = ()


@dataclass(frozen=True)
class Group:
    """A primitive group: usually of one kind, but readers must take any mixture."""

    nodes: Sequence[Node] = ()
    dense: Sequence[Node] = ()
    ways: Sequence[Way] = ()
    relations: Sequence[Relation] = ()
    changesets: Sequence[int] = ()


@dataclass(frozen=True)
class Block:
    """A primitive block and how it is to be encoded.

    ``metadata`` adds versions, users and so on, ``delimiters`` the keys_vals of dense nodes even
    where no node has tags, ``repeat_strings`` a string again each time it is used.
    """

    groups: Sequence[Group]
    granularity: int = 100
    lon_offset: int = 0
    lat_offset: int = 0
    metadata: bool = False
    delimiters: bool = False
    repeat_strings: bool = False
    unused_strings: Sequence[Text] = ()
    compression: str = "zlib"


def write_pbf(
    path: Path,
    blocks: Iterable[Block],
    *,
    features: Sequence[str] = FEATURES,
    timestamp: int | None = None,
    header_compression: str = "raw",
) -> Path:
    """Write a file: a header, then the blocks in the order given."""
    header = encode_blob(encode_header(features, timestamp), header_compression)
    content = frame("OSMHeader", header)
    for block in blocks:
        content += frame("OSMData", encode_blob(encode_block(block), block.compression))
    path.write_bytes(content)
    return path


def frame(kind: str, blob: bytes) -> bytes:
    """A blob with its length and header in front, as it stands in the file."""
    header = field(1, kind.encode()) + field(3, len(blob))  # type, datasize
    return len(header).to_bytes(4, "big") + header + blob


def encode_blob(content: bytes, compression: str = "zlib", raw_size: int | None = None) -> bytes:
    """A Blob message; ``raw_size`` is the size to claim where it is not the true one."""
    size = field(2, len(content) if raw_size is None else raw_size)
    match compression:
        case "raw":
            return field(1, content)
        case "zlib":
            return size + field(3, zlib.compress(content))
        case "lzma":
            return size + field(4, lzma.compress(content, lzma.FORMAT_ALONE))
        case "lz4":
            return size + field(6, lz4.block.compress(content, store_size=False))
        case "zstd":
            return size + field(7, zstandard.compress(content))
    raise ValueError(compression)


def encode_header(features: Sequence[str] = FEATURES, timestamp: int | None = None) -> bytes:
    """A HeaderBlock message; the timestamp is in seconds since 1970."""
    message = b"".join(field(4, feature.encode()) for feature in features)  # required_features
    message += field(16, b"a test")  # writingprogram
    if timestamp is not None:
        message += field(32, timestamp)  # osmosis_replication_timestamp
    return message


def encode_block(block: Block) -> bytes:
    """A PrimitiveBlock message."""
    strings = StringTable(block.repeat_strings)
    for text in block.unused_strings:
        strings.add(text)
    groups = b"".join(field(2, encode_group(group, block, strings)) for group in block.groups)
    message = field(1, strings.encode()) + groups  # stringtable, primitivegroup
    if block.granularity != 100:
        message += field(17, block.granularity)
    if block.lat_offset:
        message += field(19, block.lat_offset)
    if block.lon_offset:
        message += field(20, block.lon_offset)
    return message


def encode_group(group: Group, block: Block, strings: "StringTable") -> bytes:
    """A PrimitiveGroup message."""
    message = b""
    for node in group.nodes:
        message += field(1, encode_node(node, block, strings))
    if group.dense:
        message += field(2, encode_dense(group.dense, block, strings))
    for way in group.ways:
        message += field(3, encode_way(way, block, strings))
    for relation in group.relations:
        message += field(4, encode_relation(relation, block, strings))
    for changeset in group.changesets:
        message += field(5, field(1, changeset))
    return message


def encode_node(node: Node, block: Block, strings: "StringTable") -> bytes:
    """A Node message."""
    return (
        field(1, zigzag(node.id))
        + encode_tags(node.tags, strings)
        + encode_info(node.id, block, strings)
        + field(8, zigzag((node.lat - block.lat_offset) // block.granularity))
        + field(9, zigzag((node.lon - block.lon_offset) // block.granularity))
    )


def encode_dense(nodes: Sequence[Node], block: Block, strings: "StringTable") -> bytes:
    """A DenseNodes message; where no node has tags keys_vals may be left out."""
    lats = [(node.lat - block.lat_offset) // block.granularity for node in nodes]
    lons = [(node.lon - block.lon_offset) // block.granularity for node in nodes]
    keys_vals: list[int] = []
    for node in nodes:
        for key, value in node.tags:
            keys_vals += [strings.add(key), strings.add(value)]
        keys_vals.append(0)
    message = field(1, packed_deltas([node.id for node in nodes]))
    if block.metadata:
        ids = [node.id for node in nodes]
        message += field(5, encode_dense_info(ids, strings))
    message += field(8, packed_deltas(lats)) + field(9, packed_deltas(lons))
    if any(keys_vals) or block.delimiters:
        message += field(10, packed(keys_vals))
    return message


def encode_way(way: Way, block: Block, strings: "StringTable") -> bytes:
    """A Way message."""
    return (
        field(1, way.id)
        + encode_tags(way.tags, strings)
        + encode_info(way.id, block, strings)
        + (field(8, packed_deltas(way.refs)) if way.refs else b"")
    )


def encode_relation(relation: Relation, block: Block, strings: "StringTable") -> bytes:
    """A Relation message."""
    message = field(1, relation.id)
    message += encode_tags(relation.tags, strings)
    message += encode_info(relation.id, block, strings)
    if relation.members:
        roles = [strings.add(role) for _, _, role in relation.members]
        message += field(8, packed(roles))  # roles_sid
        message += field(9, packed_deltas([member for _, member, _ in relation.members]))  # memids
        message += field(10, packed([kind for kind, _, _ in relation.members]))  # types
    return message


def encode_tags(tags: Tags, strings: "StringTable") -> bytes:
    """The fields keys and vals of a Node, Way or Relation."""
    if not tags:
        return b""
    keys = [strings.add(key) for key, _ in tags]
    values = [strings.add(value) for _, value in tags]
    return field(2, packed(keys)) + field(3, packed(values))


def encode_info(object_id: int, block: Block, strings: "StringTable") -> bytes:
    """The field info: version, timestamp, changeset, uid, user_sid, made up from the id."""
    if not block.metadata:
        return b""
    some = abs(object_id) % 1000
    user = strings.add(f"user {some % 3}")
    values = (1 + some % 9, 1_400_000_000 + some, 7 * some, some % 3, user)
    return field(4, b"".join(field(number, value) for number, value in enumerate(values, 1)))


def encode_dense_info(ids: Sequence[int], strings: "StringTable") -> bytes:
    """A DenseInfo message, made up from the ids."""
    some = [abs(object_id) % 1000 for object_id in ids]
    return (
        field(1, packed([1 + number % 9 for number in some]))  # version
        + field(2, packed_deltas([1_400_000_000 + number for number in some]))  # timestamp
        + field(3, packed_deltas([7 * number for number in some]))  # changeset
        + field(4, packed_deltas([number % 3 for number in some]))  # uid
        + field(5, packed_deltas([strings.add(f"user {number % 3}") for number in some]))
    )


class StringTable:
    """The strings of a block; number 0 is not used, since it delimits tags of dense nodes."""

    def __init__(self, repeat: bool) -> None:
        self._repeat = repeat
        self._numbers: dict[bytes, int] = {}
        self._strings = [b""]

    def add(self, text: Text) -> int:
        """The number of a string."""
        string = text.encode() if isinstance(text, str) else text
        if self._repeat or string not in self._numbers:
            self._numbers[string] = len(self._strings)
            self._strings.append(string)
        return self._numbers[string]

    def encode(self) -> bytes:
        """A StringTable message."""
        return b"".join(field(1, string) for string in self._strings)


def field(number: int, value: int | bytes) -> bytes:
    """A field of a message: an integer as varint, bytes with their length."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def packed(values: Iterable[int]) -> bytes:
    """The values of a packed field."""
    return b"".join(varint(value) for value in values)


def packed_deltas(values: Sequence[int]) -> bytes:
    """The differences of the values, zigzag encoded: a packed field of deltas."""
    before = [0, *values[:-1]]
    return packed(zigzag(value - last) for value, last in zip(values, before, strict=True))


def zigzag(value: int) -> int:
    """0, -1, 1, -2 ... as 0, 1, 2, 3 ..., so that small negative numbers stay short."""
    return 2 * value if value >= 0 else -2 * value - 1


def varint(value: int) -> bytes:
    """Seven bits a byte, lowest first; a negative number is its 64-bit two's complement."""
    value &= 2**64 - 1
    encoded = bytearray()
    while value >= 128:
        encoded.append(value & 127 | 128)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)
