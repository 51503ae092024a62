"""`manage.py hook EVENT`: payload on stdin > reply on stdout, exit 0 whatever comes. The one border of errors.

A pass is empty output. Only under NOKORI_STRICT an error shows: traceback on stderr, exit 1, empty stdout. Imports
stand inside functions: a tool call that no gate waits for costs little more than the interpreter's start.
"""

from __future__ import annotations

import gc
import os
import sys
import time

from hooks.hot.deadline import Deadline
from hooks.hot.stamps import add_stamp
from rules.disk import DataFolder, data_dir, is_foreign

TRUE_WORDS = ("1", "true", "yes", "on")  # as in rules.fields, which is not imported here
EVENTS = ("session-start", "user-prompt-submit", "pre-tool-use", "post-tool-use", "session-end")
TOOL_EVENTS = ("pre-tool-use", "post-tool-use")
OFF = "off"  # the second word of a hook line that `install --disable` switched off
CHUNK = 65_536  # bytes of one read
MAX_PAYLOAD = 16 * 1024 * 1024  # bytes; what is over it is read and dropped, so that the host can write it all
STDIN, STDOUT = 0, 1


class UnknownEvent(ValueError):
    """The command line names no event of Nokori's."""


class PayloadTooLarge(ValueError):
    """The host sent more than a payload can be."""


def run(argv: list[str]) -> int:
    try:
        return _run(argv)
    except KeyboardInterrupt:  # a terminal interrupts the agent and its hooks alike
        return 0
    except OSError:  # the data folder is named from a working folder that is gone: no place to note it
        if _is_on("NOKORI_STRICT"):
            raise
        return 0


def _run(argv: list[str]) -> int:
    started = time.perf_counter()
    gc.disable()  # the process ends before collecting would pay
    event = argv[0] if argv else ""
    folder = DataFolder(data_dir(os.environ))
    deadline = Deadline(event, folder)
    try:
        output = _answer(event, is_off=argv[1:] == [OFF], folder=folder, started=started)
    except Exception as problem:  # noqa: BLE001  fail open
        return _fail(event, problem, folder=folder, deadline=deadline)
    deadline.stop()
    _write(output)
    return 0


def _answer(event: str, *, is_off: bool, folder: DataFolder, started: float) -> bytes:
    if is_off or _is_on("NOKORI_EXTRACTING") or _is_on("NOKORI_DISABLED") or is_foreign(folder):
        _read_payload()
        return b""
    if event not in EVENTS:
        raise UnknownEvent(f"no such event: {event[:40]!r}")
    add_stamp(folder, event)
    if event in TOOL_EVENTS and _is_silent(folder):
        _read_payload()
        return b""
    raw = _read_payload()
    if event == "session-end":
        if _is_marked_off(folder):
            return b""
        return _end_session(raw, folder=folder, started=started)
    return _answer_payload(event, raw, folder=folder, started=started)


def _end_session(raw: bytes, *, folder: DataFolder, started: float) -> bytes:
    from hooks.hot.handlers.session_end import on_session_end

    on_session_end(raw, folder=folder, now=time.time(), started=started)
    if _is_logging(folder):
        from hooks.hot.dispatch import log_session_end

        log_session_end(raw, folder=folder, started=started)
    return b""


def _answer_payload(event: str, raw: bytes, *, folder: DataFolder, started: float) -> bytes:
    from hooks.hot.dispatch import answer
    from hooks.hot.hosts.contract import parse
    from hooks.hot.hosts.payload import PayloadUnreadable

    while True:
        try:
            parsed = parse(event, raw)
        except PayloadUnreadable:
            rest = _read_payload(len(raw))  # what looked like the end was the end of a part
            if not rest:
                raise
            raw += rest
        else:
            return answer(parsed, folder=folder, started=started)


def _is_silent(folder: DataFolder) -> bool:
    """No gate is armed anywhere, nobody reads a log of every call, and the host is not one that injects at tool calls."""
    if _is_logging(folder) or any(name.startswith("CURSOR_") for name in os.environ):
        return False
    try:
        return not os.listdir(folder.gate_markers)
    except FileNotFoundError:
        return True


def _is_logging(folder: DataFolder) -> bool:
    """Every call may have to be logged; the level itself is looked at later."""
    return "NOKORI_LOG_LEVEL" in os.environ or os.path.exists(os.path.join(folder.published, "verbose"))


def _is_marked_off(folder: DataFolder) -> bool:
    """config.toml switches Nokori off, and the environment does not switch it on again."""
    return "NOKORI_DISABLED" not in os.environ and os.path.exists(os.path.join(folder.published, "disabled"))


def _is_on(name: str) -> bool:
    return os.environ.get(name, "").strip().lower() in TRUE_WORDS


def _read_payload(size: int = 0) -> bytes:
    """Up to the end of stdin, or up to what ends like an object: a host that leaves stdin open gets its answer too.

    `size` is how much came before.
    """
    chunks: list[bytes] = []
    while chunk := os.read(STDIN, CHUNK):
        size += len(chunk)
        if size <= MAX_PAYLOAD:
            chunks.append(chunk)
        if len(chunk) < CHUNK and chunk.rstrip().endswith(b"}"):
            break
    if size > MAX_PAYLOAD:
        raise PayloadTooLarge(f"standard input holds over {MAX_PAYLOAD} bytes")
    return b"".join(chunks)


def _write(output: bytes) -> None:
    """In one piece if the pipe takes it; a host that closed it wants no answer."""
    try:
        while output:
            output = output[os.write(STDOUT, output) :]
    except OSError:
        return


def _fail(event: str, problem: Exception, *, folder: DataFolder, deadline: Deadline) -> int:
    """Passes and leaves a note, or, when strict, shows the error. On a terminal a person has mistyped the event."""
    if isinstance(problem, UnknownEvent) and sys.stderr.isatty():
        deadline.stop()
        sys.stderr.write(f"nokori: {problem}; there are {', '.join(EVENTS)}.\n")
        return 0
    if _is_strict(folder):
        import traceback

        deadline.stop()
        traceback.print_exception(problem)
        sys.stderr.flush()
        return 1
    try:
        from hooks.hot.dispatch import note_problem

        if not is_foreign(folder):
            note_problem(event if event in EVENTS else "unknown", problem, folder=folder, now=time.time())
    except Exception:  # noqa: BLE001, S110  a failure that cannot be noted must not become the agent's
        pass
    deadline.stop()
    return 0


def _is_strict(folder: DataFolder) -> bool:
    if "NOKORI_STRICT" in os.environ:
        return _is_on("NOKORI_STRICT")
    try:
        from hooks.hot.published import load_published

        return load_published(folder, environ={}).settings.is_strict
    except Exception:  # noqa: BLE001  as above
        return False
