"""Many shots on one machine: several Blenders, each baking shot after shot."""

from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed

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
