# SPDX-License-Identifier: Apache-2.0
"""A Slurm of one controller and four nodes on this machine, in namespaces of its own: nobody else's ports, processes or munge, and
nothing of it outlives the test."""
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

PROGRAMS = ["munged", "slurmctld", "slurmd", "sbatch", "scontrol", "squeue", "sinfo", "unshare", "ip"]
NODES = ["n0", "n1", "n2", "n3"]
OWN = """\
hostname localhost
mount -t tmpfs tmpfs /dev/shm
ip link set lo up
ip link add eth0 up type veth peer name eth1 && ip link set eth1 up && ip addr add 10.0.0.1/24 dev eth0
"""  # 127.0.0.1 alone is no network to Slurm and Open MPI, which names files by process numbers that others have as well
CONFIGURATION = """\
ClusterName=collcast
SlurmctldHost=localhost(10.0.0.1)
SlurmUser=root
SlurmdUser=root
# A task that is queued again starts when its old credential has expired, which takes two minutes by default.
AuthInfo=socket={folder}/munge/socket,cred_expire=5
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
MpiDefault=none
SchedulerParameters=batch_sched_delay=0,sched_interval=1,bf_interval=1
SlurmdParameters=config_overrides
TmpFS={folder}/tmp
NodeName=n[0-3] NodeHostname=localhost NodeAddr=10.0.0.1 Port=[7000-7003] CPUs=1 RealMemory=1000
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE
"""


class Unavailable(Exception):
    """Why there can be no Slurm here."""


def enter():
    """Starts this program again as process 1 of its own namespaces: whatever it starts ends with it."""
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    if os.getpid() == 1:
        subprocess.run(["sh", "-ec", OWN], check=True)
        return
    missing = [program for program in PROGRAMS if not shutil.which(program)]
    if missing:
        raise Unavailable(f"there is no {missing[0]} (Debian's slurmctld, slurmd, slurm-client, munge and iproute2)")
    unshare = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc", "--net", "--uts"]
    tried = subprocess.run([*unshare, "sh", "-ec", OWN], capture_output=True, text=True)
    if tried.returncode != 0:
        raise Unavailable(f"no namespaces of its own: {tried.stderr.strip()}")
    os.execvp("unshare", [*unshare, sys.executable, *sys.argv])


def leave():
    """Ends all that was started since; else the daemons would write into folders that are being removed."""
    os.kill(-1, signal.SIGKILL)  # of the namespace, but for this process
    try:
        while True:
            os.wait()
    except ChildProcessError:
        pass


def until(ready, seconds, what):
    """Waits; what is not ready by then is an error."""
    end = time.monotonic() + seconds
    while not (answer := ready()):
        if time.monotonic() > end:
            raise TimeoutError(f"{what}: not within {seconds} s")
        time.sleep(0.05)
    return answer


def said(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


class Cluster:
    """Started, with four idle nodes."""

    def __init__(self, folder):
        self.folder, self.daemons = pathlib.Path(folder), {}
        for name in ["munge", "state", "tmp"]:
            (self.folder / name).mkdir()
        key = self.folder / "munge/key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o400)
        configuration = self.folder / "slurm.conf"
        configuration.write_text(CONFIGURATION.format(folder=folder))
        os.environ["SLURM_CONF"] = str(configuration)
        files = {"socket": "socket", "key-file": "key", "pid-file": "pid", "log-file": "log", "seed-file": "seed"}
        self.start("munged", "munged", "--foreground", "--force", *(f"--{option}={self.folder}/munge/{name}" for option, name in files.items()))
        self.wait((self.folder / "munge/socket").exists, "munged")
        self.start("slurmctld", "slurmctld", "-D")
        for node in NODES:
            self.start(node, "slurmd", "-D", "-N", node)
        sinfo = ["sinfo", "--noheader", "--Node", "--format=%T"]
        self.wait(lambda: subprocess.run(sinfo, capture_output=True, text=True).stdout.split() == ["idle"] * 4, "four idle nodes")

    def start(self, name, *command):
        with open(self.folder / f"{name}.log", "w") as log:
            self.daemons[name] = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def wait(self, ready, what):
        def ready_or_dead():
            for name, daemon in self.daemons.items():
                if daemon.poll() is not None:
                    raise Unavailable(f"{name} does not start: {(self.folder / f'{name}.log').read_text().strip()}")
            return ready()
        try:
            until(ready_or_dead, 20, what)
        except TimeoutError as late:
            raise Unavailable(late) from None

    def lose(self, node, processes):
        """Kills a node with what runs on it, and has Slurm know; else it would wait for five minutes."""
        self.daemons[node].kill()
        for process in processes:
            os.kill(process, signal.SIGKILL)
        said("scontrol", "update", f"NodeName={node}", "State=DOWN", "Reason=lost")


def states(job):
    """Of the tasks of a job: COMPLETED, FAILED, ..."""
    return [word[len("JobState="):] for word in said("scontrol", "show", "job", job).split() if word.startswith("JobState=")]


def wait(job, seconds):
    """The states of a job's tasks when all have ended."""
    until(lambda: not said("squeue", "--noheader", f"--job={job}", "--states=PENDING,RUNNING,COMPLETING"), seconds, f"job {job}")
    return states(job)
