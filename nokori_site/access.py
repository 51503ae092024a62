"""Who may see the pages: the token of the data folder, links that open once, and the cookie that they set.

The token lies in the data folder, readable for the user alone. A browser trades a link for a signed cookie; a program
sends the token as a Bearer. A new token ends all cookies.
"""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from django.contrib.auth import get_user_model, login
from django.utils.crypto import constant_time_compare, salted_hmac

from rules.disk import write_atomic

if TYPE_CHECKING:
    from collections.abc import Mapping

    from django.contrib.auth.models import User
    from django.http import HttpRequest

    from rules.disk import DataFolder

TOKEN_BYTES = 32
MAX_TOKEN = 200  # characters; what is longer is no token and is not compared
LOCAL_USER = "local"
OPENED_WITH = "opened_with"  # in the session: a fingerprint of the token that opened it
BACKEND = "django.contrib.auth.backends.ModelBackend"
BEARER = "Bearer "


class OneTimeLinks:
    """Links of this process that nobody has followed yet."""

    def __init__(self) -> None:
        self._unused: set[str] = set()

    def issue(self, address: str) -> str:
        """A link below an address such as http://127.0.0.1:8765.

        The token is not in it: a browser keeps the links that it followed, and what it keeps must open nothing.
        """
        once = secrets.token_urlsafe(TOKEN_BYTES)
        self._unused.add(once)
        return f"{address}/enter/?{urlencode({'once': once})}"

    def redeem(self, once: str) -> bool:
        """True the first time."""
        if once not in self._unused:
            return False
        self._unused.remove(once)
        return True


links = OneTimeLinks()


def web_token(folder: DataFolder) -> str:
    """The token of this data folder, made when it is first needed. Raises OSError."""
    path = Path(folder.web_token)
    token = path.read_text(encoding="utf-8").strip() if path.exists() else ""
    if not token:
        token = secrets.token_urlsafe(TOKEN_BYTES)
        write_atomic(str(path), token.encode(), durable=True)
    return token


def is_token(text: str, folder: DataFolder) -> bool:
    return len(text) <= MAX_TOKEN and constant_time_compare(text, web_token(folder))


def has_bearer(authorization: str, folder: DataFolder) -> bool:
    """Whether an Authorization header carries the token."""
    return authorization.startswith(BEARER) and is_token(authorization.removeprefix(BEARER).strip(), folder)


def let_in(request: HttpRequest, folder: DataFolder) -> None:
    """Gives this browser the cookie that opens pages and admin."""
    login(request, local_user(), backend=BACKEND)
    request.session[OPENED_WITH] = _fingerprint(folder)


def is_let_in(session: Mapping[str, object], folder: DataFolder) -> bool:
    """Whether a session was opened with the token that is in force."""
    return constant_time_compare(str(session.get(OPENED_WITH, "")), _fingerprint(folder))


def local_user() -> User:
    """The one user of the pages, whose password nobody knows."""
    users = get_user_model()._default_manager
    user, is_new = users.get_or_create(username=LOCAL_USER, defaults={"is_staff": True, "is_superuser": True})
    if is_new:
        user.set_unusable_password()
        user.save(update_fields=["password"])
    return user


def _fingerprint(folder: DataFolder) -> str:
    return salted_hmac("nokori.web_token", web_token(folder)).hexdigest()
