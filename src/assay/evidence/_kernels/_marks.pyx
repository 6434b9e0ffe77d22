# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# cython: embedsignature=False, binding=False
"""Pairs in order along a whole line of events at once; `plain_windows.py` is its oracle.

All scores are known beforehand, so that each event has a place among them in order. An event that is in the window is a
bit set at its place, and how many of a class lie below a score is how many bits of it are set before a place.
"""

from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc

# Bits of a word, and words of a group: sums are kept of the words before each in its group, and of the groups before.
cdef enum:
    BITS = 6
    GROUP = 5
    BOTH = 11


cdef struct Marks:
    uint64_t* bits
    int32_t* within
    int32_t* before
    Py_ssize_t groups
    int32_t number


cdef struct Spot:
    # The place of an event among all in order, and where those of its score begin and end.
    uint32_t own
    uint32_t low
    uint32_t high


cdef int _empty(Marks* marks, Py_ssize_t places) noexcept nogil:
    """No bit set; -1 where there is no memory."""
    marks.groups = (places >> BOTH) + 1
    marks.number = 0
    marks.bits = <uint64_t*>calloc(marks.groups << GROUP, sizeof(uint64_t))
    marks.within = <int32_t*>calloc(marks.groups << GROUP, sizeof(int32_t))
    marks.before = <int32_t*>calloc(marks.groups, sizeof(int32_t))
    return -1 if marks.bits == NULL or marks.within == NULL or marks.before == NULL else 0


cdef void _release(Marks* marks) noexcept nogil:
    free(marks.bits)
    free(marks.within)
    free(marks.before)


cdef inline void _mark(Marks* marks, Py_ssize_t place, int32_t step) noexcept nogil:
    """Set a bit (a step of 1) or take it away (of -1)."""
    cdef Py_ssize_t i, word = place >> BITS, group = place >> BOTH
    marks.bits[word] ^= <uint64_t>1 << (place & 63)
    marks.number += step
    for i in range(word + 1, (group + 1) << GROUP):
        marks.within[i] += step
    for i in range(group + 1, marks.groups):
        marks.before[i] += step


cdef inline int32_t _set(uint64_t bits) noexcept nogil:
    """How many bits of a word are set."""
    bits -= (bits >> 1) & 0x5555555555555555ULL
    bits = (bits & 0x3333333333333333ULL) + ((bits >> 2) & 0x3333333333333333ULL)
    bits = (bits + (bits >> 4)) & 0x0F0F0F0F0F0F0F0FULL
    return <int32_t>((bits * 0x0101010101010101ULL) >> 56)


cdef inline int32_t _below(const Marks* marks, Py_ssize_t place) noexcept nogil:
    """How many bits are set before a place."""
    cdef uint64_t under = ((<uint64_t>1) << (place & 63)) - 1
    return marks.before[place >> BOTH] + marks.within[place >> BITS] + _set(marks.bits[place >> BITS] & under)


cdef inline double _pairs_with(const Marks* others, const Spot* spot, bint is_positive) noexcept nogil:
    """The pairs in order that an event is part of, ties half."""
    cdef int32_t below = _below(others, spot.low)
    cdef double beaten = below
    if spot.high - spot.low > 1:
        beaten += 0.5 * (_below(others, spot.high) - below)
    return beaten if is_positive else others.number - beaten


cdef void _find_spots(const Py_ssize_t* order, const double* ordered, Py_ssize_t n, Spot* spots) noexcept nogil:
    cdef Py_ssize_t i, low = 0, high
    while low < n:
        high = low + 1
        while high < n and ordered[high] == ordered[low]:
            high += 1
        for i in range(low, high):
            spots[order[i]] = Spot(<uint32_t>i, <uint32_t>low, <uint32_t>high)
        low = high


def pairs_along(
    const Py_ssize_t[::1] order,
    const double[::1] ordered,
    const uint8_t[::1] is_positive,
    Py_ssize_t width,
    double[::1] pairs,
):
    """After each event the pairs in order among the last `width`; `order` and `ordered` are of fewer than 2^31 scores."""
    cdef Py_ssize_t i, n = order.shape[0]
    cdef double found = 0
    cdef bint own
    cdef Marks marks[2]
    cdef Spot* spots = <Spot*>malloc(n * sizeof(Spot) + 1)
    cdef int failed
    with nogil:
        failed = spots == NULL
        failed |= _empty(&marks[0], n)
        failed |= _empty(&marks[1], n)
        if n and not failed:
            _find_spots(&order[0], &ordered[0], n, spots)
            for i in range(n):
                if i >= width:
                    own = is_positive[i - width] != 0
                    _mark(&marks[own], spots[i - width].own, -1)
                    found -= _pairs_with(&marks[not own], &spots[i - width], own)
                own = is_positive[i] != 0
                found += _pairs_with(&marks[not own], &spots[i], own)
                _mark(&marks[own], spots[i].own, 1)
                pairs[i] = found
        _release(&marks[0])
        _release(&marks[1])
        free(spots)
    if failed:
        raise MemoryError
