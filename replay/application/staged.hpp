// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>

#include "replay/application/application.hpp"
#include "replay/application/stage.hpp"

namespace collcast {

/// A source on a platform, to be played there as described and at both ends of the platform's uncertainty.
class Staged {
 public:
  /// Throws InputError if DPUs are to play collectives of ranks that are not placed in blocks. The source and
  /// the platform outlive this.
  Staged(const Source& source, const Description& platform, const ReplayOptions& options);

  const Source& source() const { return source_; }
  const Description& platform() const { return platform_; }
  const ReplayOptions& options() const { return options_; }  ///< their policy is never empty
  const Stage& nominal() const { return nominal_; }
  const Selection& selection() const { return selection_; }
  const std::optional<Prices>& prices() const { return prices_; }  ///< if collectives have prices
  /// Whether the policy is that of the platform's users, as none was asked for.
  bool takes_usual_policy() const { return usual_policy_; }
  /// Whether hierarchical collectives are played node by node.
  bool goes_by_node() const { return by_node_ != nullptr; }

  /// The program on the platform as described; `read` is the source, or follows it.
  Application application(const Source& read) { return on(nominal_, &GroupPrediction::time, read); }
  Result play(Application& application, Observer& observer) {
    return play(*options_.engine, application, nominal_.fabric, &observer);
  }

  /// The time on the platform as described.
  Seconds time() { return time(*options_.engine, nominal_, &GroupPrediction::time); }
  /// The time at an end of the uncertainty. If the engine is not quick, its nominal time (`middle`, if known)
  /// moves in proportion as that of `path` does.
  Seconds low(std::optional<Seconds> middle = {});
  Seconds high(std::optional<Seconds> middle = {});

 private:
  /// The description at an end, the prices there, and the factor on constants that were published for other
  /// machines.
  struct End {
    Description described;
    Seconds GroupPrediction::*price;
    double published;
  };
  /// `end`: which end of the prices' intervals to take.
  Application on(const Stage& stage, Seconds GroupPrediction::*end, const Source& read);
  std::optional<Collectives::Price> priced(const Activity& activity, Seconds GroupPrediction::*end);
  Result play(const Engine& engine, Application& application, const Fabric& fabric, Observer* observer);
  Seconds time(const Engine& engine, const Stage& stage, Seconds GroupPrediction::*end);
  Seconds at(const End& end, std::optional<Seconds> middle);

  const Description& platform_;
  const ReplayOptions options_;
  const bool usual_policy_;
  Stage nominal_;
  const std::unique_ptr<Source> by_node_;  ///< null: the source has no hierarchical collectives
  const Source& source_;
  Selection selection_;
  std::optional<Seconds> centre_;  ///< time by `path` on the platform as described
  std::optional<Prices> prices_;
};

}  // namespace collcast
