# SPDX-License-Identifier: GPL-2.0-only
"""What is left to undo if a case fails half-way: the next one shall not stumble over it."""

import contextlib

_todo = []


def push(function, *args):
    """FUNCTION may be called though there is nothing left to undo; then it may fail."""
    _todo.append((function, args))


def everything():
    """Undo the last first."""
    while _todo:
        function, args = _todo.pop()
        with contextlib.suppress(Exception):
            function(*args)
