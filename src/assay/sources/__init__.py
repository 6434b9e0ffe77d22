"""Sources: the one border at which arrays, frames, files and fitted estimators become checked predictions."""

from assay.sources._consistency import refuse_inconsistent_model
from assay.sources._cost_file import read_costs
from assay.sources._known import Grouped, Reduction
from assay.sources._labels import aligned, in_order, known_pair, label_name, settle
from assay.sources._progress import LISTENER
from assay.sources._records import Reading, Source, Subgroups
from assay.sources._unpacked import UnpackingLimit
from assay.sources._wording import listed, shown
from assay.sources.arrays import from_arrays
from assay.sources.batches import BatchReader
from assay.sources.chunks import labels_of, numbers_of
from assay.sources.engines import from_engine, refuse_unreadable
from assay.sources.estimators import abstention_of, from_estimator
from assay.sources.evidence_files import evidence_bytes, evidence_file, evidence_files
from assay.sources.files import from_file
from assay.sources.frames import from_frame
from assay.sources.held import HeldRows, held_rows
from assay.sources.overview import Overview, columns, overview
from assay.sources.rows import Layout, RowRoles, heading, roles_of_rows, rows_format
from assay.sources.tensors import from_tensors

__all__ = [
    "LISTENER",
    "BatchReader",
    "Grouped",
    "HeldRows",
    "Layout",
    "Overview",
    "Reading",
    "Reduction",
    "RowRoles",
    "Source",
    "Subgroups",
    "UnpackingLimit",
    "abstention_of",
    "aligned",
    "columns",
    "evidence_bytes",
    "evidence_file",
    "evidence_files",
    "from_arrays",
    "from_engine",
    "from_estimator",
    "from_file",
    "from_frame",
    "from_tensors",
    "heading",
    "held_rows",
    "in_order",
    "known_pair",
    "label_name",
    "labels_of",
    "listed",
    "numbers_of",
    "overview",
    "read_costs",
    "refuse_inconsistent_model",
    "refuse_unreadable",
    "roles_of_rows",
    "rows_format",
    "settle",
    "shown",
]
