"""What all tests share: examples of properties, and how long they wait.

They are the same in every run, unless `make fuzz` asks for others, and may take their time, as machines are shared and
busy.
"""

import gc
import signal

from hypothesis import HealthCheck, settings

if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    # A shell has what it runs in the background ignore Ctrl-C, and so would all that tests start.
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_finish() -> None:
    """Leave the tests themselves, which stay until the end, out of every garbage collection."""
    gc.collect()
    gc.freeze()


PATIENCE_S = 600.0
"""Seconds after which a test says that something does not end; pytest ends tests that take 900."""

PATIENT = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("same", PATIENT, derandomize=True)
settings.register_profile("fuzz", PATIENT)
settings.load_profile("same")
