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
#include <vector>

#include "execution/mpi/multicast/group_socket.hpp"
#include "execution/mpi/multicast/reassembly.hpp"
#include "model/schedule.hpp"

namespace collcast::mpi {

/// Packets of this rank so far. Sent and taken: each packet of each message once.
struct PacketCounts {
  std::uint64_t sent = 0, repeated = 0, taken = 0, doubled = 0, dropped = 0;
};

/// Multicasts for real: UDP datagrams that the network replicates. All data goes to the group, once;
/// receivers ask for what did not come (NACK) and grant the sender more to send (credit) in MPI messages, so
/// that no receiver's buffer overflows and a sender knows when all have all.
///
/// A *series* is what one player multicasts; its plays are numbered by begin(), its multicasts within a play
/// by the caller. Nothing moves but in progress().
class IpMulticast {
 public:
  struct Options {
    GroupAddress group;
    double loss = 0;  ///< share of the datagrams that each receiver drops, to try the recovery
    std::uint64_t seed = 1;
  };
  /// Collective over `parent`. Throws InputError, on all ranks, if one of them cannot join the group.
  IpMulticast(const Options& options, MPI_Comm parent);
  ~IpMulticast();
  IpMulticast(const IpMulticast&) = delete;
  IpMulticast& operator=(const IpMulticast&) = delete;

  /// The series' next play; all ranks begin it.
  void begin(int series);
  /// Counts `left` down once all packets are with the system. The data stays as it is until the play ends.
  void send(int series, std::uint32_t number, Ranks to, std::span<const std::byte> data, int* left);
  /// Counts `left` down once the message is complete.
  void receive(int series, std::uint32_t number, Rank source, std::span<std::byte> data, int* left);
  /// After the last multicast of the play on this rank: whether all receivers have all that it sent.
  bool finished(int series);
  /// Forgets a play that is not going to end.
  void abandon(int series);

  void progress();
  /// Sleeps for a moment, until a datagram comes, where this rank waits for one.
  void rest();

  const PacketCounts& counts() const { return counts_; }
  /// Of all ranks. Collective.
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
    std::uint64_t sent = 0, granted = 0;   ///< to it: sent, and heard of as received
    std::uint64_t received = 0, told = 0;  ///< from it: received, and told of
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
  /// The message whose next packet is expected next.
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
  std::uint64_t window_ = 1;  ///< packets that a sender may have under way to a receiver

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
