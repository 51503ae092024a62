"""The published index: a base segment over all rules, and an optional delta of what changed since.

The files are mapped, not read. A delta of another base is ignored; a file that cannot be trusted raises IndexUnreadable.
"""

from __future__ import annotations

import mmap
import os
from itertools import islice

from retrieval.lexical.segment import ANEW, DAMAGE, DAMAGED, IndexUnreadable, Segment, pool_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType

    from retrieval.lexical.results import Document, Floors

BASE_FILE = "rules.idx"
DELTA_FILE = "rules.delta"


class Index:
    """What is published: the base and, when it belongs to this base, the delta.

    Rules are numbered through: first the base, then the delta. A rule of the base that the delta replaces or removes
    keeps its number and is in `stale`.
    """

    def __init__(self, base: Segment, delta: Segment | None = None) -> None:
        self.base = base
        self.delta = delta if delta is not None and _continues(delta, base) else None
        self.segments = (base,) if self.delta is None else (base, self.delta)
        self.stale = frozenset(self.delta.removed) if self.delta else frozenset[int]()

    @classmethod
    def open(cls, published_folder: str) -> Index:
        """Maps the published files. Raises IndexUnreadable."""
        # The delta first: a base written in between already holds what an older delta says.
        delta = _map_segment(os.path.join(published_folder, DELTA_FILE))
        base = _map_segment(os.path.join(published_folder, BASE_FILE))
        if base is None:
            raise IndexUnreadable(f"There is no published index; {ANEW}")
        return cls(base, delta)

    @classmethod
    def from_bytes(cls, base: bytes, delta: bytes | None = None) -> Index:
        return cls(Segment(base), None if delta is None else Segment(delta))

    @property
    def base_id(self) -> str:
        return self.base.base_id

    @property
    def content_id(self) -> str:
        """Tells the files of one publishing from those of any other: the numbers of rules hold within it."""
        return "-".join(f"{segment.checksum:08x}" for segment in self.segments)

    @property
    def change_counter(self) -> int:
        """The database's change counter that the newest segment reflects."""
        return self.segments[-1].change_counter

    @property
    def floors(self) -> Floors:
        return self.base.floors

    @property
    def calibrated_rule_count(self) -> int:
        return self.floors.rule_count

    @property
    def rule_count(self) -> int:
        return sum(segment.rule_count for segment in self.segments) - len(self.stale)

    @property
    def delta_rule_ids(self) -> frozenset[str]:
        if self.delta is None:
            return frozenset()
        return frozenset(map(self.delta.rule_id, range(self.delta.rule_count)))

    @property
    def removed_rule_ids(self) -> frozenset[str]:
        """Rules of the base that were taken away, not replaced."""
        return self.delta.removed_rule_ids if self.delta else frozenset()

    def is_intact(self) -> bool:
        return all(segment.is_intact() for segment in self.segments)

    def document(self, number: int) -> Document:
        """Raises IndexUnreadable when the file is damaged there."""
        segment, rule = self.locate(number)
        try:
            return segment.document(rule)
        except DAMAGE as error:
            raise IndexUnreadable(DAMAGED) from error

    def numbers(self) -> Iterator[int]:
        """The number of every valid rule."""
        every = range(sum(segment.rule_count for segment in self.segments))
        return (number for number in every if number not in self.stale)

    def documents(self) -> Iterator[Document]:
        """Every valid rule. Raises IndexUnreadable."""
        return map(self.document, self.numbers())

    def pool_of(self, number: int, *, project_id: str) -> int:
        """What a rule is to prompts of this project, as pool_for says."""
        segment, rule = self.locate(number)
        rule_project = segment.project_ids[segment.projects[rule]]
        return pool_for(project_id, bits=segment.pools[rule], rule_project=rule_project)

    def has_visible(self, least: int, *, project_id: str) -> bool:
        """Whether a prompt in this project is matched with so many rules, be it only to count for them."""
        if self.rule_count < least:
            return False
        visible = (1 for number in self.numbers() if self.pool_of(number, project_id=project_id))
        return sum(islice(visible, least)) == least

    def rule_id(self, number: int) -> str:
        segment, rule = self.locate(number)
        return segment.rule_id(rule)

    def is_rule(self, number: int, rule_id: str) -> bool:
        """Whether this is the number of that rule, and the rule is valid."""
        is_there = 0 <= number < sum(segment.rule_count for segment in self.segments)
        return is_there and number not in self.stale and self.rule_id(number) == rule_id

    def find_rule(self, rule_id: str) -> int | None:
        """The number of a valid rule."""
        changed = None if self.delta is None else self.delta.find_rule(rule_id)
        if changed is not None:
            return self.base.rule_count + changed
        number = self.base.find_rule(rule_id)
        return None if number in self.stale else number

    def locate(self, number: int) -> tuple[Segment, int]:
        if self.delta is not None and number >= self.base.rule_count:
            return self.delta, number - self.base.rule_count
        return self.base, number

    def close(self) -> None:
        for segment in self.segments:
            segment.close()

    def __enter__(self) -> Index:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self.close()
        except BufferError:  # the frames of an error still look into the file: it is the error that matters
            if error is None:
                raise


def _continues(delta: Segment, base: Segment) -> bool:
    """A base gets its id from its content: an older delta may be about the same rules as they once were."""
    return delta.base_id == base.base_id and delta.change_counter > base.change_counter


def _map_segment(path: str) -> Segment | None:
    """None when there is no such file."""
    try:
        with open(path, "rb") as file:
            return Segment(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:  # ValueError: an empty file cannot be mapped
        raise IndexUnreadable(f"The published index cannot be opened ({error}); {ANEW}") from error
