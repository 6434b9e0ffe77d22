"""Words on a plot, each where there is most room for it."""

from __future__ import annotations

import numpy as np

from assay.plots.figure import Axis, Dot, Label, Line
from assay.plots.lines import along
from assay.plots.style import text_role
from assay.text import shortened
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
        (dot.label, dot.role.removesuffix("-dot"), _around(spot, dot.label), -1)
        for dot, spot in zip(dots, spots, strict=True)
    ]
    wanted += [(lines[k].label, lines[k].role, _beside(samples[k], lines[k].label), k) for k in curves]
    behind = (k for k in range(len(lines)) if k not in curves)
    wanted += [(lines[k].label, lines[k].role, samples[k][30:175:5], k) for k in behind]
    labels: list[Label] = []
    taken = [taken_up, *spots]
    for text, role, places, own in wanted:
        if text and len(places):
            words = shortened(text, LONGEST_LABEL)
            x, y = _roomiest(places, np.concatenate(taken + [samples[k] for k in curves if k != own]), words)
            labels.append(Label(across.value(x), up.value(y), words, text_role(role)))
            taken += [_width(np.array([[x, y + lift]]), words)[0] for lift in (-HALF_A_LINE, 0.0, HALF_A_LINE)]
    return tuple(labels)


def end_letters(lines: tuple[Line, ...], across: Axis, up: Axis) -> tuple[Label, ...]:
    """The letters of models at the right ends of their curves, from the highest down; those of curves that end in one
    place, as all ROC curves do, in the order of the curves before it."""
    found = []
    for line in (line for line in lines if line.model is not None):
        places = along(across.position(line.x), up.position(line.y), 200)
        if line.label and len(places):
            x, y = places[int(places[:, 0].argmax())].tolist()
            order = (-round(y, 2), -_mean_height(places))
            found.append((order, Label(across.value(x), up.value(y), line.label, text_role(line.role))))
    return tuple(label for _, label in sorted(found, key=lambda each: each[0]))


def _mean_height(places: Floats) -> float:
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


def _around(spot: Floats, text: str) -> Floats:
    """Places a label's distance from a dot, all round; longer words stand further off to the sides."""
    turn = np.linspace(0, 2 * np.pi, 16, endpoint=False)
    aside = LABEL_DISTANCE + HALF_A_LETTER * (len(text) - 1)
    return np.asarray(spot + np.column_stack((aside * np.cos(turn), LABEL_DISTANCE * np.sin(turn))))


def _beside(points: Floats, text: str) -> Floats:
    """Places a label's distance off a curve, on either side, that lie on the plot; longer words stand further off."""
    middle = points[20:180:4]
    step = points[24:184:4] - points[16:176:4]
    across = np.column_stack((-step[:, 1], step[:, 0])) / np.maximum(np.hypot(*step.T), 1e-12)[:, None]
    off = LABEL_DISTANCE * across + np.column_stack((HALF_A_LETTER * (len(text) - 1) * across[:, 0], 0 * across[:, 0]))
    places = np.concatenate((middle + off, middle - off))
    is_inside = ((places > LABEL_DISTANCE / 2) & (places < 1 - LABEL_DISTANCE / 2)).all(1)
    return places[is_inside] if is_inside.any() else middle


def _width(places: Floats, words: str) -> Floats:
    """Points across the words at each place."""
    reach = HALF_A_LETTER * len(words)
    return np.asarray(places[:, None, :] + np.array([[-reach, 0.0], [0.0, 0.0], [reach, 0.0]]))


def _roomiest(places: Floats, obstacles: Floats, words: str) -> tuple[float, float]:
    """The place where the words are furthest from the nearest obstacle, among those that keep them on the plot."""
    reach = HALF_A_LETTER * len(words)
    is_inside = (places[:, 0] > reach) & (places[:, 0] < 1 - reach)
    places = places[is_inside] if is_inside.any() else places
    across, up = (_width(places, words)[:, :, None, axis] - obstacles[:, axis] for axis in (0, 1))
    x, y = places[int((across * across + up * up).min((1, 2)).argmax())]
    return float(x), float(y)


def letter(index: int) -> str:
    """A, B, ..., Z, A2, B2, ...: what a model is called on the plot.

    >>> letter(0), letter(27)
    ('A', 'B2')
    """
    turn, place = divmod(index, 26)
    return chr(ord("A") + place) + (str(turn + 1) if turn else "")
