#!/usr/bin/env python
"""The one entry point: `hook` answers an agent without Django, every other verb goes to Django."""

from __future__ import annotations

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
IS_INSTALLED = os.path.basename(HERE) == "nokori_site"  # the package that is built puts it there


def main() -> int:
    if IS_INSTALLED:  # site-packages comes last: nothing there may stand in for the standard library
        sys.path = [path for path in sys.path if path != HERE] + [os.path.dirname(HERE)]
    elif HERE not in sys.path:  # not there under -I
        sys.path.insert(0, HERE)
    if sys.argv[1:2] == ["hook"]:
        from hooks.hot.client import run

        os._exit(run(sys.argv[2:]))  # a hook has nothing to tear down, and doing so takes it 2 ms
    from nokori_site.cli import dispatch

    return dispatch(sys.argv)


if __name__ == "__main__":
    sys.exit(main())
