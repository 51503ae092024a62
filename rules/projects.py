"""A working folder > its project id, read from git's own files without starting git.

The id is `<folder name>-<8 hex of the path's sha256>`. The folder is the repository's: worktrees share it, a submodule
has its own, and a folder outside any repository stands for itself. Equal to the ids that the original Nokori wrote.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

HASH_DIGITS = 8
HEX_DIGITS = frozenset("0123456789abcdef")
MAX_POINTER_BYTES = 16_384  # a `.git` file, commondir or config of git is far smaller


def project_id(cwd: str, *, isolate_worktrees: bool = False) -> str:
    """The project of a folder, which need not exist; "" when the text can be no path.

    isolate_worktrees gives every linked worktree an id of its own.
    """
    if not cwd:
        return ""
    try:
        folder = _project_folder(os.path.realpath(cwd), isolate_worktrees=isolate_worktrees)
        return f"{os.path.basename(folder) or 'root'}-{_hash(folder)}"
    except (OSError, ValueError):  # a NUL, a lone surrogate, a path that is too long
        return ""


def project_name(project_id: str) -> str:
    """The folder's name, without the digits that tell two folders of one name apart."""
    name, dash, digits = project_id.rpartition("-")
    is_hash = len(digits) == HASH_DIGITS and set(digits) <= HEX_DIGITS
    return name if dash and is_hash else project_id


def _project_folder(start: str, *, isolate_worktrees: bool) -> str:
    for folder in _upwards(start):
        dot_git = os.path.join(folder, ".git")
        if os.path.lexists(os.path.join(dot_git, "HEAD")):
            return folder
        git_dir = _pointed_git_dir(dot_git)
        if git_dir:
            return folder if isolate_worktrees else _repository_folder(git_dir, worktree=folder)
    return start


def _upwards(folder: str) -> Iterator[str]:
    yield folder
    while (parent := os.path.dirname(folder)) != folder:
        folder = parent
        yield folder


def _pointed_git_dir(dot_git: str) -> str:
    """The git dir that a `.git` file names; "" when there is no such file."""
    label, _, target = _read_pointer(dot_git).partition(":")
    if label != "gitdir" or not target.strip():
        return ""
    return os.path.realpath(os.path.join(os.path.dirname(dot_git), target.strip()))


def _repository_folder(git_dir: str, *, worktree: str) -> str:
    common = _read_pointer(os.path.join(git_dir, "commondir")).strip()
    if not common:  # a submodule, or a repository whose git dir lies elsewhere
        return worktree
    common = os.path.realpath(os.path.join(git_dir, common))
    holder = os.path.dirname(common)
    if os.path.basename(common) == ".git" or _pointed_git_dir(os.path.join(holder, ".git")) == common:
        return holder
    return _configured_worktree(common) or common


def _configured_worktree(common: str) -> str:
    """core.worktree of a git dir: how a submodule's git dir names its working folder; "" for a bare repository."""
    for line in _read_pointer(os.path.join(common, "config")).splitlines():
        key, _, value = line.partition("=")
        if key.strip() == "worktree":
            return os.path.realpath(os.path.join(common, value.strip()))
    return ""


def _read_pointer(path: str) -> str:
    try:
        with open(path, "rb") as file:
            return os.fsdecode(file.read(MAX_POINTER_BYTES))
    except OSError:
        return ""


def _hash(folder: str) -> str:
    import hashlib  # noqa: PLC0415  costs 3 ms, and a session asks once

    return hashlib.sha256(os.fsencode(folder)).hexdigest()[:HASH_DIGITS]
