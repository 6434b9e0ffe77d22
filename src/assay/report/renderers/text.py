"""Blocks as text for a terminal: lines as wide as it is, 100 columns where there is none, nothing hidden in it."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from assay.evaluation import Evaluation, Evaluations
from assay.renderers import renders
from assay.report import blocks as kinds
from assay.report.blocks import Block
from assay.report.first_screen import findings_in_brief
from assay.report.sections import WHOLE, WHOLE_OF_COMPARISON, written
from assay.report.sections.comparison import Compared, NotCompared, pairing
from assay.report.sections.estimate_rows import of_labels_alone
from assay.report.wording import bracketed, no_interval, value_words, visible
from assay.results import Table, screen_width
from assay.text import Style, p_words, painted, signed, uncoloured, visible_on_screen

# Columns where there is no terminal, and beyond which lines are hard to read where there is one.
WIDTH, WIDEST = 100, 120
GAP = "  "
# Columns of the smallest and of the largest bar.
SHORTEST_BAR, LONGEST_BAR = 12, 24
WRAPPED_METHOD = 31  # columns of a method's name, beyond which it is wrapped where room is short
BRIEF = (
    *("headline", "calibration-numbers", "matrix", "operating-point", "worst-classes", "subgroups", "cautions"),
    "risk-chart",
    "card",
)
MINUS = re.compile(r"(?<![\w.])-(?=[\d.])")
CAUTION = re.compile(r"[A-Z]\d{3}$")


def render_text(
    models: Mapping[str, Evaluation], *, full: bool = False, compared: Compared | NotCompared | None = None
) -> str:
    """The short table, or with `full` every section.

    >>> from assay.evaluation import from_counts
    >>> print(render_text({"": from_counts(tp=154, fn=29, fp=5, tn=1202)}))
    Measure               Estimate  95 % interval     0                      1
    ──────────────────────────────────────────────────────────────────────────
    Accuracy                0.9755  [0.9660, 0.9824]  ──────────────────────┃━
    Balanced accuracy        0.919  [0.890, 0.942]    ────────────────────━┃━─
    Cohen's kappa            0.887  [0.843, 0.919]    ───────────────────━┃━──
    Matthews correlation     0.890  [0.848, 0.920]    ────────────────────┃━──
    <BLANKLINE>
                    Predicted label
                      1       0   Total
    True    1       154      29     183
    label   0         5   1,202   1,207
            Total   159   1,231   1,390
    <BLANKLINE>
    Always predicting "0" has an accuracy of 0.868.
    <BLANKLINE>
    Class                Precision                   Recall                       F1  Cases
    1         0.969 [0.929, 0.986]     0.842 [0.782, 0.887]     0.901 [0.862, 0.929]    183
    0      0.9764 [0.9664, 0.9835]  0.9959 [0.9903, 0.9982]  0.9861 [0.9805, 0.9900]  1,207
    """
    # A comparison that comes along with an evaluation is put in few words.
    came_along = isinstance(compared, Compared) and not compared.asked and not full
    kept = () if came_along else WHOLE_OF_COMPARISON
    sections = written(models, WHOLE if full else BRIEF, compared, of_comparison=kept)
    if full:
        return render_blocks([block for section in sections.values() for block in section])
    if all(map(of_labels_alone, models.values())) and "operating-point" in sections:
        # What the decisions are worth stands in the rows of the classes.
        sections["operating-point"] = [b for b in sections["operating-point"] if not isinstance(b, kinds.Estimates)]
    if "subgroups" in sections:
        # The sentence above them says which of them matter.
        sections["subgroups"] = [b for b in sections["subgroups"] if not isinstance(b, kinds.Forest)]
    order = [*(name for name in sections if name not in BRIEF), *(name for name in BRIEF if name in sections)]
    blocks = [block for name in order for block in sections[name]]
    # In a short table the name of a model is a heading, that of a section is not.
    blocks = [block for block in blocks if getattr(block, "level", 3) != 2]
    return render_blocks([*findings_in_brief(models), *_merge_estimate_tables(blocks)], full=False)


def _merge_estimate_tables(blocks: Sequence[Block]) -> Iterator[Block]:
    """The blocks, of neighbouring tables of estimates that need no heading one."""
    before: kinds.Estimates | None = None
    for block in blocks:
        if isinstance(block, kinds.Estimates) and not block.threshold:
            rows = [row for row in block.rows if not block.in_brief or row.title in block.in_brief]
            if before is not None:
                before = replace(before, rows=(*before.rows, *rows))
                continue
            if not block.in_brief:
                before = block
                continue
            block = replace(block, rows=tuple(rows))
        if before is not None:
            yield before
            before = None
        yield block
    if before is not None:
        yield before


@renders("text", Evaluation)
def _(ev: Evaluation) -> str:
    return render_text({"": ev})


@renders("text", Evaluations)
def _(models: Evaluations) -> str:
    return render_text(models, compared=pairing(models))


def render_blocks(shown: Sequence[Block], *, full: bool = True) -> str:
    """Some blocks as text, one below the other; an empty line stands before what stands apart."""
    estimates = [block for block in shown if isinstance(block, kinds.Estimates)]
    title_width = max(map(_title_width, estimates), default=0)
    lines: list[str] = []
    last: Block | None = None
    for block in _join_matrix_and_measures(shown) if not full else shown:
        apart = block[0] if isinstance(block, tuple) else block
        lines += [""] if getattr(apart, "apart", False) or _needs_empty_line(last, apart, full=full) else []
        lines += _block_lines(block, title_width, full=full)
        last = apart
    text = "\n".join(visible_on_screen(line.rstrip()) for line in lines)
    return re.sub(r"\n{3,}", "\n\n", text).strip("\n")


def _needs_empty_line(last: Block | None, block: Block, *, full: bool) -> bool:
    """Whether an empty line stands between two blocks: around differences; in a short text around all tables."""
    tables = (kinds.Estimates, kinds.Grid, kinds.Forest, kinds.Picture)
    if last is None or isinstance(last, kinds.Heading):
        return False
    if full:
        is_second = isinstance(block, kinds.Estimates) and isinstance(last, kinds.Estimates)
        return isinstance(block, kinds.Forest) or isinstance(last, kinds.Forest) or is_second
    return isinstance(block, (*tables, kinds.Notes, kinds.Heading)) or isinstance(last, tables)


Both = tuple[kinds.Grid, kinds.Estimates]


def _join_matrix_and_measures(blocks: Sequence[Block]) -> Iterator[Block | Both]:
    """The blocks, the matrix of one model together with the measures that follow it."""
    place = 0
    while place < len(blocks):
        block, after = blocks[place], blocks[place + 1] if place + 1 < len(blocks) else None
        is_only = place == 0 or not isinstance(blocks[place - 1], kinds.Heading)
        if is_only and isinstance(block, kinds.Grid) and block.totals and isinstance(after, kinds.Estimates):
            yield block, after
            place += 2
        else:
            yield block
            place += 1


def _line_width() -> int:
    return min(WIDEST, screen_width() or WIDTH)


def _block_lines(block: Block | Both, title_width: int, *, full: bool) -> Iterator[str]:
    match block:
        case (kinds.Grid(), kinds.Estimates()):
            yield from _side_by_side_lines(*block, title_width)
        case kinds.Heading():
            rule = ("=" if block.level == 2 else "-") * len(block.text)
            yield from ("",) if full else ()
            yield painted(visible(block.text), "bold")
            yield from (painted(rule, "dim"),) if full else ()
        case kinds.Sentence():
            yield from _wrapped_lines(block.text, "", style="bold" if block.is_finding else None)
        case kinds.Estimates():
            yield from _estimate_lines(block, title_width, _line_width(), full=full)
        case kinds.Grid() | kinds.Forest() | kinds.Notes():
            yield from _grid_or_forest_lines(block)
        case kinds.Picture() | kinds.Said() | kinds.Tabled() | kinds.Verbatim():
            yield from _caption_lines(block)


def _grid_or_forest_lines(block: kinds.Grid | kinds.Forest | kinds.Notes) -> Iterator[str]:
    match block:
        case kinds.Grid():
            yield from _grid_lines(block)
        case kinds.Forest():
            yield from _forest_lines(block)
        case kinds.Notes():
            yield from _note_lines(block)


def _caption_lines(block: kinds.Picture | kinds.Said | kinds.Tabled | kinds.Verbatim) -> Iterator[str]:
    match block:
        case kinds.Picture():
            yield from _wrapped_lines(block.caption, "")
            yield from () if block.table is None else ("", *_table_lines(block.table))
        case kinds.Said():
            yield from (part for line in block.lines for part in _wrapped_lines(line, "", indent=2))
        case kinds.Tabled():
            yield from _wrapped_lines(block.full_title, "", indent=2, style="bold") if block.title else ()
            first, *others = str(block.table).splitlines() or [""]
            yield from (painted(visible(first), "dim"), *others)
        case kinds.Verbatim():
            yield from block.text.split("\n")


def _title_width(block: kinds.Estimates) -> int:
    return max(len(block.heads[0]), *(len(row.title) for row in block.rows)) + 2


def _wrapped_lines(text: str, lead: str, *, indent: int | None = None, style: Style | None = None) -> list[str]:
    """Text after a lead, its further lines indented below its beginning."""
    beginning = len(lead) if indent is None else indent
    whole = lead + visible(text)
    lines = textwrap.wrap(whole, _line_width(), subsequent_indent=" " * beginning, break_on_hyphens=False) or [lead]
    return lines if style is None else [painted(line, style) for line in lines]


def _with_minus_signs(text: str) -> str:
    """Numbers with a true minus sign.

    >>> ascii(_with_minus_signs("[-0.025, 0.007]"))
    "'[\\\\u22120.025, 0.007]'"
    """
    return MINUS.sub("\u2212", text)


def _horizontal_rule(width: int) -> str:
    return painted("─" * width, "dim")


def _estimate_lines(block: kinds.Estimates, title_width: int, width: int, *, full: bool) -> Iterator[str]:
    """Estimates with their intervals, and as far as there is room with bars and methods."""
    of_models = [block.heads[1], *(row.model for row in block.rows)]
    models = max(map(len, of_models)) + 2 if block.names_models else 0
    values = max(8, *(len(value_words(row.estimate)) for row in block.rows))
    limits = max(len(f"{block.level} interval"), *(len(bracketed(row.estimate)) for row in block.rows))
    lead = title_width + models + values + 2
    room = width - lead - limits
    method = max(len(row.estimate.method) for row in block.rows) + 2
    drawn = any(map(_is_on_unit_axis, block.rows))
    # Longer names of methods are wrapped rather than left out.
    least = min(method, WRAPPED_METHOD)
    has_methods = room >= least + (SHORTEST_BAR + 2 if drawn and not full else 0) or full
    preferred = max(SHORTEST_BAR, room - 2 - method) if room - 2 - least >= SHORTEST_BAR else room - 2 - method
    bar = min(LONGEST_BAR, preferred if has_methods else room - 2) if drawn else 0
    bar = bar if bar >= SHORTEST_BAR else 0
    if has_methods:
        method = min(method, room - (bar + 2 if bar else 0))
    has_methods = has_methods and method >= SHORTEST_BAR + 2
    yield from (painted(visible(block.full_title), "bold"),) if block.full_title else ()
    if full or not block.full_title:
        head = block.heads[0].ljust(title_width) + (block.heads[1] if models else "").ljust(models)
        head += "Estimate".rjust(values) + GAP + f"{block.level} interval".ljust(limits)
        head += f"{GAP}0{'1'.rjust(bar - 1)}" if bar else ""
        yield painted(head + (f"{GAP}Method" if has_methods else ""), "dim")
    yield _horizontal_rule(min(width, lead + limits + (bar + 2 if bar else 0) + (method if has_methods else 0)))
    group = ""
    for row in block.rows:
        if row.group != group:
            group = row.group
            yield from ("", group)
        first = row.title.ljust(title_width) + row.model.ljust(models)
        value = painted(_with_minus_signs(value_words(row.estimate)).rjust(values), "bold")
        yield from _estimate_row_lines(
            row, visible(first) + value + GAP, limits, bar, method if has_methods else 0, width
        )


def _estimate_row_lines(row: kinds.Row, lead: str, limits: int, bar: int, method: int, width: int) -> Iterator[str]:
    """One estimate; below it what is to be remarked about it."""
    beginning, estimate = len(uncoloured(lead)), row.estimate
    reason = no_interval(estimate)
    if reason:
        first, *others = textwrap.wrap(visible(reason), max(20, width - beginning), break_on_hyphens=False)
        yield from (lead + first, *(" " * beginning + line for line in others))
    else:
        line = (
            lead + _with_minus_signs(bracketed(estimate)).ljust(limits) + (GAP + _interval_bar(row, bar) if bar else "")
        )
        ways = textwrap.wrap(visible(estimate.method), method - 2, break_on_hyphens=False) if method else []
        yield line + (GAP + painted(ways[0], "dim") if ways else "")
        yield from (" " * (beginning + limits + (bar + 2 if bar else 0) + 2) + painted(way, "dim") for way in ways[1:])
    if row.remark:
        remark = textwrap.wrap(
            _with_minus_signs(f"({visible(row.remark)})"), max(20, width - beginning), break_on_hyphens=False
        )
        yield from (" " * beginning + painted(line, "dim") for line in remark)


def _is_on_unit_axis(row: kinds.Row) -> bool:
    """Whether an estimate of a bounded measure lies with its interval between 0 and 1."""
    found = row.estimate
    return row.is_bounded and 0 <= found.low <= found.high <= 1


def _interval_bar(row: kinds.Row, width: int) -> str:
    """An interval and its estimate on an axis from 0 to 1."""
    if not _is_on_unit_axis(row):
        return " " * width
    low, at, high = (round(x * (width - 1)) for x in (row.estimate.low, row.estimate.value, row.estimate.high))
    return _axis_line(width, low, at, high, "blue")


def _axis_line(width: int, low: int, at: int, high: int, style: Style, zero: int | None = None) -> str:
    """A line of so many columns with an interval on it, and a mark where zero is."""
    marks = ["━" if low <= k <= high else "─" for k in range(width)]
    if zero is not None:
        marks[zero] = "┿" if low <= zero <= high else "┼"
    marks[at] = "┃"
    before, part, after = "".join(marks[:low]), "".join(marks[low : high + 1]), "".join(marks[high + 1 :])
    return painted(before, "dim") + painted(part, style) + painted(after, "dim")


def _matrix_lines(block: kinds.Grid) -> list[str]:
    """The counts of two classes with their totals, as textbooks set them."""
    assert block.totals is not None
    of_rows, of_columns = block.totals
    lead, names = 8, max(len("Total"), *(len(name.text) for name, _ in block.rows))
    heads = [*block.columns, "Total"]
    body = [[*(cell.text for cell in cells), total] for (_, cells), total in zip(block.rows, of_rows, strict=True)]
    widths = [max(map(len, column)) + 3 for column in zip(heads, *body, list(of_columns), strict=True)]

    def line(cells: Sequence[str]) -> list[str]:
        return [cell.rjust(width) for cell, width in zip(cells, widths, strict=True)]

    space = " " * (lead + names)
    lines = [painted(f"{space}{GAP} {block.across}", "dim"), painted(space + "".join(line(heads)), "dim")]
    for place, (name, cells) in enumerate(block.rows):
        word = dict(enumerate(block.corner.split())).get(place, "")
        *counts, total = line(body[place])
        shown = "".join(
            painted(count, "blue" if cell.is_match else "bold") for count, cell in zip(counts, cells, strict=True)
        )
        lead_word = painted(word.ljust(lead), "dim")
        lines.append(lead_word + visible(name.text).ljust(names) + shown + painted(total, "dim"))
    return [*lines, painted(" " * lead + "Total".ljust(names) + "".join(line(of_columns)), "dim")]


def _side_by_side_lines(matrix: kinds.Grid, estimates: kinds.Estimates, whole_width: int) -> Iterator[str]:
    """The matrix and the measures of its decisions, beside one another where there is room."""
    width = _line_width()
    left = _matrix_lines(matrix)
    yield painted(visible(estimates.full_title), "bold")
    untitled = replace(estimates, title="", threshold="")
    beside = max(len(uncoloured(line)) for line in left) + 4
    title_width = _title_width(estimates)
    right = list(_estimate_lines(untitled, title_width, width - beside, full=False))[2:]
    if width - beside < 60 or max(len(uncoloured(line)) for line in right) > width - beside:
        lines = list(_estimate_lines(untitled, whole_width, width, full=False))
        yield from (lines[1], *left, "", *lines[2:])
        return
    yield _horizontal_rule(width)
    for place in range(max(len(left), len(right))):
        first = left[place] if place < len(left) else ""
        second = right[place] if place < len(right) else ""
        yield first + " " * (beside - len(uncoloured(first))) + second


def _forest_lines(block: kinds.Forest) -> Iterator[str]:
    """Differences with their limits and p-values, and as far as there is room with bars and tests."""
    names = [visible(name) for name in block.names]
    heads = [block.head, *(["Pair"] if block.names_pairs else []), *names, "Difference", f"{block.level} interval"]
    rows = [_difference_cells(row, block) for row in block.rows]
    columns = list(zip(heads, *rows, strict=True))
    widths = [max(map(len, column)) for column in columns]
    texts = 2 if block.names_pairs else 1
    has_p = any(row.difference.p_value >= 0 for row in block.rows)
    ps = [_p_cell(row) for row in block.rows] if has_p else ["" for _ in block.rows]
    p_width = max(len("p"), *map(len, ps)) + 2 if has_p else 0
    used = sum(widths) + 2 * (len(widths) - 1)
    width = _line_width()
    test = max(len(row.difference.method) for row in block.rows) + 2
    room = width - used - p_width
    has_tests = room >= test
    bar = min(LONGEST_BAR + 1, room - 2 - (test if has_tests else 0)) // 2 * 2 - 1
    bar = bar if bar >= SHORTEST_BAR and any(row.is_drawn for row in block.rows) else 0
    yield from (
        _narrow_forest_lines(block)
        if used + p_width > width
        else _forest_row_lines(block, heads, rows, ps, widths, texts, bar, p_width, has_tests=has_tests)
    )


def _forest_row_lines(
    block: kinds.Forest,
    heads: list[str],
    rows: list[list[str]],
    ps: list[str],
    widths: list[int],
    texts: int,
    bar: int,
    p_width: int,
    *,
    has_tests: bool,
) -> Iterator[str]:
    def line(cells: Sequence[str]) -> list[str]:
        last = len(cells) - 1
        return [
            cell.ljust(size) if place < texts or place == last else cell.rjust(size)
            for place, (cell, size) in enumerate(zip(cells, widths, strict=True))
        ]

    head = GAP.join(line(heads))
    if bar:
        reach = f"{block.reach:g}"
        low, high = f"\u2212{reach}", f"+{reach}"
        middle = bar // 2
        head += GAP + low.ljust(middle) + "0" + high.rjust(bar - middle - 1)
    head += f"{GAP}{'p'.rjust(p_width - 4)}  " if p_width else ""
    whole = head + (f"{GAP}Test" if has_tests else "")
    yield painted(whole, "dim")
    longest = max(len(row.difference.method) for row in block.rows) + 2 if has_tests else 0
    yield _horizontal_rule(len(head) + longest)
    for row, cells, p in zip(block.rows, rows, ps, strict=True):
        is_clear = _is_significant(row)
        *firsts, difference, limits = line(cells)
        text = GAP.join([*firsts, painted(difference, "bold") if is_clear else difference, limits])
        text += GAP + _difference_bar(row, block.reach, bar) if bar else ""
        text += (
            GAP + (painted(p.ljust(p_width - 2), "bold") if is_clear else painted(p.ljust(p_width - 2), "dim"))
            if p_width
            else ""
        )
        yield text + (GAP + painted(visible(row.difference.method), "dim") if has_tests else "")


def _difference_cells(row: kinds.ForestRow, block: kinds.Forest) -> list[str]:
    found = row.difference
    limits = bracketed(found) or "no interval"
    pair = [visible(row.pair)] if block.names_pairs else []
    values = row.values if block.names else ()
    return [visible(row.title), *pair, *map(_with_minus_signs, (*values, signed(found), limits))]


def _is_significant(row: kinds.ForestRow) -> bool:
    found = row.difference
    return found.p_value < 1 - found.level


def _p_cell(row: kinds.ForestRow) -> str:
    words = p_words(row.difference.p_value)
    return f"{words.rjust(7)} *" if _is_significant(row) else f"{words.rjust(7)}  "


def _difference_bar(row: kinds.ForestRow, reach: float, width: int) -> str:
    found = row.difference
    if not row.is_drawn or not found.low <= found.value <= found.high:
        return " " * width

    def place(x: float) -> int:
        # A limit may be infinite, which nothing rounds.
        return round(min(max((x / reach + 1) / 2, 0.0), 1.0) * (width - 1))

    low, at, high = place(found.low), place(found.value), place(found.high)
    return _axis_line(width, low, at, high, "blue" if _is_significant(row) else "dim", width // 2)


def _narrow_forest_lines(block: kinds.Forest) -> Iterator[str]:
    """Differences as lines of text, where their columns do not fit beside one another."""
    for row in block.rows:
        lead = " ".join(filter(None, [row.title, row.pair]))
        values = [f"{name} {value}" for name, value in zip(block.names, row.values if block.names else (), strict=True)]
        found = row.difference
        parts = [*values, _with_minus_signs(f"difference {signed(found)} {bracketed(found)}".rstrip())]
        parts += [f"p {p_words(found.p_value)}"] if found.p_value >= 0 else []
        yield from _wrapped_lines(f"{lead}: {', '.join(parts)} ({found.method})", "", indent=2)


def _table_lines(table: Table) -> list[str]:
    """The numbers behind a figure, rearranged where they are too wide."""
    first, *others = table.text(_line_width()).splitlines() or [""]
    return [painted(visible(first), "dim"), *others]


def _grid_lines(block: kinds.Grid) -> Iterator[str]:
    if block.fold:
        return
    if block.totals:
        yield from _matrix_lines(block)
        return
    if block.across:
        yield from _wrapped_lines(f"Rows: {block.corner.lower()}. Columns: {block.across.lower()}.", "")
    for part in _grid_parts(block) if block.is_plain else [block]:
        yield from _grid_cell_lines(part)


def _grid_cell_lines(block: kinds.Grid) -> Iterator[str]:
    rows, widths = _grid_rows(block), _column_widths(block)
    if sum(widths) + 2 * (len(widths) - 1) > _line_width():
        # Too wide for a table: a line a cell keeps every number and the promise about the width.
        for line in rows:
            yield line[0]
            for name, cell in zip(block.columns, line[1:], strict=True):
                yield from _wrapped_lines(cell, f"  {name}: ")
        return
    for place, line in enumerate([[block.corner, *block.columns], *rows]):
        cells = (cell.rjust(width) for cell, width in zip(line[1:], widths[1:], strict=True))
        text = visible("  ".join([line[0].ljust(widths[0]), *cells]))
        yield painted(text, "dim") if place == 0 else text


def _grid_rows(block: kinds.Grid) -> list[list[str]]:
    return [
        [f"{label.text} ({label.note})" if label.note else label.text, *map(_cell_text, cells)]
        for label, cells in block.rows
    ]


def _column_widths(block: kinds.Grid) -> list[int]:
    lines = [[block.corner, *block.columns], *_grid_rows(block)]
    return [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]


def _grid_parts(block: kinds.Grid) -> Iterator[kinds.Grid]:
    """The grid, or where its columns do not fit beside one another, as many of them at a time as do."""
    label, *widths = _column_widths(block)
    start, width = 0, _line_width()
    while start < len(widths):
        end = start + 1
        while end < len(widths) and label + sum(widths[start : end + 1]) + 2 * (end + 1 - start) <= width:
            end += 1
        rows = tuple((name, cells[start:end]) for name, cells in block.rows)
        yield replace(block, columns=block.columns[start:end], rows=rows)
        start = end


def _cell_text(cell: kinds.Cell) -> str:
    note = cell.note if cell.note.startswith("[") or not cell.note else f"({cell.note})"
    return f"{cell.text} {note}".rstrip()


def _note_lines(block: kinds.Notes) -> Iterator[str]:
    labels = [f"caution {item.label}" if CAUTION.match(item.label) else item.label for item in block.items]
    width = max(map(len, labels)) + 2
    for item, label in zip(block.items, labels, strict=True):
        if item.is_code:
            yield label
            yield from (f"    {line}" for line in item.text.splitlines())
        else:
            first, *others = item.text.split("\n")
            lines = _wrapped_lines(first, label.ljust(width))
            yield from (
                lines[0].replace(label, painted(label, "yellow" if label != item.label else "bold"), 1),
                *lines[1:],
            )
            yield from (part for line in others for part in _wrapped_lines(line, " " * width))
