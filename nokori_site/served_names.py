"""Under which names the pages may be asked for: exactly those, or a foreign name that points here could read them."""

from __future__ import annotations

import socket

LOOPBACK = "127.0.0.1"
EVERYWHERE = ("0.0.0.0", "::")  # noqa: S104  recognised, not bound
LOCAL_NAMES = (LOOPBACK, "localhost", "[::1]")


def served_names(host: str) -> list[str]:
    """For Django's ALLOWED_HOSTS. An address for every network stands for each address of this machine."""
    if host in (LOOPBACK, "localhost", "::1"):
        return list(LOCAL_NAMES)
    named = _own_addresses() if host in EVERYWHERE else [_in_a_url(host)]
    return [*LOCAL_NAMES, *named]


def address_of(host: str, port: int) -> str:
    shown = LOOPBACK if host in EVERYWHERE else _in_a_url(host)
    return f"http://{shown}:{port}"


def _in_a_url(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _own_addresses() -> list[str]:
    name = socket.gethostname()
    try:
        found = {_in_a_url(str(row[4][0]).partition("%")[0]) for row in socket.getaddrinfo(name, None)}
    except OSError:
        found = set()
    return sorted({name.lower(), *found})
