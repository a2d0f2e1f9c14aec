"""A Dask cluster: whatever workers a scheduler has, here and elsewhere."""

from __future__ import annotations

import importlib.util
import io
import logging
import pickle
import re
import sys
import threading
import warnings
import zipfile
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, Field

from pnet_lp import interrupts
from pnet_lp.errors import PnetError, SpecError
from pnet_lp.executors.base import EXECUTORS, Executor, Missing, Travelling
from pnet_lp.extras import load
from pnet_lp.manifest import code_identity
from pnet_lp.registry import Params
from pnet_lp.travel import PACKAGE, answers

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

    Files that tasks name go with them, and this package goes to workers that lack it; others refuse another version.
    A worker that dies is replaced by another for what it was at.
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
        self._open: Any = None
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

    def close(self) -> None:
        """See :meth:`Executor.close`."""
        if self._open is not None:
            self._open.close()
            self._open = None

    def run(self, function: Callable[[T], R], tasks: Sequence[T]) -> Generator[tuple[int, R]]:
        """See :meth:`Executor.run`."""
        from distributed import KilledWorker, as_completed  # noqa: PLC0415 - as above

        numbers: dict[Any, int] = {}
        with self, warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Sending large graph")
            if self._open is None:
                self._open = self._client()
                _send_code(self._open)
            client, files = self._open, answers()

            # A scheduler reads what it passes on, and may lack this package: functions defined in here, and bytes.
            def unpack(text: bytes) -> Any:
                return pickle.loads(text)

            def call(text: bytes, function: Callable[[Any], Any]) -> bytes:
                return pickle.dumps(function(pickle.loads(text)))

            def packed() -> Any:
                # Once for all tasks; a worker that dies with it loses nothing, since it can be made again.
                return client.submit(unpack, pickle.dumps(Travelling(function, files)), pure=False)

            def send(places: Sequence[int]) -> list[Any]:
                texts = [pickle.dumps(tasks[i]) for i in places]
                futures = client.map(call, texts, function=travelling, pure=False)
                numbers.update(zip(futures, places, strict=True))
                return list(futures)

            try:
                travelling = packed()
                done = as_completed(send(range(len(tasks))), loop=client.loop)
                for future in done:
                    number, found = numbers.pop(future), pickle.loads(future.result())
                    if not isinstance(found, Missing):
                        yield number, found
                        continue
                    if found.question not in files:
                        files = files | answers([found.question])
                        travelling = packed()
                    done.update(send([number]))
            except KilledWorker:
                raise PnetError("workers died repeatedly on one task, perhaps out of memory", where="dask") from None
            except (CancelledError, OSError):
                raise PnetError(
                    "the scheduler is gone; the draws done so far are stored", where="dask", found=self._address
                ) from None
            except ImportError as error:
                raise PnetError(f"a worker lacks this package: {error}", where="dask") from None
            finally:
                with suppress(CancelledError, OSError):
                    client.cancel(list(numbers))


def _send_code(client: Any) -> None:
    """Let workers that lack this package import a copy of ours, those too that come later.

    Those that have another version keep it, and refuse tasks.
    """
    from distributed import WorkerPlugin  # noqa: PLC0415 - as above

    # What is defined in here is sent as it is, and not imported from this package.
    def lacks() -> bool:
        return importlib.util.find_spec("pnet_lp") is None

    class Code(WorkerPlugin):
        name = f"pnet-lp {code_identity()}"

        def __init__(self, archive: bytes) -> None:
            self.archive = archive

        def setup(self, worker: Any) -> None:
            if importlib.util.find_spec("pnet_lp") is None:
                folder = f"{worker.local_directory}/pnet-lp"
                zipfile.ZipFile(io.BytesIO(self.archive)).extractall(folder)
                sys.path.insert(0, folder)

    found = client.run(lacks)
    if not found or any(found.values()):
        content = io.BytesIO()
        with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            for path in sorted(PACKAGE.rglob("*")):
                if path.is_file() and "__pycache__" not in path.parts:
                    archive.write(path, path.relative_to(PACKAGE.parent))
        client.register_plugin(Code(content.getvalue()))
