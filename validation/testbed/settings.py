# SPDX-License-Identifier: Apache-2.0
"""Everything that is set to make messages take latency + bytes / rate, with its reason.

What each of them spoils if left out was measured: docs/testbed.md.
"""

# Of each host's network stack (net.*): they hold in its namespace only.
SYSCTL = {
    # Nothing else is on the wire.
    "ipv6/conf/all/disable_ipv6": "1",
    "ipv6/conf/default/disable_ipv6": "1",
    # A message fits into the socket's buffers at once, so that no rank waits for another's to drain; both are
    # fixed, since buffers that tune themselves change the times of the first messages.
    "ipv4/tcp_wmem": "4096 33554432 33554432",
    "ipv4/tcp_rmem": "4096 33554432 33554432",
    "ipv4/tcp_moderate_rcvbuf": "0",
    # A queue without bound delays acknowledgements for seconds; none of that is loss.
    "ipv4/tcp_early_retrans": "0",
    "ipv4/tcp_recovery": "0",
    # The window stays open between messages, and from one connection to the next nothing is remembered.
    "ipv4/tcp_slow_start_after_idle": "0",
    "ipv4/tcp_no_metrics_save": "1",
    # Reno grows by what is acknowledged alone. (Cubic may not be chosen inside a namespace.)
    "ipv4/tcp_congestion_control": "reno",
    # Small messages leave when they are sent.
    "ipv4/tcp_autocorking": "0",
}

# Of the route between hosts: see tcp_early_retrans; and a first window that never limits a message.
ROUTE = "initcwnd 4000 initrwnd 4000 rto_min 3s"

# Largest message that leaves at once. Above Open MPI's own 64 KiB (header included) a message waits for its receiver's
# answer first, and that answer queues behind data: `run --eager-limit 64KiB` has it so.
EAGER_LIMIT = 32 << 20

# Frames that a host may have sent before the switch has read them: a whole message.
QUEUE_LENGTH = 20000

# The switch comes before the ranks, the ranks before all else: a rank that waits for a processor is
# indistinguishable from a slow network. mpirun and its daemons wait for nothing but messages, too.
SWITCH_PRIORITY = ["chrt", "--fifo", "20"]
RANK_PRIORITY = ["chrt", "--rr", "10"]
LAUNCH_PRIORITY = ["chrt", "--rr", "5"]


# Open MPI, as mpirun's --mca.
MPI = {
    # The launch: a namespace is entered as a host is logged into; the host is a name, not an address.
    "plm_rsh_no_tree_spawn": "1",
    "orte_keep_fqdn_hostnames": "1",
    # Data on eth0, which the switch carries; everything else on eth1.
    "oob_tcp_if_include": "eth1",
    "btl_tcp_if_include": "eth0",
    "pml": "ob1",
    "btl": "tcp,self",
    # Idle ranks sleep (see idle.c), since processors are fewer than hosts.
    "mpi_yield_when_idle": "1",
    # Each host believes that it has all processors to itself, and would bind its first rank to the first one.
    "hwloc_base_binding_policy": "none",
}


def eager(limit):
    """All of a message up to the limit in one piece, and as much of a longer one before its handshake."""
    return {f"btl_tcp_{key}": str(limit) for key in ("eager_limit", "rndv_eager_limit", "max_send_size")}


def mpich(limit):
    """MPICH over UCX, as the ranks' environment."""
    return {"UCX_TLS": "tcp,self", "UCX_NET_DEVICES": "eth0", "UCX_RNDV_THRESH": str(limit)}


# Ranks of MPICH spin while they connect, and wait for its daemons meanwhile: these take turns with them. Before the ranks they
# may not come: a daemon that waits for a rank to end spins in the kernel, and the rank would never get to its end.
MPICH_LAUNCH_PRIORITY = RANK_PRIORITY
