# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# cython: embedsignature=False, binding=False
"""How often each pair of codes occurs, in one pass without a number for each case; `plain.py` is its oracle."""

from libc.stdint cimport int8_t, int16_t, int64_t, uint64_t
from libc.string cimport memset

# Neighbouring cases are counted in different places: the same cell twice in a row would have to wait for itself.
cdef enum:
    LANES = 4
    MOST_CELLS = 1024

ctypedef fused code_t:
    int8_t
    int16_t
    int64_t


def count_pairs(const code_t[::1] row, const code_t[::1] column, Py_ssize_t columns, double[::1] counts):
    """How often each (row, column) occurs; False where a code lies outside, or there are too many cells."""
    cdef Py_ssize_t i, k, n = row.shape[0], cells = counts.shape[0]
    cdef uint64_t one, other, rows
    cdef uint64_t found[LANES][MOST_CELLS]
    cdef bint is_beyond = False
    if cells > MOST_CELLS or columns < 1 or n != column.shape[0]:
        return False
    rows = <uint64_t>(cells // columns)
    with nogil:
        for k in range(LANES):
            memset(found[k], 0, cells * sizeof(uint64_t))
        for i in range(n):
            # What is below 0 is far beyond as a number without a sign.
            one = <uint64_t>(<int64_t>row[i])
            other = <uint64_t>(<int64_t>column[i])
            if one >= rows or other >= <uint64_t>columns:
                is_beyond = True
                break
            found[i & (LANES - 1)][one * <uint64_t>columns + other] += 1
        for k in range(cells):
            counts[k] = <double>(found[0][k] + found[1][k] + found[2][k] + found[3][k])
    return not is_beyond
