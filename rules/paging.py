"""Numbered pages of a list, for the API: which page is wanted, and what it holds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

from django.db.models import Model, QuerySet
from ninja import Field, Schema

MAX_PAGE = 100_000
MAX_PAGE_SIZE = 200  # rows; keeps an answer short and its time bounded
Row = TypeVar("Row", bound=Model)
Item = TypeVar("Item")


class PageWish(Schema):
    """Which page of a list, and how many rows a page has."""

    page: int = Field(1, ge=1, le=MAX_PAGE)
    page_size: int = Field(50, ge=1, le=MAX_PAGE_SIZE)


class Page(Schema, Generic[Item]):
    """One page of a list; `count` is the length of the whole list."""

    items: list[Item]
    count: int
    page: int
    page_size: int


def page_of(rows: QuerySet[Row], wish: PageWish, render: Callable[[Row], object]) -> dict[str, Any]:
    """The columns of a Page (Any: its items are what `render` gives)."""
    start = (wish.page - 1) * wish.page_size
    return {
        "items": [render(row) for row in rows[start : start + wish.page_size]],
        "count": rows.count(),
        "page": wish.page,
        "page_size": wish.page_size,
    }
