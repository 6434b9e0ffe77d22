"""Sources: conversion of arrays, data frames, files and fitted estimators to checked predictions."""

from assay.sources.arrays import from_arrays
from assay.sources.batches import BatchReader, labels_of, numbers_of
from assay.sources.engine.binned_predictions import Grouped, Reduction
from assay.sources.engines import from_engine, refuse_unreadable
from assay.sources.estimators import abstention_of, from_estimator
from assay.sources.evidence_consistency import refuse_inconsistent_model
from assay.sources.evidence_files import evidence_bytes, evidence_file, evidence_files
from assay.sources.files import from_file
from assay.sources.formats.compression import UnpackingLimit
from assay.sources.formats.cost_matrix import read_costs
from assay.sources.frames import from_frame
from assay.sources.labels import aligned, in_order, known_pair, label_name, settle
from assay.sources.quoting import listed, shown
from assay.sources.row_stream import Layout, RowRoles, heading, roles_of_rows, rows_format
from assay.sources.scored_rows import LabelFile, ScoredRows, read_label_file, read_scored
from assay.sources.source_record import LISTENER, Reading, Source, Subgroups
from assay.sources.table_overview import HeldRows, Overview, columns, held_rows, overview
from assay.sources.tensors import from_tensors

__all__ = [
    "LISTENER",
    "BatchReader",
    "Grouped",
    "HeldRows",
    "LabelFile",
    "Layout",
    "Overview",
    "Reading",
    "Reduction",
    "RowRoles",
    "ScoredRows",
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
    "read_label_file",
    "read_scored",
    "refuse_inconsistent_model",
    "refuse_unreadable",
    "roles_of_rows",
    "rows_format",
    "settle",
    "shown",
]
