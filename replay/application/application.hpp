// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "replay/application/collectives.hpp"
#include "replay/application/operation_tags.hpp"

namespace collcast {

/// How a source is played.
struct ApplicationSettings {
  double compute_scale = 1;  ///< computation takes so many times what the source says
  /// Blocking sends of up to so many bytes do not wait for their receivers, even on a machine that has
  /// only synchronous messages, as every MPI library buffers them.
  Bytes buffered = Bytes(-1);
  Collectives::PriceOf price = {};
  /// The time to launch a kernel, also for each message that blocks its stream.
  Collectives::LaunchOf launch = {};
  /// If the source's durations leave out the wait for late ranks, that wait is played and counted apart
  /// from the collectives.
  bool gathers = false;
};

/// A source as a program: computation, messages, and collectives. Activities are read as they are played.
class Application : public Program {
 public:
  /// Throws InputError if the source has no order.
  Application(const Source& source, Selection& selection, ApplicationSettings settings = {});

  Rank ranks() const override { return source_.ranks(); }
  std::unique_ptr<Strand> main(Rank rank) override;

  const Collectives& collectives() const { return collectives_; }
  /// The operations that carry their tags in their `start`.
  const OperationTags& operations() const { return operations_; }

  std::string name() const override { return source_.info().name; }
  std::string name_of_tag(std::uint64_t tag) const override;
  std::string name_of_request(std::int32_t request) const override;

 private:
  class StreamStrand;

  /// What the streams of a rank have in common.
  struct RankState {
    std::vector<std::int64_t> records;  ///< records so far, by stream
    std::map<std::pair<int, std::int64_t>, std::vector<std::int32_t>>
        awaits;                         ///< requests that await a stream's record
    std::int32_t last_own_request = 0;  ///< numbers below 0: buffered sends, and awaits of records
  };

  const Source& source_;
  ApplicationSettings settings_;
  Collectives collectives_;
  OperationTags operations_;
  std::vector<RankState> states_;
};

}  // namespace collcast
