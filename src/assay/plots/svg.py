"""A figure as SVG: a fragment that a page styles by class, or a picture that carries its own colours."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from html import escape
from typing import Any

import numpy as np

from assay.plots.drawing import figure_of
from assay.plots.figure import Area, Axis, Dot, Figure, Line, Segment, Tiles
from assay.plots.labels import BEHIND, TOP, NoteRow, Piece, placed_notes, plot_of, spread
from assay.plots.style import LIGHT, presentation
from assay.renderers import renders
from assay.text import visible
from assay.types import Floats

BESIDE = 32  # right of the plot
BELOW = 42  # ticks and title of the x axis
OFF = 6  # axes stand off the data
# Letters beside the plot: how far off it, and how far from one another.
LETTERS_OFF, LETTERS_APART = 20, 15

# Rings are wider than the dots they surround.
RADII = {"optimum": "8"}

# Scales along which a page's script can place a threshold.
FOLLOWED = ("linear", "log-odds")

# How a role becomes attributes of an element.
Paint = Callable[..., str]


def svg_fragment(figure: Figure) -> str:
    """The figure for a page whose style sheet has `style.stylesheet()`."""
    return _svg_document(figure, _style_by_class, "")


@renders("svg", object)
def _(result: Any) -> str:
    return svg_document(figure_of(result))


def svg_document(figure: Figure) -> str:
    """The figure as a file of its own, right on any background.

    >>> from assay.curves import roc
    >>> from assay.evidence import ScoreTable
    >>> from assay.plots import draw_curve
    >>> svg_document(draw_curve({"": roc(ScoreTable.of([0.2, 0.8], [False, True]))}))[:38]
    '<svg xmlns="http://www.w3.org/2000/svg'
    """
    own = ' xmlns="http://www.w3.org/2000/svg" font-family="Helvetica, Arial, sans-serif" font-size="12"'
    return _svg_document(figure, _style_by_attribute, own) + "\n"


# What a page's script looks for, beside the look of a mark.
HANDLES = ("dot", "cut", "tangent", "optimum", "whisker-x", "whisker-y")


def _style_by_class(*roles: str) -> str:
    handle = f"{roles[-1]} " if roles[-1] in HANDLES else ""
    return f' class="{handle}{" ".join(f"f-{role}" for role in roles)}"'


def _style_by_attribute(*roles: str) -> str:
    return "".join(f' {key}="{value}"' for key, value in presentation(*roles).items())


def _svg_document(figure: Figure, paint: Paint, own: str) -> str:
    frame = _Frame(figure)
    title, description = f"{figure.name}-title", f"{figure.name}-description"
    placed = own or frame.data(figure.name, figure.unit)
    head = (
        f'<svg{placed} viewBox="0 0 {frame.width} {frame.height}" role="img" aria-labelledby="{title} {description}">'
        f'<title id="{title}">{_escaped_text(figure.title)}</title>'
        f'<desc id="{description}">{_escaped_text(figure.description)}</desc>'
    )
    paper = f'<rect width="{frame.width}" height="{frame.height}" fill="{LIGHT["paper"]}"/>' if own else ""
    return head + paper + "".join(_figure_elements(figure, frame, paint)) + "</svg>"


class _Frame:
    """Where data lands on the drawing."""

    def __init__(self, figure: Figure) -> None:
        self.x, self.y = figure.x, figure.y
        plot = plot_of(figure)
        self.long, self.side = round(plot.width), round(plot.height)
        self.left = round(plot.left)
        self.right = self.left + self.long
        self.width = self.right + (BESIDE if figure.margins is None else figure.margins[1])
        self.bottom = TOP + self.side
        self.height = self.bottom + BELOW

    def across(self, values: Floats) -> Floats:
        return self.left + self.long * self.x.position(values)

    def down(self, values: Floats) -> Floats:
        return self.bottom - self.side * self.y.position(values)

    def data(self, name: str, unit: str) -> str:
        """For a page's script: which figure this is, where its axes end, and where on the drawing that is."""
        ends = {"x0": self.x.low, "x1": self.x.high, "y0": self.y.low, "y1": self.y.high}
        box = {"left": self.left, "top": TOP, "width": self.long, "height": self.side}
        is_followed = self.x.scale in FOLLOWED and self.y.scale == "linear"
        numbers = {**ends, **box} if is_followed else box
        counts = f' data-unit="{_escaped_text(unit)}"' if unit else ""
        counts += f' data-scale="{self.x.scale}"' if self.x.scale != "linear" else ""
        return f' data-figure="{_escaped_text(name)}"{counts}' + "".join(
            f' data-{key}="{v:.9g}"' for key, v in numbers.items()
        )

    def place(self, x: float, y: float) -> tuple[str, str]:
        return _short_number(float(self.across(np.asarray(x)))), _short_number(float(self.down(np.asarray(y))))


