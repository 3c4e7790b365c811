"""Many shots on one machine: several Blenders, each baking shot after shot.

A worker is a Blender that reads a shot from a line, and answers with a line when the shot is done. If the
worker ends instead, or takes too long and is stopped, that shot has failed and another Blender goes on with the next.
"""

import json
import pickle
import sys
from base64 import b64decode, b64encode
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager, suppress
from dataclasses import asdict, replace
from queue import SimpleQueue
from subprocess import PIPE, STDOUT, Popen, TimeoutExpired
from threading import Event, Timer

from ..blender.files import atomic_write, file_lock
from ..blender.messages.refused import Refused
from . import record
from .outcome import Clock, ExitStatus, Outcome
from .shot import Shot

STDIN = "-"
"""Given for the shots, they come from standard input."""

WORKER = ("--shot", STDIN, "--jobs", "0", "--progress", "none")
"""What makes a worker of a command line; of an argument that is given twice, the last counts."""

_ANSWER = "two_bone_ik_outcome: "

_GRACE = 10.0
"""Seconds that a Blender has to end by itself after an interrupt, before it is killed."""


def outcomes(
    call: Sequence[str], shots: Mapping[int, Shot], jobs: int, time_limit: float
) -> Generator[tuple[int, Outcome], None, None]:
    """The outcomes of the shots by their numbers, each as it ends. To close it earlier ends the workers.

    call : the command line of a worker
    time_limit : seconds that a worker has for one shot, its start included
    """
    idle: SimpleQueue[_Worker] = SimpleQueue()
    workers = [_Worker(call, time_limit) for _ in range(min(jobs, len(shots)))]
    for worker in workers:
        idle.put(worker)

    def act(shot: Shot) -> Outcome:
        worker = idle.get()
        try:
            return worker.outcome(shot)
        finally:
            idle.put(worker)

    executor = ThreadPoolExecutor(len(workers))
    try:
        futures = {executor.submit(act, shot): number for number, shot in shots.items()}
        for future in as_completed(futures):
            yield futures[future], future.result()
    except BaseException:
        # What has not begun does not begin, and what has begun leaves nothing behind.
        executor.shutdown(wait=False, cancel_futures=True)
        for worker in workers:
            worker.interrupt()
        raise
    finally:
        executor.shutdown(cancel_futures=True)
        for worker in workers:
            worker.end()


def serve(act: Callable[[Shot], Outcome]) -> None:
    """Be a worker: carry out shots until the input ends."""
    for line in sys.stdin:
        # What is read is what `_asked` of the same program has written.
        found = act(pickle.loads(b64decode(line)))
        # The reports are in the file of the shot.
        answer = json.dumps(asdict(replace(found, reports=())))
        print(f"\n{_ANSWER}{answer}", flush=True)


class _Worker:
    """A Blender process, started when it is first needed."""

    def __init__(self, call: Sequence[str], time_limit: float) -> None:
        self._call = call
        self._time_limit = time_limit
        self._process: Popen[str] | None = None

    def outcome(self, shot: Shot) -> Outcome:
        """Let the worker carry out a shot."""
        clock = Clock()
        process = self._process = self._process or Popen(
            self._call, stdin=PIPE, stdout=PIPE, stderr=STDOUT, encoding="utf-8", errors="replace"
        )
        with _limited(process, self._time_limit) as stopped:
            answer, said = _asked(process, shot)
        if not answer or stopped.is_set():
            process.wait()
            self._process = None
        if answer:
            return answer
        status, state = process.returncode, "crashed"
        how = f"ended with signal {-status}" if status < 0 else f"ended with exit status {status}"
        if stopped.is_set():
            state, how = "timed out", f"was stopped after {self._time_limit:g} seconds"
        found = Outcome(
            status=ExitStatus.CRASHED, state=state, text=f"Blender {how}: {said}" if said else f"Blender {how}"
        )
        for path in filter(None, (shot.output, shot.report)):
            atomic_write.tidy(path)
        if shot.report:
            # The lock that it held has left its file behind. If another pool has the lock, the shot is its own now.
            with suppress(Refused), file_lock.locked(shot.report, wait=False) as is_ours:
                if is_ours:
                    record.write_failure(shot, {}, state, found.text, clock.times())
        return replace(found, **clock.times())

    def interrupt(self) -> None:
        """End the worker in the middle of a shot that another thread waits for; kill the process if it does not end."""
        if process := self._process:
            process.terminate()
            with suppress(TimeoutExpired):
                process.wait(_GRACE)
            process.kill()

    def end(self) -> None:
        """End the worker after its last shot."""
        if self._process:
            self._process.communicate()


def _asked(process: Popen[str], shot: Shot) -> tuple[Outcome | None, str]:
    """The worker's answer for a shot; if it ends instead, None and the last line that it printed."""
    assert process.stdin is not None
    assert process.stdout is not None
    said = ""
    with suppress(OSError):  # it may have ended already
        process.stdin.write(f"{b64encode(pickle.dumps(shot)).decode()}\n")
        process.stdin.flush()
    for line in process.stdout:
        if line.startswith(_ANSWER):
            with suppress(TypeError, ValueError):  # cut off, if it ended just then
                return Outcome(**json.loads(line.removeprefix(_ANSWER))), said
        said = line.strip() or said
    return None, said


@contextmanager
def _limited(process: Popen[str], seconds: float) -> Iterator[Event]:
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
