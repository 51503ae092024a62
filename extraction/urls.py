"""Routes of the Extract page, below /extract/."""

from __future__ import annotations

from django.urls import path

from extraction import views

urlpatterns = [
    path("", views.extract, name="extract"),
    path("retry/", views.retry_all, name="extract-retry-all"),
    path("<int:number>/retry/", views.retry, name="extract-retry"),
]