def _figure_elements(figure: Figure, frame: _Frame, paint: Paint) -> Iterator[str]:
    yield from _axis_elements(figure, frame, paint)
    yield from (_tiles_element(tiles, frame, paint) for tiles in figure.tiles)
    behind = [line for line in figure.lines if line.role in BEHIND]
    yield from (_line_element(line, frame, paint) for line in behind)
    for area in (area for area in figure.areas if len(area.x)):
        x, low, high = frame.across(area.x), frame.down(area.low), frame.down(area.high)
        outline = _path(np.concatenate((x, x[::-1])), np.concatenate((high, low[::-1])))
        clip, clipped = ("", "") if area.beyond is None else _clip_path_beyond(area, figure.name, frame, paint)
        attributes = _script_attributes(area.model, area.moves, paint)
        yield f'{clip}<path d="{outline}z"{paint(area.role)}{clipped}{attributes}/>'
    # The first model comes last, so that nothing lies over it.
    yield from (_line_element(line, frame, paint) for line in reversed(figure.lines) if line.role not in BEHIND)
    yield from (_segment_element(rule, frame, paint) for rule in figure.rules)
    yield from (_dot_element(dot, frame, paint) for dot in figure.dots)
    for label in figure.labels:
        x_at, y_at = frame.place(label.x, label.y)
        moves = _script_attributes(None, label.moves, paint)
        words = f'text-anchor="middle"{paint("halo", label.role)}{moves}>{_escaped_text(label.text)}</text>'
        yield f'<text x="{x_at}" y="{y_at}" dy="4" {words}'
    for label in figure.beside:
        y_at = _short_number(float(frame.down(np.asarray(label.y))))
        yield f'<text x="{frame.right + OFF}" y="{y_at}" dy="4"{paint(label.role)}>{_escaped_text(label.text)}</text>'
    yield from _model_letter_elements(figure, frame, paint)
    yield from _note_elements(figure, frame, paint)


def _clip_path_beyond(area: Area, name: str, frame: _Frame, paint: Paint) -> tuple[str, str]:
    """What leaves only the part of an area beyond a value, for a page's script to move: its element, and its use."""
    assert area.beyond is not None
    start = float(np.clip(frame.across(np.asarray(area.beyond)), frame.left, frame.right))
    own = f"{_escaped_text(name)}-{area.role}"
    box = f'x="{_short_number(start)}" y="{TOP}" width="{_short_number(frame.right - start)}" height="{frame.side}"'
    clip = f'<clipPath id="{own}"><rect class="beyond" {box}{_script_attributes(area.model, "", paint)}/></clipPath>'
    return clip, f' clip-path="url(#{own})"'


def _line_element(line: Line, frame: _Frame, paint: Paint) -> str:
    handles = _script_attributes(line.model, line.moves, paint)
    return f'<path d="{_path(frame.across(line.x), frame.down(line.y))}"{paint(line.role)}{handles}/>'


def _dot_element(dot: Dot, frame: _Frame, paint: Paint) -> str:
    x, y = frame.place(dot.x, dot.y)
    radius = RADII.get(dot.role, "4.5") if dot.size is None else _short_number(dot.size)
    attributes = f"{_script_attributes(dot.model, '', paint)}{_hidden_attribute(dot)}"
    return f'<circle cx="{x}" cy="{y}" r="{radius}"{paint(dot.role)}{attributes}/>'


