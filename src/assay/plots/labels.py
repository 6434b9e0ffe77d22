"""Words on a plot, each where there is most room for it.

Notes on a plot: in the corner with least ink under them, and shorter where no corner is free.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from assay.plots.figure import Area, Axis, Dot, Figure, Label, Line, Role, SideNote, along
from assay.plots.style import text_role
from assay.text import shortened, visible
from assay.types import Floats

# How far a label stands off its curve, and half of what a letter and a line of text take, as shares of an axis.
LABEL_DISTANCE = 0.05
HALF_A_LETTER = 0.011
HALF_A_LINE = 0.03
LONGEST_LABEL = 16
# Lines that curves are drawn over, and labels too.
BEHIND = ("reference", "faint")
FAR_AWAY = np.full((1, 2), 9.0)


def placed_labels(
    lines: tuple[Line, ...], dots: tuple[Dot, ...], across: Axis, up: Axis, taken_up: Floats = FAR_AWAY
) -> tuple[Label, ...]:
    """The label of each line and dot that has one: beside a curve or a dot, and on what curves are read against.

    `taken_up` are points of the plot, as shares of its sides, where other words stand.
    """
    spots = [np.array([[across.position(dot.x), up.position(dot.y)]]) for dot in dots]
    samples = [along(across.position(line.x), up.position(line.y), 200) for line in lines]
    curves = [k for k, line in enumerate(lines) if line.role not in BEHIND]
    # Dots and curves choose first: what they are read against has more room.
    wanted = [
        (dot.label, dot.role.removesuffix("-dot"), _places_around_dot(spot, dot.label), -1)
        for dot, spot in zip(dots, spots, strict=True)
    ]
    wanted += [(lines[k].label, lines[k].role, _places_beside_curve(samples[k], lines[k].label), k) for k in curves]
    behind = (k for k in range(len(lines)) if k not in curves)
    wanted += [(lines[k].label, lines[k].role, samples[k][30:175:5], k) for k in behind]
    labels: list[Label] = []
    taken = [taken_up, *spots]
    for text, role, places, own in wanted:
        if text and len(places):
            words = shortened(text, LONGEST_LABEL)
            x, y = _place_with_most_room(
                places, np.concatenate(taken + [samples[k] for k in curves if k != own]), words
            )
            labels.append(Label(across.value(x), up.value(y), words, text_role(role)))
            taken += [
                _text_width_points(np.array([[x, y + lift]]), words)[0] for lift in (-HALF_A_LINE, 0.0, HALF_A_LINE)
            ]
    return tuple(labels)


def end_letters(lines: tuple[Line, ...], across: Axis, up: Axis) -> tuple[Label, ...]:
    """The letters of models at the right ends of their curves, from the highest down; those of curves that end in one
    place, as all ROC curves do, in the order of the curves before it."""
    found = []
    for line in (line for line in lines if line.model is not None):
        places = along(across.position(line.x), up.position(line.y), 200)
        if line.label and len(places):
            x, y = places[int(places[:, 0].argmax())].tolist()
            order = (-round(y, 2), -_mean_line_height(places))
            found.append((order, Label(across.value(x), up.value(y), line.label, text_role(line.role))))
    return tuple(label for _, label in sorted(found, key=lambda each: each[0]))


def _mean_line_height(places: Floats) -> float:
    """How high a line lies on average over the x axis."""
    rising = places[np.argsort(places[:, 0], kind="stable")]
    return float(np.interp(np.linspace(0, 1, 200), rising[:, 0], rising[:, 1]).mean())


def spread(wanted: Floats, apart: float, first: float, last: float) -> Floats:
    """Places near those wanted, which rise, at least so far apart, between the first and, if they fit, the last.

    >>> spread(np.array([0.0, 1.0, 2.0, 90.0]), 15, 0, 100)
    array([ 0., 15., 30., 90.])
    >>> spread(np.array([95.0, 96.0]), 15, 0, 100)
    array([ 85., 100.])
    """
    steps = apart * np.arange(len(wanted))
    down = np.maximum.accumulate(np.maximum(wanted, first) - steps) + steps
    highest = last - steps[::-1]
    return np.asarray(np.maximum(np.minimum(down, highest), first + steps))


def _places_around_dot(spot: Floats, text: str) -> Floats:
    """Places a label's distance from a dot, all round; longer words stand further off to the sides."""
    turn = np.linspace(0, 2 * np.pi, 16, endpoint=False)
    aside = LABEL_DISTANCE + HALF_A_LETTER * (len(text) - 1)
    return np.asarray(spot + np.column_stack((aside * np.cos(turn), LABEL_DISTANCE * np.sin(turn))))


