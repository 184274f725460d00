"""Signals: SIGTERM as an exception, and no library between a signal and its handler."""


class Terminated(KeyboardInterrupt):
    """SIGTERM, so that it can be handled where Ctrl-C is."""


def hear_every_signal() -> None:
    """Keeps Arrow's parsers from handling signals.

    They do it to stop early in a large file, and lose a signal that comes while a block is refused or at its end. Our
    blocks are small: Python hears the signal right after.
    """
    import pyarrow as pa

    pa.enable_signal_handlers(False)
