"""Checks of the servers that the settings name: each is asked for its list of models, and only an answer of 2xx will do.

Nobody is asked who is not configured, and no redirection is followed: the key goes to the named server alone.
"""

from __future__ import annotations

from http.client import HTTPException
from typing import TYPE_CHECKING
from urllib.error import HTTPError, URLError
from urllib.request import HTTPRedirectHandler, Request, build_opener

from nokori_site.finding import Finding, State

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nokori_site.config import Config

TIMEOUT_SECONDS = 5.0


class _NoRedirection(HTTPRedirectHandler):
    def redirect_request(self, *_: object) -> None:
        """None makes a redirection an HTTPError like any other answer that is not 2xx."""


def check_endpoints(config: Config) -> Iterator[Finding]:
    places = (("llm", config.llm_base_url, config.llm_api_key), ("embed", config.embed_base_url, config.embed_api_key))
    for name, base_url, key in places:
        if base_url:
            yield _judge(name, base_url, problem=_problem_of(f"{base_url.rstrip('/')}/models", key=key))


def _judge(name: str, base_url: str, *, problem: str) -> Finding:
    title = f"{name} endpoint"
    if not problem:
        return Finding(title, State.OK, f"{base_url} answers")
    return Finding(
        title, State.FAIL, f"{base_url} {problem}", f"Start it, or correct {name}.base_url and {name}.api_key."
    )


def _problem_of(url: str, *, key: str) -> str:
    """Why the server will not do; "" when it will. Never the server's own words, which may repeat the key."""
    request = Request(url, headers={"Authorization": f"Bearer {key}"} if key else {})  # noqa: S310  a setting of kind url
    try:
        with build_opener(_NoRedirection).open(request, timeout=TIMEOUT_SECONDS):
            return ""
    except HTTPError as error:
        error.close()
        return f"answers with status {error.code}"
    except URLError as error:
        return f"cannot be reached ({type(error.reason).__name__})"
    except (OSError, HTTPException, ValueError) as error:
        return f"does not answer as a web server does ({type(error).__name__})"
