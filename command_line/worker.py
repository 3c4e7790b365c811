"""A worker is a Blender that reads a shot from a line, and answers with a line when the shot has ended.

If the worker ends instead, or takes too long and is stopped, that shot has failed and another Blender goes on with the
next. If the pool ends, so does the worker, in the middle of a shot.
"""

import os
import pickle
import secrets
import signal
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import replace
from math import inf
from pathlib import Path
from queue import Empty, SimpleQueue
from subprocess import PIPE, STDOUT, Popen, TimeoutExpired
from threading import Event, Thread
from time import monotonic
from typing import BinaryIO

from ..blender.files import atomic_write, file_lock
from ..blender.messages.refused import Refused
from . import outcome, record
from .outcome import Clock, ExitStatus, Outcome
from .shot import Shot
from .standard_streams import tell

STDIN = "-"
"""Given for the shots, they come from standard input."""

WORKER = ("--shot", STDIN, "--progress", "none")
"""What makes a worker of a command line; of an argument that is given twice, the last counts."""

_GRACE = 10.0
"""Seconds that a Blender has to end by itself after an interrupt, before it is killed."""

_LOOK = 0.25
"""Seconds between two looks whether a Blender that prints nothing has ended, or takes too long."""

_LAST_WORDS = 1.0
"""Seconds to read what a Blender that has ended had printed."""


def serve(act: Callable[[Shot], Outcome]) -> None:
    """Be a worker: carry out shots until the input ends; if it ends in the middle of a shot, the pool is gone."""
    lines: SimpleQueue[str] = SimpleQueue()
    busy = Event()
    Thread(target=_read, args=(lines, busy), daemon=True).start()
    while line := lines.get():
        token, pickled = line.split()
        shot: Shot = pickle.loads(bytes.fromhex(pickled))
        ended = act(shot)
        busy.clear()
        if shot.is_resumed:  # the reports are in a file, and may be large
            ended = replace(ended, reports=())
        tell(f"\n{token} {pickle.dumps(ended).hex()}")


def _read(lines: "SimpleQueue[str]", busy: Event) -> None:
    # Without a buffer, whose lock Python would miss when it shuts down.
    with open(0, "rb", buffering=0, closefd=False) as stdin:
        for line in stdin:
            busy.set()
            lines.put(line.decode())
    if busy.is_set():
        os.kill(os.getpid(), signal.SIGTERM)
        Event().wait(_GRACE)
        os._exit(ExitStatus.INTERRUPTED)
    lines.put("")


