"""Writes the snapshot of the API's shape: python -m tests.write_openapi."""

import json
import os
from pathlib import Path
from tempfile import TemporaryDirectory

import django

if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        os.environ |= {"DJANGO_SETTINGS_MODULE": "nokori_site.settings", "NOKORI_DATA_DIR": folder}
        django.setup()
        from nokori_site.api import build_api

        shape = json.loads(json.dumps(build_api().get_openapi_schema()))
        del shape["info"]["version"]
        text = json.dumps(shape, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
        (Path(__file__).parent / "openapi.json").write_text(text, encoding="utf-8")
