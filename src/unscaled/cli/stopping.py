"""SIGTERM as an exception."""


class Terminated(KeyboardInterrupt):
    """SIGTERM, so that it can be handled where Ctrl-C is."""