class Worker(Popen[bytes]):
    """A Blender that carries out one shot after another.

    Its lines end when it does, not with the pipe: a program that a script has started may print there, and outlive it.
    """

    def __init__(self, call: Sequence[str]) -> None:
        super().__init__(call, stdin=PIPE, stdout=PIPE, stderr=STDOUT)
        self._is_stopped = self._is_interrupted = False
        self._lines: SimpleQueue[bytes] = SimpleQueue()
        Thread(target=self._read_lines, daemon=True).start()

    def outcome(self, shot: Shot, time_limit: float) -> Outcome:
        """Let it carry out a shot; it has ended itself where that crashes, or takes longer than the time limit."""
        clock = Clock()
        try:
            with _log(shot.log or Path(os.devnull)) as log:
                answer, last_line = self._answer(shot, log, monotonic() + time_limit)
        except Refused as refused:
            return Outcome(status=ExitStatus.REFUSED, state=outcome.REFUSED, text=str(refused))
        if answer:
            return answer
        status, state = self.wait(), "crashed"
        how = f"ended with signal {-status}" if status < 0 else f"ended with exit status {status}"
        if self._is_stopped:
            state, how = "timed out", f"was stopped after {time_limit:g} seconds"
        text = f"Blender {how}: {last_line}" if last_line else f"Blender {how}"
        self._clean_up(shot, state, text, clock)
        return Outcome(status=ExitStatus.CRASHED, state=state, text=text)

    def _clean_up(self, shot: Shot, state: str, text: str, clock: Clock) -> None:
        """Remove the files that it has left unfinished, and write the report that it could not write."""
        for path in filter(None, (*shot.outputs, shot.report)):
            atomic_write.tidy(path)
        if shot.report:
            # The lock that it held has left its file behind. If another task has the lock, the shot is its own now.
            with suppress(Refused), file_lock.locked(shot.report, wait=False) as is_ours:
                if is_ours and not self._is_interrupted:
                    record.write_failure(shot, {"state": state, "request": {}, **clock.times()}, text)

    def interrupt(self) -> None:
        """End it in the middle of a shot that another thread waits for; kill it if it does not end."""
        self._is_interrupted = True
        self.terminate()
        with suppress(TimeoutExpired):
            self.wait(_GRACE)
        self.kill()

    def end(self) -> None:
        """End it after its last shot."""
        self._give(b"")
        self.wait()

    def _give(self, line: bytes) -> None:
        """Give it a line; an empty one says that there are no more."""
        assert self.stdin is not None
        with suppress(OSError):  # it may have ended already
            self.stdin.write(line)
            (self.stdin.flush if line else self.stdin.close)()

    def _answer(self, shot: Shot, log: BinaryIO, deadline: float) -> tuple[Outcome | None, str]:
        """Its answer for a shot; if it ends instead, or is stopped, None and the last line that it printed."""
        last_line = b""
        # Blender prints what files hold: they cannot know this word, and thus not answer in its place.
        token = secrets.token_hex(16)
        self._give(f"{token} {pickle.dumps(shot).hex()}\n".encode())
        for line in self._until(deadline):
            if line.startswith(token.encode()):
                with suppress(EOFError, ValueError, pickle.UnpicklingError):  # cut off, if it ended just then
                    return pickle.loads(bytes.fromhex(line.decode().removeprefix(token))), ""
            with suppress(OSError):  # a full disk costs the log, not the shot
                log.write(line)
            last_line = line.strip() or last_line
        return None, last_line.decode("utf-8", "replace")

    def _until(self, deadline: float) -> Iterator[bytes]:
        """The lines that it prints from now on until it ends; at the deadline it is stopped."""
        last_words = inf
        while monotonic() < last_words:
            with suppress(Empty):
                if not (line := self._lines.get(timeout=_LOOK)):
                    return
                yield line
            if self.poll() is not None:
                last_words = min(last_words, monotonic() + _LAST_WORDS)
            elif monotonic() > deadline:
                self._is_stopped = True
                self.kill()

    def _read_lines(self) -> None:
        assert self.stdout is not None
        begun = b""
        with self.stdout as pipe:
            # Without a buffer, whose lock Python would miss when it shuts down.
            while got := os.read(pipe.fileno(), 1 << 16):
                *lines, begun = (begun + got).split(b"\n")
                for line in lines:
                    self._lines.put(line + b"\n")
        if begun:
            self._lines.put(begun)
        self.wait()
        self._lines.put(b"")


def _log(path: Path) -> BinaryIO:
    """The file for what Blender prints, which others may read while it grows."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return open(path, "wb", buffering=0)
    except OSError as error:
        raise Refused("UNWRITABLE", value=str(path), reason=error.strerror) from None


def outcomes(
    call: Sequence[str],
    shots: Mapping[int, Shot],
    jobs: int,
    time_limit: float,
    done_before: Callable[[Shot], Outcome | None] = lambda shot: None,
) -> Generator[tuple[int, Outcome], None, None]:
    """The outcomes of the shots by their numbers, each as it ends. To close it earlier ends the workers.

    call : the command line of a worker
    time_limit : seconds that a worker has for one shot, its start included
    done_before : gives the outcome of a shot for which no worker is needed
    """
    workers, idle = set[Worker](), list[Worker]()

    def act(number: int) -> tuple[int, Outcome]:
        shot = shots[number]
        if ended := done_before(shot):
            return number, ended
        try:
            worker = idle.pop()
        except IndexError:
            workers.add(worker := Worker(call))
        ended = worker.outcome(shot, time_limit)
        (idle.append if worker.poll() is None else workers.discard)(worker)
        return number, ended

    executor = ThreadPoolExecutor(min(jobs, len(shots)))
    try:
        for future in as_completed([executor.submit(act, number) for number in shots]):
            yield future.result()
    except BaseException:
        # What has not begun does not begin, and what has begun leaves nothing behind.
        executor.shutdown(wait=False, cancel_futures=True)
        for worker in workers.copy():
            worker.interrupt()
        raise
    finally:
        executor.shutdown(cancel_futures=True)
        for worker in workers:
            worker.end()
