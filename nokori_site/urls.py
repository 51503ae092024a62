"""HTTP routes: the Django admin."""

from __future__ import annotations

from django.contrib import admin
from django.urls import path

admin.autodiscover()  # settings install the admin without it, so that commands start quickly

urlpatterns = [
    path("admin/", admin.site.urls),
]
