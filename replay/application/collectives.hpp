// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/lowering.hpp"
#include "replay/application/selection.hpp"
#include "replay/source/source.hpp"

namespace collcast {

/// Whether a message with this tag belongs to a collective of an application.
bool of_collective(std::uint64_t tag);

/// The collectives of a source, each played by the algorithm that `selection` chooses, or as a single
/// operation that has a price. Each rank asks for its parts in the order of its calls.
class Collectives {
 public:
  /// How long a collective takes once all its ranks have come.
  struct Price {
    Seconds time;
    std::string algorithm, limited_by;
    double load = 0;  ///< as Op::Kind::meet takes it
    bool between_nodes = false;
  };
  /// The price of a collective; none if it is to be played as messages.
  using PriceOf = std::function<std::optional<Price>(const Activity&)>;
  /// The time to launch a kernel for messages of a size.
  using LaunchOf = std::function<Seconds(Bytes)>;

  /// `launch`: precedes each collective that is played as messages. Throws InputError if the source has no
  /// order.
  Collectives(const Source& source, Selection& selection, PriceOf price = {}, LaunchOf launch = {});

  /// A rank's part in a collective: what it plays, or how long it takes if that is a single operation.
  struct Begun {
    std::unique_ptr<Strand> strand;
    Seconds lasting = Seconds(-1);
  };
  /// The rank's part in its next call on the activity's communicator; no strand if the rank does nothing.
  Begun begin(Rank world, const Activity& activity);
  /// The operation in which the ranks of a collective wait until all have come.
  Op gathering(Rank world, const Activity& activity);
  /// An operation that takes a given time once `members` ranks have come.
  Op lasting(Seconds time, std::size_t members, const std::string& limited_by);

  /// The ranks of the activity's communicator.
  const std::vector<Rank>& members(const Activity& activity) const;

  /// What was played of an operation.
  struct Tally {
    std::int64_t count = 0;  ///< collectives: once for all ranks; messages: sends
    Bytes bytes;             ///< message sizes, as nccl-tests counts them
    Seconds recorded;        ///< of collectives, over all ranks; negative: not known of all
    std::set<std::string> algorithms;
  };
  const std::map<std::string, Tally>& tallies() const { return tallies_; }
  void count_send(Bytes bytes);

  /// What limits each collective that has a price, by the number of its meeting.
  const std::vector<std::string>& limits() const { return limits_; }

  /// What was skipped, and why.
  std::vector<Loss> skipped() const { return skipped_.all(source_.info().recorded.value * source_.ranks()); }
  void skip(const Activity& activity);

 private:
  /// One collective of a communicator, until all its members have come.
  struct Instance {
    std::string operation;
    std::string call;
    Rank first;                         ///< world rank that came first
    std::string_view why_skipped = {};  ///< why it is not played as recorded; empty: it is
    std::shared_ptr<Lowering> lowering;
    std::optional<Op> meeting;  ///< if the collective has a price
    std::size_t to_come;
  };
  struct Gathering {
    Op op;
    std::size_t to_come;
  };
  using CallNumber = std::pair<int, std::int64_t>;  ///< communicator, and which of its collectives

  /// Collectives and gatherings of a rank so far, by communicator.
  struct Calls {
    std::map<int, std::int64_t> begun, gathered;
  };

  Instance make(Rank world, const Activity& activity, const std::vector<Rank>& members);
  void pass_over(Instance& instance, std::string_view why);
  void note_recorded(const Activity& activity);
  Op meeting(const Activity& activity, const Price& price, std::size_t members);

  const Source& source_;
  Selection& selection_;
  PriceOf price_;
  LaunchOf launch_;
  std::vector<std::string> limits_;
  std::vector<Calls> calls_;  ///< by rank
  std::map<CallNumber, Instance> instances_;
  std::map<CallNumber, Gathering> gatherings_;
  std::uint64_t instances_made_ = 0;
  std::map<std::string, Tally> tallies_;
  LossSums skipped_;
};

}  // namespace collcast
