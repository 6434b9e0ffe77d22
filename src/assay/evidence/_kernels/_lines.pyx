# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# cython: embedsignature=False, binding=False
"""Sums over the cases along a logistic line; those of `plain_sweeps.py` are their oracle."""

cdef extern from *:
    """
    #include <stdint.h>
    #include <string.h>

    /* The widest registers that the processor has, where compiler and system can choose when the program starts. */
    #if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__GLIBC__) \
        && !defined(__SANITIZE_ADDRESS__)
    #define WIDEST __attribute__((target_clones("avx512f", "avx2", "default")))
    #else
    #define WIDEST
    #endif
    #ifdef __GNUC__
    #define INLINE static inline __attribute__((always_inline))
    #else
    #define INLINE static inline
    #endif
    /* So many cases are worked on side by side, on every processor: sums are the same on all of them. */
    #define LANES 8

    /* 1 / (1 + exp(t)), to the last digit or two and without a branch, so that several are worked out at once.

       exp(t) is 2**k exp(r) with r at most half of log 2. Adding 1.5 * 2**52 rounds to a whole k and leaves it in the
       lowest bits; log 2 comes in two parts, the first so short that its product with k is exact. */
    INLINE double probability(double t)
    {
        const double whole = 6755399441055744.0;
        double held, k, r, e = 1.0 / 479001600;
        uint64_t power, bits;
        t = t > 700 ? 700 : t;
        t = t < -700 ? -700 : t;
        held = t * 1.4426950408889634 + whole;
        k = held - whole;
        r = (t - k * 0.6931471803691238) - k * 1.9082149292705877e-10;
        e = e * r + 1.0 / 39916800;
        e = e * r + 1.0 / 3628800;
        e = e * r + 1.0 / 362880;
        e = e * r + 1.0 / 40320;
        e = e * r + 1.0 / 5040;
        e = e * r + 1.0 / 720;
        e = e * r + 1.0 / 120;
        e = e * r + 1.0 / 24;
        e = e * r + 1.0 / 6;
        e = e * r + 1.0 / 2;
        e = e * r + 1;
        e = e * r + 1;
        memcpy(&power, &held, 8);
        memcpy(&bits, &e, 8);
        bits += power << 52;
        memcpy(&e, &bits, 8);
        return 1 / (1 + e);
    }

    /* What is missed, that times x, and its spread times 1, x and x^2. */
    INLINE void add_moments(double sums[][LANES], int lane, double x, double negative, double positive, double p)
    {
        double promised = (negative + positive) * p, missed = positive - promised, spread = promised * (1 - p);
        sums[0][lane] += missed;
        sums[1][lane] += missed * x;
        sums[2][lane] += spread;
        sums[3][lane] += spread * x;
        sums[4][lane] += spread * x * x;
    }

    /* The squares of what is missed times 1, x and x^2, what negatives lack of 1, and what positives have. */
    INLINE void add_pulls(double sums[][LANES], int lane, double x, double negative, double positive, double p)
    {
        double low = negative * (1 - p), high = positive * p;
        double missed = negative * p * p + positive * (1 - p) * (1 - p);
        sums[0][lane] += missed;
        sums[1][lane] += missed * x;
        sums[2][lane] += missed * x * x;
        sums[3][lane] += low;
        sums[4][lane] += low * x;
        sums[5][lane] += high;
        sums[6][lane] += high * x;
    }

    /* Add to the sums along a line what ADD finds at each of n places. */
    #define ALONG_A_LINE(NAME, SUMS, ADD)                                                                             \
        WIDEST static void NAME(const double *x, const double *negative, const double *positive, Py_ssize_t n,        \
                                double shift, double slope, double *found)                                            \
        {                                                                                                             \
            double sums[SUMS][LANES];                                                                                 \
            Py_ssize_t i, j;                                                                                          \
            memset(sums, 0, sizeof(sums));                                                                            \
            for (i = 0; i + LANES <= n; i += LANES)                                                                   \
                for (j = 0; j < LANES; j++)                                                                           \
                    ADD(sums, j, x[i + j], negative[i + j], positive[i + j], probability(-(shift + slope * x[i + j])));\
            for (; i < n; i++)                                                                                        \
                ADD(sums, 0, x[i], negative[i], positive[i], probability(-(shift + slope * x[i])));                   \
            for (i = 0; i < SUMS; i++)                                                                                \
                for (j = 0; j < LANES; j++)                                                                           \
                    found[i] += sums[i][j];                                                                           \
        }
    ALONG_A_LINE(sum_moments, 5, add_moments)
    ALONG_A_LINE(sum_pulls, 7, add_pulls)
    """
    void sum_moments(
        const double* x,
        const double* negative,
        const double* positive,
        Py_ssize_t n,
        double shift,
        double slope,
        double* found,
    ) noexcept nogil
    void sum_pulls(
        const double* x,
        const double* negative,
        const double* positive,
        Py_ssize_t n,
        double shift,
        double slope,
        double* found,
    ) noexcept nogil

ctypedef void (*Along)(
    const double*, const double*, const double*, Py_ssize_t, double, double, double*
) noexcept nogil

# Sums are taken in stretches, since long ones lose digits.
cdef enum:
    STRETCH = 8192


cdef void _summed(
    Along along,
    const double[::1] x,
    const double[::1] negative,
    const double[::1] positive,
    double shift,
    double slope,
    double* whole,
    int sums,
) noexcept nogil:
    cdef Py_ssize_t start = 0, n = x.shape[0]
    cdef double part[7]
    cdef int k
    for k in range(sums):
        whole[k] = 0
    while start < n:
        for k in range(sums):
            part[k] = 0
        along(&x[start], &negative[start], &positive[start], min(<Py_ssize_t>STRETCH, n - start), shift, slope, part)
        for k in range(sums):
            whole[k] += part[k]
        start += STRETCH


def line_moments(
    const double[::1] x, const double[::1] negative, const double[::1] positive, double shift, double slope
):
    """Of a logistic line: sums over the cases of what is missed, of that times x, and of their spread times 1, x, x^2."""
    cdef double sums[5]
    with nogil:
        _summed(sum_moments, x, negative, positive, shift, slope, sums, 5)
    return sums[0], sums[1], sums[2], sums[3], sums[4]


def line_pulls(
    const double[::1] x, const double[::1] negative, const double[::1] positive, double shift, double slope
):
    """Of a logistic line: sums of the squares of what is missed times 1, x and x^2, and of the rest times 1 and x.

    That rest is what the negatives' probabilities lack of 1, and the positives' probabilities.
    """
    cdef double sums[7]
    with nogil:
        _summed(sum_pulls, x, negative, positive, shift, slope, sums, 7)
    return sums[0], sums[1], sums[2], sums[3], sums[4], sums[5], sums[6]
