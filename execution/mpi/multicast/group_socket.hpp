// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <span>

#include "execution/mpi/multicast/group_address.hpp"

namespace collcast::mpi {

/// A UDP socket that has joined a multicast group. Datagrams may be lost, duplicated or reordered.
class GroupSocket {
 public:
  /// `loop`: processes of this machine receive its datagrams too. Throws InputError if the interface does not
  /// exist, no route leads to the group, or another program uses the port.
  GroupSocket(const GroupAddress& address, bool loop);
  ~GroupSocket();
  GroupSocket(const GroupSocket&) = delete;
  GroupSocket& operator=(const GroupSocket&) = delete;

  /// The most bytes of a datagram that the network does not fragment.
  std::size_t datagram_bytes() const { return datagram_bytes_; }
  /// The size of the system's receive buffer, including its bookkeeping.
  std::size_t buffer_bytes() const { return buffer_bytes_; }

  /// Sends the parts as one datagram; false if the system's send buffer is full.
  bool send(std::span<iovec> parts);
  /// Receives a datagram into the parts; its size, or -1 if none has come.
  std::ptrdiff_t receive(std::span<iovec> parts);
  /// Sleeps until a datagram comes, or for `milliseconds`.
  void wait(int milliseconds) const;

 private:
  void open(bool loop);
  [[noreturn]] void refuse(const char* what) const;

  GroupAddress address_;
  int socket_ = -1;
  std::size_t datagram_bytes_ = 0, buffer_bytes_ = 0;
};

}  // namespace collcast::mpi