def _segment_element(rule: Segment, frame: _Frame, paint: Paint) -> str:
    (x1, y1), (x2, y2) = frame.place(*rule.start), frame.place(*rule.end)
    handles = _script_attributes(rule.model, "", paint)
    return f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}"{paint(rule.role)}{handles}{_hidden_attribute(rule)}/>'


def _hidden_attribute(mark: Dot | Segment) -> str:
    return ' display="none"' if mark.is_hidden else ""


def _tiles_element(tiles: Tiles, frame: _Frame, paint: Paint) -> str:
    wide, high = (float(abs(place(np.asarray(1.0)) - place(np.asarray(0.0)))) for place in (frame.across, frame.down))
    square = f"h{_short_number(wide)}v{_short_number(-high)}h{_short_number(-wide)}z"
    corners = zip(frame.across(tiles.x).tolist(), frame.down(tiles.y).tolist(), strict=True)
    squares = "".join(f"M{_short_number(x)} {_short_number(y)}{square}" for x, y in corners)
    return f'<path d="{squares}"{paint(tiles.role)}/>'


def _script_attributes(model: int | None, moves: str, paint: Paint) -> str:
    """Whose mark this is and what moves it, in a page; a picture by itself has no script to tell."""
    if paint is not _style_by_class:
        return ""
    whose = "" if model is None else f' data-model="{model}"'
    return whose + (f' data-moves="{_escaped_text(moves)}"' if moves else "")


def _axis_elements(figure: Figure, frame: _Frame, paint: Paint) -> Iterator[str]:
    axis, words = paint("axis"), paint("muted-words")
    level, upright = frame.bottom + OFF, frame.left - OFF
    up = "" if figure.y.is_bare else f"M{upright} {frame.bottom}v{-frame.side}"
    along, beside = list(_ticks(figure.x, frame.across)), list(_ticks(figure.y, frame.down))
    # Rows that are named need no line to stand on.
    up = "" if figure.y.words else up
    marks = "".join(
        [*(f"M{x} {level}v4" for x, _ in along), *(f"M{upright} {y}h-4" for y, _ in beside if up or not figure.y.words)]
    )
    yield f'<path d="M{frame.left} {level}h{frame.long}{up}{marks}" fill="none"{axis}/>'
    # What all have in common is said once: a page of many classes has a hundred figures.
    yield f'<g{words}><text x="0" y="12">{_escaped_text(figure.y.title)}</text><g text-anchor="middle">'
    yield from (f'<text x="{x}" y="{level + 16}">{text}</text>' for x, text in along)
    yield '</g><g text-anchor="end">'
    yield from (f'<text x="{upright - 6}" y="{y}" dy="4">{text}</text>' for y, text in beside)
    yield f'<text x="{frame.right}" y="{level + 32}">{_escaped_text(figure.x.title)}</text></g></g>'


def _ticks(axis: Axis, place: Callable[[Floats], Floats]) -> Iterator[tuple[str, str]]:
    if axis.is_bare:
        return
    for tick, words in zip(axis.ticks, axis.tick_words(), strict=True):
        if words:
            yield _short_number(float(place(np.asarray(tick)))), _escaped_text(words)


def _model_letter_elements(figure: Figure, frame: _Frame, paint: Paint) -> Iterator[str]:
    """Letters of models beside the plot, each with a line to the end of its curve."""
    ends = [frame.place(label.x, label.y) for label in figure.letters]
    wanted = np.array([float(y) for _, y in ends])
    across = frame.right + LETTERS_OFF
    for label, (x, y), at in zip(figure.letters, ends, spread(wanted, LETTERS_APART, TOP, frame.bottom), strict=True):
        here = _short_number(float(at))
        yield f'<line x1="{x}" y1="{y}" x2="{across - 8}" y2="{here}"{paint("leader")}/>'
        anchored = f'x="{across}" y="{here}" dy="4" text-anchor="middle"{paint(label.role)}'
        yield f"<text {anchored}>{_escaped_text(label.text)}</text>"


