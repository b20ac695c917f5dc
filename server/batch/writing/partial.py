"""An output that grows chunk by chunk, survives whatever ends the run, and can be gone on with."""

import fcntl
import itertools
import os
import weakref
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from gis.publish import flush_folder
from server.batch.errors import OutputError
from server.batch.writing.growing_file import GrowingFile
from server.batch.writing.journal import Entry, Tally, decode_journal, encode_entry, encode_job
from server.batch.writing.places import Place, find_place, refuse_inputs


class PartialOutput:
    """``<output>.partial``, and ``<output>.journal``, which tells what it is made of.

    A chunk counts once its line is in the journal, which is written after its bytes. Neither is
    waited for to reach the disk: when a run is gone on with, the bytes of each chunk are checked
    against the journal, and both files are cut after the last one up to which all is whole. In
    the end the file takes the name of the output, and the journal is removed. A run that fails
    before its first row leaves neither behind; one that was killed between the two steps of the
    end is recognised by its journal.

    The journal is locked while the output is open. Whatever fails raises ``OutputError``. No
    chunk is kept in memory, nor anything else that grows with their number.
    """

    def __init__(self, place: Place, data: GrowingFile, journal: GrowingFile, tally: Tally) -> None:
        self._place = place
        self._data = data
        self._journal = journal
        self._tally = tally
        self._is_open = True
        self.is_finished = False
        """Whether an earlier run has written all: there is nothing left to do."""
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
            opened.callback(_let_go, place, journal)
            resume = resume and not overwrite
            if resume and (whole := _finished(place, journal, job)) is not None:
                data, tally = whole
                opened.pop_all()
                finished = cls(place, data, journal, tally)
                finished.is_finished = True
                finished._remove(place.journal)
                return finished
            goes_on = not overwrite and _is_interrupted(place, journal, job, resume)
            data = GrowingFile(place.partial)
            opened.callback(data.close)
            if goes_on:
                tally, end, _ = _kept(journal, data)
                journal.cut(end)
            else:
                tally = Tally()
                journal.cut(0)
                journal.append(encode_job(job))
            data.cut(tally.n_bytes)
            opened.pop_all()
        return cls(place, data, journal, tally)

    @property
    def is_new(self) -> bool:
        """Whether nothing has been written yet, not even what stands before the first chunk."""
        return not self._tally.n_entries

    @property
    def size(self) -> int:
        """Bytes so far: where the next chunk begins."""
        return self._tally.n_bytes

    @property
    def n_rows(self) -> int:
        """Rows so far."""
        return self._tally.n_rows

    @property
    def end(self) -> int:
        """The position in the source to go on from."""
        return self._tally.end

    @property
    def counts(self) -> Counter[str]:
        """Rows by status."""
        return self._tally.counts

    @property
    def notes(self) -> "Notes":
        """The notes of all chunks."""
        return Notes(self)

    def entries(self) -> Iterator[Entry]:
        """All that has been appended, read from the journal as it is asked for."""
        self._check_open()
        found = decode_journal(self._journal.lines())
        n_entries = self._tally.n_entries
        n_read = 0
        for entry, _ in itertools.islice(found.entries, n_entries) if found else ():
            yield entry
            n_read += 1
        if n_read < n_entries:
            raise OutputError(f"{self._place.journal}: has been damaged while it was written")

    def append(
        self, data: bytes, note: bytes, n_rows: int, end: int, counts: Mapping[str, int]
    ) -> None:
        """Write a chunk, or nothing of it; ``end`` is where the next one begins in the source."""
        entry = Entry(len(data), zlib.crc32(data), n_rows, end, dict(counts), note)
        with self._or_as_before():
            self._data.append(data)
            self._journal.append(encode_entry(entry))
        self._tally.add(entry)

    def finish(self, tail: Iterable[bytes]) -> None:
        """Write what stands after the last chunk, and give the file its name once it is safe.

        The journal tells of it before: left behind, it shows that the output is whole.
        """
        place = self._place
        with self._or_as_before():
            crc32 = 0
            for piece in tail:
                self._data.append(piece)
                crc32 = zlib.crc32(piece, crc32)
            n_bytes = self._data.size - self.size
            entry = Entry(n_bytes, crc32, 0, self.end, {}, b"", is_tail=True)
            self._journal.append(encode_entry(entry))
            for file in (self._data, self._journal):
                os.fsync(file.descriptor)
        with _one_line(place.output):
            place.partial.replace(place.output)
            place.journal.unlink()
            flush_folder(place.output.parent)
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
        if error is not None and not self.n_rows:
            self._remove(self._place.partial, self._place.journal)
        self.close()

    def _remove(self, *files: Path) -> None:
        """Leave none of these files to later runs, and let go of the output."""
        if self._is_open:
            for file in files:
                with suppress(OSError):
                    file.unlink()
        self.close()

    def _check_open(self) -> None:
        """Its descriptors may be those of other files once it is closed."""
        if not self._is_open:
            raise ValueError(f"{self._place.output}: is closed")

    @contextmanager
    def _or_as_before(self) -> Iterator[None]:
        """Undo what has been written if it does not come to its end."""
        self._check_open()
        sizes = self._data.size, self._journal.size
        kept = f"; {self.n_rows} rows are kept, --resume goes on from there"
        with _one_line(self._place.output, kept):
            try:
                yield
            except BaseException:
                for file, size in zip((self._data, self._journal), sizes, strict=True):
                    file.cut(size)
                raise


