// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <set>
#include <vector>

#include "model/lowering.hpp"
#include "replay/application/selection.hpp"
#include "replay/trace/reader.hpp"

namespace collcast {

/// A recorded application as a program: its computation, its messages, and its collectives, each played by
/// the algorithm that `selection` picks. Ranks' events are read as they are played.
class Application : public Program {
 public:
  /// Computation takes `compute_scale` times the recorded CPU time. `buffered`: a blocking send of up to so
  /// many bytes does not wait for its receiver, as on every MPI library, even on a machine that has
  /// synchronous messages only.
  Application(const trace::Reader& trace, Selection& selection, double compute_scale = 1,
              Bytes buffered = Bytes(-1));

  Rank ranks() const override { return trace_.ranks(); }
  std::unique_ptr<Strand> main(Rank rank) override;

  /// What was played of each operation; `start` operations carry its trace::Op as their tag.
  struct Tally {
    std::int64_t count = 0;  ///< collectives: once for all ranks; messages: sends
    Bytes bytes;             ///< message sizes, as nccl-tests counts them
    std::set<std::string_view> algorithms;
  };
  const std::map<trace::Op, Tally>& tallies() const { return tallies_; }

  /// Calls in the trace that were passed over, with the reason.
  const std::map<std::pair<std::string, std::string>, std::int64_t>& passed_over() const {
    return passed_over_;
  }

 private:
  class RankStrand;
  class Resized;

  /// One collective call of a communicator, until all its members have come.
  struct Instance {
    trace::Op op;
    Rank first;  ///< world rank that came first
    std::shared_ptr<Lowering> lowering;
    std::size_t to_come;
  };
  using CallNumber = std::pair<trace::CommId, std::int64_t>;

  std::unique_ptr<Strand> collective(Rank world, Rank rank, const trace::Event& event, trace::CommId comm,
                                     std::int64_t number);
  Instance make(Rank world, const trace::Event& event, trace::CommId comm, const std::vector<Rank>& members);
  void pass_over(const trace::Event& event, const std::string& reason);

  const trace::Reader& trace_;
  Selection& selection_;
  double compute_scale_;
  Bytes buffered_;
  std::map<CallNumber, Instance> instances_;
  std::uint64_t instances_made_ = 0;
  std::map<trace::Op, Tally> tallies_;
  std::map<std::pair<std::string, std::string>, std::int64_t> passed_over_;
};

}  // namespace collcast
