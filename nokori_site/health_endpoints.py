"""Checks of the servers that the settings name: the one is asked for its list of models, the other for a vector, and only
an answer of 2xx will do.

Nobody is asked who is not configured, and no redirection is followed: the key goes to the named server alone.
"""

from __future__ import annotations

import json
from http.client import HTTPException
from typing import TYPE_CHECKING
from urllib.error import HTTPError, URLError
from urllib.request import HTTPRedirectHandler, Request, build_opener

from django.utils.translation import gettext as _

from nokori_site.finding import Finding, State

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nokori_site.config import Config

TIMEOUT_SECONDS = 5.0


class _NoRedirection(HTTPRedirectHandler):
    def redirect_request(self, *_: object) -> None:
        """None makes a redirection an HTTPError like any other answer that is not 2xx."""


def check_endpoints(config: Config) -> Iterator[Finding]:
    if config.llm_base_url:
        yield _judge("llm", config.llm_base_url, problem=_problem_of(_models_request(config), config.llm_base_url))
    if config.embed_base_url:
        yield _judge(
            "embed", config.embed_base_url, problem=_problem_of(_vector_request(config), config.embed_base_url)
        )


def _models_request(config: Config) -> Request:
    return _request(config.llm_base_url, "models", key=config.llm_api_key)


def _vector_request(config: Config) -> Request:
    """Some endpoints list models to everybody, and some list none."""
    wish = json.dumps({"model": config.embed_model, "input": ["Does this endpoint answer?"]}).encode()
    return _request(config.embed_base_url, "embeddings", key=config.embed_api_key, body=wish)


def _request(base_url: str, place: str, *, key: str, body: bytes | None = None) -> Request:
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    if body is not None:
        headers["Content-Type"] = "application/json"
    return Request(f"{base_url.rstrip('/')}/{place}", data=body, headers=headers)  # noqa: S310  a setting of kind url


def _judge(name: str, base_url: str, *, problem: str) -> Finding:
    title = f"{name} endpoint"
    if not problem:
        return Finding(title, State.OK, _("%(server)s answers") % {"server": base_url})
    settings = {"address": f"{name}.base_url", "key": f"{name}.api_key"}
    return Finding(title, State.FAIL, problem, _("Start it, or correct %(address)s and %(key)s.") % settings)


def _problem_of(request: Request, server: str) -> str:
    """Why the server will not do; "" when it will. Never the server's own words, which may repeat the key."""
    try:
        with build_opener(_NoRedirection).open(request, timeout=TIMEOUT_SECONDS):
            return ""
    except HTTPError as error:
        error.close()
        return _("%(server)s answers with status %(code)d") % {"server": server, "code": error.code}
    except URLError as error:
        return _("%(server)s cannot be reached (%(error)s)") % {"server": server, "error": type(error.reason).__name__}
    except (OSError, HTTPException, ValueError) as error:
        reason = {"server": server, "error": type(error).__name__}
        return _("%(server)s does not answer as a web server does (%(error)s)") % reason
