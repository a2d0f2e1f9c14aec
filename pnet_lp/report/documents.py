"""A report of one experiment in a language: Markdown, HTML, or LaTeX to be used in a paper."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from pnet_lp.errors import printable

Cells: TypeAlias = Sequence[tuple[str, ...]]
"""The lines of a table, the first its header."""


@dataclass(frozen=True)
class Document:
    """What is said of an experiment.

    Attributes:
        title: of the whole.
        command: what is to be typed to run it.
        sentences: what has to be known first.
        figure: name of the file of the chart; empty where there is none.
        caption: of the chart, and of the table of cases.
        cases: the table of cases; empty where nothing was measured.
        claims: the table of claims; its header alone where there are none.
    """

    title: str
    command: str
    sentences: Sequence[str]
    figure: str
    caption: str
    cases: Cells
    claims: Cells


def _markdown(shown: Document) -> str:
    parts = [f"# {_markdown_text(shown.title)}", f"    {printable(shown.command, '')}"]
    parts += map(_markdown_text, shown.sentences)
    if shown.cases:
        said = _markdown_text(shown.caption)
        parts += [f"![{said}]({shown.figure})", said, _markdown_table(shown.cases)]
    if len(shown.claims) > 1:
        parts += ["## Claims", _markdown_table(shown.claims)]
    return "\n\n".join(parts) + "\n"


def _markdown_text(text: str) -> str:
    """Return a text as Markdown on one line that shows it as it is: no markup, no HTML, no end of a cell."""
    shown = _line(text).replace("&", "&amp;").replace("<", "&lt;")
    return re.sub(r"([\\`|]|\](?=[(\[:]))", r"\\\1", shown)


def _markdown_table(cells: Cells) -> str:
    header, *lines = [[_markdown_text(cell) for cell in line] for line in cells]
    rows = [header, ["---"] * len(header), *lines]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _html(shown: Document) -> str:
    title = _html_text(shown.title)
    parts = [f"<h1>{title}</h1>", f"<pre>{_html_text(shown.command)}</pre>"]
    parts += (f"<p>{_html_text(text)}</p>" for text in shown.sentences)
    if shown.cases:
        said = _html_text(shown.caption)
        image = f'<img src="{html.escape(shown.figure)}" alt="{said}">'
        parts += [f"<figure>{image}<figcaption>{said}</figcaption></figure>", _html_table(shown.cases)]
    if len(shown.claims) > 1:
        parts += ["<h2>Claims</h2>", _html_table(shown.claims)]
    style = (
        "body{font-family:sans-serif;margin:2em auto;max-width:70em;padding:0 1em}img{max-width:100%}"
        "table{border-collapse:collapse}th,td{padding:.2em .8em;text-align:left;vertical-align:top}"
        "thead th{border-bottom:1px solid}.n{text-align:right;white-space:nowrap}"
    )
    head = f'<meta charset="utf-8"><title>{title}</title><style>{style}</style>'
    body = "\n".join(parts)
    return f'<!DOCTYPE html>\n<html lang="en"><head>{head}</head><body>\n{body}\n</body></html>\n'


def _html_text(text: str) -> str:
    return html.escape(_line(text))


def _html_table(cells: Cells) -> str:
    number = _are_numbers(cells)

    def row(line: Sequence[str], tag: str) -> str:
        fields = (
            f"<{tag}{' class=n' if right else ''}>{_html_text(cell)}</{tag}>"
            for cell, right in zip(line, number, strict=True)
        )
        return f"<tr>{''.join(fields)}</tr>"

    header, *lines = cells
    body = "\n".join(row(line, "td") for line in lines)
    return f"<table><thead>{row(header, 'th')}</thead><tbody>\n{body}\n</tbody></table>"


def _latex(shown: Document) -> str:
    parts = [
        f"% {_line(shown.title)}\n% {_line(shown.command)}",
        r"% \usepackage[utf8]{inputenc} \usepackage{array,booktabs,graphicx,longtable}",
    ]
    parts += (f"% {_line(text)}" for text in shown.sentences)
    if shown.cases:
        said = _latex_text(shown.caption)
        image = rf"\includegraphics[width=\linewidth]{{{shown.figure.rpartition('.')[0]}}}"
        parts += [
            f"\\begin{{figure}}\n\\centering\n{image}\n\\caption{{{said}}}\n\\end{{figure}}",
            _latex_table(shown.cases, _latex_text(shown.title)),
        ]
    if len(shown.claims) > 1:
        parts.append(_latex_table(shown.claims, f"Claims: {_latex_text(shown.title)}"))
    return "\n\n".join(parts) + "\n"


_LATEX = {
    **{mark: f"\\{mark}" for mark in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "±": r"$\pm$",
    "×": r"$\times$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "−": "$-$",
    "∞": r"$\infty$",
    "µ": r"$\mu$",
    "μ": r"$\mu$",
    "→": r"$\to$",
    "–": "--",
    "—": "---",
    "…": r"\dots{}",
}


def _latex_text(text: str) -> str:
    """Return a text as LaTeX on one line that shows it as it is."""
    return "".join(_LATEX.get(character, character) for character in _line(text))


_WIDE = 30
"""Characters of a cell from which on a column is broken into lines."""


_LINE, _GAP = 85, 0.03
"""Characters of a line of a page, and the part of it that is between two columns."""

_RAGGED = r">{\raggedright\arraybackslash}"

_PAGE = 40
"""Lines of a table from which on it goes on on the next page."""


def _latex_table(cells: Cells, caption: str) -> str:
    number = _are_numbers(cells)
    widths = [max(len(line[i]) for line in cells) for i in range(len(number))]
    wide = [not right and width > _WIDE for right, width in zip(number, widths, strict=True)]
    all_wide = sum(width for width, broken in zip(widths, wide, strict=True) if broken)
    narrow = sum(width for width, broken in zip(widths, wide, strict=True) if not broken)
    left = min(max(1 - narrow / _LINE - _GAP * len(widths), 0.3), all_wide / _LINE)
    columns = "".join(
        rf"{_RAGGED}p{{{left * width / all_wide:.2f}\linewidth}}" if broken else "r" if right else "l"
        for width, broken, right in zip(widths, wide, number, strict=True)
    )
    header, *lines = [" & ".join(map(_latex_text, line)) + r" \\" for line in cells]
    above, rows = f"\\toprule\n{header}\n\\midrule\n", "\n".join([*lines, r"\bottomrule"])
    if len(lines) > _PAGE:
        above = f"\\caption{{{caption}}} \\\\\n{above}\\endhead"
        return f"\\begin{{longtable}}{{{columns}}}\n{above}\n{rows}\n\\end{{longtable}}"
    size = "\\small\n" if any(wide) else ""
    table = f"\\begin{{tabular}}{{{columns}}}\n{above}{rows}\n\\end{{tabular}}"
    return f"\\begin{{table}}\n\\centering\n{size}\\caption{{{caption}}}\n{table}\n\\end{{table}}"


def _are_numbers(cells: Cells) -> list[bool]:
    """Return of each column whether its cells are numbers, or empty."""
    _, *lines = cells
    return [all(re.fullmatch(r"[-+−\d.,eE± %]*", cell) for cell in column) for column in zip(*lines, strict=True)]


def _line(text: str) -> str:
    return printable(text.replace("\n", " "))


LANGUAGES: dict[str, tuple[str, Callable[[Document], str]]] = {
    "md": (".md", _markdown),
    "html": (".html", _html),
    "latex": (".tex", _latex),
}
"""Suffix of the file, and what writes the document, by language."""
