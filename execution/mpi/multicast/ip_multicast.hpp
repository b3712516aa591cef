// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <random>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "execution/mpi/multicast/group_socket.hpp"
#include "execution/mpi/multicast/reassembly.hpp"
#include "model/schedule.hpp"

namespace collcast::mpi {

/// Numbers of this rank's packets so far. `sent` and `taken` count each packet of each message once.
struct PacketCounts {
  std::uint64_t sent = 0, repeated = 0, taken = 0, doubled = 0, dropped = 0;
};

/// Reliable multicast over UDP datagrams that the network replicates. Data are sent to the group once. By MPI
/// messages, receivers ask for lost packets (NACK) and grant the sender credit, so that no receiver's buffer
/// overflows and the sender knows when all have received everything. A *series* is what one player
/// multicasts; its plays are numbered by begin(), its multicasts within a play by the caller. Data move only
/// within progress().
class IpMulticast {
 public:
  struct Options {
    GroupAddress group;
    double loss = 0;  ///< share of the datagrams that each receiver drops on purpose, to test recovery
    std::uint64_t seed = 1;
  };
  /// Collective over `parent`. Throws InputError, on all ranks, if one of them cannot join the group.
  IpMulticast(const Options& options, MPI_Comm parent);
  ~IpMulticast();
  IpMulticast(const IpMulticast&) = delete;
  IpMulticast& operator=(const IpMulticast&) = delete;

  /// Begins the series' next play, on all ranks.
  void begin(int series);
  /// Decrements `left` once the system has all packets. The data must not change until the play ends.
  void send(int series, std::uint32_t multicast, Ranks to, std::span<const std::byte> data, int* left);
  /// Decrements `left` once the message is complete.
  void receive(int series, std::uint32_t multicast, Rank source, std::span<std::byte> data, int* left);
  /// To be called after the play's last multicast on this rank. Whether all receivers have everything that it
  /// sent.
  bool finished(int series);
  /// Drops a play that will not be finished.
  void abandon(int series);

  void progress();
  /// If this rank waits for a datagram, sleeps until one comes, but only briefly.
  void rest();

  const PacketCounts& counts() const { return counts_; }
  /// The counts of all ranks together. Collective.
  PacketCounts total() const;

 private:
  struct Header {
    std::uint64_t session;
    std::int32_t source, series;
    std::uint32_t play, number, packet;
  };
  static constexpr std::size_t header_bytes = offsetof(Header, packet) + sizeof(std::uint32_t);
  struct Outgoing {
    std::span<const std::byte> data;
    std::vector<Rank> to;
    std::uint32_t packets = 0, next = 0;
    int* left = nullptr;
    std::unordered_map<std::uint32_t, double> repeated_at{};
  };
  struct Incoming {
    Reassembly message;
    Rank source = 0;
    int* left = nullptr;
  };
  /// Packets between this rank and another, in one play of one series.
  struct Account {
    std::uint64_t sent = 0, granted = 0;   ///< to the other: sent, and acknowledged by it
    std::uint64_t received = 0, told = 0;  ///< from the other: received, and acknowledged to it
  };
  struct Series {
    std::uint32_t play = 0;
    std::vector<Account> accounts;
    std::unordered_map<std::uint32_t, Outgoing> outgoing;
    std::unordered_map<std::uint32_t, Incoming> incoming;
    std::unordered_set<std::uint32_t> complete;
  };
  struct Early {
    Header header;
    std::vector<std::byte> payload;
  };
  struct Control {
    std::int32_t series;
    std::uint32_t play, number, ranges;  ///< no ranges: a credit
    std::uint64_t received;
    std::array<PacketRange, 8> missing;
  };
  /// The message to which the next packet probably belongs.
  struct Likely {
    int number = 0;
    std::uint32_t multicast = 0;
    const Series* series = nullptr;
    Incoming* incoming = nullptr;
    bool expects(const Header& header) const;
  };

  void open(const Options& options, MPI_Comm parent);
  Series& series(int number);
  void forget(Series& s);
  bool transmit(const Header& header, const Outgoing& message);
  void send_some();
  bool may_send(const Series& s, const Outgoing& message) const;
  void receive_some();
  bool receive_one();
  void take(const Header& header, std::span<const std::byte> payload);
  void place(int number, Series& s, const Header& header, Incoming& in, std::span<const std::byte> payload);
  void completed(int series, Series& s, std::uint32_t number, Incoming& in);
  void keep(const Header& header, std::span<const std::byte> payload);
  void tell(const Control& control, Rank rank) const;
  void grant(int number, Series& s, Rank source, std::uint64_t unless_fewer);
  void ask(int number, const Series& s, std::uint32_t message, const Incoming& in,
           std::span<const PacketRange> missing) const;
  void ask_for_overdue();
  void hear();
  void hear(const Control& control, Rank rank);
  bool awaits_credit() const;
  bool awaits_packets() const;

  MPI_Comm control_ = MPI_COMM_NULL;
  Rank rank_ = 0, ranks_ = 1;
  std::uint64_t session_ = 0;
  std::unique_ptr<GroupSocket> socket_;
  std::size_t packet_bytes_ = 0;
  std::uint64_t window_ = 1;  ///< the most unacknowledged packets from a sender to a receiver

  std::unordered_map<int, Series> series_;
  std::deque<std::pair<int, std::uint32_t>> unsent_;  ///< series and number, in order
  std::map<std::array<std::uint32_t, 3>, std::vector<Early>> early_;
  std::size_t early_bytes_ = 0;
  Likely likely_;
  std::vector<std::byte> bounce_;

  MPI_Request hearing_ = MPI_REQUEST_NULL;
  Control heard_{};
  double last_arrival_ = 0, patience_ = 0;
  double loss_ = 0;
  std::mt19937_64 random_;
  PacketCounts counts_;
};

}  // namespace collcast::mpi
