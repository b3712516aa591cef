# SPDX-License-Identifier: Apache-2.0
"""The command line of scripts/testbed."""
import argparse
import json
import os
import pathlib
import signal
import sys

import launch
import network
import quantities as q
import settings
from cluster import Cluster, require_root
from errors import InputError, SubstrateError

ROOT = pathlib.Path(__file__).resolve().parents[2]

EXAMPLE = """Example:
  scripts/testbed up --hosts 8 --rate 100Mbit --latency 2ms
  scripts/testbed run -- build/release/collcast-mpi allreduce --algorithm ring --size 1MiB
  scripts/testbed down"""


def parse(arguments):
    parser = argparse.ArgumentParser(
        prog="testbed", description="A cluster of hosts on this machine, with a network of chosen rates and latencies "
        "between them, and real MPI on it. Needs root.", epilog=EXAMPLE, formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False)
    parser.add_argument("--name", default="testbed", help="one of several testbeds (default: testbed)")
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="up|run|status|down")

    def verb(name, words):
        return verbs.add_parser(name, help=words, description=words, allow_abbrev=False)

    up = verb("up", "Starts the hosts and the network between them.")
    up.add_argument("--hosts", type=q.integer(2, 250), required=True, metavar="N")
    up.add_argument("--rate", type=q.rate_GBps, required=True, help="of each host's link, each way: 100Mbit")
    up.add_argument("--latency", type=q.latency_us, required=True, help="between any two hosts, one way: 2ms")
    up.add_argument("--racks", type=q.integer(1, 250), default=1, metavar="N", help="equal parts, of neighbours (default: 1)")
    up.add_argument("--uplink", type=q.rate_GBps, help="rate of each rack's uplink (default: of its hosts together)")
    up.add_argument("--queue", choices=["fifo", "round-robin"], default="fifo",
                    help="what a link sends next: what came first (default), or each source in turn")
    up.add_argument("--mtu", type=q.integer(576, 65000), default=9000, metavar="BYTES", help="(default: 9000)")
    up.add_argument("--loss", type=q.share, default=0, metavar="P", help="share of UDP datagrams that each receiver loses")
    up.add_argument("--multicast", type=q.switch, default=True, metavar="on|off",
                    help="whether the network carries broadcast and multicast (default: on)")
    up.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release", metavar="DIR",
                    help="where collcast-switch is (default: build/release)")

    run = verb("run", "Runs an MPI program across the hosts, a rank on each; or with --on any command on one host.")
    run.add_argument("--on", type=q.integer(0, 249), metavar="HOST", help="run the command on this host only, without MPI")
    run.add_argument("--hosts", type=q.host_list, metavar="LIST", help="0-3,6 (default: all)")
    run.add_argument("--ranks", type=q.integer(1, 100000), metavar="N", help="on the first hosts (default: all slots)")
    run.add_argument("--per-host", type=q.integer(1, 64), default=1, metavar="N", help="ranks on a host (default: 1)")
    run.add_argument("--library", choices=list(launch.LIBRARIES), default="openmpi",
                     help="the MPI that the program is built with (default: openmpi)")
    run.add_argument("--eager-limit", type=q.size, default=settings.EAGER_LIMIT, metavar="SIZE",
                     help="messages above wait for their receiver (default: 32MiB; Open MPI's own is 64KiB)")
    run.add_argument("--mca", nargs=2, action="append", default=[], metavar=("KEY", "VALUE"), help="of Open MPI")
    run.add_argument("-x", dest="variable", action="append", default=[], metavar="VARIABLE[=VALUE]",
                     help="environment of the ranks")
    run.add_argument("program", nargs=argparse.REMAINDER, help="and its arguments, after --")

    status = verb("status", "What is up, and how the switch does; exit code 1 if nothing is.")
    status.add_argument("--format", choices=["table", "json"], default="table")
    verb("down", "Ends every process on the hosts, and removes them.")
    return parser.parse_args(arguments)


def up(cluster, a):
    if a.hosts % a.racks != 0:
        raise InputError(f"{a.hosts} hosts cannot be {a.racks} equal racks")
    if a.uplink and a.racks == 1:
        raise InputError("--uplink is the racks'; see --racks")
    network.up(cluster, {"hosts": a.hosts, "racks": a.racks, "rate_GBps": a.rate,
                         "uplink_GBps": a.uplink or a.rate * a.hosts / a.racks, "latency_us": a.latency,
                         "queue": a.queue, "mtu": a.mtu, "loss": a.loss, "multicast": a.multicast}, a.build.resolve())
    print(f"testbed: up, {words(cluster.description())}")
    return 0


def words(d):
    racks = f" in {d['racks']} racks with uplinks of {megabits(d['uplink_GBps'])}" if d["racks"] > 1 else ""
    return (f"{len(d['namespaces'])} hosts{racks}, {megabits(d['rate_GBps'])}, {d['latency_us']:g} us, {d['queue']} queues, "
            f"MTU {d['mtu']}, loss {d['loss']:g}, multicast {'on' if d['multicast'] else 'off'}")


def megabits(rate_GBps):
    return f"{rate_GBps * 8e3:g} Mbit/s"


def run(cluster, a):
    program = a.program[1:] if a.program[:1] == ["--"] else a.program
    if not program:
        raise InputError("run needs a program; `scripts/testbed run -- hostname` is the shortest")
    if program[0].startswith("-"):
        raise InputError(f"run does not know {program[0]}; see `scripts/testbed run --help`")
    if a.mca and a.library != "openmpi":
        raise InputError(f"--mca is Open MPI's; {a.library} takes variables, by -x")
    return launch.mpirun(cluster, a, program) if a.on is None else launch.on_host(cluster, a.on, program)


def status(cluster, a):
    try:
        description = cluster.description()
    except InputError as e:
        print(f"testbed: {e}")
        return 1
    statistics = cluster.statistics()
    if a.format == "json":
        print(json.dumps({"network": description, "statistics": statistics}, indent=1))
        return 0
    s = statistics
    print(f"testbed: up, {words(description)}")
    print(f"switch: {s['frames_delivered']} frames delivered, {s['lateness_mean_us']:.1f} us late on average and "
          f"{s['lateness_max_us']:.0f} us at most; {s['frames_later_than_100_us']} later than 100 us")
    print(f"        {s['datagrams_lost']} datagrams lost, {s['frames_refused']} frames refused, {s['frames_astray']} astray")
    for link in s["links"]:
        print(f"{link['link']:>12} {link['frames']:>10} frames {link['bytes']:>14} bytes")
    return 0


def down(cluster, _):
    there = cluster.directory.exists() or cluster.namespaces()
    require_root()
    network.down(cluster)
    print("testbed: down" if there else "testbed: nothing was up")
    return 0


def interrupted(number, _):
    raise KeyboardInterrupt(f"interrupted by {signal.Signals(number).name}")


def main():
    a = parse(sys.argv[1:])
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, interrupted)
    try:
        return {"up": up, "run": run, "status": status, "down": down}[a.verb](Cluster(a.name), a)
    except (InputError, SubstrateError) as e:
        print(f"testbed: {e}", file=sys.stderr)
        return e.code
    except BrokenPipeError:  # whoever read our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt as e:
        print(f"testbed: {e}", file=sys.stderr)
        return 3


sys.exit(main())
