"""The bar chart of `unscaled inspect --plot`."""

from typing import Any

from unscaled.errors import UnscaledError, UsageError

SUFFIXES = (".png", ".svg", ".pdf")

POSITIVE, NEGATIVE = "#2a6f97", "#c8553d"


def draw_effects(table: Any, title: str, path: str) -> None:
    """Draws weight * scale of each feature, the strongest on top; of several lanes the strongest one's."""
    if not path.lower().endswith(SUFFIXES):
        raise UsageError(f"--plot {path}: the suffix must be one of {', '.join(SUFFIXES)}")
    try:
        import matplotlib as mpl
    except ImportError:
        raise UsageError("--plot needs matplotlib: pip install 'unscaled[matplotlib]'") from None
    mpl.use("agg")
    from matplotlib import pyplot

    names, effects = table["feature"].to_pylist(), _signed_effects(table)
    figure, axes = pyplot.subplots(figsize=(8, 0.9 + 0.28 * len(names)), layout="constrained")
    colours = [POSITIVE if effect >= 0 else NEGATIVE for effect in effects]
    axes.barh(range(len(names)), effects, color=colours)
    axes.set_yticks(range(len(names)), [_short(name) for name in names])
    axes.invert_yaxis()
    axes.axvline(0, color="black", linewidth=0.8)
    axes.set_xlabel("weight × scale: effect on the score")
    axes.set_title(title, loc="left", fontsize=10)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(left=False)
    axes.grid(axis="x", alpha=0.3)
    try:
        figure.savefig(path, dpi=150)
    except OSError as error:
        raise UnscaledError(f"cannot write {path}: {error.strerror or error}") from None
    finally:
        pyplot.close(figure)


def _signed_effects(table: Any) -> list[float]:
    lanes = [table[name].to_pylist() for name in table.column_names if name.startswith("weight")]
    scales = table["scale"].to_pylist()
    return [max(weights, key=abs) * scale for weights, scale in zip(zip(*lanes, strict=True), scales, strict=True)]


def _short(name: str) -> str:
    return name if len(name) <= 40 else name[:38] + "…"