def _note_elements(figure: Figure, frame: _Frame, paint: Paint) -> Iterator[str]:
    """The notes, over everything else, in the corner where they hide least."""
    yield from (_note_row(row, paint) for row in placed_notes(figure, plot_of(figure)))


def _note_row(row: NoteRow, paint: Paint) -> str:
    """A row of words; each piece has a look of its own, whatever stands before it."""
    pieces = [(piece.role, _piece_of_note(piece, paint)) for piece in row.pieces]
    start = f'<text x="{_short_number(row.x)}" y="{_short_number(row.y)}"'
    if len(pieces) == 1:
        return f"{start}{paint('note', pieces[0][0])}>{pieces[0][1]}</text>"
    return (
        f"{start}{paint('note')}>"
        + " ".join(f"<tspan{paint(role)}>{said}</tspan>" for role, said in pieces)
        + "</text>"
    )


def _piece_of_note(piece: Piece, paint: Paint) -> str:
    """The words of a piece; in a page all but their label are the script's to rewrite."""
    if piece.out is None or paint is not _style_by_class:
        return _escaped_text(piece.text)
    (name, label), whose = piece.out, _script_attributes(piece.model, "", paint)
    rest = _escaped_text(piece.text.removeprefix(label))
    return f'{_escaped_text(label)}<tspan data-out="{_escaped_text(name)}"{whose}>{rest}</tspan>'


def _path(x: Floats, y: Floats) -> str:
    """Points as a path: tenths of a unit, relative, runs in one direction joined; nan parts the pieces.

    >>> _path(np.array([0.0, 0.04, 10.0, 20.0, 20.0]), np.array([5.0, 5.0, 5.0, 5.0, 1.25]))
    'M0 5h20v-3.8'
    >>> _path(np.array([0.0, 1.0, np.nan, 2.0, 3.0]), np.array([5.0, 5.0, np.nan, 5.0, 5.0]))
    'M0 5h1M2 5h1'
    """
    is_there = np.isfinite(x) & np.isfinite(y)
    ends = np.flatnonzero(np.diff(np.concatenate(([False], is_there, [False]))))
    return "".join(_path_piece(x[start:end], y[start:end]) for start, end in ends.reshape(-1, 2).tolist())


def _path_piece(x: Floats, y: Floats) -> str:
    tenths = np.column_stack((np.round(x * 10), np.round(y * 10))).astype(np.int64)
    steps = np.diff(tenths, axis=0)
    joined: list[list[int]] = []
    for right, down in steps[steps.any(1)].tolist():
        last = joined[-1] if joined else [1, 1]
        if (right == last[0] == 0 and down * last[1] > 0) or (down == last[1] == 0 and right * last[0] > 0):
            joined[-1] = [last[0] + right, last[1] + down]
        else:
            joined.append([right, down])
    start = f"M{_short_number(tenths[0, 0] / 10)} {_short_number(tenths[0, 1] / 10)}"
    return start + "".join(_path_step(right / 10, down / 10) for right, down in joined)


def _path_step(right: float, down: float) -> str:
    if down == 0:
        return f"h{_short_number(right)}"
    if right == 0:
        return f"v{_short_number(down)}"
    # A minus parts the numbers as well as a space does.
    return f"l{_short_number(right)} {_short_number(down)}".replace(" -", "-")


def _short_number(value: float) -> str:
    """To one decimal, without what need not be written.

    >>> _short_number(0.5), _short_number(-0.5), _short_number(10.0), _short_number(-0.04)
    ('.5', '-.5', '10', '0')
    """
    text = f"{value:.1f}".removesuffix(".0")
    if text == "-0":
        return "0"
    return text.replace("0.", ".", 1) if text.startswith(("0.", "-0.")) else text


def _escaped_text(text: str) -> str:
    return escape(visible(text))
