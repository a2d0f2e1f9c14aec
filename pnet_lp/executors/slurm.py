"""Jobs of Slurm, submitted by submitit."""

from __future__ import annotations

import logging
import pickle
import subprocess
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Generic, Literal, Self, TypeVar

from pydantic import Field, model_validator

from pnet_lp.errors import PnetError
from pnet_lp.executors.base import EXECUTORS, Executor, Travelling
from pnet_lp.extras import load
from pnet_lp.registry import Params
from pnet_lp.writing import naming_output, output_file

T = TypeVar("T")
R = TypeVar("R")

_TRIES = 3
"""How often a job is begun before its draws are given up: a machine may fail under it."""

_LOOK_S = {"slurm": 5.0, "local": 0.1}
"""Seconds between two looks at the jobs."""

_LATE_LOOKS = 4
"""Looks for which the result of a job that Slurm has ended may be late on a shared disk."""


_UNANSWERED = 120
"""Looks in turn that squeue may leave unanswered: ten minutes."""


class SlurmParams(Params):
    """Parameters of ``slurm``."""

    partition: str = Field("", description="partition of the jobs; default: Slurm's")
    minutes: int = Field(
        60, ge=1, description="time limit of a job; one that reaches it is begun again where it stopped"
    )
    cpus: int = Field(1, ge=1, le=1024, description="cores of a job, and threads of a draw where --threads says none")
    gb: int = Field(4, ge=1, description="GB of memory of a job")
    folder: str = Field(
        "slurm", min_length=1, description="for the jobs' scripts and logs, on a disk that all machines share"
    )
    on: Literal["slurm", "local"] = Field("slurm", description="local: the same jobs as processes of this machine")

    @model_validator(mode="after")
    def _check_meaning(self) -> Self:
        if self.on == "local" and (idle := [key for key in ("partition", "gb") if key in self.model_fields_set]):
            raise ValueError(f"{idle[0]} has a meaning with on=slurm only")
        return self


@dataclass
class _Share(Generic[T, R]):
    """Every n-th task, which a job works off; where Slurm stops it, it is submitted again as it is.

    Attributes:
        function: what answers a task.
        tasks: each with its number.
        folder: where results are stored as they are done, so that a job begun again continues.
    """

    function: Callable[[T], R]
    tasks: list[tuple[int, T]]
    folder: Path

    def __call__(self) -> list[tuple[int, R]] | PnetError:
        """Return all results by number, or the error that ended them."""
        try:
            return [(number, self._result(number, task)) for number, task in self.tasks]
        except PnetError as error:
            return error

    def _result(self, number: int, task: T) -> R:
        file = self.folder / str(number)
        if file.exists():
            stored: R = pickle.loads(file.read_bytes())
            return stored
        found = self.function(task)
        with output_file(file) as temporary:
            temporary.write_bytes(pickle.dumps(found))
        return found

    def checkpoint(self) -> Any:
        """Return what submitit submits when a job has reached its time limit: what is stored is not computed again."""
        return load("submitit.helpers", "slurm").DelayedSubmission(self)


