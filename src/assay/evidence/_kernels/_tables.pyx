# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# cython: embedsignature=False, binding=False
"""Scores and classes as a table: packed into whole numbers, put in order, counted. `plain.py` is its oracle.

A packed case is the bits of its score, shifted by one, with its class in the lowest bit; so one sort of whole numbers
puts both in order. The sign is shifted out, so that cases are parted by a pivot first and neither side has both signs.
"""

from libc.math cimport INFINITY
from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

# Up to so many are put in order by comparing fixed pairs, and somewhat more by insertion; buckets are to hold so few.
# Past LONG cases they are dealt into COARSE buckets first, whose ends stay in the nearest memory.
cdef enum:
    NETWORK = 8
    SHORT = 24
    EACH = 4
    LONG = 1 << 20
    COARSE = 512
    FEW_BUCKETS = 1024
    DIGITS = 256
    # How many places cases that are alike in their leading bits may be moved, for each case there is.
    MOVES = 8

ctypedef uint32_t place_t


cdef inline uint64_t _packed(double score, uint64_t is_positive) noexcept nogil:
    cdef uint64_t bits
    # Adding 0.0 makes -0.0 and 0.0 the one score they are.
    score += 0.0
    memcpy(&bits, &score, 8)
    return ((bits ^ -(bits >> 63)) << 1) | is_positive


cdef inline double _score(uint64_t packed, uint64_t sign) noexcept nogil:
    """The score of a packed case; `sign` has all bits set where scores are below zero."""
    cdef double score
    cdef uint64_t bits = (packed >> 1) ^ sign
    memcpy(&score, &bits, 8)
    return score


cdef inline void _two(uint64_t* cases, Py_ssize_t i, Py_ssize_t j) noexcept nogil:
    cdef uint64_t one = cases[i], other = cases[j]
    cases[i] = one if one < other else other
    cases[j] = other if one < other else one


