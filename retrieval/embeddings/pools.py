"""The published index > where it places each rule. Looked at again when it changed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from retrieval.lexical.packed import BASE_FILE, DELTA_FILE, Index
from retrieval.lexical.segment import DAMAGE, IndexUnreadable, pool_for

if TYPE_CHECKING:
    from retrieval.lexical.segment import Segment


class Place(NamedTuple):
    """Where the published index has a rule: the bits of its pools, its project, and its number in the index."""

    bits: int
    project_id: str = ""
    number: int = 0


class PublishedPools:
    """`places` by rule id, and the id of the content that they are from: as the files said when they were looked at last."""

    def __init__(self, published_folder: str) -> None:
        self.folder = published_folder
        self._seen: object = None
        self._base_id = ""
        self._base: dict[str, Place] = {}
        self.places: dict[str, Place] = {}
        self.content_id = ""
        self._visible: dict[str, int] = {}

    def look(self) -> bool:
        """Whether the files changed and could be read; they are not kept open."""
        signature = [_signature(Path(self.folder) / name) for name in (BASE_FILE, DELTA_FILE)]
        if signature == self._seen:
            return False
        try:
            with Index.open(self.folder) as index:
                self._read(index)
        except (IndexUnreadable, *DAMAGE):
            return False  # looked at again the next time
        self._seen = signature
        return True

    def count_visible(self, project_id: str) -> int:
        """The rules that a prompt in this project is matched with, be it only to count for them."""
        visible = self._visible  # before the places: a count of older ones must not stay as that of newer ones
        if project_id not in visible:
            visible[project_id] = sum(
                pool_for(project_id, bits=place.bits, rule_project=place.project_id) != 0
                for place in self.places.values()
            )
        return visible[project_id]

    def _read(self, index: Index) -> None:
        if index.base_id != self._base_id:
            self._base, self._base_id = _places(index.base, first_number=0), index.base_id
        gone = {index.base.rule_id(rule) for rule in index.stale}
        changed = _places(index.delta, first_number=index.base.rule_count) if index.delta else {}
        self.content_id = index.content_id
        self.places = {rule_id: place for rule_id, place in self._base.items() if rule_id not in gone} | changed
        self._visible = {}


def _places(segment: Segment, *, first_number: int) -> dict[str, Place]:
    return {
        segment.rule_id(rule): Place(
            segment.pools[rule], segment.project_ids[segment.projects[rule]], number=first_number + rule
        )
        for rule in range(segment.rule_count)
    }


def _signature(path: Path) -> tuple[int, int, int]:
    try:
        found = path.stat()
    except OSError:
        return (0, 0, 0)
    return (found.st_mtime_ns, found.st_size, found.st_ino)