@EXECUTORS.register(
    "slurm",
    params=SlurmParams,
    example="partition=batch,minutes=120",
    summary="jobs of Slurm, as many as --jobs says, on machines that share this folder",
)
class Slurm(Executor):
    """See :class:`Executor`.

    Each job works off every n-th task and stores what it has done at once: one that dies or reaches its limit loses
    what it was at, and is begun again.  It runs this Python in this folder.
    """

    shares_files = True

    def __init__(self, params: Params, jobs: int | None) -> None:
        assert isinstance(params, SlurmParams)
        self._params, self._jobs = params, jobs or 1
        submitit = load("submitit", "slurm")
        logging.getLogger("submitit").setLevel(logging.CRITICAL)  # what it logs is said in a sentence
        try:
            made = submitit.AutoExecutor(params.folder, cluster=params.on)
        except RuntimeError:
            raise PnetError(
                "no Slurm here", where="slurm", found="no srun", allowed="a machine that submits jobs"
            ) from None
        made.update_parameters(
            name="pnet-lp",
            timeout_min=params.minutes,
            cpus_per_task=params.cpus,
            mem_gb=params.gb,
            **({"slurm_partition": params.partition} if params.partition else {}),
        )
        self._submitting = made

    @property
    def processes(self) -> int:
        """See :attr:`Executor.processes`."""
        return self._jobs

    def threads(self, requested: int) -> int:
        """See :meth:`Executor.threads`: those of a job."""
        return requested or self._params.cpus

    def run(self, function: Callable[[T], R], tasks: Sequence[T]) -> Generator[tuple[int, R]]:
        """See :meth:`Executor.run`."""
        folder = Path(self._params.folder).absolute()
        with naming_output(folder):
            folder.mkdir(parents=True, exist_ok=True)
            # Jobs that are cancelled may still write.
            stored = TemporaryDirectory(prefix="results-", dir=folder, ignore_cleanup_errors=True)
        with stored:
            yield from self._worked_off(function, tasks, Path(stored.name))

    def _worked_off(self, function: Callable[[T], R], tasks: Sequence[T], folder: Path) -> Generator[tuple[int, R]]:
        numbered, travelling = list(enumerate(tasks)), Travelling(function)
        shares = [_Share(travelling, numbered[i :: self._jobs], folder) for i in range(min(self._jobs, len(numbered)))]
        with self._submitting_errors():
            jobs = [self._submitting.submit(share) for share in shares]
        tries, waiting, looks = [1] * len(shares), set(range(len(shares))), [0] * len(shares)
        try:
            while waiting:
                queued = self._queued()
                for i in sorted(waiting):
                    if queued is None:
                        ended = jobs[i].done()
                    else:
                        looks[i] = 0 if jobs[i].job_id in queued else looks[i] + 1
                        ended = jobs[i].paths.result_pickle.exists() or looks[i] > _LATE_LOOKS
                    if not ended:
                        continue
                    found = self._result(jobs[i], tries[i])
                    if found is None:
                        tries[i], looks[i] = tries[i] + 1, 0
                        with self._submitting_errors():
                            jobs[i] = self._submitting.submit(shares[i])
                        continue
                    waiting.remove(i)
                    yield from found
                time.sleep(_LOOK_S[self._params.on])
        finally:
            for i in waiting:
                jobs[i].cancel(check=False)

    def _queued(self) -> frozenset[str] | None:
        """Return the jobs of ours that have not ended; None where they are processes of this machine.

        Jobs are not looked up in Slurm's accounting, which many have not.
        """
        if self._params.on == "local":
            return None
        command = ["squeue", "--me", "--noheader", "--format=%i"]
        for _ in range(_UNANSWERED):
            found = subprocess.run(command, capture_output=True, text=True, check=False)
            if not found.returncode:
                return frozenset(found.stdout.split())
            time.sleep(_LOOK_S["slurm"])
        raise PnetError(
            "squeue has not answered for ten minutes",
            where="slurm",
            found=found.stderr.strip().rpartition("\n")[2] or None,
            allowed="the same command again; a sweep does not repeat stored draws",
        )

    def _result(self, job: Any, tries: int) -> list[tuple[int, Any]] | None:
        """Return the results of a job, None where it died and may be begun again; or raise PnetError."""
        died = load("submitit.core.utils", "slurm").UncompletedJobError
        try:
            if self._params.on == "slurm" and not job.paths.result_pickle.exists():
                raise died
            found: list[tuple[int, Any]] | PnetError = job.result()
        except died:
            if tries < _TRIES:
                return None
            raise PnetError(
                f"a job died {tries} times; the draws of a sweep done so far are stored",
                where="slurm",
                found=str(job.paths.stderr),
            ) from None
        if isinstance(found, PnetError):
            raise found
        return found

    @contextmanager
    def _submitting_errors(self) -> Iterator[None]:
        """Raise PnetError where no job is taken."""
        refused = load("submitit.core.utils", "slurm")
        try:
            yield
        except (refused.FailedSubmissionError, refused.FailedJobError, OSError, subprocess.SubprocessError) as error:
            problem = str(error).partition("\n")[0]
            raise PnetError(f"no job is taken: {problem}", where="slurm", found=self._params.on) from None
