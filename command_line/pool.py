"""Many shots on one machine: several Blenders, each baking shot after shot."""

from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from queue import LifoQueue, SimpleQueue
from threading import Event

from ..blender.files import file_lock
from .outcome import BUSY, Outcome
from .shot import Shot
from .worker import Worker


class _Workers:
    """Blenders that take shot after shot, each when it is free."""

    def __init__(self, call: Sequence[str], count: int, time_limit: float) -> None:
        self._all = [Worker(call, time_limit) for _ in range(count)]
        # The last that came back is the first to go: so none is started while another is idle.
        self._idle: LifoQueue[Worker] = LifoQueue()
        for worker in self._all:
            self._idle.put(worker)

    def outcome(self, shot: Shot) -> Outcome:
        worker = self._idle.get()
        try:
            return worker.outcome(shot)
        finally:
            self._idle.put(worker)

    def interrupt(self) -> None:
        for worker in self._all:
            worker.interrupt()

    def end(self) -> None:
        for worker in self._all:
            worker.end()


def outcomes(
    call: Sequence[str],
    shots: Mapping[int, Shot],
    jobs: int,
    time_limit: float,
    done_before: Callable[[Shot], Outcome | None] = lambda shot: None,
) -> Generator[tuple[int, Outcome], None, None]:
    """The outcomes of the shots by their numbers, each as it ends. To close it earlier ends the workers.

    Shots that another run is at go to the end of the queue, and are waited for there.

    call : the command line of a worker
    time_limit : seconds that a worker has for one shot, its start included, and no time in which another pool is at it
    done_before : gives the outcome of a shot for which no worker is needed
    """
    count, is_over = min(jobs, len(shots)), Event()
    workers, executor = _Workers(call, count, time_limit), ThreadPoolExecutor(count)

    ended: SimpleQueue[Future[tuple[int, Outcome]]] = SimpleQueue()

    def act(number: int, wait: bool) -> tuple[int, Outcome]:
        shot = shots[number]
        if wait and shot.report:
            file_lock.waited_for(shot.report, is_over)
        return number, done_before(shot) or workers.outcome(shot)

    def submit(number: int, *, wait: bool) -> None:
        executor.submit(act, number, wait).add_done_callback(ended.put)

    try:
        for number in shots:
            submit(number, wait=False)
        left = len(shots)
        while left:
            number, answer = ended.get().result()
            if answer.state == BUSY:
                submit(number, wait=True)
            else:
                left -= 1
                yield number, answer
    except BaseException:
        # What has not begun does not begin, and what has begun leaves nothing behind.
        is_over.set()
        executor.shutdown(wait=False, cancel_futures=True)
        workers.interrupt()
        raise
    finally:
        executor.shutdown(cancel_futures=True)
        workers.end()
