"""Routes of the pages of the agent's side."""

from __future__ import annotations

from django.urls import path

from hooks import views

urlpatterns = [
    path("retrieve/", views.retrieve, name="retrieve"),
    path("injections/", views.injections, name="injections"),
    path("injections/session/<path:session_id>/", views.session, name="session"),
]
