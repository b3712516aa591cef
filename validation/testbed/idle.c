// SPDX-License-Identifier: Apache-2.0
/* Preloaded into the ranks: an idle rank sleeps until a message comes.
 *
 * Open MPI polls its sockets without blocking and, told to yield when idle, calls sched_yield after each
 * poll. With more ranks than processors the idle ones then take the processors' time from the switch and from
 * the busy ones. Here the second of two yields in vain waits for the sockets polled last, for 4 ms at most: a
 * call that only tests does not come to it. A yield without a poll before it stays one. */
#define _GNU_SOURCE
#include <poll.h>
#include <stdbool.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { most_sockets = 256 };
static const struct timespec longest_wait = {0, 4000000};

static __thread struct pollfd sockets[most_sockets];
static __thread nfds_t polled;  /* since the last yield: how many of them */
static __thread bool something; /* since the last yield: was ready */
static __thread bool in_vain;   /* the last yield: nothing had come before it */

static void note(const struct pollfd* all, nfds_t count, int ready) {
  polled = count <= most_sockets ? count : 0;
  memcpy(sockets, all, polled * sizeof *all);
  something = something || ready != 0;
}

int epoll_wait(int descriptor, struct epoll_event* events, int most, int timeout) {
  const int ready = epoll_pwait(descriptor, events, most, timeout, NULL);
  if (timeout == 0) note(&(struct pollfd){.fd = descriptor, .events = POLLIN}, 1, ready);
  return ready;
}

int poll(struct pollfd* all, nfds_t count, int timeout) {
  const struct timespec limit = {timeout / 1000, timeout % 1000 * 1000000L};
  const int ready = ppoll(all, count, timeout < 0 ? NULL : &limit, NULL);
  if (timeout == 0) note(all, count, ready);
  return ready;
}

int sched_yield(void) {
  if (polled == 0) return (int)syscall(SYS_sched_yield);
  if (!something && in_vain) ppoll(sockets, polled, &longest_wait, NULL);
  in_vain = !something;
  polled = 0;
  something = false;
  return 0;
}
