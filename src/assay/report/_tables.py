"""A table of results, whatever it is about, as Markdown or LaTeX."""

from __future__ import annotations

from assay.report._latex import latex_text, tabular
from assay.report._markdown import markdown_table, markdown_text
from assay.results import Table

__all__ = ["table_latex", "table_markdown"]


def table_markdown(table: Table) -> str:
    """The table with numbers set to the right.

    >>> print(table_markdown(Table({"learner": ["a|b"], "accuracy": [0.9]})))
    | learner | accuracy |
    |---|---:|
    | a\\|b | 0.900 |
    """
    head, *rows = [[markdown_text(cell) for cell in line] for line in table.cells()]
    return "\n".join(markdown_table(head, rows, is_number=table.is_numeric()))


def table_latex(table: Table) -> str:
    """The table as booktabs sets one, numbers to the right."""
    head, *rows = [[latex_text(cell) for cell in line] for line in table.cells()]
    return tabular("".join("r" if is_number else "l" for is_number in table.is_numeric()), head, rows)
