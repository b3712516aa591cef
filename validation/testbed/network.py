# SPDX-License-Identifier: Apache-2.0
"""Builds a testbed and takes it down."""
import json
import os
import shutil
import signal
import subprocess
import time

import settings
from cluster import require_root
from errors import InputError, SubstrateError

DATA, CONTROL = "10.101", "10.102"  # /16 each; host h is .0.(h + 1) and so on


def address(network, host):
    return f"{network}.{(host + 1) // 256}.{(host + 1) % 256}"


def hardware(host):
    """As switch/ethernet.hpp reads it."""
    return f"02:cc:00:00:{host // 256:02x}:{host % 256:02x}"


def up(cluster, network, build):
    """`network` is what description.hpp describes, less the namespaces."""
    _require(build)
    hosts = network.pop("hosts")
    try:
        os.makedirs(cluster.directory, mode=0o755)
    except FileExistsError:
        raise InputError("already up; `scripts/testbed status` shows it, `scripts/testbed down` ends it") from None
    try:
        _control(cluster, hosts)
        network["namespaces"] = [f"/run/netns/{cluster.host(h)}" for h in range(hosts)]
        _write(cluster.description_file, {**network, "build": str(build)})
        _write(cluster.directory / "switch.json", network)
        _start_switch(cluster, build)
        for host in range(hosts):
            _data(cluster, host, hosts, network["mtu"])
    except BaseException:
        down(cluster)
        raise


def down(cluster):
    """Ends every process in the namespaces, then removes them; what is not there is not missed."""
    for kill, patience in ((signal.SIGTERM, 2), (signal.SIGKILL, 5)):
        _kill(cluster, kill, patience)
    for namespace in cluster.namespaces():
        _run(["ip", "netns", "delete", namespace.name])
    shutil.rmtree(cluster.directory, ignore_errors=True)


def _require(build):
    require_root()
    if not os.path.exists("/dev/net/tun"):
        raise SubstrateError("this kernel has no /dev/net/tun, of which the hosts' interfaces are made")
    for tool, package in (("ip", "iproute2"), ("unshare", "util-linux"), ("chrt", "util-linux"),
                          ("mpirun", "openmpi-bin")):
        if not shutil.which(tool):
            raise SubstrateError(f"{tool} is missing (Debian's {package}); scripts/install --tests installs it")
    for file in ("collcast-switch", "collcast-idle.so"):
        if not (build / file).exists():
            raise InputError(f"{build / file} is missing; build it, or say where it is with --build")


def _run(command, **more):
    done = subprocess.run(command, text=True, capture_output=True, **more)
    if done.returncode != 0:
        words = (done.stderr or done.stdout).strip().splitlines()
        raise SubstrateError(f"`{' '.join(command)}` failed: {words[0] if words else f'exit code {done.returncode}'}")
    return done.stdout


def _ip(namespace, commands):
    _run(["ip", "-n", namespace, "-batch", "-"], input="\n".join(commands) + "\n")


def _write(file, content):
    part = file.with_suffix(".part")
    part.write_text(json.dumps(content, indent=1) + "\n")
    part.rename(file)


def _control(cluster, hosts):
    """Namespaces, and the bridge in the control one that joins all eth1."""
    _run(["ip", "-batch", "-"], input="\n".join(
        f"netns add {name}" for name in [cluster.control, *map(cluster.host, range(hosts))]) + "\n")
    commands = ["link set lo up", "link add eth1 type bridge", f"addr add {CONTROL}.255.254/16 dev eth1", "link set eth1 up"]
    for h in range(hosts):
        commands += [f"link add h{h} type veth peer name eth1 netns {cluster.host(h)}", f"link set h{h} master eth1 up"]
    _ip(cluster.control, commands)


def _start_switch(cluster, build):
    """Returns once the hosts have their eth0."""
    command = ["ip", "netns", "exec", cluster.control, *settings.SWITCH_PRIORITY, str(build / "collcast-switch"),
               str(cluster.directory / "switch.json"), str(cluster.statistics_file)]
    with open(cluster.log_file, "w") as log:
        switch = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log, text=True,
                                  start_new_session=True)
    cluster.pid_file.write_text(str(switch.pid))
    if switch.stdout.readline() != "ready\n":
        raise SubstrateError(f"the switch did not start: {cluster.last_words()}")


def _data(cluster, host, hosts, mtu):
    """A host's network stack, and its eth0 with every other host's addresses known beforehand."""
    lines = [f"echo {value} > /proc/sys/net/{key}" for key, value in settings.SYSCTL.items()]
    _run(["ip", "netns", "exec", cluster.host(host), "sh", "-ec", "\n".join(lines)])
    commands = ["link set lo up", f"addr add {address(CONTROL, host)}/16 dev eth1", "link set eth1 up",
                f"link set eth0 address {hardware(host)} mtu {mtu} txqueuelen {settings.QUEUE_LENGTH}",
                f"addr add {address(DATA, host)}/16 dev eth0", "link set eth0 up",
                f"route replace {DATA}.0.0/16 dev eth0 src {address(DATA, host)} {settings.ROUTE}",
                "route add 224.0.0.0/4 dev eth0"]
    commands += [f"neigh replace {address(DATA, h)} lladdr {hardware(h)} dev eth0 nud permanent"
                 for h in range(hosts) if h != host]
    _ip(cluster.host(host), commands)


def _kill(cluster, kill, patience):
    end = time.monotonic() + patience
    for pid in cluster.processes():
        try:
            os.kill(pid, kill)
        except ProcessLookupError:
            pass
    while cluster.processes() and time.monotonic() < end:
        time.sleep(0.02)
