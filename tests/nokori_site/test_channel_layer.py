"""How log lines reach the pages: in memory by default, through Redis when the settings name one."""

from channels.layers import InMemoryChannelLayer
from django.utils.module_loading import import_string

from nokori_site import channel_layer
from nokori_site.channel_layer import missing_package


def layer_for(redis_url):
    """As channels makes it from Django's setting."""
    entry = channel_layer.channel_layer(redis_url)
    return import_string(entry["BACKEND"])(**entry["CONFIG"])


def test_without_an_address_lines_stay_in_memory():
    assert isinstance(layer_for(""), InMemoryChannelLayer)


def test_NOKORI_REDIS_URL_sends_them_through_redis():  # noqa: N802  the variable's name
    assert type(layer_for("redis://127.0.0.1:6379/0")).__name__ == "RedisChannelLayer"


def test_a_missing_package_is_told_with_the_way_to_get_it(monkeypatch):
    monkeypatch.setattr(channel_layer, "find_spec", lambda name: None)

    assert missing_package("redis://127.0.0.1") == (
        'redis.url is set, but channels-redis is not installed. Run: pip install "nokori[redis]"'
    )
    assert missing_package("") == ""
