"""Saving a model while it is still learning: every so many examples, and when the run is interrupted."""

import signal
from types import FrameType, TracebackType
from typing import Any

from unscaled.cli.stopping import Terminated

NEVER = 1 << 62


class Checkpoints:
    """Saves if that was asked for; otherwise an interrupted run leaves everything as it was.

    A signal that comes while rows are being learned or a model is being saved is heeded afterwards, so that what is
    saved is whole; one that comes while waiting for data, or a second one, is heeded at once.
    """

    def __init__(self, training: Any, path: str | None, every: int | None) -> None:
        self._training = training
        self._path = path
        self._every = every
        self._saved = training.learner.examples
        self._is_saving = False
        self._pending: type[KeyboardInterrupt] | None = None
        self._handlers: dict[int, Any] = {}

    def next_stop(self, examples: int) -> int:
        """The count of examples at which to save next."""
        return NEVER if self._every is None else (examples // self._every + 1) * self._every

    def at_stop(self) -> None:
        """Stops if that was asked for while learning, and saves if it is time to."""
        self._stop_if_asked()
        examples = self._training.learner.examples
        if self._every is not None and examples // self._every > self._saved // self._every:
            self._is_saving = True
            self._save()
            self._is_saving = False
            self._stop_if_asked()

    def _stop_if_asked(self) -> None:
        if self._pending is not None:
            raise self._pending

    def _save(self) -> None:
        self._training.progressive.save(self._path)
        self._saved = self._training.learner.examples

    def _heed(self, number: int, frame: FrameType | None) -> None:
        kind = Terminated if number == signal.SIGTERM else KeyboardInterrupt
        if self._pending is not None or not (self._training.is_learning or self._is_saving):
            raise kind
        self._pending = kind

    def __enter__(self) -> "Checkpoints":
        self._handlers = {number: signal.signal(number, self._heed) for number in (signal.SIGINT, signal.SIGTERM)}
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self._handlers.items():
            signal.signal(number, handler)
        if not isinstance(error, KeyboardInterrupt):
            return
        rows = self._training.rows
        if self._every is None:
            raise type(error)(f"interrupted after {rows:,} rows; nothing was saved") from None
        self._save()
        raise type(error)(
            f"interrupted after {rows:,} rows; the model so far is in {self._path}: go on with "
            f"--resume {self._path} --skip {rows}"
        ) from None
