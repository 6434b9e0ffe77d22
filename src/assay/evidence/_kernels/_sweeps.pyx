# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# cython: embedsignature=False, binding=False
"""Passes over a table of scores that is sorted already; `plain_sweeps.py` is their oracle."""

from libc.math cimport log1p
from libc.stdint cimport uint8_t
from libc.stdlib cimport free, malloc

# Sums are taken in stretches, since long ones lose digits.
cdef enum:
    STRETCH = 1024


def placement_sums(
    const double[::1] negative,
    const double[::1] positive,
    const double[::1] negative_squares,
    const double[::1] positive_squares,
    double negatives,
    double positives,
):
    """Of a table: the pairs in order (ties half), and sums over either class of its squares times placements squared.

    The placement of a positive is the negatives below it, that of a negative the positives above it, ties half, each
    less its mean; so two passes are made.
    """
    cdef Py_ssize_t i, start, stop, n = negative.shape[0]
    cdef double below = 0, above, wins = 0, off, mean0, mean1, part0, part1, of_positives = 0, of_negatives = 0
    with nogil:
        start = 0
        while start < n:
            stop = min(start + STRETCH, n)
            part1 = 0
            for i in range(start, stop):
                part1 += positive[i] * (below + 0.5 * negative[i])
                below += negative[i]
            wins += part1
            start = stop
        if negatives > 0 and positives > 0:
            mean0 = wins / positives
            mean1 = wins / negatives
            below = 0
            above = positives
            start = 0
            while start < n:
                stop = min(start + STRETCH, n)
                part0 = 0
                part1 = 0
                for i in range(start, stop):
                    off = below + 0.5 * negative[i] - mean0
                    part1 += positive_squares[i] * off * off
                    below += negative[i]
                    off = above - 0.5 * positive[i] - mean1
                    part0 += negative_squares[i] * off * off
                    above -= positive[i]
                of_positives += part1
                of_negatives += part0
                start = stop
    return wins, of_positives, of_negatives


def pairs_in_order(const double[:, :] negative, const double[:, :] positive, double[::1] wins):
    """Of each of several tables (a row each, its numbers side by side) the pairs in order, ties half."""
    cdef Py_ssize_t r, i, start, stop, n = negative.shape[1]
    cdef double below, part, sums
    cdef const double* lows
    cdef const double* highs
    with nogil:
        for r in range(negative.shape[0]):
            below = 0
            sums = 0
            if n:
                lows = &negative[r, 0]
                highs = &positive[r, 0]
            start = 0
            while start < n:
                stop = min(start + STRETCH, n)
                part = 0
                for i in range(start, stop):
                    part += highs[i] * (below + 0.5 * lows[i])
                    below += lows[i]
                sums += part
                start = stop
            wins[r] = sums


def precision_sums(const double[:, :] negative, const double[:, :] positive, double[::1] right, double[::1] wrong):
    """Of each of several tables the sums over positives of the precision at their score, and of what it lacks of 1."""
    cdef Py_ssize_t r, i, stop, start, n = negative.shape[1]
    cdef double hits, alarms, share, of_hits, of_alarms
    cdef const double* lows
    cdef const double* highs
    with nogil:
        for r in range(negative.shape[0]):
            hits = 0
            alarms = 0
            right[r] = 0
            wrong[r] = 0
            if n:
                lows = &negative[r, 0]
                highs = &positive[r, 0]
            stop = n
            while stop > 0:
                start = max(stop - STRETCH, 0)
                of_hits = 0
                of_alarms = 0
                i = stop
                while i > start:
                    i -= 1
                    alarms += lows[i]
                    if highs[i] > 0:
                        hits += highs[i]
                        share = highs[i] / (hits + alarms)
                        of_hits += share * hits
                        of_alarms += share * alarms
                right[r] += of_hits
                wrong[r] += of_alarms
                stop = start


