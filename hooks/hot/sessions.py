"""What is remembered of one agent session between its hook calls: sessions/<safe name>.json.

Its project by folder (so a path is hashed once), and which rules it was shown, when, and whether in full.
"""

from __future__ import annotations

import os

from rules.disk import safe_name, write_atomic
from rules.plain_json import dumps, loads, real

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from hooks.hot.call import Call
    from hooks.hot.events import HookEvent
    from rules.disk import DataFolder

SESSION_VERSION = 1
MAX_PROJECTS = 32
MAX_SHOWN = 512
DISMISSIBLE_SECONDS = 24 * 3600  # README "Dismiss": shown within the past 24 hours


class SessionUnreadable(ValueError):
    """A session file is damaged, so the session is taken as new."""


class Shown:
    """That a rule was put into the context, last at `at`; `is_full`: its whole text still stands there."""

    __slots__ = ("at", "is_full", "rule_id")

    def __init__(self, *, rule_id: str, at: float, is_full: bool) -> None:
        self.rule_id = rule_id
        self.at = at
        self.is_full = is_full


class Session:
    __slots__ = (
        "compacted_at",
        "cwd",
        "ended_at",
        "last_activity",
        "projects",
        "prompt_key",
        "session_id",
        "shown",
        "started_at",
    )

    def __init__(self, session_id: str, *, now: float) -> None:
        self.session_id = session_id
        self.started_at = now
        self.last_activity = now
        self.ended_at: float | None = None
        self.cwd = ""
        self.projects: dict[str, str] = {}
        self.prompt_key = ""
        self.shown: dict[str, Shown] = {}
        self.compacted_at: float | None = None

    def project_of(self, cwd: str, *, isolate_worktrees: bool) -> str:
        """The project of a folder, remembered for the rest of the session."""
        if cwd not in self.projects:
            from rules.projects import project_id  # noqa: PLC0415  asked once a session

            self.projects[cwd] = project_id(cwd, isolate_worktrees=isolate_worktrees)
            while len(self.projects) > MAX_PROJECTS:
                del self.projects[next(iter(self.projects))]
        return self.projects[cwd]

    def has_in_full(self, short_id: str) -> bool:
        return short_id in self.shown and self.shown[short_id].is_full

    def dismissible(self, *, now: float) -> dict[str, str]:
        """short_id > rule_id of what was shown within a day."""
        return {
            short_id: shown.rule_id for short_id, shown in self.shown.items() if now - shown.at < DISMISSIBLE_SECONDS
        }

    def remember(self, short_id: str, *, rule_id: str, is_full: bool, now: float) -> None:
        is_full = is_full or self.has_in_full(short_id)
        self.shown.pop(short_id, None)  # the latest stand last
        self.shown[short_id] = Shown(rule_id=rule_id, at=now, is_full=is_full)
        while len(self.shown) > MAX_SHOWN:
            del self.shown[next(iter(self.shown))]

    def compact(self, *, now: float) -> None:
        """The host summed the context up: no rule stands there in full any more."""
        self.compacted_at = now
        for shown in self.shown.values():
            shown.is_full = False


def session_of(call: Call) -> Session:
    """This call's session, a new one if its file is damaged; settles the call's project too."""
    event = call.event
    session = Session(event.session_id, now=call.now)
    with call.tolerating(SessionUnreadable):
        session = open_session(call.folder, event, now=call.now)
    isolate_worktrees = call.published.settings.isolate_worktrees
    call.project_id = session.project_of(event.cwd or _own_folder(), isolate_worktrees=isolate_worktrees)
    return session


def open_session(folder: DataFolder, event: HookEvent, *, now: float) -> Session:
    """The session as it was saved, or a new one. Raises SessionUnreadable, after which a new one is in order."""
    session = Session(event.session_id, now=now)
    if not event.has_session:
        return session
    try:
        with open(_path(folder, event.session_id), "rb") as file:
            content = loads(file.read())
        if content["v"] == SESSION_VERSION and content["session_id"] == event.session_id:
            _restore(session, content)
    except FileNotFoundError:
        pass
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise SessionUnreadable(f"{safe_name(event.session_id)}: {type(error).__name__}") from error
    return session


def save_session(folder: DataFolder, session: Session, event: HookEvent, *, now: float) -> None:
    """Raises OSError. A host that names no session has none to remember."""
    if not event.has_session:
        return
    session.last_activity = now
    session.ended_at = None
    session.cwd = event.cwd or session.cwd
    data = dumps(_content(session), is_compact=True).encode("ascii")
    write_atomic(_path(folder, session.session_id), data)


def _own_folder() -> str:
    """Hosts start hooks in the project's folder; "" when it is gone."""
    try:
        return os.getcwd()
    except OSError:
        return ""


def _path(folder: DataFolder, session_id: str) -> str:
    return os.path.join(folder.sessions, safe_name(session_id) + ".json")


def _content(session: Session) -> dict[str, object]:
    return {
        "v": SESSION_VERSION,
        "session_id": session.session_id,
        "started_at": session.started_at,
        "last_activity": session.last_activity,
        "ended_at": session.ended_at,
        "cwd": session.cwd,
        "projects": session.projects,
        "prompt_key": session.prompt_key,
        "shown": {
            short_id: {"rule_id": shown.rule_id, "at": shown.at, "full": shown.is_full}
            for short_id, shown in session.shown.items()
        },
        "compacted_at": session.compacted_at,
    }


def _restore(session: Session, content: Mapping[str, object]) -> None:
    """Raises KeyError, TypeError, ValueError or AttributeError for content of another shape."""
    session.started_at = real(content["started_at"])
    session.cwd = str(content["cwd"])
    session.prompt_key = str(content["prompt_key"])
    compacted_at = content["compacted_at"]
    session.compacted_at = None if compacted_at is None else real(compacted_at)
    session.projects = {str(cwd): str(project) for cwd, project in _object(content["projects"]).items()}
    for short_id, entry in _object(content["shown"]).items():
        shown = _object(entry)
        session.shown[short_id] = Shown(
            rule_id=str(shown["rule_id"]), at=real(shown["at"]), is_full=shown["full"] is True
        )


def _object(value: object) -> dict[str, object]:
    if not isinstance(value, dict):
        raise TypeError(type(value).__name__)
    return value
