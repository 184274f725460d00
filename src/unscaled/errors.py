"""What can go wrong, in the user's words: where it happened and what to do about it."""


def one_line(reason: object) -> str:
    """What another library says, without the line breaks that it may hold."""
    return " ".join(str(reason).split())


class UnscaledError(Exception):
    """The base of every error that unscaled raises on purpose."""

    exit_code = 1


class DataError(UnscaledError, ValueError):
    """The data cannot be used as it is: a bad cell, a missing column, a broken file."""

    exit_code = 1


class BadRowError(DataError):
    """A row that cannot be used; the message begins with where it stands."""


class ModelFileError(DataError):
    """A model file is truncated, altered, foreign or too new."""


class UsageError(UnscaledError, ValueError):
    """The caller asked for something that does not exist or does not fit together."""

    exit_code = 2
