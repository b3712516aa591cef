// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "replay/source/recorded.hpp"

/// What an OTF2 archive tells, without libotf2, which reads it.
namespace collcast::otf2 {

using Reference = std::uint32_t;  ///< the number of a definition

/// What the archive defines.
struct Definitions {
  double ticks_per_second = 1e9;
  std::uint64_t begin = 0;  ///< [ticks]; no event is earlier
  std::unordered_map<Reference, std::string> strings;
  std::unordered_map<Reference, Reference> mpi;   ///< names of MPI's functions, by region
  std::vector<std::uint64_t> locations, of_rank;  ///< all locations; those of MPI's ranks
  struct Group {
    bool self = false;  ///< of MPI_COMM_SELF
    std::vector<std::uint64_t> members;
  };
  std::unordered_map<Reference, Group> groups;
  std::unordered_map<Reference, Reference> comms;  ///< groups
};

/// The root that is the calling rank itself.
constexpr std::uint32_t own_root = 0xfffffffe;

/// Makes activities of one rank's events.
class RankEvents {
 public:
  /// `most`: more activities are not made.
  RankEvents(RecordedSource& source, const Definitions& definitions, Rank rank, std::size_t most);

  void enter(std::uint64_t time, Reference region);
  void leave(std::uint64_t time, Reference region);

  void send(std::uint32_t to, Reference comm, std::uint32_t tag, std::uint64_t bytes,
            std::optional<std::uint64_t> request);
  void complete_send(std::uint64_t request) { complete(sends_, request); }
  void receive(std::uint32_t from, Reference comm, std::uint32_t tag, std::uint64_t bytes);
  /// Posts a receive; its sender and size are known when it is completed.
  void post(std::uint64_t request);
  void complete_receive(std::uint32_t from, Reference comm, std::uint32_t tag, std::uint64_t bytes,
                        std::uint64_t request);
  void cancel(std::uint64_t request);

  /// A collective's kind, communicator and root, and Score-P's counts of the bytes that go to all members and
  /// come from them.
  struct Collected {
    std::uint8_t operation;
    Reference comm;
    std::uint32_t root;
    std::uint64_t sent, received;
  };
  void end_collective(const Collected& what) { stream_.push_back(collective(call_, what)); }
  /// Posts a non-blocking collective: it begins where its request is made, and is known when it is completed.
  void post_collective(std::uint64_t request);
  void complete_collective(std::uint64_t request, const Collected& what);

  /// Waits for what is still open.
  void finish();

  std::uint64_t last() const { return last_; }  ///< [ticks]
  bool failed() const { return failed_; }       ///< there are more activities than are made

 private:
  using Requests = std::unordered_map<std::uint64_t, std::int64_t>;

  double seconds(std::uint64_t time) const;
  void skip(Activity& a, std::string_view why) const;
  std::optional<int> communicator(Reference comm);
  std::optional<int> new_communicator(Reference comm);
  Activity& message(Activity::Kind kind, Reference comm, std::uint32_t peer);
  void place(Activity& a, Reference comm, std::uint32_t peer);
  void join(Activity& send, const Activity& receive);
  void ask(Activity& a, std::int64_t& request);
  void complete(Requests& requests, std::uint64_t request);
  void wait(std::vector<std::int64_t> requests);
  Activity collective(std::string_view call, const Collected& what);

  RecordedSource& source_;
  const Definitions& definitions_;
  RecordedSource::Stream& stream_;
  Rank rank_;
  std::size_t most_;
  std::uint64_t last_ = 0;
  bool failed_ = false;
  std::string_view call_;
  int depth_ = 0;
  std::uint64_t entered_ = 0, before_;
  std::size_t inside_ = 0;
  std::int64_t next_ = 0;
  Requests sends_;
  std::unordered_map<std::uint64_t, std::size_t> receives_,
      collectives_;  ///< place in the stream, by request
  std::set<std::int64_t> open_;
  std::vector<std::int64_t> done_;  ///< requests completed by the call under way
  std::unordered_map<Reference, std::optional<int>> numbers_;
};

}  // namespace collcast::otf2