def _places_beside_curve(points: Floats, text: str) -> Floats:
    """Places a label's distance off a curve, on either side, that lie on the plot; longer words stand further off."""
    middle = points[20:180:4]
    step = points[24:184:4] - points[16:176:4]
    across = np.column_stack((-step[:, 1], step[:, 0])) / np.maximum(np.hypot(*step.T), 1e-12)[:, None]
    off = LABEL_DISTANCE * across + np.column_stack((HALF_A_LETTER * (len(text) - 1) * across[:, 0], 0 * across[:, 0]))
    places = np.concatenate((middle + off, middle - off))
    is_inside = ((places > LABEL_DISTANCE / 2) & (places < 1 - LABEL_DISTANCE / 2)).all(1)
    return places[is_inside] if is_inside.any() else middle


def _text_width_points(places: Floats, words: str) -> Floats:
    """Points across the words at each place."""
    reach = HALF_A_LETTER * len(words)
    return np.asarray(places[:, None, :] + np.array([[-reach, 0.0], [0.0, 0.0], [reach, 0.0]]))


def _place_with_most_room(places: Floats, obstacles: Floats, words: str) -> tuple[float, float]:
    """The place where the words are furthest from the nearest obstacle, among those that keep them on the plot."""
    reach = HALF_A_LETTER * len(words)
    is_inside = (places[:, 0] > reach) & (places[:, 0] < 1 - reach)
    places = places[is_inside] if is_inside.any() else places
    across, up = (_text_width_points(places, words)[:, :, None, axis] - obstacles[:, axis] for axis in (0, 1))
    x, y = places[int((across * across + up * up).min((1, 2)).argmax())]
    return float(x), float(y)


def letter(index: int) -> str:
    """A, B, ..., Z, A2, B2, ...: what a model is called on the plot.

    >>> letter(0), letter(27)
    ('A', 'B2')
    """
    turn, place = divmod(index, 26)
    return chr(ord("A") + place) + (str(turn + 1) if turn else "")


# Where plots lie on a drawing: three of them stand side by side on a page.
LEFT, TOP, SIDE = 40, 22, 312
LOW_SIDE = 210  # the height of a plot that need not be square
LINE_HEIGHT = 16
BLOCK_GAP = 8
# How far notes stay off the edges of the plot, and off marks.
INSET = 6
CORNERS = 4
# Steps away from a corner.
ASIDE = 12.0
# Widths of a character of 12 px: of capitals and digits, of thin ones, of all others; semibold takes a little more.
NARROW, WIDE, PLAIN, FULL = 3.4, 7.6, 6.4, 12.0
THIN = frozenset(" .,:;|!'()[]ijlt")
BOLD = 1.06
# Below this much ink a corner counts as free: what is left can be read over.
FREE = 24.0
# What a unit of length of a line counts, by its role; any other line counts one.
FAINT = {"reference": 0.1, "faint": 0.02, "hull": 0.5, "tangent": 0.3}
A_DOT, A_LABEL = 12.0, 100.0
# What a unit of area counts under a band and under bars: words can be read over both.
BAND, BARS = 0.001, 0.003
SAMPLES = 400
# From so many models on a list beside the figures says which is which.
MOST_IN_NOTES = 2

Box = tuple[float, float, float, float]


@dataclass(frozen=True)
class Piece:
    """Words of one look, and the number that a page's script writes there after some of them."""

    text: str
    role: Role
    out: tuple[str, str] | None = None
    model: int | None = None


@dataclass(frozen=True)
class NoteRow:
    """A row of words on a plot, from its lower left corner on."""

    x: float
    y: float
    pieces: tuple[Piece, ...]


@dataclass(frozen=True)
class Plot:
    """Where a plot lies on its drawing."""

    left: float
    top: float
    width: float
    height: float

    def across(self, figure: Figure, values: Floats | float) -> Floats:
        """Where values of the x axis stand."""
        return np.asarray(self.left + self.width * figure.x.position(values))

    def down(self, figure: Figure, values: Floats | float) -> Floats:
        """Where values of the y axis stand."""
        return np.asarray(self.top + self.height * (1 - figure.y.position(values)))

    def boxes(self, width: float, height: float) -> Iterator[Box]:
        """Boxes of a size: in the lower right corner, the lower left, the upper right, the upper left, then more and
        more aside from these, to step out of the way of an upright line."""
        left, right = self.left + INSET, self.left + self.width - width - INSET
        top, bottom = self.top + INSET, self.top + self.height - height - INSET
        room = max(0.0, (right - left) / 2)
        for aside in np.arange(0.0, room + 1.0, ASIDE).tolist():
            for x, y in ((right - aside, bottom), (left + aside, bottom), (right - aside, top), (left + aside, top)):
                yield x, y, x + width, y + height


