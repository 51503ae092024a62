"""What the web process serves: pages over HTTP, and websockets for browsers that were let in."""

from __future__ import annotations

import os

from channels.routing import ProtocolTypeRouter, URLRouter
from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "nokori_site.settings")

pages = get_asgi_application()  # first: it sets Django up

from nokori_site.websockets import GuardedWebsocket, websocket_routes  # noqa: E402

sockets = GuardedWebsocket(URLRouter(websocket_routes), websocket_routes)
application = ProtocolTypeRouter({"http": pages, "websocket": sockets})