cdef inline void _insert(uint64_t* cases, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i, j
    cdef uint64_t one
    for i in range(1, n):
        one = cases[i]
        j = i
        while j > 0 and cases[j - 1] > one:
            cases[j] = cases[j - 1]
            j -= 1
        cases[j] = one


cdef inline void _few(uint64_t* v, Py_ssize_t n) noexcept nogil:
    """Networks of the fewest comparisons: which pairs are compared depends on no case, so nothing is foretold wrongly."""
    if n < 2:
        return
    if n == 2:
        _two(v, 0, 1)
    elif n == 3:
        _two(v, 0, 2); _two(v, 0, 1); _two(v, 1, 2)
    elif n == 4:
        _two(v, 0, 2); _two(v, 1, 3); _two(v, 0, 1); _two(v, 2, 3); _two(v, 1, 2)
    elif n == 5:
        _two(v, 0, 3); _two(v, 1, 4); _two(v, 0, 2); _two(v, 1, 3); _two(v, 0, 1); _two(v, 2, 4); _two(v, 1, 2)
        _two(v, 3, 4); _two(v, 2, 3)
    elif n == 6:
        _two(v, 0, 5); _two(v, 1, 3); _two(v, 2, 4); _two(v, 1, 2); _two(v, 3, 4); _two(v, 0, 3); _two(v, 2, 5)
        _two(v, 0, 1); _two(v, 2, 3); _two(v, 4, 5); _two(v, 1, 2); _two(v, 3, 4)
    elif n == 7:
        _two(v, 0, 6); _two(v, 2, 3); _two(v, 4, 5); _two(v, 0, 2); _two(v, 1, 4); _two(v, 3, 6); _two(v, 0, 1)
        _two(v, 2, 5); _two(v, 3, 4); _two(v, 1, 2); _two(v, 4, 6); _two(v, 2, 3); _two(v, 4, 5); _two(v, 1, 2)
        _two(v, 3, 4); _two(v, 5, 6)
    elif n == 8:
        _two(v, 0, 2); _two(v, 1, 3); _two(v, 4, 6); _two(v, 5, 7); _two(v, 0, 4); _two(v, 1, 5); _two(v, 2, 6)
        _two(v, 3, 7); _two(v, 0, 1); _two(v, 2, 3); _two(v, 4, 5); _two(v, 6, 7); _two(v, 2, 4); _two(v, 3, 5)
        _two(v, 1, 4); _two(v, 3, 6); _two(v, 1, 2); _two(v, 3, 4); _two(v, 5, 6)
    else:
        _insert(v, n)


cdef void _by_digits(uint64_t* cases, uint64_t* spare, Py_ssize_t n) noexcept nogil:
    """Eight passes over the bytes, whatever the cases are; bytes that are all alike are passed over."""
    cdef Py_ssize_t counts[8][DIGITS]
    cdef Py_ssize_t i, byte, digit, at, count
    cdef uint64_t one
    cdef uint64_t* source = cases
    cdef uint64_t* target = spare
    cdef uint64_t* other
    memset(counts, 0, sizeof(counts))
    for i in range(n):
        for byte in range(8):
            counts[byte][(cases[i] >> (8 * byte)) & 255] += 1
    for byte in range(8):
        if counts[byte][(source[0] >> (8 * byte)) & 255] == n:
            continue
        at = 0
        for digit in range(DIGITS):
            count = counts[byte][digit]
            counts[byte][digit] = at
            at += count
        for i in range(n):
            one = source[i]
            digit = (one >> (8 * byte)) & 255
            target[counts[byte][digit]] = one
            counts[byte][digit] += 1
        other = source
        source = target
        target = other
    if source != cases:
        memcpy(cases, source, n * sizeof(uint64_t))


cdef inline int _given(uint64_t* cases, uint64_t* other, Py_ssize_t n, bint elsewhere) noexcept nogil:
    if elsewhere:
        memcpy(other, cases, n * sizeof(uint64_t))
    return 0


cdef int _order(
    uint64_t* cases, uint64_t* other, Py_ssize_t n, uint64_t sign, bint elsewhere, int depth
) noexcept nogil:
    """Put cases in order, there or into the `other` room as long; -1: no memory.

    Into buckets of equal width, then each of them likewise; where they crowd, by their digits.
    """
    cdef Py_ssize_t i, k, at, length, buckets = 16
    cdef uint64_t low = cases[0] if n else 0, high = low, one
    cdef double least, scale
    cdef place_t few[FEW_BUCKETS]
    cdef place_t* ends = few
    cdef bint is_coarse = n > LONG
    cdef int failed = 0
    if n <= SHORT:
        _few(cases, n)
        return _given(cases, other, n, elsewhere)
    for i in range(n):
        one = cases[i]
        low = one if one < low else low
        high = one if one > high else high
    if low == high:
        return _given(cases, other, n, elsewhere)
    while buckets < COARSE if is_coarse else EACH * buckets < n:
        buckets *= 2
    least = _score(low, sign)
    scale = (buckets - 1) / (_score(high, sign) - least)
    # Ties of both classes, ranges that no double holds, and cases that fell into one bucket again and again.
    if depth > 3 or not scale > 0 or scale == INFINITY or n >= <Py_ssize_t>0xFFFFFFFF:
        _by_digits(cases, other, n)
        return _given(cases, other, n, elsewhere)
    if buckets > FEW_BUCKETS:
        ends = <place_t*>malloc(buckets * sizeof(place_t))
        if ends == NULL:
            return -1
    memset(ends, 0, buckets * sizeof(place_t))
    for i in range(n):
        ends[<Py_ssize_t>((_score(cases[i], sign) - least) * scale)] += 1
    at = 0
    for k in range(buckets):
        length = ends[k]
        ends[k] = <place_t>at
        at += length
    for i in range(n):
        one = cases[i]
        k = <Py_ssize_t>((_score(one, sign) - least) * scale)
        other[ends[k]] = one
        ends[k] += 1
    # Each start has moved to its bucket's end.
    at = 0
    for k in range(buckets):
        length = ends[k] - at
        if length <= SHORT and elsewhere:
            _few(other + at, length)
        elif length and not failed:
            failed = _order(
                other + at, cases + at, length, sign, not elsewhere, depth + (1 if 2 * length > n else 0)
            )
        at = ends[k]
    if ends != few:
        free(ends)
    return failed


cdef Py_ssize_t _pack(
    const double* score, const uint8_t* is_positive, Py_ssize_t n, double pivot, uint64_t* cases
) noexcept nogil:
    """Pack the cases below the pivot first and the others after them; how many are below."""
    cdef Py_ssize_t i, lows = 0, highs = n - 1, is_below
    cdef uint64_t one
    for i in range(n):
        one = _packed(score[i], is_positive[i] != 0)
        is_below = score[i] < pivot
        # Put at both ends and one of them kept: a choice that cannot be foretold costs more than a number in vain.
        cases[lows] = one
        cases[highs] = one
        lows += is_below
        highs -= 1 - is_below
    return lows


cdef Py_ssize_t _count(
    const uint64_t* cases,
    Py_ssize_t n,
    uint64_t sign,
    double* distinct,
    double* negative,
    double* positive,
) noexcept nogil:
    """The distinct scores of cases in order, with how many of either class have each; how many there are.

    The numbers may be written over the cases: none stands before the case that it comes from.
    """
    cdef Py_ssize_t i, made = -1, is_new
    cdef uint64_t one, last
    cdef Py_ssize_t lows = 0, highs = 0, own
    if n == 0:
        return 0
    last = ~(cases[0] >> 1)
    for i in range(n):
        one = cases[i]
        own = one & 1
        is_new = (one >> 1) != last
        last = one >> 1
        made += is_new
        lows = (0 if is_new else lows) + 1 - own
        highs = (0 if is_new else highs) + own
        distinct[made] = _score(one, sign)
        negative[made] = lows
        positive[made] = highs
    return made + 1


def pack(const double[::1] score, const uint8_t[::1] is_positive, double pivot, double[::1] cases):
    """Cases packed into the memory of as many doubles, those with scores below the pivot first; how many these are.

    Below zero and not: where scores have both signs, the pivot is 0.
    """
    cdef Py_ssize_t n = score.shape[0], below = 0
    if n:
        with nogil:
            below = _pack(&score[0], &is_positive[0], n, pivot, <uint64_t*>&cases[0])
    return below


def order(double[::1] cases, double[::1] other, bint below_zero, bint elsewhere):
    """Put packed cases in order, in their place or in the other."""
    cdef Py_ssize_t n = cases.shape[0]
    cdef int failed = 0
    if n:
        with nogil:
            failed = _order(
                <uint64_t*>&cases[0], <uint64_t*>&other[0], n, -<uint64_t>(below_zero), elsewhere, 0
            )
    if failed:
        raise MemoryError


def count(
    const double[::1] cases,
    bint below_zero,
    Py_ssize_t made,
    double[::1] distinct,
    double[::1] negative,
    double[::1] positive,
):
    """Add packed cases in order to a table that has so many scores already; how many it then has."""
    cdef Py_ssize_t n = cases.shape[0]
    if n:
        with nogil:
            made += _count(
                <const uint64_t*>&cases[0],
                n,
                -<uint64_t>(below_zero),
                &distinct[made],
                &negative[made],
                &positive[made],
            )
    return made


def tabulate(
    const double[::1] score,
    const uint8_t[::1] is_positive,
    double[::1] distinct,
    double[::1] negative,
    double[::1] positive,
):
    """All of it in one call: the distinct scores in order, with how many of either class have each; how many there are."""
    cdef Py_ssize_t n = score.shape[0], below, made = 0
    cdef uint64_t* cases
    cdef uint64_t* other
    cdef int failed = 0
    if n:
        with nogil:
            cases = <uint64_t*>&distinct[0]
            other = <uint64_t*>&negative[0]
            below = _pack(&score[0], &is_positive[0], n, 0.0, cases)
            failed = _order(cases, other, below, ~<uint64_t>0, True, 0)
            if not failed:
                failed = _order(cases + below, other + below, n - below, 0, True, 0)
            made = _count(other, below, ~<uint64_t>0, &distinct[0], &negative[0], &positive[0])
            made += _count(other + below, n - below, 0, &distinct[made], &negative[made], &positive[made])
    if failed:
        raise MemoryError
    return made


cdef Py_ssize_t _number(
    const double* score, const uint8_t* is_positive, Py_ssize_t n, uint64_t mask, uint64_t* cases
) noexcept nogil:
    """Pack the leading bits of each score with the case's number and its class; how many are below zero, and first."""
    cdef Py_ssize_t i, lows = 0, highs = n - 1, is_below
    cdef uint64_t one
    for i in range(n):
        one = (_packed(score[i], 0) & ~mask) | (<uint64_t>i << 1) | (is_positive[i] != 0)
        is_below = score[i] < 0
        cases[lows] = one
        cases[highs] = one
        lows += is_below
        highs -= 1 - is_below
    return lows


cdef bint _settle(uint64_t* cases, Py_ssize_t n, const double* score, uint64_t mask) noexcept nogil:
    """Put cases whose leading bits are alike in the order of their scores; False where that takes too long."""
    cdef Py_ssize_t i, j, left = MOVES * n
    cdef uint64_t one
    cdef double value
    for i in range(1, n):
        one = cases[i]
        if (cases[i - 1] ^ one) & ~mask:
            continue
        value = score[(one & mask) >> 1]
        j = i
        while j > 0 and not (cases[j - 1] ^ one) & ~mask and score[(cases[j - 1] & mask) >> 1] > value:
            cases[j] = cases[j - 1]
            j -= 1
        cases[j] = one
        left -= i - j
        if left < 0:
            return False
    return True


def placed(
    const double[::1] score,
    const uint8_t[::1] is_positive,
    const double[::1] distinct,
    const double[::1] negative,
    const double[::1] positive,
    double negatives,
    double positives,
    double about,
    double of_negative,
    double of_positive,
    double[::1] values,
):
    """For each case the share of the other class that it stands on the right side of, ties half; False where they crowd.

    `about` is taken off each, and what is left of either class multiplied. Cases are put in order by their leading bits
    with their number in the others, and then walk along the table; one beyond all of it has the place of the last.
    What they are put in order with lies where their values will.
    """
    cdef Py_ssize_t n = score.shape[0], i, k = 0, last = distinct.shape[0] - 1, below_zero
    cdef uint64_t mask = 1
    cdef uint64_t* cases
    cdef uint64_t* other
    cdef double below = 0, above = positives, value
    # What a negative and a positive stand at: picked by its class, since no branch could foretell that.
    cdef double stands[2]
    cdef int failed = 0
    while <Py_ssize_t>(mask >> 1) < n - 1:
        mask = (mask << 1) | 1
    other = <uint64_t*>malloc(n * sizeof(uint64_t))
    if other == NULL:
        raise MemoryError
    cases = <uint64_t*>&values[0]
    with nogil:
        below_zero = _number(&score[0], &is_positive[0], n, mask, cases)
        failed = _order(cases, other, below_zero, ~<uint64_t>0, True, 0)
        if not failed:
            failed = _order(cases + below_zero, other + below_zero, n - below_zero, 0, True, 0)
        if not failed and not (
            _settle(other, below_zero, &score[0], mask)
            and _settle(other + below_zero, n - below_zero, &score[0], mask)
        ):
            failed = 1
        stands[0] = ((above - 0.5 * positive[0]) / positives - about) * of_negative
        stands[1] = ((below + 0.5 * negative[0]) / negatives - about) * of_positive
        for i in range(n if not failed else 0):
            value = score[(other[i] & mask) >> 1]
            if k < last and distinct[k] < value:
                while k < last and distinct[k] < value:
                    below += negative[k]
                    above -= positive[k]
                    k += 1
                stands[0] = ((above - 0.5 * positive[k]) / positives - about) * of_negative
                stands[1] = ((below + 0.5 * negative[k]) / negatives - about) * of_positive
            values[(other[i] & mask) >> 1] = stands[other[i] & 1]
    free(other)
    if failed < 0:
        raise MemoryError
    return not failed
