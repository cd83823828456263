"""Turns the signals that ask this process to stop into an exception, so that every clean-up runs to its end."""

import signal
from contextlib import contextmanager

from failures import Stopped

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def raise_stopped(number: int, _frame) -> None:
    ignore()  # a second signal must not interrupt the clean-up
    raise Stopped(number)


def catch() -> None:
    for number in SIGNALS:
        signal.signal(number, raise_stopped)


def ignore() -> None:
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)


def restore_defaults() -> None:
    """For a child, before it becomes another program."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)


@contextmanager
def held_back():
    """A signal that arrives inside is delivered at the end."""
    signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
