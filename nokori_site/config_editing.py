"""A wish to change settings > config.toml rewritten: comments, order and unknown tables stay as they are.

Everything is checked before anything is written, and what was written is read back; where that fails, the file is again
what it was.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import tomlkit
from django.conf import settings
from django.utils.translation import gettext as _
from filelock import FileLock
from tomlkit.exceptions import TOMLKitError

from nokori_site.config import load_config, publish_config, read_config_file
from rules.disk import PRIVATE_FILE, make_folder, remove_file, write_atomic
from rules.fields import BY_NAME, SettingError, parse_setting

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tomlkit import TOMLDocument
    from tomlkit.items import Table

    from rules.disk import DataFolder
    from rules.fields import Field, Value

LOCK = "config.lock"
LOCK_SECONDS = 5.0  # patience with another who edits
BYTE_ORDER_MARK = "\ufeff"


class ConfigRefused(Exception):
    """A setting cannot be changed like that."""


def change_settings(folder: DataFolder, changes: Mapping[str, str | None]) -> tuple[str, ...]:
    """Writes the settings, None taking one out of the file; names those that the file now says otherwise.

    Raises ConfigRefused with one sentence, OSError when the file cannot be written.
    """
    values = {name: _checked(name, raw) for name, raw in changes.items()}
    make_folder(folder.root)
    with FileLock(folder.path(LOCK), timeout=LOCK_SECONDS, mode=PRIVATE_FILE):
        before = _read(folder)
        document = _parsed(before or "")
        changed = tuple(name for name, value in values.items() if _set(document, BY_NAME[name], value))
        if changed:
            _replace(folder, before=before, text=tomlkit.dumps(document), values=values)
    return changed


def take_effect(environ: Mapping[str, str]) -> None:
    """Has this process work with what the file says now. The database and Redis stay those of its start."""
    settings.NOKORI = load_config(environ)


def _checked(name: str, raw: str | None) -> Value | None:
    row = BY_NAME.get(name)
    if row is None or not row.toml:
        raise ConfigRefused(_("%(name)s is not a setting of config.toml.") % {"name": repr(name[:80])})
    if raw is None:
        return None
    try:
        return parse_setting(row, raw, source=row.toml)
    except SettingError as error:
        raise ConfigRefused(_("%(setting)s = %(value)s is not allowed; use %(allowed)s.") % error.facts) from error


def _read(folder: DataFolder) -> str | None:
    try:
        return Path(folder.config_toml).read_bytes().decode("utf-8")
    except FileNotFoundError:
        return None
    except UnicodeDecodeError as error:
        raise ConfigRefused(_("config.toml is not UTF-8; correct it by hand first.")) from error


def _parsed(text: str) -> TOMLDocument:
    try:
        return tomlkit.parse(text.removeprefix(BYTE_ORDER_MARK))
    except (TOMLKitError, RecursionError) as error:
        sentence = _("config.toml is not valid TOML: %(error)s; correct it by hand first.")
        raise ConfigRefused(sentence % {"error": error}) from error


def _set(document: TOMLDocument, row: Field, value: Value | None) -> bool:
    """Whether the document says something else now."""
    section, dot, key = row.toml.rpartition(".")
    table = _table(document, section, row=row) if dot else document
    if value is None:
        return table.pop(key, None) is not None
    if key in table and table[key] == value and type(table[key].unwrap()) is type(value):
        return False
    table[key] = value
    return True


def _table(document: TOMLDocument, section: str, *, row: Field) -> Table:
    table = document.setdefault(section, tomlkit.table())
    if not hasattr(table, "setdefault"):
        sentence = _("config.toml: %(section)s is not a table, so %(setting)s has no place in it.")
        raise ConfigRefused(sentence % {"section": section, "setting": row.toml})
    return table  # type: ignore[no-any-return]  # an inline table or one in several places serves as well


def _replace(folder: DataFolder, *, before: str | None, text: str, values: Mapping[str, Value | None]) -> None:
    path = Path(folder.config_toml).resolve()  # a link stays a link
    _write(path, text)
    try:
        found = read_config_file(path).values
        if any(found.get(name) != value for name, value in values.items()):
            raise ConfigRefused(_("config.toml would not say what was wished; it is left as it was."))
        publish_config(folder)
    except (ConfigRefused, OSError):
        _put_back(path, before)
        raise


def _put_back(path: Path, before: str | None) -> None:
    if before is None:
        remove_file(str(path))
    else:
        _write(path, before)


def _write(path: Path, text: str) -> None:
    write_atomic(str(path), text.encode(), durable=True, like=path.stat() if path.exists() else None)
