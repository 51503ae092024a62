"""An exception of a route > problem JSON (RFC 9457): what happened in one sentence, never an input, a path or a traceback."""

from __future__ import annotations

import json
import logging
from functools import partial, wraps
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from django.db import DatabaseError
from django.http import Http404, HttpResponse
from django.urls import URLPattern, URLResolver
from filelock import Timeout
from ninja.errors import HttpError, ValidationError
from pydantic import BaseModel, Field

from extraction.jobs import JobNotGivenUp, JobUnknown
from extraction.worker import ExtractRunning
from hooks.timeline import SessionUnknown
from nokori_site.config_editing import ConfigRefused
from nokori_site.maintenance import MaintenanceBusy
from retrieval.embeddings.control import ServerNotEnded
from retrieval.lexical.segment import IndexUnreadable
from rules.refusals import AmbiguousShortId, MoveRefused, RuleNotFound, RuleRefused

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.http import HttpRequest
    from ninja import NinjaAPI

Pattern = URLPattern | URLResolver
PROBLEM_JSON = "application/problem+json"
STATUS: dict[type[Exception], HTTPStatus] = {  # the message of each of these is one sentence for the person who asked
    RuleNotFound: HTTPStatus.NOT_FOUND,
    AmbiguousShortId: HTTPStatus.CONFLICT,
    MoveRefused: HTTPStatus.CONFLICT,
    RuleRefused: HTTPStatus.UNPROCESSABLE_ENTITY,
    SessionUnknown: HTTPStatus.NOT_FOUND,
    JobUnknown: HTTPStatus.NOT_FOUND,
    JobNotGivenUp: HTTPStatus.CONFLICT,
    ConfigRefused: HTTPStatus.UNPROCESSABLE_ENTITY,
    IndexUnreadable: HTTPStatus.CONFLICT,
    MaintenanceBusy: HTTPStatus.CONFLICT,
    ExtractRunning: HTTPStatus.CONFLICT,
    ServerNotEnded: HTTPStatus.CONFLICT,
}
WORDS: dict[type[Exception], tuple[HTTPStatus, str]] = {  # their own messages may name paths or rows
    Timeout: (HTTPStatus.CONFLICT, "Another process is at it; try again in a moment."),
    Http404: (HTTPStatus.NOT_FOUND, "There is nothing at this address."),
    DatabaseError: (HTTPStatus.SERVICE_UNAVAILABLE, "The database cannot be used just now; `health` says more."),
    OSError: (HTTPStatus.SERVICE_UNAVAILABLE, "The data folder cannot be used just now; `health` says more."),
    Exception: (
        HTTPStatus.INTERNAL_SERVER_ERROR,
        "Something went wrong in Nokori; the web process's output says what.",
    ),
}
MAX_ERRORS = 20  # of one request's fields
logger = logging.getLogger("django.request")


class FieldProblem(BaseModel):
    """One field that is not as it should be: where it stands, and why."""

    field: str
    message: str


class Problem(BaseModel):
    """What went wrong, in the form of RFC 9457."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str
    errors: list[FieldProblem] = Field(default_factory=list)


def problem(status: HTTPStatus, detail: str, errors: list[FieldProblem] | None = None) -> HttpResponse:
    body = Problem(title=status.phrase, status=status, detail=detail, errors=errors or [])
    return HttpResponse(json.dumps(body.model_dump()), status=status, content_type=PROBLEM_JSON)


def add_error_handlers(api: NinjaAPI) -> None:
    handlers: dict[type[Exception], Callable[..., HttpResponse]] = {
        **{kind: partial(_told, status=status) for kind, status in STATUS.items()},
        **{kind: partial(_worded, status=status, sentence=sentence) for kind, (status, sentence) in WORDS.items()},
        ValidationError: _invalid,
        HttpError: _http_error,
    }
    for kind, handler in handlers.items():
        api.add_exception_handler(kind, handler)


def with_problem_405(pattern: Pattern) -> Pattern:
    """The same route, which answers a method that it does not know with a Problem too."""
    if isinstance(pattern, URLPattern):
        pattern.callback = _explained(pattern.callback)
    return pattern


def describe_errors(schema: dict[str, Any]) -> None:
    """Says in the OpenAPI document that any route may answer with a Problem. Any: JSON."""
    definitions = Problem.model_json_schema(ref_template="#/components/schemas/{model}")
    components = schema["components"].setdefault("schemas", {})
    components |= definitions.pop("$defs") | {"Problem": definitions}
    reference = {"$ref": "#/components/schemas/Problem"}
    for operations in schema["paths"].values():
        for operation in operations.values():
            operation["responses"]["default"] = {
                "description": "What went wrong",
                "content": {PROBLEM_JSON: {"schema": reference}},
            }


def _explained(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    @wraps(view)
    def explained(request: HttpRequest, **path: Any) -> HttpResponse:
        response = view(request, **path)
        if response.status_code != HTTPStatus.METHOD_NOT_ALLOWED:
            return response
        answer = problem(HTTPStatus.METHOD_NOT_ALLOWED, f"{request.method} is not possible at this address.")
        answer.headers["Allow"] = response.headers["Allow"]
        return answer

    return explained


def _told(request: HttpRequest, error: Exception, *, status: HTTPStatus) -> HttpResponse:
    return problem(status, str(error))


def _worded(request: HttpRequest, error: Exception, *, status: HTTPStatus, sentence: str) -> HttpResponse:
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        logger.error("%s %s", request.method, request.path, exc_info=error)
    return problem(status, sentence)


def _invalid(request: HttpRequest, error: ValidationError) -> HttpResponse:
    errors = [_field_problem(found) for found in error.errors[:MAX_ERRORS]]
    return problem(HTTPStatus.UNPROCESSABLE_ENTITY, "What was sent is not as it should be.", errors)


def _field_problem(found: dict[str, Any]) -> FieldProblem:
    """Without the input, which may be a secret. Any: pydantic's description of an error."""
    place = ".".join(str(part) for part in found.get("loc", ()))
    return FieldProblem(field=place.encode("utf-8", "replace").decode(), message=str(found.get("msg", "")))


def _http_error(request: HttpRequest, error: HttpError) -> HttpResponse:
    return problem(HTTPStatus(error.status_code), str(error))
