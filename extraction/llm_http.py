"""An endpoint that speaks /chat/completions as one who answers: one question in, the model's text out.

Raises LlmError only, without the server's words, which may repeat the key. Structured output is asked for as strictly as
the endpoint understands.
"""

from __future__ import annotations

import openai
from pydantic import BaseModel, Field, ValidationError

from extraction.llm_errors import (
    LlmBusy,
    LlmError,
    LlmKeyRefused,
    LlmReplyEmpty,
    LlmReplyUnreadable,
    LlmRequestRefused,
    LlmServerFailed,
    LlmTimeout,
    LlmUnreachable,
)
from extraction.prompts import Question

MAX_RETRIES = 3  # of one request; the openai package waits 0.5 s doubled each time, or as long as Retry-After says


class _Message(BaseModel):
    content: str | None = None


class _Choice(BaseModel):
    message: _Message


class _Completion(BaseModel):
    """The part of a chat completion that is used."""

    choices: list[_Choice] = Field(min_length=1)


class HttpLlm:
    """An endpoint that speaks /chat/completions. It remembers which way to ask for JSON the endpoint understood."""

    def __init__(self, *, base_url: str, model: str, api_key: str = "", retries: int = MAX_RETRIES) -> None:
        self._model = model
        self._client = openai.OpenAI(base_url=base_url, api_key=api_key or "none", max_retries=retries)
        self._formats = ["json_schema", "json_object", "text"]
        self._limit_name = "max_tokens"

    def answer(self, question: Question) -> str:
        while True:
            try:
                return _content(self._request(question))
            except openai.BadRequestError as error:
                if not self._ask_for_less(error.message):
                    raise _translated(error) from None
            except openai.OpenAIError as error:
                raise _translated(error) from None  # the server's words may repeat the key

    def _request(self, question: Question) -> str:
        extra: dict[str, object] = {self._limit_name: question.max_tokens}
        if self._formats[0] != "text":
            extra["response_format"] = _response_format(self._formats[0], question)
        raw = self._client.chat.completions.with_raw_response.create(
            model=self._model,
            messages=[{"role": "system", "content": question.system}, {"role": "user", "content": question.body}],
            timeout=question.timeout_seconds,
            extra_body=extra,
        )
        return raw.text

    def _ask_for_less(self, complaint: str) -> bool:
        """Drops what the endpoint may not know; False when there is nothing left to drop."""
        if self._limit_name == "max_tokens" and "max_completion_tokens" in complaint:
            self._limit_name = "max_completion_tokens"
            return True
        if len(self._formats) > 1:
            self._formats.pop(0)
            return True
        return False


def _response_format(kind: str, question: Question) -> dict[str, object]:
    if kind == "json_object":
        return {"type": kind}
    return {"type": kind, "json_schema": {"name": question.name, "strict": True, "schema": question.schema}}


def _content(raw: str) -> str:
    try:
        completion = _Completion.model_validate_json(raw)
    except ValidationError as error:
        raise LlmReplyUnreadable("The endpoint answered, but not with a chat completion.") from error
    content = completion.choices[0].message.content
    if not content or not content.strip():
        raise LlmReplyEmpty("The model answered with nothing.")
    return content


def _translated(error: openai.OpenAIError) -> LlmError:
    if isinstance(error, openai.APITimeoutError):
        return LlmTimeout("The model took longer than it may.")
    if isinstance(error, openai.APIStatusError):
        return _refusal(error.status_code)
    if isinstance(error, openai.APIConnectionError):
        return LlmUnreachable("The connection to the model's endpoint failed or broke.")
    return LlmRequestRefused("The model could not be asked: check llm.base_url, llm.model and llm.api_key.")


def _refusal(status: int) -> LlmError:
    if status in (401, 403):
        return LlmKeyRefused(f"The endpoint does not accept the key (HTTP {status}): check llm.api_key.")
    if status == 429:
        return LlmBusy("The endpoint takes no more requests for now (HTTP 429).")
    if status >= 500:
        return LlmServerFailed(f"The endpoint failed on its side (HTTP {status}).")
    return LlmRequestRefused(f"The endpoint refused the request (HTTP {status}): check llm.base_url and llm.model.")
