"""A worker is a Blender that reads a shot from a line, and answers with a line when the shot has ended.

If the worker ends instead, or takes too long and is stopped, that shot has failed and another Blender goes on with the
next. If the pool ends, so does the worker, in the middle of a shot.
"""

import os
import pickle
import secrets
import signal
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from queue import SimpleQueue
from subprocess import PIPE, STDOUT, Popen, TimeoutExpired
from threading import Event, Thread, Timer
from typing import Any, BinaryIO

from ..blender.files import atomic_write, file_lock
from ..blender.messages.refused import Refused
from . import outcome, record
from .outcome import Clock, ExitStatus, Outcome
from .shot import Shot

STDIN = "-"
"""Given for the shots, they come from standard input."""

WORKER = ("--shot", STDIN, "--progress", "none")
"""What makes a worker of a command line; of an argument that is given twice, the last counts."""

_GRACE = 10.0
"""Seconds that a Blender has to end by itself after an interrupt, before it is killed."""

_LAST_WORDS = 1.0
"""Seconds to read what a Blender that has ended had printed."""


def serve(act: Callable[[Shot], Outcome]) -> None:
    """Be a worker: carry out shots until the input ends; if it ends in the middle of a shot, the pool is gone."""
    lines: SimpleQueue[str] = SimpleQueue()
    busy = Event()
    Thread(target=_read, args=(lines, busy), daemon=True).start()
    while line := lines.get():
        token, pickled = line.split()
        shot: Shot = _from_line(pickled)
        ended = act(shot)
        busy.clear()
        if shot.is_resumed:  # the reports are in a file, and may be large
            ended = replace(ended, reports=())
        print(f"\n{token} {_as_line(ended)}", flush=True)


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


class Worker:
    """A Blender process, started when it is first needed."""

    def __init__(self, call: Sequence[str], time_limit: float) -> None:
        self._call = call
        self._time_limit = time_limit
        self._process: _Process | None = None
        self._is_interrupted = False

    def outcome(self, shot: Shot) -> Outcome:
        """Let the worker carry out a shot."""
        clock = Clock()
        try:
            log = _log(shot.log)
        except Refused as refused:
            return Outcome(status=ExitStatus.REFUSED, state=outcome.REFUSED, text=str(refused), **clock.times())
        process = self._process = self._process or _Process(self._call)
        with log, _limited(process, self._time_limit) as stopped:
            answer, last_line = _answer(process, shot, log)
        if not answer or stopped.is_set():
            process.wait()
            self._process = None
        if answer:
            return answer
        status, state = process.returncode, "crashed"
        how = f"ended with signal {-status}" if status < 0 else f"ended with exit status {status}"
        if stopped.is_set():
            state, how = "timed out", f"was stopped after {self._time_limit:g} seconds"
        text = f"Blender {how}: {last_line}" if last_line else f"Blender {how}"
        self._clean_up(shot, state, text, clock)
        return Outcome(status=ExitStatus.CRASHED, state=state, text=text, **clock.times())

    def _clean_up(self, shot: Shot, state: str, text: str, clock: Clock) -> None:
        """Remove the files that the process has left unfinished, and write the report that it could not write."""
        for path in filter(None, (*shot.outputs, shot.report)):
            atomic_write.tidy(path)
        if shot.report:
            # The lock that it held has left its file behind. If another pool has the lock, the shot is its own now.
            with suppress(Refused), file_lock.locked(shot.report, wait=False) as is_ours:
                if is_ours and not self._is_interrupted:
                    record.write_failure(shot, {}, state, text, clock.times())

    def interrupt(self) -> None:
        """End the worker in the middle of a shot that another thread waits for; kill the process if it does not end."""
        self._is_interrupted = True
        if process := self._process:
            process.terminate()
            with suppress(TimeoutExpired):
                process.wait(_GRACE)
            process.kill()

    def end(self) -> None:
        """End the worker after its last shot."""
        if process := self._process:
            process.tell(b"")
            process.wait()


class _Process(Popen[bytes]):
    """A Blender, and the lines that it prints.

    Programs that its scripts have started may print to the same pipe, and outlive it: so the lines end when the process
    does, and not when the pipe is closed.
    """

    def __init__(self, call: Sequence[str]) -> None:
        super().__init__(call, stdin=PIPE, stdout=PIPE, stderr=STDOUT)
        self._lines: SimpleQueue[bytes] = SimpleQueue()
        Thread(target=self._end_lines, daemon=True).start()

    def tell(self, line: bytes) -> None:
        """Give it a line; an empty one says that there are no more."""
        assert self.stdin is not None
        with suppress(OSError):  # it may have ended already
            self.stdin.write(line)
            self.stdin.flush()
            if not line:
                self.stdin.close()

    def lines(self) -> Iterator[bytes]:
        """The lines that it prints from now on, until it ends."""
        return iter(self._lines.get, b"")

    def _end_lines(self) -> None:
        reader = Thread(target=self._read_lines, daemon=True)
        reader.start()
        self.wait()
        reader.join(_LAST_WORDS)
        self._lines.put(b"")

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


def _answer(process: _Process, shot: Shot, log: BinaryIO) -> tuple[Outcome | None, str]:
    """The worker's answer for a shot; if it ends instead, None and the last line that it printed."""
    last_line = b""
    # Blender prints what files hold: they cannot know this word, and thus not answer in its place.
    token = secrets.token_hex(16)
    process.tell(f"{token} {_as_line(shot)}\n".encode())
    for line in process.lines():
        if line.startswith(token.encode()):
            with suppress(EOFError, ValueError, pickle.UnpicklingError):  # cut off, if it ended just then
                return _from_line(line.decode().removeprefix(token).strip()), ""
        with suppress(OSError):  # a full disk costs the log, not the shot
            log.write(line)
        last_line = line.strip() or last_line
    return None, last_line.decode("utf-8", "replace")


def _as_line(item: Shot | Outcome) -> str:
    return b64encode(pickle.dumps(item)).decode()


def _from_line(line: str) -> Any:
    return pickle.loads(b64decode(line, validate=True))


def _log(path: Path | None) -> BinaryIO:
    """The file for what Blender prints, which others may read while it grows; without a path it goes nowhere."""
    try:
        if path:
            path.parent.mkdir(parents=True, exist_ok=True)
        return open(path or os.devnull, "wb", buffering=0)
    except OSError as error:
        raise Refused("UNWRITABLE", value=str(path), reason=error.strerror) from None


@contextmanager
def _limited(process: Popen[bytes], seconds: float) -> Iterator[Event]:
    """While the context is open, a timer kills the process after `seconds`; gives an event that is set if it did."""
    stopped = Event()

    def stop() -> None:
        stopped.set()
        process.kill()

    timer = Timer(seconds, stop)
    timer.start()
    try:
        yield stopped
    finally:
        timer.cancel()
        timer.join()  # it may be at it
