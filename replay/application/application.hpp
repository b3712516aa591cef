// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "model/lowering.hpp"
#include "replay/application/selection.hpp"
#include "replay/source/source.hpp"

namespace collcast {

/// Whether an application's message with this tag belongs to a collective.
bool of_collective(std::uint64_t tag);

/// A source as a program: computation, messages, and collectives, each played by the algorithm that
/// `selection` chooses. Activities are read as they are played.
class Application : public Program {
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
  using LaunchOf = std::function<Seconds(Bytes)>;

  /// Computation takes `compute_scale` times what the source says. `buffered`: blocking sends of up to so
  /// many bytes do not wait for their receivers, even on a machine that has only synchronous messages, as
  /// every MPI library buffers them. `launch`: the time to launch a kernel, for each collective that is
  /// played as messages and each message that blocks its stream. `gathers`: if the source's durations leave
  /// out the wait for late ranks, that wait is played and counted apart from the collectives. Throws
  /// InputError if the source has no order.
  Application(const Source& source, Selection& selection, double compute_scale = 1,
              Bytes buffered = Bytes(-1), PriceOf price = {}, LaunchOf launch = {}, bool gathers = false);

  Rank ranks() const override { return source_.ranks(); }
  std::unique_ptr<Strand> main(Rank rank) override;

  /// A rank's part in a collective: what it plays, or how long it takes if that is a single operation.
  struct Begun {
    std::unique_ptr<Strand> strand;
    Seconds lasting = Seconds(-1);
  };
  /// The rank's part in its next call on the activity's communicator; no strand if the rank does nothing.
  Begun collective(Rank world, const Activity& activity);

  /// What was played of an operation.
  struct Tally {
    std::int64_t count = 0;  ///< collectives: once for all ranks; messages: sends
    Bytes bytes;             ///< message sizes, as nccl-tests counts them
    Seconds recorded;        ///< of collectives, over all ranks; negative: not known of all
    std::set<std::string> algorithms;
  };
  const std::map<std::string, Tally>& tallies() const { return tallies_; }

  /// The operation whose collectives carry `tag` in their `start`; empty if it is not one of the source's.
  std::string_view operation(std::uint64_t tag) const;
  /// How long the collective with this tag takes once all its ranks have come; negative: as long as its
  /// messages.
  Seconds lasting(std::uint64_t tag) const;
  /// Whether the operation is a named pause of a single rank, and no communication.
  bool is_own(std::uint64_t tag) const;
  bool is_own(std::string_view operation) const;

  std::string name() const override { return source_.info().name; }
  std::string name_of_tag(std::uint64_t tag) const override;
  std::string name_of_request(std::int32_t request) const override;

  /// What limits each collective that has a price, by the number of its meeting.
  const std::vector<std::string>& limits() const { return limits_; }

  /// What was skipped, and why.
  std::vector<Loss> skipped() const { return skipped_.all(source_.info().recorded.value * ranks()); }

 private:
  class StreamStrand;
  class Resized;
  class Lasting;
  class Launched;
  class Meeting;

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
  using CallNumber = std::pair<int, std::int64_t>;

  /// What the streams of a rank have in common.
  struct RankState {
    std::map<int, std::int64_t> calls;     ///< collectives so far, by communicator
    std::map<int, std::int64_t> gathered;  ///< meetings of all members so far, by communicator
    std::vector<std::int64_t> records;     ///< records so far, by stream
    std::map<std::pair<int, std::int64_t>, std::vector<std::int32_t>>
        awaits;                         ///< requests that await a stream's record
    std::int32_t last_own_request = 0;  ///< numbers below 0: buffered sends, and awaits of records
  };

  Instance make(Rank world, const Activity& activity, const std::vector<Rank>& members);
  void pass_over(Instance& instance, std::string_view why);
  void note_recorded(const Activity& activity);
  Op meeting(const Activity& activity, const Price& price, std::size_t members);
  Op lasting(Seconds time, std::size_t members, const std::string& limited_by);
  Op gathering(Rank world, const Activity& activity);
  const std::vector<Rank>& members(const Activity& activity) const;
  std::uint64_t tag_of(std::string_view operation, Seconds lasting = Seconds(-1), bool own = false);

  const Source& source_;
  Selection& selection_;
  double compute_scale_;
  Bytes buffered_;
  PriceOf price_;
  LaunchOf launch_;
  std::vector<std::string> limits_;
  std::vector<RankState> states_;
  std::map<CallNumber, Instance> instances_;
  bool gathers_;
  std::map<CallNumber, std::pair<Op, std::size_t>> gatherings_;  ///< and how many ranks are still to come
  std::uint64_t instances_made_ = 0;
  std::map<std::string, Tally> tallies_;
  struct Named {
    std::string operation;
    Seconds lasting;
    bool own;
    auto operator<=>(const Named&) const = default;
  };
  std::vector<Named> named_;  ///< their tags count from 1
  std::map<Named, std::uint64_t> tags_;
  LossSums skipped_;
};

}  // namespace collcast
