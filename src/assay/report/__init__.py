"""Reports: one set of blocks about an evaluation, written as text, JSON, CSV, Markdown, LaTeX or an HTML page.

The pages of ranks and of studies are in `assay.report.many`, apart because they load what no other report needs.
"""

from assay.report._csv import render_csv
from assay.report._html import render_html, write_html
from assay.report._json import render_json
from assay.report._latex import render_latex
from assay.report._markdown import render_markdown
from assay.report._text import render_text
from assay.report.caret import render_caret
from assay.report.pooled import render_sites
from assay.report.sections._compared import Compared, pairing
from assay.report.sections._pictures import movable
from assay.report.weka import render_weka

__all__ = [
    "Compared",
    "movable",
    "pairing",
    "render_caret",
    "render_csv",
    "render_html",
    "render_json",
    "render_latex",
    "render_markdown",
    "render_sites",
    "render_text",
    "render_weka",
    "write_html",
]
