# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# cython: embedsignature=False, binding=False
"""Random draws and what is made of many of them, row by row; `plain_draws.py` is their oracle.

Numbers are made from a counter, not from one another: a draw depends on its place alone, whoever makes it and when.
"""

from libc.math cimport floor, sqrt
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.stdlib cimport free, malloc

cdef enum:
    GUIDES = 256
    ROWS = 64
    PASSES = 6


cdef inline uint64_t _mixed(uint64_t key, uint64_t place) noexcept nogil:
    """SplitMix64's number at a place of the sequence that begins with a key."""
    cdef uint64_t z = key + (place + 1) * 0x9E3779B97F4A7C15ULL
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL
    return z ^ (z >> 31)


def multiplicities(uint64_t key, Py_ssize_t first, double[:, ::1] times):
    """How often each unit is drawn when as many are drawn as there are; a row a replicate, from number `first` on."""
    cdef Py_ssize_t rows = times.shape[0], size = times.shape[1], r, j
    cdef uint64_t place
    with nogil:
        for r in range(rows):
            for j in range(size):
                times[r, j] = 0
            place = <uint64_t>(first + r) * <uint64_t>size
            for j in range(size):
                times[r, <Py_ssize_t>(((_mixed(key, place) >> 32) * <uint64_t>size) >> 32)] += 1
                place += 1


def counted(const Py_ssize_t[::1] cell, const double[:, ::1] times, double[:, ::1] counts):
    """How often each cell occurs when each row occurs so many times; a row of counts for each row of times."""
    cdef Py_ssize_t rows = times.shape[0], size = times.shape[1], cells = counts.shape[1], r, i
    with nogil:
        for r in range(rows):
            for i in range(cells):
                counts[r, i] = 0
            for i in range(size):
                counts[r, cell[i]] += times[r, i]


cdef inline int64_t _reach(int64_t n, double p) noexcept nogil:
    """How far from the mode a distribution is built: what lies beyond is less than a draw can show."""
    return <int64_t>(7 * sqrt(n * p * (1 - p)) + 7)


cdef inline int64_t _mode(int64_t n, double p) noexcept nogil:
    cdef int64_t mode = <int64_t>floor((n + 1) * p)
    return n if mode > n else mode


cdef void _distribution(int64_t n, double p, double* below, int32_t* guides) noexcept nogil:
    """The chances of being at most each count, from the least that is drawn on; and from where to look them up."""
    cdef int64_t mode = _mode(n, p), low = max(0, mode - _reach(n, p)), high = min(n, mode + _reach(n, p)), k = mode
    cdef Py_ssize_t i, at = 0, width = high - low + 1
    cdef double odds = p / (1 - p), weight = 1, total = 0
    below[mode - low] = 1
    while k < high:
        weight = weight * (<double>(n - k) / <double>(k + 1) * odds)
        k += 1
        below[k - low] = weight
    weight = 1
    k = mode
    while k > low:
        weight = weight * (<double>k / <double>(n - k + 1) / odds)
        k -= 1
        below[k - low] = weight
    for i in range(width):
        total += below[i]
        below[i] = total
    for i in range(width):
        below[i] = below[i] / total
    # Whatever is drawn, the search ends at the last.
    below[width - 1] = 2
    for i in range(GUIDES):
        while below[at] <= <double>i / GUIDES:
            at += 1
        guides[i] = <int32_t>at


cdef struct Drawn:
    # The distributions of all cells: where each begins, what lies below each count, where to look first, the least.
    Py_ssize_t* starts
    int32_t* guides
    double* below
    double* least


cdef void _forget(Drawn* drawn) noexcept nogil:
    free(drawn.starts)
    free(drawn.guides)
    free(drawn.below)


cdef int _prepare(const int64_t[::1] cases, const double[::1] rate, Drawn* drawn) except -1:
    """Build the distribution of every cell: a uniform number is then looked up in it."""
    cdef Py_ssize_t cells = cases.shape[0], c
    drawn.starts = <Py_ssize_t*>malloc((cells + 1) * sizeof(Py_ssize_t))
    drawn.guides = <int32_t*>malloc((cells * GUIDES + 1) * sizeof(int32_t))
    drawn.below = NULL
    if drawn.starts != NULL and drawn.guides != NULL:
        drawn.starts[0] = 0
        for c in range(cells):
            drawn.starts[c + 1] = drawn.starts[c] + 2 * _reach(cases[c], rate[c]) + 1
        drawn.below = <double*>malloc((drawn.starts[cells] + cells + 1) * sizeof(double))
    if drawn.below == NULL:
        _forget(drawn)
        raise MemoryError
    with nogil:
        drawn.least = drawn.below + drawn.starts[cells]
        for c in range(cells):
            drawn.least[c] = 0 if rate[c] <= 0 else cases[c]
            if 0 < rate[c] < 1:
                drawn.least[c] = max(0, _mode(cases[c], rate[c]) - _reach(cases[c], rate[c]))
                _distribution(cases[c], rate[c], drawn.below + drawn.starts[c], drawn.guides + c * GUIDES)
    return 0


cdef inline double _count(const Drawn* drawn, Py_ssize_t c, double rate, uint64_t number) noexcept nogil:
    """The count of a cell that a random number stands for."""
    cdef Py_ssize_t at
    cdef double u
    cdef const double* own
    if not 0 < rate < 1:
        return drawn.least[c]
    own = drawn.below + drawn.starts[c]
    u = <double>(number >> 11) * (1.0 / 9007199254740992.0)
    at = drawn.guides[c * GUIDES + <Py_ssize_t>(u * GUIDES)]
    while own[at] <= u:
        at += 1
    return drawn.least[c] + <double>at


