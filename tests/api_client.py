"""A program that calls the API: JSON goes in and comes out."""

from django.test import Client

PROBLEM_JSON = "application/problem+json"


class ApiClient:
    """call("post", "rules", {...}) gives (status, body); `type` is the content type of the last answer."""

    def __init__(self, token):
        self._client = Client(raise_request_exception=False, headers={"Authorization": f"Bearer {token}"})
        self.type = ""

    def call(self, method, path, body=None, **query):
        send = getattr(self._client, method)
        address = f"/api/{path}"
        if method == "get":
            answer = send(address, query)
        else:
            answer = send(address, body if body is not None else {}, content_type="application/json")
        self.type = answer.headers.get("Content-Type", "")
        return answer.status_code, answer.json() if answer.content else None

    def get(self, path, **query):
        return self.call("get", path, **query)

    def post(self, path, body=None):
        return self.call("post", path, body)

    def patch(self, path, body):
        return self.call("patch", path, body)
