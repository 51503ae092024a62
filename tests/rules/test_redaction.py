import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules import redaction
from rules.redaction import REPLACEMENT, redact

ROOT = Path(__file__).resolve().parents[2]
PEM = "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEAx4fGq0h3\nabc+/=\n-----END RSA PRIVATE KEY-----"
SECRETS = {  # text > the part that must be gone
    "openai": ("use sk-proj-abcDEF0123456789abcDEF0123 here", "sk-proj-abcDEF0123456789abcDEF0123"),
    "openai old": ("sk-abcdEFGH1234567890abcdXYZ", "sk-abcd"),
    "anthropic": ("ANTHROPIC_API_KEY=sk-ant-api03-abcDEF123456-abcDEF123456", "abcDEF123456"),
    "github": ("token ghp_" + "a1B2" * 9, "a1B2"),
    "github fine": ("github_pat_11ABCDEFG0abcdefghijkl_mnop", "11ABCDEFG0"),
    "gitlab": ("https://oauth2:glpat-abc123abc123abc123ab@gitlab.example/x.git", "glpat"),
    "aws id": ("AKIAIOSFODNN7EXAMPLE", "IOSFODNN7"),
    "aws secret": ("aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "wJalr"),
    "google": ("AIza" + "Sy4" * 11 + "ab", "Sy4Sy4"),
    "slack": ("xoxb-123456789012-abcdefABCDEF", "123456789012"),
    "slack hook": ("https://hooks.slack.com/services/T00000000/B00000000/XXXXabcd1234", "B00000000"),
    "stripe": ("sk_live_4eC39HqLyjWDarjtT1zdp7dc", "4eC39"),
    "sendgrid": ("SG." + "a1b2c3d4e5f6g7h8i9j0k1" + "." + "a" * 43, "a1b2c3d4"),
    "twilio": ("AC" + "0123456789abcdef" * 2, "0123456789abcdef"),
    "jwt": ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl", "eyJzdWI"),
    "pem": (f"here it is:\n{PEM}\nthanks", "MIIEow"),
    "pem in json": (PEM.replace("\n", "\\n"), "MIIEow"),
    "pem without end": (PEM.partition("abc")[0], "MIIEow"),
    "url": ("postgres://app:hunter2@db.internal:5432/app", "hunter2"),
    "redis url": ("redis://:hunter2@cache:6379/0", "hunter2"),
    "bearer": ("curl -H 'Authorization: Bearer abcdef0123456789abcdef'", "abcdef0123456789"),
    "basic": ("Authorization: Basic dXNlcjpwYXNzd29yZDEyMw==", "dXNlcjpw"),
    "env": ("DB_PASSWORD=hunter2", "hunter2"),
    "env quoted": ("export API_KEY='abcdefg1'", "abcdefg1"),
    "env words": ("DJANGO_SECRET_KEY=correct-horse-battery", "correct-horse"),
    "yaml": ("password: hunter22", "hunter22"),
    "json": ('{"apiKey": "a8f5f167f44f4964e6c998dee827110c"}', "a8f5f167"),
    "prose": ("my password is Tr0ub4dor&3", "Tr0ub4dor"),
    "option": ("mysql --password=Tr0ub4dor&3 -u root", "Tr0ub4dor"),
    "option space": ("deploy --token abc123def456", "abc123def456"),
    "cookie": ("Cookie: sessionid=abcdef0123456789abcdef", "abcdef0123456789"),
    "telegram": ("123456789:AA" + "Hb3" * 11, "Hb3Hb3"),
}
HONEST = [
    "No API key in the build",
    "apiKey: process.env.X",
    "apiKey: process.env.API_KEY",
    "commit 3f786850e387550fdab836ed7e6dc881de23001b",
    "sha256 e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "sha512-z7PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==",
    "id f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
    "MAX_TOKENS=30000 and TOKEN_TTL=600000",
    "password=$PASSWORD",
    "CI_JOB_TOKEN=$CI_JOB_TOKEN",
    "secret: ${{ secrets.NPM_TOKEN }}",
    "API_KEY=your-api-key-here",
    "API_KEY=<your key>",
    "token: string",
    "const token = await getToken2(user)",
    "token = request.headers['x2']",
    "settings.SECRET_KEY = config.key2",
    "the token is refresh_token2 in the store",
    "password must have 12characters",
    "docker login --password-stdin",
    "pass --token instead of a file",
    "https://user@host/x and git@github.com:org/repo.git",
    "http://localhost:8000/a@b",
    "postgres://user:${DB_PASSWORD}@localhost/app",
    "sk-skeleton-loading-animation-wrapper",
    "Bearer authentication-in-the-gateway",
    "the ghp_ prefix, the AKIA prefix, msg.body",
    "a file that begins with -----BEGIN RSA PRIVATE KEY----- is a key",
    "Use `pnpm` instead of `npm`, SECRET_NAME=my-secret-name",
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4",
    "数据库迁移一定要先跑，再部署。密码不要写进代码。",
    "import pandas as pd; df.set_index('key')",
]


@pytest.mark.parametrize(("text", "secret"), SECRETS.values(), ids=SECRETS)
def test_nb110_a_secrets_value_is_gone(text, secret):
    redacted = redact(text)

    assert secret not in redacted.text
    assert REPLACEMENT in redacted.text
    assert redacted.secrets >= 1


@pytest.mark.parametrize("text", HONEST)
def test_nb114_an_honest_text_survives(text):
    assert redact(text) == (text, 0)


@pytest.mark.parametrize("text", [text for text, _ in SECRETS.values()], ids=SECRETS)
def test_redacting_twice_changes_nothing_more(text):
    once = redact(text).text

    assert redact(once) == (once, 0)


def test_what_stands_around_a_secret_stays():
    assert redact("url postgres://app:hunter2@db/app fails").text == f"url postgres://app:{REPLACEMENT}@db/app fails"


@pytest.mark.parametrize("shape", redaction._library_shapes(), ids=lambda shape: shape.pattern.pattern[:30])
@settings(max_examples=20)
@given(data=st.data())
def test_whatever_the_librarys_patterns_know_is_redacted(shape, data):
    secret = data.draw(st.from_regex(shape.pattern, fullmatch=True, alphabet=st.characters(max_codepoint=126)))

    assert redact(f" {secret} ").secrets >= 1


@given(st.text())
def test_no_text_breaks_it(text):
    assert redact(redact(text).text).secrets == 0


@pytest.mark.parametrize(
    "unit",
    ["a", "a-", "A_", "eyJ", "sk-", "://a:", "://", "password", "password=", "KEY=", "token: ", "bearer ", "xoxb-1-", "ghp_",
     "AKIA", "-----BEGIN PRIVATE KEY-----", "-----BEGIN PRIVATE KEY-----\n", "cookie: a=", "--token ", "0123456789abcdef", "aws key "],
)  # fmt: skip
def test_time_grows_with_the_length_and_no_faster(unit):
    def seconds(length):
        text = unit * (length // len(unit))
        started = time.process_time()
        redact(text)
        return time.process_time() - started

    redact("AKIA")  # loads the library
    short, long = (min(seconds(length) for _ in range(3)) for length in (50_000, 400_000))

    assert long < 8 * 4 * max(short, 0.002)


def test_an_ordinary_text_does_not_load_the_library():
    code = (
        "import sys; from rules.redaction import redact; redact('Use pnpm, not npm, for en-US; see msg.body'); "
        "sys.exit('detect_secrets' in sys.modules)"
    )

    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0
