"""Secrets out of any text: text in, the same text with each secret's value replaced out.

Values are known by their shape (a vendor's prefix and length, a key block, the value of a password-like name), never by
a word alone. Time is linear in the text's length, and redacting twice changes nothing more.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

REPLACEMENT = "[redacted]"

KEY_BLOCK = re.compile(  # up to its end, or as many lines of base64 as there are
    r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----"
    r"(?:(?:(?!-----).){0,16384}-----END [A-Z0-9 ]{1,60}-----|(?:[\s\\nr\"',+]{0,16}[A-Za-z0-9+/=]{16,}){1,512})",
    re.DOTALL,
)
VENDOR_TOKEN = re.compile(
    r"(?<![A-Za-z0-9])(?:"
    r"sk-(?=[A-Za-z_-]{0,40}[0-9])[A-Za-z0-9_-]{20,256}"  # OpenAI, Anthropic, OpenRouter
    r"|github_pat_[A-Za-z0-9_]{22,255}"
    r"|gl(?:pat|dt|rt|cbt|ptt|soat)-[A-Za-z0-9_.-]{20,64}"
    r"|pypi-[A-Za-z0-9_-]{32,512}"
    r"|AIza[A-Za-z0-9_-]{35}"
    r"|ya29\.[A-Za-z0-9_-]{20,512}"
    r"|GOCSPX-[A-Za-z0-9_-]{20,64}"
    r"|(?:hf|gsk|r8|nvapi|pplx|xai|lin_api|tvly|ntn|secret)[_-](?=[A-Za-z_-]{0,40}[0-9])[A-Za-z0-9_-]{24,256}"
    r"|(?:[rs]k|whsec|pk)_(?:live_|test_)?[A-Za-z0-9]{24,128}"
    r"|xapp-\d-[A-Za-z0-9-]{20,256}"
    r"|xox[a-z]-[A-Za-z0-9-]{16,256}"
    r"|do[opr]_v1_[a-f0-9]{64}"
    r"|shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}"
    r"|ATATT3[A-Za-z0-9_=-]{40,512}"
    r"|AGE-SECRET-KEY-1[0-9A-Z]{50,64}"
    r"|\d{8,10}:AA[A-Za-z0-9_-]{33}"  # Telegram
    r"|(?:AC|SK)[a-f0-9]{32}|[a-f0-9]{32}-us[0-9]{1,2}"  # Twilio, Mailchimp
    r"|[MNO][A-Za-z0-9_-]{23,25}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,38}"  # Discord
    r"|eyJ[A-Za-z0-9_-]{10,4096}\.[A-Za-z0-9_-]{10,8192}(?:\.[A-Za-z0-9_-]{0,1024})?"  # JWT
    r")"
)
URL_PASSWORD = re.compile(r"(?<=://)[^\s/:@'\"]{0,128}:(?P<value>[^\s/@'\"]{1,256})@")
AUTHORIZATION = re.compile(
    r"\b(?:bearer|basic|token)[ \t]{1,4}(?P<value>(?=[A-Za-z._~+/-]{0,256}[0-9])[A-Za-z0-9._~+/-]{16,4096}={0,2})",
    re.IGNORECASE,
)
COOKIE = re.compile(r"\bcookie:[ \t]{0,4}[\w.-]{1,64}=(?P<value>[^\s;]{16,4096})", re.IGNORECASE)
NAMES = (  # of variables and options whose value is a secret
    r"(?:api_?key|access_?key(?:_?id)?|secret_?key|private_?key|account_?key|auth_?key|encryption_?key|signing_?key"
    r"|secret|token|password|passwd|pwd|passphrase|credentials?)"
)
ENV_VALUE = re.compile(
    NAMES.upper() + r"(?:_(?:BASE|PROD|DEV|TEST|STAGING|OLD|NEW|[0-9]{1,3}))?"
    r"[ \t]{0,2}=[ \t]{0,2}[\"']?(?P<value>[^\s\"'`;,()]{6,4096})"
)
ASSIGNED_VALUE = re.compile(
    NAMES.replace("_?", "[_-]?") + r"[\"'`]?[ \t]{0,4}(?:[:=]|=>|:=|\bis\b)[ \t]{0,4}"
    r"[\"'`]?(?P<value>[^\s\"'`;,()]{6,4096})",
    re.IGNORECASE,
)
OPTION_VALUE = re.compile(
    r"(?<![\w-])--?(?:[a-z]{1,20}-)?(?:api-?key|secret|token|password|passwd|pwd|passphrase)(?:=|[ \t]{1,4})[\"']?(?P<value>[^\s\"'`;,()]{6,4096})",
    re.IGNORECASE,
)
PLACEHOLDER = re.compile(
    r"\[redacted\]|<|\{|\*{3}|\$\{|\$\(|\$\w{1,64}$|%\w{1,64}%|%\("
    r"|[xX*.•]{3,64}$|(?=[A-Za-z_-]{1,64}$).*(?:your|example|placeholder|change_?me|dummy|xxx)"
    r"|(?:process\.env|os\.environ|import\.meta|env|settings|config|secrets|self|this|vars?)\b|getenv|(?:null|none|true|false)$",
    re.IGNORECASE,
)
REFERENCE = re.compile(  # names and words, not values
    r"[A-Za-z_]\w{0,64}(?:\.[A-Za-z_]\w{0,64}){1,8}|[a-z]{1,64}(?:[-_/][a-z]{1,64}){0,8}[0-9]?|[A-Z][A-Z_]{0,64}"
)


class Redacted(NamedTuple):
    text: str
    secrets: int  # values that were replaced


class _Shape(NamedTuple):
    """A pattern whose group `value`, if it has one, else the whole match, is the secret when is_secret says so."""

    pattern: re.Pattern[str]
    is_secret: Callable[[str], bool]


def redact(text: str) -> Redacted:
    """The text without secrets, and how many there were."""
    count = 0
    for shape in _shapes(text):
        text, found = _replace(text, shape)
        count += found
    return Redacted(text, count)


def redact_all(texts: Sequence[str]) -> list[str]:
    """Several texts at the price of one, as long as none holds a secret."""
    if not redact("\n\n".join(texts)).secrets:
        return list(texts)
    return [redact(text).text for text in texts]


def redact_value(value: object) -> object:
    """Text, or lists and tables of text, without secrets; anything else as it is."""
    if isinstance(value, str):
        return redact(value).text
    if isinstance(value, list):
        return [redact_value(entry) for entry in value]
    if isinstance(value, dict):
        return {name: redact_value(entry) for name, entry in value.items()}
    return value


def _shapes(text: str) -> Iterator[_Shape]:
    """The shapes that are worth a try on this text."""
    lowered = text.lower()
    if max(map(len, text.split()), default=0) >= VENDOR_LENGTH:
        yield VENDOR_SHAPE
        if _has_any(LIBRARY_HINTS, text) or ("aws" in lowered and LONG_RUN.search(text)):
            yield from _library_shapes()
    if "xox" in lowered or "hooks.slack.com" in lowered:
        yield from _library_shapes()
    for hints, shapes in OWN_SHAPES:
        if _has_any(hints, lowered):
            yield from shapes


def _has_any(hints: Iterable[str], text: str) -> bool:
    for hint in hints:  # noqa: SIM110  any() with a generator takes twice as long, ten thousand rules wait for it
        if hint in text:
            return True
    return False


def _replace(text: str, shape: _Shape) -> Redacted:
    group = "value" if "value" in shape.pattern.groupindex else 0
    pieces = []
    end = count = 0
    for match in shape.pattern.finditer(text):
        if shape.is_secret(match[group]):
            pieces += [text[end : match.start(group)], REPLACEMENT]
            end = match.end(group)
            count += 1
    return Redacted("".join(pieces) + text[end:], count)


def _always(_value: str) -> bool:
    return True


def _is_value(value: str) -> bool:
    """Not a placeholder, a variable or a call that fetches the secret elsewhere."""
    return not PLACEHOLDER.match(value)


def _is_env_value(value: str) -> bool:
    return _is_value(value) and not value.isdigit()


def _looks_random(value: str) -> bool:
    """A value among prose: letters and digits mixed, and no name of something else."""
    has_both = any(char.isdigit() for char in value) and any(char.isalpha() for char in value)
    return has_both and _is_value(value) and not REFERENCE.fullmatch(value)


LIBRARY_HINTS = ("AKIA", "ASIA", "ABIA", "ACCA", "A3T", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "SG.", "sq0csp")
LONG_RUN = re.compile(r"[0-9A-Za-z/+]{40}")  # an AWS secret key has no prefix
VENDOR_LENGTH = 20  # characters without a blank; no vendor's token is shorter
VENDOR_SHAPE = _Shape(VENDOR_TOKEN, _always)
OWN_SHAPES = (  # what a text must hold, in lower case, and what it is then searched for
    (("private key",), (_Shape(KEY_BLOCK, _always),)),
    (("://",), (_Shape(URL_PASSWORD, _is_value),)),
    (("bearer", "basic", "token"), (_Shape(AUTHORIZATION, _is_value),)),
    (("cookie:",), (_Shape(COOKIE, _is_value),)),
    (
        ("key", "secret", "token", "passw", "pwd", "passphrase", "credential"),
        (_Shape(ENV_VALUE, _is_env_value), _Shape(ASSIGNED_VALUE, _looks_random), _Shape(OPTION_VALUE, _looks_random)),
    ),
)


@cache
def _library_shapes() -> tuple[_Shape, ...]:
    """Vendor patterns of detect-secrets (its maintained fork); not those that fire on hashes or take the whole line."""
    from detect_secrets.plugins.aws import AWSKeyDetector  # noqa: PLC0415  0.3 s, and hardly a text needs it
    from detect_secrets.plugins.github_token import GitHubTokenDetector  # noqa: PLC0415
    from detect_secrets.plugins.sendgrid import SendGridDetector  # noqa: PLC0415
    from detect_secrets.plugins.slack import SlackDetector  # noqa: PLC0415
    from detect_secrets.plugins.square_oauth import SquareOAuthDetector  # noqa: PLC0415

    detectors = (AWSKeyDetector, GitHubTokenDetector, SendGridDetector, SlackDetector, SquareOAuthDetector)
    return tuple(_Shape(pattern, _always) for detector in detectors for pattern in detector.denylist)