cdef inline void _called(
    const double[::1] negative, const double[::1] positive, double[::1] hits, double[::1] flags
) noexcept nogil:
    """The positives and the cases that have each score or a higher one, added up from the top."""
    cdef Py_ssize_t i
    cdef double right = 0, wrong = 0
    for i in range(negative.shape[0] - 1, -1, -1):
        right += positive[i]
        wrong += negative[i]
        hits[i] = right
        flags[i] = right + wrong


def precision_moves(
    const double[::1] negative,
    const double[::1] positive,
    double scale,
    double mean,
    double[::1] of_negatives,
    double[::1] of_positives,
):
    """How far a case at each score moves the mean precision at positives, as a negative and as a positive."""
    cdef Py_ssize_t i
    cdef double precision, weight, each, gained = 0, lost = 0
    with nogil:
        _called(negative, positive, of_positives, of_negatives)
        for i in range(negative.shape[0]):
            each = 1 / of_negatives[i]
            precision = of_positives[i] * each
            weight = scale * positive[i] * each
            gained += weight
            lost += weight * precision
            of_negatives[i] = -lost
            of_positives[i] = scale * (precision - mean) + gained - lost


cdef inline double _log1p(double x) noexcept nogil:
    """The logarithm of 1 + x, by its series where seven terms are all that a double holds."""
    if x > 1.0 / 256:
        return log1p(x)
    return x * (1 - x * (1.0 / 2 - x * (1.0 / 3 - x * (1.0 / 4 - x * (1.0 / 5 - x * (1.0 / 6 - x * (1.0 / 7)))))))


def area_moves(
    const double[::1] negative,
    const double[::1] positive,
    double scale,
    double positives,
    double[::1] of_negatives,
    double[::1] of_positives,
):
    """The area under the precision-recall curve, and how far a case at each score moves it, as either class.

    It moves its own stretch of the curve, and all that lies below its score.
    """
    cdef Py_ssize_t i
    cdef double flags, calls, called, before, growth, share, reached, gap, by_before, steep, lost, by_called, by_calls
    cdef double moved = 0, above = 0, area = 0
    with nogil:
        _called(negative, positive, of_positives, of_negatives)
        for i in range(negative.shape[0]):
            if not positive[i] > 0:
                of_negatives[i] = scale * moved
                of_positives[i] = 0
                continue
            flags = of_negatives[i]
            calls = positive[i] + negative[i]
            called = flags - calls
            before = of_positives[i] - positive[i]
            growth = _log1p(calls / called) if called > 0 else 0
            share = positive[i] / calls
            reached = called * share
            gap = reached - before
            by_before = share * growth
            steep = (gap + reached) * growth / calls
            lost = share * gap / flags
            by_called = (lost * calls / called if called > 0 else 0) - share * by_before
            by_calls = share * steep - share * share - lost
            of_negatives[i] = scale * (moved + by_calls)
            of_positives[i] = scale * (2 * share - steep + above + moved + by_calls)
            moved += by_called
            above += by_before
            area += share * positive[i] - gap * by_before
        area /= positives
        for i in range(negative.shape[0]):
            of_positives[i] -= scale * area if positive[i] > 0 else 0
    return area


def precision_of_others(
    const double[::1] negative, const double[::1] positive, const double[::1] squares, double least
):
    """The sum over positives of the precision at their score without themselves; 1 where that leaves hardly a case.

    Of weights, whose squares are given, a usual one at the score is left out.
    """
    cdef Py_ssize_t i
    cdef double right = 0, wrong = 0, own, flags, found = 0
    with nogil:
        for i in range(negative.shape[0] - 1, -1, -1):
            right += positive[i]
            wrong += negative[i]
            if positive[i] > 0:
                own = squares[i] / positive[i]
                flags = right + wrong - own
                found += positive[i] * ((right - own) / flags if flags > least else 1.0)
    return found


cdef inline double _ramp(double start, double end, double knee) noexcept nogil:
    """The mean of what lies past a knee, from start to end; its value where they meet."""
    cdef double first = start - knee, last = end - knee
    # What is no number stays none.
    first = 0 if first < 0 else first
    last = 0 if last < 0 else last
    return (last - first) / (end - start) * (0.5 * (last + first)) if end > start else first


