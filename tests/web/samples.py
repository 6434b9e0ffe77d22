"""Files to open: the bundled example with ids and something to make subgroups by."""

from __future__ import annotations

from importlib.resources import files

DEMO = files("assay") / "data" / "demo.csv"
INKS = ("light", "medium", "heavy")


def eights() -> str:
    """The bundled example, each case with an id and how much ink it took."""
    head, *rows = DEMO.read_text().splitlines()
    lines = [f"case-{k * 37 % len(rows):04d},{row},{INKS[k % 3]}" for k, row in enumerate(rows)]
    return "\n".join([f"id,{head},ink", *lines, ""])


def other() -> str:
    """Another model's scores of the same cases, in another order."""
    _, *rows = eights().splitlines()
    cells = [row.split(",") for row in reversed(rows)]
    lines = [f"{cell[0]},{cell[1]},{0.9 * float(cell[2]) + 0.05:.6f}" for cell in cells]
    return "\n".join(["id,target,score", *lines, ""])
