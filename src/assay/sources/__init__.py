"""Sources: the one border at which arrays, frames, files and fitted estimators become checked predictions."""

from assay.sources._labels import aligned, in_order, known_pair, label_name, settle
from assay.sources._records import Reading, Source, Subgroups
from assay.sources._wording import listed, shown
from assay.sources.arrays import from_arrays
from assay.sources.chunks import labels_of, numbers_of
from assay.sources.estimators import from_estimator
from assay.sources.files import from_file
from assay.sources.frames import from_frame
from assay.sources.overview import Overview, columns, overview
from assay.sources.rows import Layout, RowRoles, heading, roles_of_rows, rows_format

__all__ = [
    "Layout",
    "Overview",
    "Reading",
    "RowRoles",
    "Source",
    "Subgroups",
    "aligned",
    "columns",
    "from_arrays",
    "from_estimator",
    "from_file",
    "from_frame",
    "heading",
    "in_order",
    "known_pair",
    "label_name",
    "labels_of",
    "listed",
    "numbers_of",
    "overview",
    "roles_of_rows",
    "rows_format",
    "settle",
    "shown",
]