def past_band(const double[::1] at, double low, double high, double[::1] past):
    """For each stretch between two places the share of a band that lies past it, averaged over the stretch."""
    cdef Py_ssize_t k
    with nogil:
        for k in range(past.shape[0]):
            past[k] = 1 - (_ramp(at[k], at[k + 1], low) - _ramp(at[k], at[k + 1], high)) / (high - low)


def height_in_band(
    const double[::1] at,
    const double[::1] height,
    double low,
    double high,
    double first,
    double last,
    double[::1] mean,
):
    """The mean height of a curve over each stretch, that before a band and past it held at its ends; 0 over none."""
    cdef Py_ssize_t k
    cdef double start, end, into, out, inside, within
    with nogil:
        for k in range(mean.shape[0]):
            start = at[k]
            end = at[k + 1]
            if not end > start:
                mean[k] = 0
                continue
            into = min(max(start, low), high)
            out = min(max(end, low), high)
            inside = height[k] + (height[k + 1] - height[k]) / (end - start) * (0.5 * (into + out) - start)
            within = (out - into) * inside + (min(end, low) - min(start, low)) * first
            mean[k] = (within + (max(end, high) - max(start, high)) * last) / (end - start)


def table_hull(const double[::1] negative, const double[::1] positive, double slack, Py_ssize_t[::1] corners):
    """Places of the corners of the upper hull of what is called from the highest score down; how many there are.

    Place k stands for the k highest scores; the sums of both classes at the corners are kept beside them.
    """
    cdef Py_ssize_t i, n = negative.shape[0], kept = 0
    cdef double rise, run, across = 0, up = 0
    cdef double* x = <double*>malloc(2 * (n + 1) * sizeof(double))
    cdef double* y = x + n + 1
    if x == NULL:
        raise MemoryError
    with nogil:
        for i in range(n + 1):
            if i:
                across += negative[n - i]
                up += positive[n - i]
                if across == x[kept - 1] and up == y[kept - 1]:
                    continue
            while kept > 1:
                rise = (y[kept - 1] - y[kept - 2]) * (across - x[kept - 1])
                run = (up - y[kept - 1]) * (x[kept - 1] - x[kept - 2])
                if rise - run > slack * (rise + run):
                    break
                kept -= 1
            corners[kept] = i
            x[kept] = across
            y[kept] = up
            kept += 1
    free(x)
    return kept


def upper_hull(const double[::1] x, const double[::1] y, double slack, Py_ssize_t[::1] corners):
    """Places of the corners of the upper hull of points in order of x; how many there are."""
    cdef Py_ssize_t i, n = x.shape[0], kept = 0, before, top
    cdef double rise, run
    with nogil:
        for i in range(n):
            if i and x[i] == x[i - 1] and y[i] == y[i - 1]:
                continue
            while kept > 1:
                before = corners[kept - 2]
                top = corners[kept - 1]
                rise = (y[top] - y[before]) * (x[i] - x[top])
                run = (y[i] - y[top]) * (x[top] - x[before])
                if rise - run > slack * (rise + run):
                    break
                kept -= 1
            corners[kept] = i
            kept += 1
    return kept


cdef void _products(
    const double* one, const double* other, const uint8_t* is_positive, Py_ssize_t n, double* found
) noexcept nogil:
    """The sums of products over the negatives and over the positives.

    Each is added to both, to one of them as nothing: no branch could foretell the class.
    """
    cdef Py_ssize_t stop, i
    cdef double part, own, low, high, next_low, next_high
    found[0] = 0
    found[1] = 0
    i = 0
    while i < n:
        stop = min(i + STRETCH, n)
        low = 0
        high = 0
        next_low = 0
        next_high = 0
        # Every second one apart, so that no sum waits for the one before it.
        while i + 1 < stop:
            part = one[i] * other[i]
            own = part * is_positive[i]
            low += part - own
            high += own
            part = one[i + 1] * other[i + 1]
            own = part * is_positive[i + 1]
            next_low += part - own
            next_high += own
            i += 2
        if i < stop:
            part = one[i] * other[i]
            own = part * is_positive[i]
            low += part - own
            high += own
            i += 1
        found[0] += low + next_low
        found[1] += high + next_high


