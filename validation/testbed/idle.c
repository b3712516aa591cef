// SPDX-License-Identifier: Apache-2.0
/* Preloaded into the ranks: an idle rank sleeps until a message comes, and MPICH ends.
 *
 * Open MPI polls its sockets without blocking and, told to yield when idle, calls sched_yield after each
 * poll. With more ranks than processors the idle ones then take the processors' time from the switch and from
 * the busy ones. Here the second of two yields in vain waits for the sockets polled last, for 4 ms at most: a
 * call that only tests does not come to it. A yield without a poll before it stays one.
 *
 * MPICH does not yield; there the poll itself waits, after some in vain, in calls that only test, too. */
#define _GNU_SOURCE
#include <poll.h>
#include <stdbool.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { most_sockets = 256, patience = 3, longest_wait_ms = 4 };
static const struct timespec longest_wait = {0, longest_wait_ms * 1000000L};

static __thread struct pollfd sockets[most_sockets];
static __thread nfds_t polled;  /* since the last yield: how many of them */
static __thread bool something; /* since the last yield: was ready */
static __thread bool in_vain;   /* the last yield: nothing had come before it */
static __thread int unyielding; /* polls in vain since the last yield */

static void note(const struct pollfd* all, nfds_t count, int ready) {
  polled = count <= most_sockets ? count : 0;
  memcpy(sockets, all, polled * sizeof *all);
  something = something || ready != 0;
}

int epoll_wait(int descriptor, struct epoll_event* events, int most, int timeout) {
  const bool waits = timeout == 0 && unyielding >= patience;
  const int ready = epoll_pwait(descriptor, events, most, waits ? longest_wait_ms : timeout, NULL);
  if (timeout != 0) return ready;
  unyielding = ready == 0 ? unyielding + 1 : 0;
  note(&(struct pollfd){.fd = descriptor, .events = POLLIN}, 1, ready);
  return ready;
}

int poll(struct pollfd* all, nfds_t count, int timeout) {
  const struct timespec limit = {timeout / 1000, timeout % 1000 * 1000000L};
  const int ready = ppoll(all, count, timeout < 0 ? NULL : &limit, NULL);
  if (timeout == 0) note(all, count, ready);
  return ready;
}

int sched_yield(void) {
  unyielding = 0;
  if (polled == 0) return (int)syscall(SYS_sched_yield);
  if (!something && in_vain) ppoll(sockets, polled, &longest_wait, NULL);
  in_vain = !something;
  polled = 0;
  something = false;
  return 0;
}

/* MPICH 4.0 closes its connections by UCX before it ends. The ranks that are done wait for the others without
 * answering them, for ever where there are more than two. Nothing is under way by then: all leave at once. */
void* ucp_disconnect_nb(void* endpoint) {
  (void)endpoint;
  return NULL; /* done */
}
