// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <span>

#include "execution/mpi/multicast/group_address.hpp"

namespace collcast::mpi {

/// A UDP socket that is in a multicast group. Datagrams may be lost, doubled or overtaken on their way.
class GroupSocket {
 public:
  /// `loop`: other processes of this machine hear it as well. Throws InputError if the interface does not
  /// exist, no route leads to the group or another program has the port.
  GroupSocket(const GroupAddress& address, bool loop);
  ~GroupSocket();
  GroupSocket(const GroupSocket&) = delete;
  GroupSocket& operator=(const GroupSocket&) = delete;

  /// Bytes of one datagram that the network need not cut into pieces.
  std::size_t datagram_bytes() const { return datagram_bytes_; }
  /// What the system keeps for a socket that nobody reads, its own bookkeeping included.
  std::size_t buffer_bytes() const { return buffer_bytes_; }

  /// Sends the parts as one datagram; false if the system has no room for it now.
  bool send(std::span<iovec> parts);
  /// Receives a datagram into the parts; its size, or -1 if none has come.
  std::ptrdiff_t receive(std::span<iovec> parts);
  /// Sleeps until a datagram comes, at most so long.
  void wait(int milliseconds) const;

 private:
  void open(bool loop);
  [[noreturn]] void refuse(const char* what) const;

  GroupAddress address_;
  int socket_ = -1;
  std::size_t datagram_bytes_ = 0, buffer_bytes_ = 0;
};

}  // namespace collcast::mpi
