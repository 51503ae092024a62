"""A session begins > the last messages of the session before it in the same folder, unless they were extracted already.

The session before is the last one that ended there (published/ended_sessions.json), else the newest older transcript
beside this one. Only what a person typed is shown, with words that may be secrets masked; nothing of it is kept.
"""

from __future__ import annotations

import os

from extraction.transcript_file import TranscriptError, first_cwd, last_human_texts, require_allowed
from hooks.hot.injection import sanitize
from rules.plain_json import loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from hooks.hot.call import Call
    from rules.disk import DataFolder

HEADER = "Nokori hot cache: last messages of the previous session in this folder (background, not a request):"
MESSAGES = 3  # README "Hot cache"
MAX_MESSAGE_CHARS = 200
MAX_CHARS = 500  # of the whole text
MAX_FILES = 50  # looked at in a transcript folder
MAX_TRIES = 3  # transcripts opened; one without a person's words is passed over
NOT_AFTER = ("resume", "compact")  # the session's own messages are in the context then
MASK = "[...]"
SECRET_LENGTH = 12  # characters from which a word of letters and digits may be a secret
SECRET_NAMES = ("key", "secret", "token", "password", "passwd", "pwd", "passphrase", "credential", "bearer")


def hot_cache(call: Call) -> str:
    """The text for the context; "" when there is nothing to say. Never raises for what lies on the disk."""
    event = call.event
    if not call.published.settings.hot_cache or event.source in NOT_AFTER or not event.transcript_path:
        return ""
    offsets = _published(call.folder, "transcripts.json", "offsets")
    for path in _candidates(call):
        try:
            texts = _unextracted_texts(path, offsets, roots=call.published.settings.transcript_roots())
        except (OSError, ValueError, TranscriptError):
            continue
        if texts is not None:
            return _text(texts)
    return ""


def _candidates(call: Call) -> Iterator[str]:
    """Transcripts that may be the session's before this one, the likeliest first."""
    event = call.event
    ended = _published(call.folder, "ended_sessions.json", "by_cwd").get(event.cwd)
    if isinstance(ended, str) and os.path.basename(ended) != os.path.basename(event.transcript_path):
        yield ended
        return
    for path in _older_beside(event.transcript_path, now=call.now):
        if _began_in(path) in ("", event.cwd):
            yield path


def _older_beside(transcript_path: str, *, now: float) -> list[str]:
    """The newest first, of those strictly older than this session's own file."""
    own = os.path.basename(transcript_path)
    found: list[tuple[float, str]] = []
    limit = now
    try:
        with os.scandir(os.path.dirname(transcript_path)) as entries:
            for entry in _some(entries):
                if entry.name == own:
                    limit = entry.stat().st_mtime
                else:
                    found.append((entry.stat().st_mtime, entry.path))
    except OSError:
        return []
    return [path for mtime, path in sorted(found, reverse=True) if mtime < limit][:MAX_TRIES]


def _began_in(path: str) -> str:
    """Clients name a transcript folder so loosely that two working folders may share one; "" when nothing tells."""
    try:
        return first_cwd(path)
    except (OSError, TranscriptError):
        return ""


def _some(entries: Iterable[os.DirEntry[str]]) -> Iterator[os.DirEntry[str]]:
    left = MAX_FILES
    for entry in entries:
        if entry.name.endswith(".jsonl") and not entry.name.startswith("agent-"):
            left -= 1
            if left < 0:
                return
            yield entry


def _unextracted_texts(path: str, offsets: dict[str, object], *, roots: tuple[str, ...]) -> list[str] | None:
    """None for a transcript in which nobody typed anything; an extracted one has nothing left to show."""
    real = require_allowed(path, roots)
    size = os.path.getsize(real)
    done = offsets.get(real)
    if isinstance(done, int) and done >= size:
        return []
    return last_human_texts(real, MESSAGES) or None


def _text(texts: list[str]) -> str:
    lines = []
    room = MAX_CHARS - len(HEADER)
    for text in reversed(texts):  # the latest matters most
        line = "\n- " + _masked(sanitize(text))[:MAX_MESSAGE_CHARS].rstrip()
        room -= len(line)
        if room < 0:
            break
        lines.append(line)
    return HEADER + "".join(reversed(lines)) if lines else ""


def _masked(text: str) -> str:
    """One line, coarser than rules.redaction, whose patterns take longer to compile than a hook may run."""
    kept: list[str] = []
    names_a_secret = False
    for word in text.split():
        kept.append(MASK if _may_be_secret(word, after_name=names_a_secret) else word)
        low = word.lower().strip("\"'`,;")
        names_a_secret = low.rstrip(":=").endswith(SECRET_NAMES) or (names_a_secret and low in ("is", "=", ":"))
    return " ".join(kept)


def _may_be_secret(word: str, *, after_name: bool) -> bool:
    has_digit = any(character.isdigit() for character in word)
    is_mixed = has_digit and any(character.isalpha() for character in word)
    if is_mixed and (len(word) >= SECRET_LENGTH or after_name):
        return True
    name, separator, value = word.partition("=")
    assigns_secret = bool(separator and value) and name.lower().endswith(SECRET_NAMES)
    return assigns_secret or ("://" in word and "@" in word)


def _published(folder: DataFolder, name: str, part: str) -> dict[str, object]:
    """A table of a published file; empty when the file is missing or damaged."""
    try:
        with open(os.path.join(folder.published, name), "rb") as file:
            content = loads(file.read())
        table = content[part]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return {}
    return table if isinstance(table, dict) else {}
