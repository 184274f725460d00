"""What all charts share: figures without a screen, how they look, and the files that they are written to.

No chart goes through pyplot: drawing one in somebody's notebook must leave their figures and their backend alone.
"""

import io
import os
import warnings
from collections.abc import Iterable
from typing import Any

from unscaled.errors import UsageError
from unscaled.whole_files import open_whole

SUFFIXES = (".png", ".svg", ".pdf")

COLOURS = ("#2a6f97", "#c8553d", "#5a8f3d", "#8e5ea2", "#c69214", "#3f3f46")

_PLAIN_TEXT: Any = {"svg.fonttype": "none", "svg.hashsalt": "unscaled"}
"""Text as text, and the same names in every run: a picture that did not change is the same file."""


def check_suffix(path: str, option: str, suffixes: tuple[str, ...] = SUFFIXES) -> None:
    """Refuses a file that no chart can be written to."""
    if not path.lower().endswith(suffixes):
        raise UsageError(f"{option} {path}: the suffix must be one of {', '.join(suffixes)}")


def check_drawing(what: str) -> None:
    """Says at once, and not after half an hour, that nothing can be drawn."""
    try:
        import matplotlib as mpl  # noqa: F401, PLC0415
    except ImportError:
        raise UsageError(f"{what} needs matplotlib: pip install 'unscaled[matplotlib]'") from None


def panels(rows: int = 1, columns: int = 1, *, size: tuple[float, float], squeeze: bool = True) -> tuple[Any, Any]:
    """A figure and its axes; call `check_drawing` first."""
    from matplotlib.figure import Figure  # noqa: PLC0415

    figure = Figure(figsize=size, layout="constrained")
    return figure, figure.subplots(rows, columns, squeeze=squeeze)


def tidy(axes: Any) -> None:
    """The frame and the grid of a chart of curves."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(alpha=0.25)


def save(figure: Any, path: str | os.PathLike[str]) -> None:
    """Writes a figure in the format that the suffix says."""
    name = os.fspath(path)
    with warnings.catch_warnings(), open_whole(name) as file:
        warnings.filterwarnings("ignore", message="Glyph .* missing")  # it is drawn as a box
        figure.savefig(file, dpi=150, format=name.lower().rpartition(".")[2])


def finished_svg(figure: Any, panels: Iterable[Any], legend: bool = True) -> str:
    """A tidied figure as SVG whose text is text."""
    import matplotlib as mpl  # noqa: PLC0415

    for axes in panels:
        tidy(axes)
        if legend:
            axes.legend(frameon=False, fontsize=9)
    text = io.StringIO()
    with mpl.rc_context(_PLAIN_TEXT):
        figure.savefig(text, format="svg", metadata={"Date": None})
    return text.getvalue()
