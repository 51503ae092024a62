"""Small files that say how often and when something last happened: one byte is appended each time.

The size is the count since the file was last emptied, the time of change is the last occurrence.
"""

from __future__ import annotations

import os

from rules.disk import PRIVATE_FILE, make_folder, remove_file

EMBED_ASKED = "embed-asked"  # a prompt missed the embed server
EMBED_BEGUN = "embed-begun"  # a session started where there could be one

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rules.disk import DataFolder


def add_stamp(folder: DataFolder, name: str) -> None:
    """Counts one occurrence; an unwritable disk is passed over, for a stamp is never worth a failed answer."""
    path = os.path.join(folder.stamps, name)
    try:
        _append_byte(path)
    except FileNotFoundError:
        _append_in_new_folder(path)
    except OSError:
        return


def count_stamps(folder: DataFolder, name: str) -> int:
    try:
        return os.stat(os.path.join(folder.stamps, name)).st_size
    except OSError:
        return 0


def seconds_since(folder: DataFolder, name: str, *, now: float) -> float:
    """Age of the last occurrence; infinite when there is none, or when it lies in the future."""
    try:
        age = now - os.stat(os.path.join(folder.stamps, name)).st_mtime
    except OSError:
        return float("inf")
    return age if age >= -1.0 else float("inf")


def clear_stamps(folder: DataFolder, name: str) -> None:
    try:
        remove_file(os.path.join(folder.stamps, name))
    except OSError:
        return


def _append_byte(path: str) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, PRIVATE_FILE)
    try:
        os.write(descriptor, b".")
    finally:
        os.close(descriptor)


def _append_in_new_folder(path: str) -> None:
    try:
        make_folder(os.path.dirname(path))
        _append_byte(path)
    except OSError:
        return
