# SPDX-License-Identifier: Apache-2.0
"""A testbed that is up: its names, its files, its processes.

Whatever a testbed starts runs in one of its namespaces: so its processes are those found there, whoever remembers
them.
"""
import json
import os
import pathlib
import signal
import time

from errors import InputError, SubstrateError

NAMESPACES = pathlib.Path("/run/netns")


def require_root():
    if os.geteuid() != 0:
        raise InputError("needs root, for network namespaces and TAP devices")


class Cluster:
    def __init__(self, name):
        self.prefix = f"collcast-{name}"
        self.directory = pathlib.Path("/run/collcast") / name
        self.description_file = self.directory / "network.json"
        self.statistics_file = self.directory / "statistics.json"
        self.pid_file = self.directory / "switch.pid"
        self.log_file = self.directory / "switch.log"

    @property
    def control(self):
        return f"{self.prefix}-control"

    def host(self, number):
        return f"{self.prefix}-h{number}"

    def description(self):
        try:
            return json.loads(self.description_file.read_text())
        except FileNotFoundError:
            half = self.directory.exists() or self.namespaces()
            raise InputError("half up, an `up` was cut off; `scripts/testbed down` cleans up" if half else
                             "not up; `scripts/testbed up --hosts 8 --rate 100Mbit --latency 1ms` starts one") from None

    def namespaces(self):
        """Files of the namespaces that exist."""
        return sorted(NAMESPACES.glob(f"{self.prefix}-h[0-9]*")) + sorted(NAMESPACES.glob(self.control))

    def processes(self):
        inside = {file.stat().st_ino for file in self.namespaces()}
        return [pid for pid in map(int, filter(str.isdecimal, os.listdir("/proc"))) if _network(pid) in inside]

    def switch(self):
        """The switch's process, None if it has died."""
        require_root()
        try:
            pid = int(self.pid_file.read_text())
            return pid if _network(pid) == (NAMESPACES / self.control).stat().st_ino else None
        except (FileNotFoundError, ValueError):
            return None

    def statistics(self):
        """What the switch has counted since it began."""
        pid = self.switch()
        if pid is None:
            raise SubstrateError(f"the switch has died ({self.last_words()}); `scripts/testbed down`, and up again")
        before = _written(self.statistics_file)
        os.kill(pid, signal.SIGUSR1)
        for _ in range(500):
            if _written(self.statistics_file) != before:
                return json.loads(self.statistics_file.read_text())
            time.sleep(0.01)
        raise SubstrateError("the switch does not answer")

    def last_words(self):
        words = self.log_file.read_text().strip() if self.log_file.exists() else ""
        return words.splitlines()[-1] if words else "it left no message"


def _written(file):
    return file.stat().st_mtime_ns if file.exists() else None


def _network(pid):
    """The inode of a process's network namespace; None if it is gone."""
    try:
        return os.stat(f"/proc/{pid}/ns/net").st_ino
    except OSError:
        return None
