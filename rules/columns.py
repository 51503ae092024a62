"""Columns that hold one word out of a few, and the constraint that keeps any other out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.db import models
from django.db.models import Q

if TYPE_CHECKING:
    from enum import StrEnum

ID_LENGTH = 255  # characters of an id that came from outside


def word_field(words: type[StrEnum], **options: Any) -> models.CharField[str, str]:
    return models.CharField(max_length=20, choices=[(word.value, word.value) for word in words], **options)


def one_of(field: str, words: type[StrEnum], *, name: str) -> models.CheckConstraint:
    return models.CheckConstraint(condition=Q(**{f"{field}__in": [word.value for word in words]}), name=name)