def class_products(const double[:, ::1] moved, const uint8_t[::1] is_positive, double[:, :, ::1] products):
    """The sums of products of each two rows over the columns of either class."""
    cdef Py_ssize_t n = moved.shape[1], i, j
    cdef double found[2]
    with nogil:
        for i in range(moved.shape[0] if n else 0):
            for j in range(i + 1):
                _products(&moved[i, 0], &moved[j, 0], &is_positive[0], n, found)
                products[0, i, j] = found[0]
                products[0, j, i] = found[0]
                products[1, i, j] = found[1]
                products[1, j, i] = found[1]


cdef double _weighed(const double* weights, const double* values, Py_ssize_t n, int power) noexcept nogil:
    """The sum of weighted values, of their squares or of the squares of these; four sums go on side by side."""
    cdef Py_ssize_t i = 0, stop, k
    cdef double part[4]
    cdef double whole = 0, value
    while i < n:
        stop = min(i + STRETCH, n)
        for k in range(4):
            part[k] = 0
        while i + 3 < stop:
            for k in range(4):
                value = values[i + k]
                if power > 1:
                    value *= value
                if power > 2:
                    value *= value
                part[k] += weights[i + k] * value
            i += 4
        while i < stop:
            value = values[i]
            if power > 1:
                value *= value
            if power > 2:
                value *= value
            part[0] += weights[i] * value
            i += 1
        whole += (part[0] + part[1]) + (part[2] + part[3])
    return whole


def weighed(
    const double[::1] negative,
    const double[::1] of_negatives,
    const double[::1] positive,
    const double[::1] of_positives,
    int power,
):
    """Values added up over the negatives, and others over the positives; or their squares, or the squares of these."""
    cdef Py_ssize_t n = negative.shape[0]
    cdef double low = 0, high = 0
    if n:
        with nogil:
            low = _weighed(&negative[0], &of_negatives[0], n, power)
            high = _weighed(&positive[0], &of_positives[0], n, power)
    return low, high


def moved_sums(
    const double[::1] negative,
    const double[::1] positive,
    const double[::1] negative_squares,
    const double[::1] positive_squares,
    const double[::1] of_negatives,
    const double[::1] of_positives,
    double scale,
    double shift0,
    double shift1,
):
    """Sums of squares of what moves an estimate, scaled and shifted, and of what cases would with the other label."""
    cdef Py_ssize_t i = 0, j, stop, n = negative.shape[0]
    cdef double low, high, part0, part1, part2, part3, next0, next1, next2, next3, of0 = 0, of1 = 0, of2 = 0, of3 = 0
    with nogil:
        while i < n:
            stop = min(i + STRETCH, n)
            part0 = part1 = part2 = part3 = next0 = next1 = next2 = next3 = 0
            # Every second one apart, so that no sum waits for the one before it.
            while i + 1 < stop:
                low = scale * of_negatives[i] + shift0
                high = scale * of_positives[i] + shift1
                part0 += negative_squares[i] * low * low
                part1 += positive_squares[i] * high * high
                part2 += negative[i] * high
                part3 += positive[i] * low
                j = i + 1
                low = scale * of_negatives[j] + shift0
                high = scale * of_positives[j] + shift1
                next0 += negative_squares[j] * low * low
                next1 += positive_squares[j] * high * high
                next2 += negative[j] * high
                next3 += positive[j] * low
                i += 2
            if i < stop:
                low = scale * of_negatives[i] + shift0
                high = scale * of_positives[i] + shift1
                part0 += negative_squares[i] * low * low
                part1 += positive_squares[i] * high * high
                part2 += negative[i] * high
                part3 += positive[i] * low
                i += 1
            of0 += part0 + next0
            of1 += part1 + next1
            of2 += part2 + next2
            of3 += part3 + next3
    return of0, of1, of2, of3
