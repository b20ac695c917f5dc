"""An output that grows chunk by chunk, survives whatever ends the run, and can be gone on with."""

import fcntl
import os
import weakref
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from server.batch.errors import OutputError
from server.batch.writing.growing_file import GrowingFile
from server.batch.writing.journal import Entry, Journal, decode_journal, encode_entry, encode_job
from server.batch.writing.places import Place, find_place, refuse_inputs


class PartialOutput:
    """``<output>.partial``, and ``<output>.journal``, which tells what it is made of.

    A chunk counts once its line is in the journal, which is written after its bytes. Neither is
    waited for to reach the disk: when a run is gone on with, the bytes of each chunk are checked
    against the journal, and both files are cut after the last one up to which all is whole. In
    the end the file takes the name of the output, and the journal is removed.

    The journal is locked while the output is open. Whatever fails raises ``OutputError``.
    """

    def __init__(
        self, place: Place, data: GrowingFile, journal: GrowingFile, entries: list[Entry]
    ) -> None:
        self._place = place
        self._data = data
        self._journal = journal
        self._is_open = True
        self.is_new = not entries
        """Whether nothing has been written yet, not even what stands before the first chunk."""
        self.n_rows = 0
        self.end = 0
        """The position in the source to go on from."""
        self.counts: Counter[str] = Counter()
        """Rows by status."""
        self.notes: list[bytes] = []
        for entry in entries:
            self._count(entry)
        _all_open.add(self)

    @classmethod
    def open(
        cls,
        output: Path,
        job: Mapping[str, Any],
        resume: bool = False,
        overwrite: bool = False,
        inputs: Sequence[Path] = (),
    ) -> Self:
        """Begin an output; or go on with what there is of it, if ``resume``.

        Else what there is of an interrupted run must not be lost, unless ``overwrite``. ``job``
        can be written as JSON; it must be the same to go on. No file of ``inputs`` is written.
        """
        place = find_place(output)
        refuse_inputs(place, inputs)
        with _one_line(place.output), ExitStack() as opened:
            journal = _lock(place)
            opened.callback(journal.close)
            found = None if overwrite else _interrupted(place, journal, job, resume)
            data = GrowingFile(place.partial)
            opened.callback(data.close)
            if found is None:
                journal.cut(0)
                journal.append(encode_job(job))
                entries = []
            else:
                entries = _whole(found.entries, data)
                journal.cut(found.ends[len(entries)])
            data.cut(sum(entry.n_bytes for entry in entries))
            opened.pop_all()
        return cls(place, data, journal, entries)

    @property
    def size(self) -> int:
        """Bytes so far: where the next chunk begins."""
        return self._data.size

    def append(
        self, data: bytes, note: bytes, n_rows: int, end: int, counts: Mapping[str, int]
    ) -> None:
        """Write a chunk, or nothing of it; ``end`` is where the next one begins in the source."""
        entry = Entry(len(data), zlib.crc32(data), n_rows, end, dict(counts), note)
        with self._or_as_before():
            self._data.append(data)
            self._journal.append(encode_entry(entry))
        self._count(entry)

    def finish(self, tail: bytes) -> None:
        """Write what stands after the last chunk, and give the file its name once it is safe."""
        place = self._place
        with self._or_as_before():
            self._data.append(tail)
            os.fsync(self._data.descriptor)
        with _one_line(place.output):
            place.partial.replace(place.output)
            place.journal.unlink()
            _flush_folder(place.output.parent)
        self.close()

    def close(self) -> None:
        """Let go of the files; what is there remains to be gone on with."""
        if self._is_open:
            self._is_open = False
            self._data.close()
            self._journal.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _count(self, entry: Entry) -> None:
        self.is_new = False
        self.n_rows += entry.n_rows
        self.end = entry.end
        self.counts.update(entry.counts)
        self.notes.append(entry.note)

    @contextmanager
    def _or_as_before(self) -> Iterator[None]:
        """Undo what has been written if it does not come to its end."""
        sizes = self._data.size, self._journal.size
        kept = f"; {self.n_rows} rows are kept, --resume goes on from there"
        with _one_line(self._place.output, kept):
            try:
                yield
            except BaseException:
                for file, size in zip((self._data, self._journal), sizes, strict=True):
                    file.cut(size)
                raise


def _interrupted(
    place: Place, journal: GrowingFile, job: Mapping[str, Any], resume: bool
) -> Journal | None:
    """What is to be gone on with; None if there is nothing that would be lost."""
    text = journal.read()
    found = decode_journal(text)
    n_bytes = place.partial.stat().st_size if place.partial.exists() else 0
    if found is None:
        if resume or not (text or n_bytes):
            return None
        raise OutputError(
            f"{place.output}: nothing tells what {place.partial.name} and {place.journal.name} "
            "hold: add --overwrite to replace them"
        )
    n_rows = sum(entry.n_rows for entry in found.entries)
    if not (n_rows and n_bytes):  # or the file has taken its name, but its journal remained
        return None
    if not resume:
        raise OutputError(
            f"{place.partial} holds {n_rows} rows of an interrupted run: "
            "add --resume to go on or --overwrite to begin anew"
        )
    if differences := found.differences(job):
        raise OutputError(
            f"{place.output}: the interrupted run was another: {differences}; "
            "expected the same, or --overwrite to begin anew"
        )
    return found


def _whole(entries: Sequence[Entry], data: GrowingFile) -> list[Entry]:
    """The entries up to the first whose bytes are not what they were."""
    whole: list[Entry] = []
    at = 0
    for entry in entries:
        if at + entry.n_bytes > data.size or data.crc32(at, entry.n_bytes) != entry.crc32:
            break
        whole.append(entry)
        at += entry.n_bytes
    return whole


def _lock(place: Place) -> GrowingFile:
    """The journal, locked until it is closed or the process ends."""
    while True:
        journal = GrowingFile(place.journal)
        try:
            fcntl.flock(journal.descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.path.samestat(os.fstat(journal.descriptor), place.journal.stat()):
                journal.refresh()
                return journal
        except BlockingIOError:
            journal.close()
            raise OutputError(f"{place.output}: another process is writing it") from None
        except FileNotFoundError:  # the one who had the lock has finished meanwhile
            pass
        except BaseException:
            journal.close()
            raise
        journal.close()


def _flush_folder(folder: Path) -> None:
    """Wait until the names in a folder are on the disk."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def _one_line(output: Path, kept: str = "") -> Iterator[None]:
    """Turn failures of the file system into one line."""
    try:
        yield
    except OSError as error:
        raise OutputError(f"{output}: cannot write: {error.strerror or error}{kept}") from None


_all_open: weakref.WeakSet[PartialOutput] = weakref.WeakSet()


def _close_in_child() -> None:
    """Leave the lock to the process that has it: one forked from it may live longer."""
    for partial in _all_open:
        partial.close()


os.register_at_fork(after_in_child=_close_in_child)
