"""A Dask cluster: whatever workers a scheduler has, here and elsewhere."""

from __future__ import annotations

import logging
import re
import threading
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, Field

from pnet_lp import interrupts
from pnet_lp.errors import PnetError, SpecError
from pnet_lp.experiment.executor import EXECUTORS, Executor
from pnet_lp.extras import load
from pnet_lp.registry import Params

T = TypeVar("T")
R = TypeVar("R")

_PATIENCE_S = 10
"""How long a scheduler may take to answer."""


def _host_and_port(address: str) -> str:
    if not re.fullmatch(r"[^/\s]+:[0-9]+", address):
        raise SpecError(
            "no scheduler is named", found=address or None, allowed="dask://HOST:PORT, such as dask://10.0.0.1:8786"
        )
    return address


class DaskParams(Params):
    """Parameters of ``dask``."""

    address: Annotated[str, AfterValidator(_host_and_port)] = Field(
        "", validate_default=True, description="HOST:PORT of the scheduler, behind dask://"
    )


@EXECUTORS.register(
    "dask",
    params=DaskParams,
    example="address=10.0.0.1:8786",
    summary="workers of a Dask cluster, which run the same code",
)
class Dask(Executor):
    """See :class:`Executor`.

    Workers import what they run, so they need the same version of this package, and the files that a spec names below
    the folder that they run in.  A worker that dies is replaced by another for what it was at.
    """

    shares_files = False

    def __init__(self, params: Params, jobs: int | None) -> None:
        assert isinstance(params, DaskParams)
        if jobs is not None:
            raise SpecError(
                "a cluster has as many processes as it has workers",
                where="dask",
                found=f"jobs={jobs}",
                allowed="no number of jobs",
            )
        self._address = params.address
        # Before anything is begun.
        with self._client() as client:
            self._slots: int = sum(client.nthreads().values())

    def _client(self) -> Any:
        distributed = load("distributed", "dask")
        # It logs the loss of a scheduler in dozens of lines, which one sentence says.
        for name in logging.root.manager.loggerDict:
            if name.partition(".")[0] == "distributed":
                logging.getLogger(name).setLevel(logging.CRITICAL)
        made: Future[Any] = Future()

        def connect() -> None:
            try:
                made.set_result(distributed.Client(f"tcp://{self._address}", timeout=_PATIENCE_S, set_as_default=False))
            except Exception as error:
                made.set_exception(error)

        # Its own timeout does not count where a port takes the connection and then says nothing.
        thread = threading.Thread(target=connect, daemon=True)
        thread.start()
        try:
            return made.result(_PATIENCE_S + 1)
        except (OSError, ValueError, TimeoutError) as error:
            if thread.is_alive():
                interrupts.abandon(thread)
            raise PnetError(
                "no scheduler answers", where="dask", found=self._address, allowed="the HOST:PORT of one that runs"
            ) from error

    @property
    def processes(self) -> int:
        """See :attr:`Executor.processes`: as many as the workers have threads, at least one."""
        return max(1, self._slots)

    def threads(self, requested: int) -> int:
        """See :meth:`Executor.threads`: a worker is one of several on its machine."""
        return requested or 1

    def run(self, function: Callable[[T], R], tasks: Sequence[T]) -> Generator[tuple[int, R]]:
        """See :meth:`Executor.run`."""
        from distributed import KilledWorker, as_completed  # noqa: PLC0415 - as above

        with self._client() as client:
            futures = client.map(function, tasks, pure=False)
            number = {future.key: i for i, future in enumerate(futures)}
            try:
                for future in as_completed(futures, loop=client.loop):
                    yield number[future.key], future.result()
                    future.release()
            except KilledWorker:
                raise PnetError("workers died repeatedly on one draw, perhaps out of memory", where="dask") from None
            except (CancelledError, OSError):
                raise PnetError(
                    "the scheduler is gone; the draws done so far are stored", where="dask", found=self._address
                ) from None
            except ImportError as error:
                raise PnetError(f"a worker lacks this package: {error}", where="dask") from None
            finally:
                with suppress(CancelledError, OSError):
                    client.cancel(futures)
