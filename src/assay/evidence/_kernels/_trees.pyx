# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# cython: embedsignature=False, binding=False
"""A tree of the scores in a window that knows how many of each class lie below any score; `plain_windows.py` is its oracle."""

from libc.stdint cimport int64_t, uint8_t, uint64_t
from libc.stdlib cimport free, realloc

cdef enum:
    FEWEST = 64


cdef struct Node:
    # A score, how many of each class have it, and how many are in the tree that begins here.
    double score
    uint64_t priority
    Py_ssize_t left
    Py_ssize_t right
    int64_t own[2]
    int64_t whole[2]


cdef struct Event:
    double score
    uint8_t is_positive


cdef inline uint64_t _mixed(uint64_t place) noexcept nogil:
    cdef uint64_t z = (place + 1) * 0x9E3779B97F4A7C15ULL
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL
    return z ^ (z >> 31)


cdef class Tree:
    """The last events of a stream, their scores in a balanced tree (a treap), and the pairs in order among them.

    Each event takes time that grows with the logarithm of the window. Node 0 stands for no node.
    """

    cdef Node* nodes
    cdef Event* events
    cdef Py_ssize_t room, used, spare, root, first, length, events_room
    cdef uint64_t made
    cdef double found
    cdef int64_t below, same

    def __cinit__(self):
        self.nodes = NULL
        self.events = NULL
        self.room = self.spare = self.root = self.first = self.length = self.events_room = 0
        self.used = 1
        self.made = 0
        self.found = 0
        self.below = self.same = 0

    def __dealloc__(self):
        free(self.nodes)
        free(self.events)

    @property
    def pairs(self):
        return self.found

    def size(self):
        return self.length

    def take(self, const double[:] scores, const uint8_t[:] is_positive, Py_ssize_t width, double[::1] pairs):
        """Take events in; after each, the pairs in order among the last `width`. -1 where there was no memory."""
        cdef Py_ssize_t i
        cdef int failed = 0
        with nogil:
            for i in range(scores.shape[0]):
                failed = self._add(scores[i], is_positive[i] != 0, width)
                if failed:
                    break
                pairs[i] = self.found
        if failed:
            raise MemoryError

    def add(self, double score, bint is_positive, Py_ssize_t width):
        """Take one event in: the pairs in order among the last `width`."""
        if self._add(score, is_positive, width):
            raise MemoryError
        return self.found

    def drop(self, Py_ssize_t count):
        """Forget the oldest `count` events, of which there are so many at least."""
        while count > 0 and self.length > 0:
            self._forget()
            count -= 1

    cdef int _add(self, double score, uint8_t is_positive, Py_ssize_t width) noexcept nogil:
        while self.length >= width and self.length > 0:
            self._forget()
        if self._make_room():
            return -1
        # Adding 0.0 makes -0.0 and 0.0 the one score they are.
        score = score + 0.0
        self.events[(self.first + self.length) % self.events_room] = Event(score, is_positive)
        self.length += 1
        self.root = self._insert(self.root, score, is_positive)
        self.found += self._with_others(is_positive)
        return 0

    cdef void _forget(self) noexcept nogil:
        cdef Event oldest = self.events[self.first]
        self.first = (self.first + 1) % self.events_room
        self.length -= 1
        self.root = self._erase(self.root, oldest.score, oldest.is_positive)
        self.found -= self._with_others(oldest.is_positive)

    cdef int _make_room(self) noexcept nogil:
        """Room for one event and one node more."""
        cdef Py_ssize_t i, room
        cdef void* grown
        if self.length == self.events_room:
            room = 2 * self.events_room + FEWEST
            grown = realloc(self.events, room * sizeof(Event))
            if grown == NULL:
                return -1
            self.events = <Event*>grown
            # Those that had run over the end stand at the beginning: they follow the others now.
            for i in range(self.first):
                self.events[self.events_room + i] = self.events[i]
            self.events_room = room
        if self.spare == 0 and self.used >= self.room:
            room = 2 * self.room + FEWEST
            grown = realloc(self.nodes, room * sizeof(Node))
            if grown == NULL:
                return -1
            self.nodes = <Node*>grown
            self.room = room
            for i in range(2):
                self.nodes[0].own[i] = 0
                self.nodes[0].whole[i] = 0
        return 0

    cdef inline void _pass(self, const Node* node, double score, int other) noexcept nogil:
        """On the way down to a score: count those of the other class below it, and those that have it."""
        if score >= node.score:
            self.below += self.nodes[node.left].whole[other]
            if score == node.score:
                self.same = node.own[other]
            else:
                self.below += node.own[other]

    cdef double _with_others(self, uint8_t is_positive) noexcept nogil:
        """The pairs in order that the event last looked for is part of; the next one is counted from nothing."""
        cdef double beaten = self.below + 0.5 * self.same
        self.below = self.same = 0
        if is_positive:
            return beaten
        return (self.nodes[self.root].whole[1] if self.root else 0) - beaten

    cdef inline void _count(self, Py_ssize_t at) noexcept nogil:
        cdef Node* node = self.nodes + at
        cdef int c
        for c in range(2):
            node.whole[c] = node.own[c] + self.nodes[node.left].whole[c] + self.nodes[node.right].whole[c]

    cdef Py_ssize_t _new(self, double score, uint8_t is_positive) noexcept nogil:
        cdef Py_ssize_t at = self.spare
        cdef Node* node
        if at:
            self.spare = self.nodes[at].right
        else:
            at = self.used
            self.used += 1
        node = self.nodes + at
        node.score = score
        node.priority = _mixed(self.made)
        self.made += 1
        node.left = node.right = 0
        node.own[is_positive] = node.whole[is_positive] = 1
        node.own[1 - is_positive] = node.whole[1 - is_positive] = 0
        return at

    cdef Py_ssize_t _insert(self, Py_ssize_t at, double score, uint8_t is_positive) noexcept nogil:
        cdef Py_ssize_t child
        if at == 0:
            return self._new(score, is_positive)
        self._pass(self.nodes + at, score, 1 - is_positive)
        self.nodes[at].whole[is_positive] += 1
        if score == self.nodes[at].score:
            self.nodes[at].own[is_positive] += 1
            return at
        if score < self.nodes[at].score:
            child = self._insert(self.nodes[at].left, score, is_positive)
            self.nodes[at].left = child
            if self.nodes[child].priority <= self.nodes[at].priority:
                return at
            self.nodes[at].left = self.nodes[child].right
            self.nodes[child].right = at
        else:
            child = self._insert(self.nodes[at].right, score, is_positive)
            self.nodes[at].right = child
            if self.nodes[child].priority <= self.nodes[at].priority:
                return at
            self.nodes[at].right = self.nodes[child].left
            self.nodes[child].left = at
        self._count(at)
        self._count(child)
        return child

    cdef Py_ssize_t _erase(self, Py_ssize_t at, double score, uint8_t is_positive) noexcept nogil:
        cdef Node* node = self.nodes + at
        cdef Py_ssize_t joined
        self._pass(node, score, 1 - is_positive)
        node.whole[is_positive] -= 1
        if score < node.score:
            node.left = self._erase(node.left, score, is_positive)
            return at
        if score > node.score:
            node.right = self._erase(node.right, score, is_positive)
            return at
        node.own[is_positive] -= 1
        if node.own[0] or node.own[1]:
            return at
        joined = self._join(node.left, node.right)
        node.right = self.spare
        self.spare = at
        return joined

    cdef Py_ssize_t _join(self, Py_ssize_t left, Py_ssize_t right) noexcept nogil:
        """Two trees as one, all of the first below all of the second."""
        if left == 0 or right == 0:
            return left or right
        if self.nodes[left].priority > self.nodes[right].priority:
            self.nodes[left].right = self._join(self.nodes[left].right, right)
            self._count(left)
            return left
        self.nodes[right].left = self._join(left, self.nodes[right].left)
        self._count(right)
        return right
