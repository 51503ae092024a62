"""Django's settings, in the order of Django's own documentation; what a user may set comes from NOKORI.

Importing this module reads the environment and config.toml and writes nothing.
"""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path

from django.utils.functional import SimpleLazyObject

from nokori_site.channel_layer import channel_layer
from nokori_site.config import MANAGE, load_config
from nokori_site.database_url import parse_database_url
from nokori_site.local_zone import local_zone_name
from nokori_site.secret_key import secret_key
from rules.disk import DataFolder

BASE_DIR = Path(__file__).resolve().parent.parent
NOKORI = load_config(os.environ)
NOKORI_MANAGE = MANAGE  # what hook lines call
NOKORI_FOLDER = DataFolder(NOKORI.data_dir)
YEAR_SECONDS = 365 * 24 * 3600

# Core

DEBUG = False
ALLOWED_HOSTS = ["127.0.0.1", "localhost", "[::1]"]
TIME_ZONE = local_zone_name()
USE_TZ = True
LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("zh-hans", "简体中文"), ("zh-hant", "繁體中文"), ("ja", "日本語")]
LANGUAGE_COOKIE_NAME = "nokori_language"
LANGUAGE_COOKIE_AGE = YEAR_SECONDS
LANGUAGE_COOKIE_SAMESITE = "Lax"
LOCALE_PATHS = [BASE_DIR / "nokori_site" / "locale"]
USE_I18N = True
DATABASES = {"default": parse_database_url(NOKORI.database_url, default_file=NOKORI_FOLDER.database)}
INSTALLED_APPS = [
    "django.contrib.admin.apps.SimpleAdminConfig",  # urls.py discovers the admin modules, commands need none
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "rules",
    "retrieval",
    "extraction",
    "hooks",
    "nokori_site",
]
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates", BASE_DIR / "nokori_site" / "templates"],  # the second: in the built package
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "nokori_site.frame.frame",
            ],
        },
    },
]
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
SECRET_KEY = SimpleLazyObject(partial(secret_key, NOKORI_FOLDER))  # no command needs it, so none creates it
MIDDLEWARE = [
    "nokori_site.strict_headers.StrictHeadersMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "nokori_site.middleware.OutsideMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "nokori_site.middleware.CookieMiddleware",
    "nokori_site.middleware.EveryWriteCsrfMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]
DATA_UPLOAD_MAX_MEMORY_SIZE = 2_000_000  # bytes; see nokori_site.middleware
ROOT_URLCONF = "nokori_site.urls"
ASGI_APPLICATION = "nokori_site.asgi.application"
CHANNEL_LAYERS = {"default": channel_layer(NOKORI.redis_url)}

# Sessions and cookies: other programs on this machine have cookies for the same name, so ours carry our own

SESSION_ENGINE = "django.contrib.sessions.backends.signed_cookies"
SESSION_COOKIE_NAME = "nokori_session"
SESSION_COOKIE_AGE = YEAR_SECONDS // 12
CSRF_COOKIE_NAME = "nokori_csrf"
CSRF_COOKIE_HTTPONLY = True
CSRF_FAILURE_VIEW = "nokori_site.middleware.csrf_failed"
LOGIN_URL = "/enter/"
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"

# Static files: read where they lie, there is no `collectstatic`

STATIC_URL = "/static/"
WHITENOISE_USE_FINDERS = True
WHITENOISE_MAX_AGE = 0
WHITENOISE_ALLOW_ALL_ORIGINS = False