class Notes:
    """The notes of an output's chunks, read from its journal each time they are gone through."""

    def __init__(self, output: PartialOutput) -> None:
        self._output = output

    def __iter__(self) -> Iterator[bytes]:
        return (entry.note for entry in self._output.entries())


def _is_interrupted(
    place: Place, journal: GrowingFile, job: Mapping[str, Any], resume: bool
) -> bool:
    """Whether there is something to go on with; raises if it would be lost, or is another's."""
    n_bytes = place.partial.stat().st_size if place.partial.exists() else 0
    found = decode_journal(journal.lines())
    if found is None:
        if resume or not (journal.size or n_bytes):
            return False
        raise OutputError(
            f"{place.output}: nothing tells what {place.partial.name} and {place.journal.name} "
            "hold: add --overwrite to replace them"
        )
    differences = found.differences(job)
    n_rows = sum(entry.n_rows for entry, _ in found.entries)
    if not (n_rows and n_bytes):  # or the file has taken its name, but its journal remained
        return False
    if not resume:
        raise OutputError(
            f"{place.partial} holds {n_rows} rows of an interrupted run: "
            "add --resume to go on or --overwrite to begin anew"
        )
    if differences:
        raise OutputError(
            f"{place.output}: the interrupted run was another: {differences}; "
            "expected the same, or --overwrite to begin anew"
        )
    return True


def _finished(
    place: Place, journal: GrowingFile, job: Mapping[str, Any]
) -> tuple[GrowingFile, Tally] | None:
    """The output, if it is what the journal tells of from beginning to end."""
    found = decode_journal(journal.lines())
    is_there = place.output.exists() and not place.partial.exists()
    if found is None or not is_there or found.differences(job):
        return None
    output = GrowingFile(place.output)
    with ExitStack() as opened:
        opened.callback(output.close)
        tally, _, is_whole = _kept(journal, output)
        if is_whole:
            opened.pop_all()
            return output, tally
    return None


def _kept(journal: GrowingFile, data: GrowingFile) -> tuple[Tally, int, bool]:
    """The chunks before the first whose bytes are not what they were.

    Also the end of their lines in the journal, and whether the tail follows them, and no more.
    """
    found = decode_journal(journal.lines())
    tally = Tally()
    end = found.job_end if found else 0
    for entry, line_end in found.entries if found else ():
        at = tally.n_bytes + entry.n_bytes
        if at > data.size or data.crc32(tally.n_bytes, entry.n_bytes) != entry.crc32:
            break
        if entry.is_tail:
            return tally, end, at == data.size
        tally.add(entry)
        end = line_end
    return tally, end, False


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


def _let_go(place: Place, journal: GrowingFile) -> None:
    """Close a journal that there is no output for; one that was made in vain is removed."""
    if not journal.size:
        with suppress(OSError):
            place.journal.unlink()
    journal.close()


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
