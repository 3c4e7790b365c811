"""Many shots on one machine: several Blenders, each baking shot after shot."""

from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from queue import LifoQueue

from .outcome import Outcome
from .shot import Shot
from .worker import Worker


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
    # The last that came back is the first to go: so none is started while another is idle.
    idle: LifoQueue[Worker] = LifoQueue()
    workers = [Worker(call, time_limit) for _ in range(min(jobs, len(shots)))]
    for worker in workers:
        idle.put(worker)

    def act(shot: Shot) -> Outcome:
        if found := done_before(shot):
            return found
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
