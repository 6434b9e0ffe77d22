"""Logs of language-model evaluations: which tool wrote a file, and the answers in it as one table."""

from assay.sources.logs.answers import STATES, AnswerLog, number_of
from assay.sources.logs.column_map import answers_of_table, columns_of
from assay.sources.logs.reading import is_log, read_answers
from assay.sources.logs.recognition import BATTLES, LogKind, kind_of_columns, kind_of_file, kind_of_head, refuse_log

__all__ = [
    "BATTLES",
    "STATES",
    "AnswerLog",
    "LogKind",
    "answers_of_table",
    "columns_of",
    "is_log",
    "kind_of_columns",
    "kind_of_file",
    "kind_of_head",
    "number_of",
    "read_answers",
    "refuse_log",
]