def plot_of(figure: Figure) -> Plot:
    """Where a figure's plot lies on its drawing."""
    left = LEFT if figure.margins is None else figure.margins[0]
    return Plot(left, TOP, figure.width or SIDE, figure.height or (SIDE if figure.is_square else LOW_SIDE))


def placed_notes(figure: Figure, plot: Plot) -> list[NoteRow]:
    """The rows of a figure's notes, in the free corner that holds most of them."""
    box, notes = _note_corner(figure, plot)
    return [] if box is None else list(_place_notes(box, notes, [list(_note_rows(note)) for note in notes]))


def notes_box(figure: Figure, plot: Plot) -> Box | None:
    """The part of a plot that its notes take; None where there are none."""
    return _note_corner(figure, plot)[0]


def _note_corner(figure: Figure, plot: Plot) -> tuple[Box | None, tuple[SideNote, ...]]:
    """The corner, and as much of the notes as is free there; of what cannot be left out, the emptiest corner."""
    ink, box, kept = _Ink(figure, plot), None, figure.notes
    for kept in _shortened_notes(figure.notes):
        rows = [list(_note_rows(note)) for note in kept]
        if not any(rows):
            return None, ()
        width = max(_notes_width(row) for block in rows for row in block)
        height = sum(LINE_HEIGHT * len(block) for block in rows) + _total_gap(kept)
        box = ink.emptiest(list(plot.boxes(width, height)))
        if ink.under(box) <= FREE and height <= plot.height - 2 * INSET:
            break
    return box, kept


def text_width(text: str) -> float:
    """About how wide words of 12 px are, in any of the page's fonts.

    >>> round(text_width("recall 0.87")), round(text_width("\u6f22\u5b57"))
    (62, 24)
    """
    return sum(_character_width(character) for character in visible(text))


def _character_width(character: str) -> float:
    if character in THIN:
        return NARROW
    if unicodedata.east_asian_width(character) in "WF":
        return FULL
    return WIDE if character.isupper() or character.isdigit() or character in "mw%" else PLAIN


def _notes_width(row: tuple[Piece, ...]) -> float:
    spaces = NARROW * (len(row) - 1)
    return spaces + sum(text_width(piece.text) * (BOLD if piece.role.endswith("-words") else 1) for piece in row)


def _note_rows(note: SideNote) -> Iterator[tuple[Piece, ...]]:
    """A note's pieces, row by row: what is grey goes behind what it belongs to."""
    words = [(note.heading, note.role), *((text, "muted-words" if grey else "words") for text, grey in note.lines)]
    row: list[Piece] = []
    for k, (text, role) in enumerate(words):
        if not text:
            continue
        if row and not (note.is_row or role == "muted-words"):
            yield tuple(row)
            row = []
        row.append(Piece(text, role, note.outs[k] if k < len(note.outs) else None, note.model))
    if row:
        yield tuple(row)


def _shortened_notes(notes: tuple[SideNote, ...]) -> Iterator[tuple[SideNote, ...]]:
    """The notes, then with less and less of them; the first line of a note at the top and a single model's stay."""
    top = [note for note in notes if note.place == "top"]
    models = [note for note in notes if note.place == "bottom"]
    yield (*top, *models)
    if len(models) > 1:
        models = [replace(note, lines=_colored_pieces(note)) if note.heading else note for note in models]
        yield (*top, *models)
    for kept in range(max((len(note.lines) for note in top), default=0) - 1, -1, -1):
        top = [replace(note, lines=note.lines[:kept]) for note in top]
        yield (*top, *models)
    if len(models) > 1:
        models = [replace(note, lines=()) for note in models if note.heading]
        yield (*top, *models)
    if len(models) > MOST_IN_NOTES:
        yield tuple(top)


def _colored_pieces(note: SideNote) -> tuple[tuple[str, bool], ...]:
    return tuple((text, is_grey) for text, is_grey in note.lines if not is_grey)