def binomials(const int64_t[::1] cases, const double[::1] rate, uint64_t key, double[:, ::1] drawn):
    """Binomial counts: a column for each number of cases and rate, a row for each time all of them are drawn."""
    cdef Py_ssize_t cells = cases.shape[0], times = drawn.shape[0], c, r
    cdef Drawn ready
    _prepare(cases, rate, &ready)
    with nogil:
        # Rows are filled as they lie in memory.
        for r in range(times):
            for c in range(cells):
                drawn[r, c] = _count(&ready, c, rate[c], _mixed(key, <uint64_t>c * <uint64_t>times + <uint64_t>r))
    _forget(&ready)


cdef inline Py_ssize_t _pooled(double* sums, double* whole, Py_ssize_t n, Py_ssize_t first_of) noexcept nogil:
    """Pool every second step, from the first or the one after, with the next where they are out of order.

    In whatever order neighbours are pooled, the curve is the same; this one has no branch that cannot be foretold.
    """
    cdef Py_ssize_t i = first_of, made = first_of, is_out
    cdef double first, second, of_first, of_second
    if n <= first_of:
        return n
    while i + 1 < n:
        first = sums[i]
        second = sums[i + 1]
        of_first = whole[i]
        of_second = whole[i + 1]
        is_out = first * of_second >= second * of_first
        sums[made] = first + second * <double>is_out
        whole[made] = of_first + of_second * <double>is_out
        sums[made + 1] = second
        whole[made + 1] = of_second
        made += 2 - is_out
        i += 2
    if i < n:
        sums[made] = sums[i]
        whole[made] = whole[i]
        made += 1
    return made


def redrawn_sums(
    const int64_t[::1] cases,
    const double[::1] rate,
    const double[::1] value,
    uint64_t key,
    Py_ssize_t times,
    Py_ssize_t first,
    double[::1] products,
    double[::1] squares,
):
    """What `binomials` draws, without keeping it: of each time from `first` on, the counts times their values, and the
    squares of the rising curve nearest to the rates, each times its cases."""
    cdef Py_ssize_t cells = cases.shape[0], rows = products.shape[0], start, stop, r, c, top, left
    cdef Drawn ready
    cdef double* counts = <double*>malloc((ROWS + 2) * (cells + 1) * sizeof(double))
    cdef double* sums
    cdef double* whole
    cdef double* row
    cdef double product, square
    if counts == NULL:
        raise MemoryError
    try:
        _prepare(cases, rate, &ready)
    except MemoryError:
        free(counts)
        raise
    sums = counts + ROWS * (cells + 1)
    whole = sums + cells + 1
    with nogil:
        start = 0
        while start < rows:
            stop = min(start + ROWS, rows)
            # A few rows at a time, cell by cell: so a cell's distribution is fetched once for all of them.
            for c in range(cells):
                for r in range(start, stop):
                    counts[(r - start) * (cells + 1) + c] = _count(
                        &ready, c, rate[c], _mixed(key, <uint64_t>c * <uint64_t>times + <uint64_t>(first + r))
                    )
            for r in range(start, stop):
                row = counts + (r - start) * (cells + 1)
                product = 0
                for c in range(cells):
                    product += row[c] * value[c]
                    whole[c] = <double>cases[c]
                left = cells
                for c in range(PASSES):
                    left = _pooled(row, whole, left, c & 1)
                top = 0
                for c in range(left):
                    sums[top] = row[c]
                    whole[top] = whole[c]
                    top += 1
                    while top > 1 and sums[top - 2] * whole[top - 1] >= sums[top - 1] * whole[top - 2]:
                        sums[top - 2] += sums[top - 1]
                        whole[top - 2] += whole[top - 1]
                        top -= 1
                square = 0
                for c in range(top):
                    square += sums[c] * sums[c] / whole[c]
                products[r] = product
                squares[r] = square
            start = stop
    _forget(&ready)
    free(counts)


def isotonic_rows(const double[:, ::1] values, const double[::1] weight, double[:, ::1] fitted):
    """For each row the rising sequence nearest to it in weighted squares, by pooling neighbours out of order."""
    cdef Py_ssize_t rows = values.shape[0], n = values.shape[1], r, i, j, top
    cdef double* sums = <double*>malloc(2 * (n + 1) * sizeof(double))
    cdef Py_ssize_t* ends = <Py_ssize_t*>malloc((n + 1) * sizeof(Py_ssize_t))
    cdef double* whole
    cdef double mean
    if sums == NULL or ends == NULL:
        free(sums)
        free(ends)
        raise MemoryError
    whole = sums + n + 1
    with nogil:
        for r in range(rows):
            top = 0
            for i in range(n):
                sums[top] = values[r, i] * weight[i]
                whole[top] = weight[i]
                ends[top] = i + 1
                top += 1
                # Equal means are one step too.
                while top > 1 and sums[top - 2] * whole[top - 1] >= sums[top - 1] * whole[top - 2]:
                    sums[top - 2] += sums[top - 1]
                    whole[top - 2] += whole[top - 1]
                    ends[top - 2] = ends[top - 1]
                    top -= 1
            j = 0
            for i in range(top):
                mean = sums[i] / whole[i]
                while j < ends[i]:
                    fitted[r, j] = mean
                    j += 1
    free(sums)
    free(ends)
