"""Sources: the one border at which arrays, frames, files and fitted estimators become checked predictions."""

from assay.sources._records import Reading, Source, Subgroups
from assay.sources._wording import listed, shown
from assay.sources.arrays import from_arrays
from assay.sources.estimators import from_estimator
from assay.sources.files import from_file
from assay.sources.frames import from_frame
from assay.sources.overview import Overview, columns, overview

__all__ = [
    "Overview",
    "Reading",
    "Source",
    "Subgroups",
    "columns",
    "from_arrays",
    "from_estimator",
    "from_file",
    "from_frame",
    "listed",
    "overview",
    "shown",
]
