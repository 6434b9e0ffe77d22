"""Sources: the one border at which arrays, frames and files become checked predictions."""

from assay.sources._records import Choices, Reading, Source
from assay.sources.arrays import from_arrays
from assay.sources.files import from_file
from assay.sources.frames import from_frame

__all__ = ["Choices", "Reading", "Source", "from_arrays", "from_file", "from_frame"]
