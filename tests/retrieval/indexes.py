"""Small indexes made on the spot, and the labelled sets that lie beside the checkout."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from retrieval.calibration import background, calibrate
from retrieval.lexical.packed import Index
from retrieval.lexical.packing import Background, pack, with_floors
from retrieval.lexical.results import Document, Floors, Hit, Tier
from retrieval.lexical.search import search

LABELLED_SETS = Path(__file__).resolve().parents[3] / "shared" / "data" / "retrieval"
FORCE_PUSH = Document(  # the rule of the README's quick start
    rule_id="rule-1",
    short_id="a1b2c3",
    trigger="Force pushing to a shared branch",
    variants=("git push --force", "git push -f"),
    terms=("强推", "覆盖代码"),
    action="Use --force-with-lease, or push to a new branch",
)
LOCKFILE = Document(
    rule_id="rule-2",
    short_id="d4e5f6",
    trigger="Editing the lockfile by hand",
    action="Change package.json and run the package manager",
)


def make_document(trigger: str, *, number: int = 1, **changes) -> Document:
    values: dict[str, Any] = {
        "rule_id": f"rule-{number:04}",
        "short_id": f"{number:06x}",
        "trigger": trigger,
        "action": "-",
    }
    return Document(**(values | changes))


def make_index(*rules: Document, floor: float = 0.5, change_counter: int = 1) -> Index:
    """Against a neutral background, and with this floor."""
    return Index.from_bytes(pack_plainly(*rules, floor=floor, change_counter=change_counter))


def pack_plainly(*rules: Document, floor: float = 0.5, change_counter: int = 1) -> bytes:
    floors = Floors(short=floor, long=floor, rule_count=len(rules))
    neutral = Background(["some other business"] * 50)
    return pack(rules, background=neutral, floors=floors, change_counter=change_counter)


def make_calibrated_index(rules: Iterable[Document]) -> Index:
    """As publishing makes it."""
    data = pack(rules, background=background(), floors=Floors(short=0, long=0), change_counter=1)
    return Index.from_bytes(with_floors(data, calibrate(Index.from_bytes(data))))


def shown(prompt: str, index: Index, *, project_id: str = "") -> list[tuple[str, str]]:
    """Rule id and tier of what would be injected."""
    return tiers(search(prompt, index=index, project_id=project_id).formal)


def tiers(hits: Iterable[Hit]) -> list[tuple[str, str]]:
    return [(hit.document.rule_id, hit.tier) for hit in hits if hit.tier != Tier.COLD]
