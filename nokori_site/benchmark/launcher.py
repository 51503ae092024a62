"""A small parent for measured processes: a plan folder in, one line of figures a round out. Run as a script.

A spawned process starts with its parent's memory high-water mark, so the parent is a bare interpreter: what it reports
as a child's peak is the child's own. Each round runs the base first, because a processor's slow phase lasts seconds.
"""

from __future__ import annotations

import os
import sys
import time

ROUND_MARK = b"%ROUND%"  # in a plan's arguments and standard input, replaced by the number of the round


def main(folder: str, rounds: int) -> None:
    for number in range(rounds):
        if os.path.exists(os.path.join(folder, "before.argv")):
            run(folder, "before", number)
        base_wall, base_cpu, _, _ = run(folder, "base", number)
        wall, cpu, peak, status = run(folder, "case", number)
        print(base_wall, base_cpu, wall, cpu, peak, status, flush=True)  # noqa: T201


def run(folder: str, name: str, number: int) -> tuple[float, float, int, int]:
    """Wall and processor seconds, peak memory (as the system counts it) and exit code of one process."""
    argv = [part.decode() for part in read(folder, name + ".argv", number).split(b"\0")]
    answer = os.path.join(folder, name + ".out")
    files = [
        (os.POSIX_SPAWN_OPEN, 0, write_input(folder, name, number), os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, answer, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600),
    ]
    start = time.perf_counter()
    child = os.posix_spawn(argv[0], argv, os.environ, file_actions=files)
    _, status, usage = os.wait4(child, 0)
    wall = time.perf_counter() - start
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss, os.waitstatus_to_exitcode(status)


def write_input(folder: str, name: str, number: int) -> str:
    path = os.path.join(folder, "now.stdin")
    with open(path, "wb") as file:
        file.write(read(folder, name + ".stdin", number))
    return path


def read(folder: str, name: str, number: int) -> bytes:
    with open(os.path.join(folder, name), "rb") as file:
        return file.read().replace(ROUND_MARK, b"%d" % number)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
