"""A page as headings, paragraphs, tables and pictures, written as Markdown or as HTML that needs nothing else."""

import html
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; font-size: 0.9rem; font-variant-numeric: tabular-nums; margin: 1rem 0; }
th, td { padding: 0.2rem 0.7rem; border-bottom: 1px solid #8884; text-align: right; }
th:first-child, td:first-child { text-align: left; }
th { border-bottom: 2px solid #888a; }
figure { margin: 1.5rem 0; background: white; color: black; padding: 0.5rem; border-radius: 4px; }
figure svg { max-width: 100%; height: auto; }
figcaption { font-size: 0.9rem; }
code { background: #8882; padding: 0 0.2rem; border-radius: 3px; }
.scroll { overflow-x: auto; }
"""


class Heading(NamedTuple):
    """A line above what follows; level 1 is the title."""

    level: int
    text: str


class Text(NamedTuple):
    """A paragraph, with **bold**, *italics*, `code` and [links](address)."""

    text: str


class Points(NamedTuple):
    """A list."""

    items: Sequence[str]


class Table(NamedTuple):
    """Cells may be **bold**."""

    heads: Sequence[str]
    rows: Sequence[Sequence[str]]


class Picture(NamedTuple):
    """A drawing as SVG, kept as a file of that name by Markdown."""

    name: str
    svg: str
    caption: str


Block = Heading | Text | Points | Table | Picture


def as_markdown(blocks: Sequence[Block]) -> str:
    """The page for a repository; pictures stand beside it as files."""
    return "\n\n".join(_markdown(block) for block in blocks) + "\n"


def _markdown(block: Block) -> str:
    match block:
        case Heading(level, text):
            return f"{'#' * level} {text}"
        case Text(text):
            return text
        case Points(items):
            return "\n".join(f"- {item}" for item in items)
        case Table(heads, rows):
            lines = [_escaped(heads), ["---", *["---:"] * (len(heads) - 1)], *map(_escaped, rows)]
            return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
        case Picture(name, _, caption):
            return f"![{caption}]({name}.svg)\n\n*{caption}*"


def _escaped(cells: Sequence[str]) -> list[str]:
    return [cell.replace("|", "\\|") for cell in cells]


def as_html(blocks: Sequence[Block], title: str) -> str:
    """The page as one file that needs nothing else."""
    head = (
        f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{html.escape(title)}</title>'
    )
    body = "\n".join(line for block in blocks for line in _html(block))
    return (
        f'<!doctype html>\n<html lang="en"><head>{head}<style>{STYLE}</style></head>\n<body>\n{body}\n</body></html>\n'
    )


def _html(block: Block) -> Iterator[str]:
    match block:
        case Heading(level, text):
            yield f"<h{level}>{_inline(text)}</h{level}>"
        case Text(text):
            yield f"<p>{_inline(text)}</p>"
        case Points(items):
            yield f"<ul>{''.join(f'<li>{_inline(item)}</li>' for item in items)}</ul>"
        case Table(heads, rows):
            yield '<div class="scroll"><table>'
            yield _html_row("th", heads)
            yield from (_html_row("td", row) for row in rows)
            yield "</table></div>"
        case Picture(_, svg, caption):
            yield f"<figure>{_embedded(svg)}<figcaption>{_inline(caption)}</figcaption></figure>"


def _html_row(tag: str, cells: Sequence[str]) -> str:
    return f"<tr>{''.join(f'<{tag}>{_inline(cell)}</{tag}>' for cell in cells)}</tr>"


def _inline(text: str) -> str:
    """Bold, italics, code and links of Markdown as HTML."""
    text = html.escape(text, quote=False)
    text = re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", text)
    text = re.sub(r"\*(.+?)\*", r"<em>\1</em>", text)
    text = re.sub(r"`(.+?)`", r"<code>\1</code>", text)
    return re.sub(r"\[(.+?)\]\((.+?)\)", r'<a href="\2">\1</a>', text)


def _embedded(svg: str) -> str:
    """A drawing without what only a file of its own needs."""
    return svg[svg.index("<svg") :]
