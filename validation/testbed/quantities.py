# SPDX-License-Identifier: Apache-2.0
"""Rates, latencies and the like on the command line."""
import argparse
import re

RATES = {"kbit": 1e3, "Mbit": 1e6, "Gbit": 1e9}
TIMES = {"us": 1, "ms": 1e3, "s": 1e6}
SIZES = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20}


def _value(text, units, example):
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([A-Za-z]+)", text)
    if not match or match[2] not in units:
        raise argparse.ArgumentTypeError(f"'{text}' is not understood; {example} would be")
    return float(match[1]) * units[match[2]]


def rate_GBps(text):
    bits = _value(text, RATES, "100Mbit or 2.5Gbit")
    if not 1e3 <= bits <= 1e11:
        raise argparse.ArgumentTypeError(f"'{text}' must be from 1kbit to 100Gbit")
    return bits / 8e9


def latency_us(text):
    return _value(text, TIMES, "1ms or 250us")


def size(text):
    value = int(_value(text, SIZES, "64KiB or 1MiB"))
    if not 1 << 10 <= value <= 1 << 30:
        raise argparse.ArgumentTypeError(f"'{text}' must be from 1KiB to 1024MiB")
    return value


def share(text):
    try:
        value = float(text)
    except ValueError:
        value = -1
    if not 0 <= value < 1:
        raise argparse.ArgumentTypeError(f"'{text}' must be at least 0 and less than 1, such as 0.01")
    return value


def integer(low, high):
    def parse(text):
        if not text.isdecimal() or not low <= int(text) <= high:
            raise argparse.ArgumentTypeError(f"'{text}' must be a whole number from {low} to {high}")
        return int(text)
    return parse


def switch(text):
    if text not in ("on", "off"):
        raise argparse.ArgumentTypeError(f"'{text}' must be on or off")
    return text == "on"


def host_list(text):
    """"0-3,6" is [0, 1, 2, 3, 6]."""
    hosts = []
    for part in text.split(","):
        match = re.fullmatch(r"(\d+)(?:-(\d+))?", part)
        if not match:
            raise argparse.ArgumentTypeError(f"'{text}' is not understood; 0-3,6 would be")
        hosts += range(int(match[1]), int(match[2] or match[1]) + 1)
    if not hosts or len(set(hosts)) != len(hosts):
        raise argparse.ArgumentTypeError(f"'{text}' must name hosts, each once")
    return hosts
