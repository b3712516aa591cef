# SPDX-License-Identifier: Apache-2.0
"""Runs programs on a testbed that is up."""
import os
import pathlib
import shutil
import signal
import subprocess
import sys

import settings
from errors import InputError, SubstrateError

HERE = pathlib.Path(__file__).resolve().parent


def on_host(cluster, host, command):
    """Runs the command on one host; its exit code."""
    _require_hosts(cluster, [host])
    return _wait(cluster, ["ip", "netns", "exec", cluster.host(host), *command], os.environ)


def mpirun(cluster, options, program):
    """Runs an MPI program across hosts; mpirun's exit code."""
    hosts = _hosts(cluster, options)
    build = pathlib.Path(cluster.description()["build"])
    preload = ":".join(filter(None, [str(build / "collcast-idle.so"), os.environ.get("LD_PRELOAD")]))
    ranks = str(options.ranks or len(hosts) * options.per_host)
    slots = ",".join(f"h{h}:{options.per_host}" for h in hosts)
    command = LIBRARIES[options.library](cluster, options, ranks, slots, [f"LD_PRELOAD={preload}", *options.variable])
    environment = {**os.environ, "COLLCAST_TESTBED": cluster.prefix, "OMPI_ALLOW_RUN_AS_ROOT": "1",
                   "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    environment.pop("LD_PRELOAD", None)
    return _wait(cluster, ["ip", "netns", "exec", cluster.control, *command, *settings.RANK_PRIORITY, *program], environment)


def _openmpi(cluster, options, ranks, slots, variables):
    mca = {**settings.MPI, **settings.eager(options.eager_limit), "plm_rsh_agent": str(HERE / "agent"), "orte_tmpdir_base": str(cluster.directory),
           **dict(options.mca)}
    return [*settings.LAUNCH_PRIORITY, "mpirun", "-np", ranks, "--host", slots, "--map-by", "slot",
            *(word for key, value in mca.items() for word in ("--mca", key, value)), *(word for v in variables for word in ("-x", v))]


def _mpich(_, options, ranks, slots, variables):
    if not shutil.which("mpiexec.hydra"):
        raise SubstrateError("mpiexec.hydra is missing (Debian's mpich)")
    told = [*("=".join(pair) for pair in settings.mpich(options.eager_limit).items()), *variables]
    return [*settings.MPICH_LAUNCH_PRIORITY, "mpiexec.hydra", "-launcher", "rsh", "-launcher-exec", str(HERE / "agent"), "-iface", "eth1",
            "-n", ranks, "-hosts", slots, *(word for v in told if "=" in v for word in ("-genv", *v.split("=", 1)))]


LIBRARIES = {"openmpi": _openmpi, "mpich": _mpich}


def _hosts(cluster, options):
    there = len(cluster.description()["namespaces"])
    hosts = options.hosts if options.hosts is not None else list(range(there))
    _require_hosts(cluster, hosts)
    if options.ranks:
        if options.ranks > len(hosts) * options.per_host:
            raise InputError(f"{options.ranks} ranks do not fit on {len(hosts)} hosts with {options.per_host} each; "
                             "see --per-host")
        hosts = hosts[:-(-options.ranks // options.per_host)]
    return hosts


def _require_hosts(cluster, hosts):
    there = len(cluster.description()["namespaces"])
    for host in hosts:
        if host >= there:
            raise InputError(f"no host {host}; there are 0 to {there - 1}")


def _wait(cluster, command, environment):
    """The command ends when we do, and we when the network does."""
    if cluster.switch() is None:
        cluster.statistics()  # says why
    process = subprocess.Popen(["setpriv", "--pdeathsig", "TERM", *command], env=environment)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda received, _: process.send_signal(received))
    while True:
        try:
            code = process.wait(timeout=0.25)
            break
        except subprocess.TimeoutExpired:
            if cluster.switch() is not None:
                continue
        process.terminate()
        try:
            process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            process.kill()
        raise SubstrateError(f"the switch has died ({cluster.last_words()}), and the program was ended")
    if code < 0:
        print(f"testbed: {os.path.basename(command[-1])} ended by signal {-code}", file=sys.stderr)
    return code if code >= 0 else 128 - code
