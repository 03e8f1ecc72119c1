"""The job on Ray Data: a pool of actors with a detector each, to which nothing but descriptions of partitions goes.

An actor reads its partition and writes it. Rows never pass through the driver or the object store, so that neither
grows with the input; and a partition that was lost with a machine is done again by another.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from fewaspect.bulk.packing import unpack
from fewaspect.bulk.plan import Partition
from fewaspect.bulk.worker import Counts, Worker
from fewaspect.core.errors import ConfigError, FewAspectError
from fewaspect.core.extras import require

if TYPE_CHECKING:
    from fewaspect.bulk.job import Job

_STORE = 128 << 20  # bytes of the object store when Ray is started here: descriptions are small
_FILES = 64  # that one task looks into when the input is divided
Answer = TypeVar("Answer")


@dataclass(frozen=True)
class RayCluster:
    """A running Ray: how many actors, with how many threads each."""

    actors: int
    threads: int

    def map(self, function: Callable[[str], Answer], paths: Sequence[str]) -> Iterator[Answer]:
        """As the builtin, by tasks on all machines."""
        import ray

        if len(paths) == 1:
            yield function(paths[0])
            return
        on_group: Any = lambda group: [function(path) for path in group]  # noqa: E731
        task = ray.remote(num_cpus=1)(on_group)
        size = max(1, min(_FILES, len(paths) // (4 * self.actors)))
        waiting = [task.remote(paths[n : n + size]) for n in range(0, len(paths), size)]
        with _unwrapped_errors():
            for answers in waiting:
                yield from ray.get(answers)

    def process(self, job: Job, partitions: list[Partition]) -> Iterator[Counts]:
        """The counts of each partition as it is finished; how many wait at an actor is bounded by Ray Data."""
        import ray

        if ray.util.client.ray.is_connected():  # by ray://, where Ray Data cannot run: then it runs over there
            there: Any = ray.remote(num_cpus=0)(_RemoteDriver).remote(self, job, partitions)
            with _unwrapped_errors():
                while (counts := ray.get(there.next.remote())) is not None:
                    yield counts
        else:
            yield from self._process_here(job, partitions)

    def _process_here(self, job: Job, partitions: list[Partition]) -> Iterator[Counts]:
        import ray
        from ray.data import ActorPoolStrategy, from_items

        shared_job = ray.put(replace(job, plan=replace(job.plan, partitions=[])))
        items = [{"partition": json.dumps(asdict(partition))} for partition in partitions]
        done = from_items(items, override_num_blocks=len(items)).map_batches(
            WorkerActor,
            fn_constructor_args=(shared_job, self.threads),
            batch_size=1,
            compute=ActorPoolStrategy(size=min(self.actors, len(items)), max_tasks_in_flight_per_actor=2),
            num_cpus=self.threads,
        )
        with _unwrapped_errors():
            for row in done.iter_rows():
                yield Counts(**json.loads(row["counts"]))


class _RemoteDriver:
    """Hands out partitions, on a machine of the cluster."""

    def __init__(self, cluster: RayCluster, job: Job, partitions: list[Partition]) -> None:
        _silence_progress()
        self.counts = cluster._process_here(job, partitions)

    def next(self) -> Counts | None:
        return next(self.counts, None)


class WorkerActor:
    """A worker in an actor of its own."""

    def __init__(self, job: Any, threads: int) -> None:
        import ray

        os.environ["OMP_NUM_THREADS"] = str(threads)
        given = ray.get(job)
        self.worker = Worker(unpack(given.detector), given.plan, given.output)

    def __call__(self, batch: dict[str, Any]) -> dict[str, list[str]]:
        partitions = [Partition(**json.loads(partition)) for partition in batch["partition"]]
        return {"counts": [json.dumps(asdict(self.worker.process(own))) for own in partitions]}


@contextmanager
def start_ray(address: str | None = None, actors: int | None = None, threads: int = 1) -> Iterator[RayCluster]:
    """Ray at an address, or one of its own on this machine for the length of the block; quiet."""
    os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "fatal")
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    ray: Any = require("ray", "bulk", "A bulk job")
    require("ray.data", "bulk", "A bulk job")
    for name in ("ray", "ray.data"):
        logging.getLogger(name).setLevel(logging.ERROR)
    own: dict[str, Any] = {} if address else {"include_dashboard": False, "object_store_memory": _STORE}
    try:
        with _silent_stderr():
            ray.init(address=address or "local", logging_level=logging.ERROR, log_to_driver=False, **own)
    except (ConnectionError, OSError, ValueError, RuntimeError) as error:
        raise ConfigError(f"--address {address}: expected a running Ray, found none ({error}).") from None
    try:
        _silence_progress()
        cores = int(ray.cluster_resources().get("CPU", 1))
        yield RayCluster(actors or max(1, cores // threads), threads)
    finally:
        ray.shutdown()


def _silence_progress() -> None:
    from ray.data import DataContext

    context = DataContext.get_current()
    context.enable_progress_bars = context.print_on_execution_start = False


@contextmanager
def _silent_stderr() -> Iterator[None]:
    """Nothing on standard error, where Ray's native code writes its log level; what fails is raised."""
    kept = os.dup(2)
    with open(os.devnull, "w") as nowhere:  # noqa: PTH123
        os.dup2(nowhere.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


@contextmanager
def _unwrapped_errors() -> Iterator[None]:
    """What a worker refuses is refused here in the same words, without Ray's around them."""
    try:
        yield
    except Exception as error:
        for cause in _error_causes(error):
            if type(cause).__module__ == FewAspectError.__module__:
                raise cause from None
        raise


def _error_causes(error: BaseException | None) -> Iterable[BaseException]:
    while error is not None:
        yield error
        error = getattr(error, "cause", None) or error.__cause__
