"""Django's own users and groups are not offered: there is one local user, whom the link lets in."""

from __future__ import annotations

from django.contrib import admin
from django.contrib.auth.models import Group, User

admin.site.unregister([User, Group])
