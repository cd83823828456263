"""The two ways in which a command here can end badly, each with the sentence the user gets to read."""

SKIP_EXIT_CODE = 77


class Failed(Exception):
    """Something went wrong; the message says what, where, and what to do next."""


class Unavailable(Exception):
    """This machine cannot have the tools, so tests that need them are skipped."""


class Stopped(BaseException):
    """A signal asked this process to stop. Not an Exception: nothing but the clean-up may catch it."""

    def __init__(self, signal_number: int):
        super().__init__(signal_number)
        self.signal_number = signal_number
