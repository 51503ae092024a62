"""Routes of the rule pages, below /rules/."""

from __future__ import annotations

from django.urls import path

from rules import views

urlpatterns = [
    path("", views.list_rules, name="rules"),
    path("add/", views.add, name="rules-add"),
    path("move/", views.move_many, name="rules-move"),
    path("undo/", views.undo, name="rules-undo"),
    path("<str:name>/", views.show, name="rule"),
    path("<str:name>/edit/", views.edit, name="rule-edit"),
]
