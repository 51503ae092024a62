"""An endpoint that speaks OpenAI's /embeddings as a backend: texts go out in batches, vectors come back.

A prompt gets one short try, rules get retries. Raises EmbedderUnavailable only, without the endpoint's words, which may
repeat the key.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import openai
from pydantic import BaseModel, ValidationError

from retrieval.embeddings.chunks import clip_query
from retrieval.embeddings.languages import languages_of_name
from retrieval.embeddings.protocol import EmbedderUnavailable
from retrieval.embeddings.vectors import unit_vectors

if TYPE_CHECKING:
    from retrieval.embeddings.protocol import Vectors

BATCH_TEXTS = 64  # in one request; some endpoints take no more
BATCH_CHARS = 100_000  # in one request
RULES_TIMEOUT_SECONDS = 60.0
RULES_RETRIES = 3  # the openai package waits 0.5 s doubled each time, or as long as Retry-After says
SOURCE = "The embeddings endpoint"


class _Item(BaseModel):
    index: int
    embedding: list[float | None]


class _Reply(BaseModel):
    """The part of an answer that is used."""

    data: list[_Item]


class RemoteEmbedder:
    """Asks for one vector on construction, which tells the dimensions. Raises EmbedderUnavailable."""

    def __init__(  # noqa: PLR0913  what the settings say about one endpoint
        self,
        *,
        base_url: str,
        model: str,
        api_key: str = "",
        dimensions: int = 0,
        timeout_seconds: float,
        languages: frozenset[str] | None = None,
        retries: int = RULES_RETRIES,
    ) -> None:
        self.model_id = f"{model} ({dimensions})" if dimensions else model
        self.languages = languages or languages_of_name(model)
        self.dimensions = dimensions
        self._model = model
        self._asked_dimensions = dimensions
        client = openai.OpenAI(base_url=base_url, api_key=api_key or "none")
        self._for_prompts = client.with_options(timeout=timeout_seconds, max_retries=0)
        self._for_rules = client.with_options(timeout=RULES_TIMEOUT_SECONDS, max_retries=retries)
        self.dimensions = self._encode(["tells the dimensions"], self._for_rules).shape[1]

    def encode_query(self, texts: Sequence[str]) -> Vectors:
        return self._encode([clip_query(text) for text in texts], self._for_prompts)

    def encode_document(self, texts: Sequence[str]) -> Vectors:
        return self._encode(texts, self._for_rules)

    def _encode(self, texts: Sequence[str], client: openai.OpenAI) -> Vectors:
        rows = [row for batch in batches(texts) for row in self._ask(batch, client)]
        return unit_vectors(rows, count=len(texts), dimensions=self.dimensions, source=SOURCE)

    def _ask(self, texts: Sequence[str], client: openai.OpenAI) -> list[list[float | None]]:
        try:
            raw = client.embeddings.with_raw_response.create(
                model=self._model,
                input=[text or " " for text in texts],  # some endpoints refuse an empty text
                encoding_format="float",
                dimensions=self._asked_dimensions or openai.omit,
            )
            items = _Reply.model_validate_json(raw.text).data
        except ValidationError:
            raise EmbedderUnavailable(f"{SOURCE} answered, but not with embeddings; check embed.base_url.") from None
        except openai.OpenAIError as error:
            raise _translated(error) from None  # the endpoint's words may repeat the key
        return [item.embedding for item in sorted(items, key=_place)]


def batches(texts: Sequence[str]) -> Iterator[list[str]]:
    """The texts in order, in requests of bounded size; a text that is too long for any goes alone."""
    batch: list[str] = []
    chars = 0
    for text in texts:
        if batch and (len(batch) == BATCH_TEXTS or chars + len(text) > BATCH_CHARS):
            yield batch
            batch, chars = [], 0
        batch.append(text)
        chars += len(text)
    if batch:
        yield batch


def _place(item: _Item) -> int:
    return item.index


def _translated(error: openai.OpenAIError) -> EmbedderUnavailable:
    if isinstance(error, openai.APITimeoutError):
        return EmbedderUnavailable(f"{SOURCE} took longer than it may; see embed.hook_timeout_seconds.")
    if isinstance(error, openai.APIStatusError):
        return _refusal(error.status_code)
    if isinstance(error, openai.APIConnectionError):
        return EmbedderUnavailable(f"{SOURCE} cannot be reached; check embed.base_url and that it runs.")
    return EmbedderUnavailable(f"{SOURCE} could not be asked; check embed.base_url, embed.model and embed.api_key.")


def _refusal(status: int) -> EmbedderUnavailable:
    if status in (401, 403):
        return EmbedderUnavailable(f"{SOURCE} does not accept the key (HTTP {status}); check embed.api_key.")
    if status == 429:
        return EmbedderUnavailable(f"{SOURCE} takes no more requests for now (HTTP 429); it is asked again later.")
    if status >= 500:
        return EmbedderUnavailable(f"{SOURCE} failed on its side (HTTP {status}); it is asked again later.")
    return EmbedderUnavailable(f"{SOURCE} refused the request (HTTP {status}); check embed.base_url and embed.model.")
