# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# cython: embedsignature=False, binding=False
"""Loops over typed memory, and nothing else: no policy, no validation, no statistics. `plain.py` is their oracle."""

from libc.math cimport INFINITY
from libc.stdint cimport int8_t, int16_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcmp, memcpy, memset

# Shorter stretches than this are sorted by insertion; and at most so many buckets are filled at once, so that the ends
# of all of them stay in the nearest memory.
cdef enum:
    SHORT = 24
    MOST_BUCKETS = 2048
    DIGITS = 256
    SLOTS = 8192

ctypedef uint32_t place_t


cdef inline void _insert(double* values, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i, j
    cdef double value
    for i in range(1, n):
        value = values[i]
        j = i
        while j > 0 and values[j - 1] > value:
            values[j] = values[j - 1]
            j -= 1
        values[j] = value


cdef inline uint64_t _key(double value) noexcept nogil:
    """A double as an integer in the same order."""
    cdef uint64_t bits
    memcpy(&bits, &value, 8)
    return bits ^ ((-(bits >> 63)) | (<uint64_t>1 << 63))


cdef inline double _value(uint64_t key) noexcept nogil:
    cdef double value
    cdef uint64_t bits = key ^ (((key >> 63) - 1) | (<uint64_t>1 << 63))
    memcpy(&value, &bits, 8)
    return value


cdef void _by_digits(double* values, double* spare, Py_ssize_t n) noexcept nogil:
    """Eight passes over the bytes of the keys, whatever the values are; bytes that are all alike are passed over."""
    cdef Py_ssize_t counts[8][DIGITS]
    cdef Py_ssize_t i, byte, digit, at, count
    cdef uint64_t key
    cdef uint64_t* source = <uint64_t*>values
    cdef uint64_t* target = <uint64_t*>spare
    cdef uint64_t* other
    memset(counts, 0, sizeof(counts))
    for i in range(n):
        key = _key(values[i])
        source[i] = key
        for byte in range(8):
            counts[byte][(key >> (8 * byte)) & 255] += 1
    for byte in range(8):
        if counts[byte][(source[0] >> (8 * byte)) & 255] == n:
            continue
        at = 0
        for digit in range(DIGITS):
            count = counts[byte][digit]
            counts[byte][digit] = at
            at += count
        for i in range(n):
            key = source[i]
            digit = (key >> (8 * byte)) & 255
            target[counts[byte][digit]] = key
            counts[byte][digit] += 1
        other = source
        source = target
        target = other
    for i in range(n):
        values[i] = _value(source[i])


cdef int _sort(double* values, double* spare, Py_ssize_t n, int depth) noexcept nogil:
    """Into buckets of equal width, then each of them likewise; where they crowd, by their digits. -1: no memory."""
    cdef Py_ssize_t i, k, at, length, buckets = 16
    cdef double low = INFINITY, high = -INFINITY, value, scale
    cdef place_t* starts
    if n <= SHORT:
        _insert(values, n)
        return 0
    for i in range(n):
        value = values[i]
        low = value if value < low else low
        high = value if value > high else high
    if low == high:
        return 0
    while buckets < MOST_BUCKETS and buckets < n:
        buckets *= 2
    scale = (buckets - 1) / (high - low)
    # Ranges that no double holds, and values that fell into one bucket again and again.
    if depth > 3 or not scale > 0 or scale == INFINITY or n >= <Py_ssize_t>0xFFFFFFFF:
        _by_digits(values, spare, n)
        return 0
    starts = <place_t*>calloc(buckets + 1, sizeof(place_t))
    if starts == NULL:
        return -1
    for i in range(n):
        starts[<Py_ssize_t>((values[i] - low) * scale) + 1] += 1
    for k in range(buckets):
        starts[k + 1] += starts[k]
    for i in range(n):
        value = values[i]
        k = <Py_ssize_t>((value - low) * scale)
        spare[starts[k]] = value
        starts[k] += 1
    memcpy(values, spare, n * sizeof(double))
    # Each start has moved to its bucket's end.
    at = 0
    for k in range(buckets):
        length = starts[k] - at
        if length > 1 and _sort(values + at, spare + at, length, depth + (1 if 2 * length > n else 0)) < 0:
            free(starts)
            return -1
        at = starts[k]
    free(starts)
    return 0


cdef struct Placed:
    double value
    Py_ssize_t place


cdef int _arrange(Placed* cases, Placed* spare, Py_ssize_t n, int depth) noexcept nogil:
    """Into buckets of equal width, then each of them likewise. -1: no memory, 1: they crowd."""
    cdef Py_ssize_t i, j, k, at, length, buckets = 16
    cdef double low = INFINITY, high = -INFINITY, scale
    cdef Placed one
    cdef place_t* starts
    cdef int failed
    if n <= SHORT:
        for i in range(1, n):
            one = cases[i]
            j = i
            while j > 0 and cases[j - 1].value > one.value:
                cases[j] = cases[j - 1]
                j -= 1
            cases[j] = one
        return 0
    for i in range(n):
        low = cases[i].value if cases[i].value < low else low
        high = cases[i].value if cases[i].value > high else high
    if low == high:
        return 0
    while buckets < MOST_BUCKETS and buckets < n:
        buckets *= 2
    scale = (buckets - 1) / (high - low)
    if depth > 3 or not scale > 0 or scale == INFINITY or n >= <Py_ssize_t>0xFFFFFFFF:
        return 1
    starts = <place_t*>calloc(buckets + 1, sizeof(place_t))
    if starts == NULL:
        return -1
    for i in range(n):
        starts[<Py_ssize_t>((cases[i].value - low) * scale) + 1] += 1
    for k in range(buckets):
        starts[k + 1] += starts[k]
    for i in range(n):
        k = <Py_ssize_t>((cases[i].value - low) * scale)
        spare[starts[k]] = cases[i]
        starts[k] += 1
    memcpy(cases, spare, n * sizeof(Placed))
    at = 0
    failed = 0
    for k in range(buckets):
        length = starts[k] - at
        if length > 1:
            failed = _arrange(cases + at, spare + at, length, depth + (1 if 2 * length > n else 0))
            if failed:
                break
        at = starts[k]
    free(starts)
    return failed


def arrange(const double[:] values, Py_ssize_t[::1] order, double[::1] ordered):
    """The places of finite values in increasing order, and the values so; False where they crowd."""
    cdef Py_ssize_t n = values.shape[0], i
    cdef Placed* cases = <Placed*>malloc(2 * n * sizeof(Placed) + 1)
    cdef int failed
    if cases == NULL:
        raise MemoryError
    with nogil:
        for i in range(n):
            # Adding 0.0 makes -0.0 and 0.0 the one score they are.
            cases[i].value = values[i] + 0.0
            cases[i].place = i
        failed = _arrange(cases, cases + n, n, 0)
        for i in range(n if not failed else 0):
            order[i] = cases[i].place
            ordered[i] = cases[i].value
    free(cases)
    if failed < 0:
        raise MemoryError
    return not failed


def ranked(const double[::1] values, const Py_ssize_t[::1] ranks, double[::1] spare, double[::1] found):
    """The values that would stand at some places if all were sorted; False where not all of them are finite.

    Counting into buckets tells which bucket a place lies in, so that only that one is sorted.
    """
    cdef Py_ssize_t n = values.shape[0], i, k, r, at = 0, length, here = -1, buckets = MOST_BUCKETS
    cdef double low = INFINITY, high = -INFINITY, value, scale
    cdef place_t counts[MOST_BUCKETS]
    cdef int failed = 0
    with nogil:
        for i in range(n):
            value = values[i]
            if not value - value == 0:
                failed = 1
                break
            low = value if value < low else low
            high = value if value > high else high
        scale = (buckets - 1) / (high - low) if high > low else 0
        if not failed and (scale == INFINITY or not (high - low) < INFINITY or n >= <Py_ssize_t>0xFFFFFFFF):
            failed = 1
        if not failed:
            memset(counts, 0, sizeof(counts))
            for i in range(n):
                counts[<Py_ssize_t>((values[i] - low) * scale)] += 1
            for r in range(ranks.shape[0]):
                at = 0
                k = 0
                while at + <Py_ssize_t>counts[k] <= ranks[r]:
                    at += counts[k]
                    k += 1
                if k != here:
                    here = k
                    length = 0
                    for i in range(n):
                        value = values[i]
                        if <Py_ssize_t>((value - low) * scale) == k:
                            spare[length] = value
                            length += 1
                    failed = _sort(&spare[0], &spare[0] + length, length, 0)
                    if failed:
                        break
                found[r] = spare[ranks[r] - at]
    return not failed


cdef struct Shelves:
    # Where each stretch of equal width begins among increasing values.
    place_t* starts
    double low
    double high
    double scale


cdef int _shelved(const double[::1] distinct, Shelves* shelves) except -1:
    """A table of where each stretch begins, which leaves a few to search among; 0 where no range holds the values."""
    cdef Py_ssize_t m = distinct.shape[0], i, k, at = 0, buckets = 16
    # A few to a stretch: more stretches would have to be fetched from further away than a few are searched.
    while 4 * buckets < m and buckets < (1 << 20):
        buckets *= 2
    shelves.low = distinct[0]
    shelves.high = distinct[m - 1]
    shelves.scale = (buckets - 1) / (shelves.high - shelves.low) if shelves.high > shelves.low else 0
    if shelves.scale == INFINITY or not (shelves.high - shelves.low) < INFINITY or m >= <Py_ssize_t>0xFFFFFFFF:
        return 0
    shelves.starts = <place_t*>malloc((buckets + 1) * sizeof(place_t))
    if shelves.starts == NULL:
        raise MemoryError
    with nogil:
        for i in range(m):
            k = <Py_ssize_t>((distinct[i] - shelves.low) * shelves.scale)
            while at <= k:
                shelves.starts[at] = i
                at += 1
        while at <= buckets:
            shelves.starts[at] = m
            at += 1
    return 1


cdef inline Py_ssize_t _found(const Shelves* shelves, const double[::1] distinct, double value) noexcept nogil:
    """Where a value stands among increasing ones, or would stand."""
    cdef Py_ssize_t k, left, length, half, is_below
    if value <= shelves.low:
        return 0
    if value > shelves.high:
        return distinct.shape[0]
    k = <Py_ssize_t>((value - shelves.low) * shelves.scale)
    left = shelves.starts[k]
    length = shelves.starts[k + 1] - left
    # Halving by sums instead of branches, none of which could be foretold.
    while length > 0:
        half = length >> 1
        is_below = distinct[left + half] < value
        left += is_below * (half + 1)
        length = half + is_below * (length - 2 * half - 1)
    return left


def positions_among(const double[::1] scores, const double[::1] distinct, Py_ssize_t[::1] places):
    """Where each score stands among increasing ones, or would stand; False where no range holds them."""
    cdef Py_ssize_t i
    cdef Shelves shelves
    if not _shelved(distinct, &shelves):
        return False
    with nogil:
        for i in range(scores.shape[0]):
            places[i] = _found(&shelves, distinct, scores[i])
    free(shelves.starts)
    return True


def picked(
    const double[::1] scores,
    const uint8_t[::1] is_positive,
    const double[::1] distinct,
    const double[::1] of_negatives,
    const double[::1] of_positives,
    double[::1] values,
):
    """For each case what stands at its score for its class; False where no range holds the scores.

    A score beyond all of them has the place of the last.
    """
    cdef Py_ssize_t i, k, last = distinct.shape[0] - 1
    cdef Shelves shelves
    if not _shelved(distinct, &shelves):
        return False
    with nogil:
        for i in range(scores.shape[0]):
            k = min(_found(&shelves, distinct, scores[i]), last)
            values[i] = of_positives[k] if is_positive[i] else of_negatives[k]
    free(shelves.starts)
    return True


cdef inline uint64_t _mixed(const uint8_t* bytes_, Py_ssize_t width) noexcept nogil:
    """A number mixed from all bytes of a row."""
    cdef uint64_t mixed = 0x9E3779B97F4A7C15ULL, word
    cdef Py_ssize_t i = 0
    while i + 8 <= width:
        memcpy(&word, bytes_ + i, 8)
        mixed = (mixed ^ word) * 0xFF51AFD7ED558CCDULL
        mixed ^= mixed >> 32
        i += 8
    if i < width:
        word = 0
        memcpy(&word, bytes_ + i, width - i)
        mixed = (mixed ^ word) * 0xFF51AFD7ED558CCDULL
        mixed ^= mixed >> 32
    return mixed


def encode(const uint8_t[:, ::1] rows, int16_t[::1] codes, Py_ssize_t[::1] firsts):
    """A code for each row of bytes, equal rows alike, in the order in which they first occur; how many codes there are.

    `firsts` is filled with where each code first occurs; -1 where there are more of them than it has room for.
    """
    cdef Py_ssize_t n = rows.shape[0], width = rows.shape[1], i, made = 0, most = firsts.shape[0]
    cdef const uint8_t* row
    cdef uint64_t slot
    cdef int16_t slots[SLOTS]
    if n == 0 or width == 0 or most > SLOTS // 2:
        return -1
    with nogil:
        memset(slots, 255, sizeof(slots))
        for i in range(n):
            row = &rows[i, 0]
            slot = _mixed(row, width) & (SLOTS - 1)
            while slots[slot] >= 0 and memcmp(row, &rows[firsts[slots[slot]], 0], width) != 0:
                slot = (slot + 1) & (SLOTS - 1)
            if slots[slot] < 0:
                if made == most:
                    made = -1
                    break
                firsts[made] = i
                slots[slot] = <int16_t>made
                made += 1
            codes[i] = slots[slot]
    return made


def zero_one(const int64_t[::1] values, int8_t[::1] codes):
    """Whether values are 0 and 1, and both of them occur; they are put into `codes`."""
    cdef Py_ssize_t i, n = values.shape[0]
    cdef uint64_t value, all_bits = 0
    cdef int64_t ones = 0
    with nogil:
        for i in range(n):
            value = <uint64_t>values[i]
            all_bits |= value
            ones += <int64_t>(value & 1)
            codes[i] = <int8_t>(value & 1)
    return all_bits == 1 and ones < n


def span(const double[:] values):
    """The least and the greatest value; where one of them is no number, neither is."""
    cdef Py_ssize_t i, n = values.shape[0]
    cdef double low = INFINITY, high = -INFINITY, value, odd = 0
    with nogil:
        for i in range(n):
            value = values[i]
            # A difference that is not 0 is one of nan or of infinities.
            odd += value - value
            low = value if value < low else low
            high = value if value > high else high
    return low + odd, high + odd
