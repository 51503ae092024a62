"""Django's settings, in the order of Django's own documentation; what a user may set comes from NOKORI.

Importing this module reads the environment and config.toml and writes nothing.
"""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path

from django.utils.functional import SimpleLazyObject

from nokori_site.config import MANAGE, load_config
from nokori_site.database_url import parse_database_url
from nokori_site.local_zone import local_zone_name
from nokori_site.secret_key import secret_key
from rules.disk import DataFolder

BASE_DIR = Path(__file__).resolve().parent.parent
NOKORI = load_config(os.environ)
NOKORI_MANAGE = MANAGE  # what hook lines call
NOKORI_FOLDER = DataFolder(NOKORI.data_dir)

# Core

DEBUG = False
ALLOWED_HOSTS = ["127.0.0.1", "localhost", "[::1]"]
TIME_ZONE = local_zone_name()
USE_TZ = True
LANGUAGE_CODE = "en"
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
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
SECRET_KEY = SimpleLazyObject(partial(secret_key, NOKORI_FOLDER))  # no command needs it, so none creates it
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]
ROOT_URLCONF = "nokori_site.urls"
ASGI_APPLICATION = "nokori_site.asgi.application"

# Static files

STATIC_URL = "static/"