def _total_gap(notes: tuple[SideNote, ...]) -> float:
    """The room between blocks; rows of models follow one another closely."""
    return float(sum(_gap_between_notes(before, after) for before, after in pairwise(notes)))


def _gap_between_notes(before: SideNote, after: SideNote) -> int:
    return 0 if before.is_row and after.is_row else BLOCK_GAP


def _place_notes(box: Box, notes: tuple[SideNote, ...], blocks: list[list[tuple[Piece, ...]]]) -> Iterator[NoteRow]:
    y, before = box[1], None
    for note, rows in zip(notes, blocks, strict=True):
        y += 0 if before is None else _gap_between_notes(before, note)
        for row in rows:
            y += LINE_HEIGHT
            yield NoteRow(box[0], y - 4, row)
        before = note


class _Ink:
    """What is drawn on a plot, and how much of it lies in a box."""

    def __init__(self, figure: Figure, plot: Plot) -> None:
        self.areas = [_Shaded(area, figure, plot) for area in figure.areas if len(area.x)]
        self.points, self.weights = _obstacle_points(figure, plot)
        self.labels = [_label_box(label, figure, plot) for label in figure.labels]

    def emptiest(self, boxes: list[Box]) -> Box:
        """The emptiest of the first four boxes, which are the corners, if that is free; else the emptiest of all."""
        counts = [round(self.under(box), 6) for box in boxes[:CORNERS]]
        if min(counts) > FREE:
            counts = [round(self.under(box), 6) for box in boxes]
        return boxes[counts.index(min(counts))]

    def under(self, box: Box) -> float:
        """How much of it lies in a box."""
        left, top, right, bottom = box
        x, y = self.points.T
        is_inside = (x > left) & (x < right) & (y > top) & (y < bottom)
        words = sum(A_LABEL for label in self.labels if _boxes_overlap(label, box))
        return float(self.weights[is_inside].sum()) + words + sum(area.under(box) for area in self.areas)


def _boxes_overlap(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _label_box(label: Label, figure: Figure, plot: Plot) -> Box:
    x, y = float(plot.across(figure, label.x)), float(plot.down(figure, label.y))
    half = text_width(label.text) / 2 + 2
    return x - half, y - LINE_HEIGHT / 2, x + half, y + LINE_HEIGHT / 2


def _obstacle_points(figure: Figure, plot: Plot) -> tuple[Floats, Floats]:
    """Points on all lines and dots, and what each of them counts."""
    points, weights = [np.empty((0, 2))], [np.empty(0)]

    def trace(x: Floats, y: Floats, role: Role) -> None:
        found = along(plot.across(figure, x), plot.down(figure, y), SAMPLES)
        length = float(np.abs(np.diff(found, axis=0)).sum()) if len(found) else 0.0
        points.append(found)
        weights.append(np.full(len(found), FAINT.get(role, 1.0) * length / SAMPLES))

    for line in figure.lines:
        trace(line.x, line.y, line.role if line.role in (*BEHIND, *FAINT) else "curve")
    for rule in (rule for rule in figure.rules if not rule.is_hidden):
        ends = np.array([rule.start, rule.end])
        trace(ends[:, 0], ends[:, 1], rule.role)
    for dot in (dot for dot in figure.dots if not dot.is_hidden):
        points.append(np.array([[float(plot.across(figure, dot.x)), float(plot.down(figure, dot.y))]]))
        weights.append(np.array([A_DOT]))
    return np.concatenate(points), np.concatenate(weights)


class _Shaded:
    """An area of the plot that is filled, at even steps from left to right."""

    def __init__(self, area: Area, figure: Figure, plot: Plot) -> None:
        x, low, high = plot.across(figure, area.x), plot.down(figure, area.low), plot.down(figure, area.high)
        start = x[0] if area.beyond is None else max(x[0], float(plot.across(figure, area.beyond)))
        self.x = np.linspace(min(start, x[-1]), x[-1], SAMPLES)
        sides = np.interp(self.x, x, low), np.interp(self.x, x, high)
        self.top, self.bottom = np.minimum(*sides), np.maximum(*sides)
        self.step = float(self.x[-1] - self.x[0]) / SAMPLES
        self.weight = BARS if np.ptp(area.low) == 0 else BAND

    def under(self, box: Box) -> float:
        """What of it lies in a box counts."""
        is_inside = (self.x > box[0]) & (self.x < box[2])
        high = np.minimum(self.bottom, box[3]) - np.maximum(self.top, box[1])
        return self.weight * self.step * float(np.maximum(high, 0)[is_inside].sum())
