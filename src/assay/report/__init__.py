"""Reports: one set of blocks about an evaluation, written as text, JSON, CSV, Markdown, LaTeX or an HTML page.

Pages of ranks and of studies are in `assay.report.pages.benchmarks`: they load what no other report needs.
"""

from assay.report.pages.sampled import sampled_page
from assay.report.pages.sites import render_sites
from assay.report.renderers.caret import render_caret
from assay.report.renderers.csv import render_csv
from assay.report.renderers.html import render_html, write_html
from assay.report.renderers.json import render_json
from assay.report.renderers.latex import render_latex
from assay.report.renderers.markdown import render_markdown
from assay.report.renderers.text import render_text
from assay.report.renderers.weka import render_weka
from assay.report.sections.comparison import Compared, pairing
from assay.report.sections.figures import movable

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
    "sampled_page",
    "write_html",
]
