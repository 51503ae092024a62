"""The vectors of one model as one float32 matrix in a mapped file: one row for each chunk of each rule.

A cosine is a dot product, since every vector has length 1; of a rule's chunks the best counts. Whether a rule is in the
formal or in the shadow pool is told by where the published index places it; a rule that it does not hold is in neither.
"""

from __future__ import annotations

import os
from itertools import islice
from threading import RLock
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from retrieval.embeddings.pools import Place
from retrieval.lexical.segment import FORMAL, GLOBAL, SHADOW
from rules.disk import PRIVATE_FILE, make_folder

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from retrieval.embeddings.protocol import Vectors

FIRST_CAPACITY = 1_024  # rows
GROWTH = 2
NO_PROJECT = -1
NOWHERE = Place(0)
FLOAT_BYTES = 4


class NearRule(NamedTuple):
    """A rule, its cosine, and its number in the published index."""

    rule_id: str
    cosine: float
    number: int


class Near(NamedTuple):
    """The rules near one prompt, best first, a list for each pool; `content_id` tells of which index the numbers are."""

    formal: list[NearRule]
    shadow: list[NearRule]
    content_id: str


class VectorMatrix:
    """All methods may be called from any thread."""

    def __init__(self, path: str, *, dimensions: int) -> None:
        make_folder(os.path.dirname(path))  # noqa: PTH120
        self.dimensions = dimensions
        self._path = path
        self._lock = RLock()
        self._rows_of: dict[str, list[int]] = {}
        self._most_rows = 1  # that a rule has, or had
        self._fingerprints: dict[str, str] = {}
        self._places: Mapping[str, Place] = {}
        self._content_id = ""
        self._codes: dict[str, int] = {}
        self._free: list[int] = []
        self._used = 0
        self._rules: list[str] = []
        self._bits: NDArray[np.uint8] = np.zeros(0, np.uint8)
        self._projects: NDArray[np.int32] = np.zeros(0, np.int32)
        self._vectors: Vectors = np.zeros((0, dimensions), np.float32)
        self._grow(FIRST_CAPACITY)

    def __len__(self) -> int:
        """The rules that have a vector."""
        return len(self._rows_of)

    def fingerprint_of(self, rule_id: str) -> str:
        """That of the text which the rule's vectors were made from; "" when it has none."""
        return self._fingerprints.get(rule_id, "")

    def put(self, rule_id: str, vectors: Vectors, *, fingerprint: str) -> None:
        """Takes these for the rule's vectors. Raises ValueError for what is no vector of this matrix."""
        if vectors.ndim != 2 or vectors.shape[1] != self.dimensions or not np.isfinite(vectors).all():
            raise ValueError(f"no vectors of {self.dimensions} numbers")
        with self._lock:
            self.drop(rule_id)
            rows = [self._take_row() for _ in range(len(vectors))]
            for row, vector in zip(rows, vectors, strict=True):
                self._vectors[row] = vector
                self._rules[row] = rule_id
                self._place_row(row)
            self._rows_of[rule_id] = rows
            self._most_rows = max(self._most_rows, len(rows))
            self._fingerprints[rule_id] = fingerprint

    def drop(self, rule_id: str) -> None:
        with self._lock:
            self._fingerprints.pop(rule_id, None)
            for row in self._rows_of.pop(rule_id, ()):
                self._rules[row] = ""
                self._bits[row] = 0
                self._free.append(row)

    def keep_only(self, rule_ids: frozenset[str]) -> None:
        with self._lock:
            for rule_id in self._rows_of.keys() - rule_ids:
                self.drop(rule_id)

    def place(self, places: Mapping[str, Place], *, content_id: str = "") -> None:
        """Where the published index with this content has each rule, by its id."""
        with self._lock:
            self._places = places
            self._content_id = content_id
            for row in range(self._used):
                self._place_row(row)

    def near(self, queries: Vectors, project_ids: Sequence[str], *, limit: int) -> list[Near]:
        """For each query the best of each pool, as the project of the same number sees them."""
        with self._lock:
            cosines = self._vectors[: self._used] @ queries.T
            most = limit * self._most_rows
            return [
                self._near(column, project_id, limit=limit, most=most)
                for column, project_id in zip(cosines.T, project_ids, strict=True)
            ]

    def _near(self, cosines: Vectors, project_id: str, *, limit: int, most: int) -> Near:
        formal, shadow = (self._best(cosines, mask, limit=limit, most=most) for mask in self._pools(project_id))
        return Near(formal, shadow, self._content_id)

    def vectors(self) -> Vectors:
        """All rows of rules that the published index holds; not a copy, if those are all there are."""
        with self._lock:
            vectors, is_published = self._vectors[: self._used], self._bits[: self._used] > 0
            return vectors if is_published.all() else vectors[is_published]

    def _pools(self, project_id: str) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Which rows are in the formal and which in the shadow pool, by the same rule as a search goes by."""
        bits, projects = self._bits[: self._used], self._projects[: self._used]
        own = (projects == self._codes.get(project_id, NO_PROJECT)) & (project_id != "") & (projects != NO_PROJECT)
        formal = (bits & FORMAL > 0) & ((bits & GLOBAL > 0) | own)
        shadow = (bits & SHADOW > 0) & ~own & ~formal & (project_id != "")
        return formal, shadow

    def _best(self, cosines: Vectors, mask: NDArray[np.bool_], *, limit: int, most: int) -> list[NearRule]:
        rows = np.flatnonzero(mask)
        if len(rows) > most:
            rows = rows[np.argpartition(-cosines[rows], most)[:most]]
        best: dict[str, float] = {}
        for row in rows[np.argsort(-cosines[rows], kind="stable")]:
            best.setdefault(self._rules[row], float(cosines[row]))
        listed = islice(best.items(), limit)
        return [NearRule(rule_id, cosine, self._places[rule_id].number) for rule_id, cosine in listed]

    def _take_row(self) -> int:
        if self._free:
            return self._free.pop()
        if self._used == len(self._vectors):
            self._grow(GROWTH * self._used)
        self._used += 1
        return self._used - 1

    def _place_row(self, row: int) -> None:
        rule_id = self._rules[row]
        place = self._places.get(rule_id, NOWHERE) if rule_id else NOWHERE
        self._bits[row] = place.bits
        self._projects[row] = (
            self._codes.setdefault(place.project_id, len(self._codes)) if place.project_id else NO_PROJECT
        )

    def _grow(self, capacity: int) -> None:
        """Rows stay where they are: the file only gets longer."""
        mode = "r+b" if self._used else "w+b"
        self._vectors = np.zeros((0, self.dimensions), np.float32)  # lets go of the map, as Windows wants it
        with open(os.open(self._path, os.O_RDWR | os.O_CREAT, PRIVATE_FILE), mode) as file:  # noqa: PTH123
            _reserve(file.fileno(), capacity * self.dimensions * FLOAT_BYTES)
        mapped = np.memmap(self._path, np.float32, "r+", shape=(capacity, self.dimensions))
        self._vectors = mapped.view(np.ndarray)  # the same memory, without memmap's care for every row that is taken
        self._rules += [""] * (capacity - len(self._rules))
        self._bits = np.concatenate([self._bits, np.zeros(capacity - len(self._bits), np.uint8)])
        self._projects = np.concatenate([self._projects, np.full(capacity - len(self._projects), NO_PROJECT, np.int32)])


def _reserve(descriptor: int, size: int) -> None:
    """Real bytes, where the system can: a full disk is an OSError here, and a crash when a mapped page is written."""
    os.truncate(descriptor, size)
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(descriptor, 0, size)
