// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <optional>

#include "engines/engine.hpp"
#include "engines/explain.hpp"
#include "forecast/bound.hpp"
#include "libraries/chooser.hpp"
#include "libraries/transport.hpp"
#include "platforms/description/calibrated_on.hpp"
#include "platforms/machine/machine.hpp"

namespace collcast {

/// The forecast of one call: its time, interval and bound, and why.
struct Prediction {
  const Algorithm* algorithm = nullptr;
  Call call;
  Seconds time;  ///< on the platform as it is described
  /// The interval of the time: 90 % of measured times are meant to lie in it. It holds the times at both ends
  /// of the platform's uncertainty and, where the platform has been calibrated, the errors seen there.
  Seconds low, high;
  Bound bound;
  std::string limited_by;                  ///< the largest share of the explanation
  std::optional<double> limited_by_share;  ///< of the time; none where the engine does not say
  bool calibrated = false;
  std::optional<bool> transferred = {};  ///< outside what the platform was calibrated on; none: not known
  std::string transport = {};            ///< the name of what carried the messages
  std::string_view engine = {};          ///< the engine that gave the time
  std::string_view note = {};            ///< why this engine, if it is not the obvious one
  std::vector<Share> explanation = {};   ///< where the time goes, which it adds up to; empty: the engine
                                         ///< follows no messages, or there are too many

  /// Bytes per second as nccl-tests defines them: message / time, and times the collective's factor.
  BytesPerSecond algorithm_bandwidth() const;
  BytesPerSecond bus_bandwidth() const;
};

/// Raises the time to its bound: an engine that does not see which links messages share may answer less.
/// `low` and `high` enclose the time, and keep to the bounds of their own ends.
Prediction not_below_bound(Prediction prediction);

/// The share by which times of NCCL's kernels are uncertain because of what their model leaves out: skew,
/// other traffic, chunks that are not alike.
inline constexpr double left_out_of_kernels = 0.20;

/// The processor of each rank where the ranks of a node take turns at `workers` cores of its DPU; none
/// without workers. Throws InputError where the DPU has fewer cores.
std::vector<Rank> served_by(int workers, const Machine& machine);

/// A platform with a number of ranks on it, as it is described and at both ends of its uncertainty.
class Forecaster {
 public:
  /// `memory`: where the ranks keep the message. `workers`: cores of each node's DPU that play for its ranks;
  /// 0: the ranks play themselves; throws InputError if there are fewer. `transport`: what carries the
  /// messages; none: the platform's own software. `graphs`: shares the search for bounds with other
  /// forecasters.
  Forecaster(const Description& description, Rank ranks, const Placement& placement = Placement::block,
             Memory memory = Memory::device, int workers = 0, const std::optional<Transport>& transport = {},
             std::shared_ptr<SharedCutGraphs> graphs = nullptr);

  /// Throws InputError where the platform lacks what the algorithm needs.
  Prediction predict(const Algorithm& algorithm, const Call& call, const Engine& engine) const;
  /// Plays the call and shows it to an observer; returns how long it took. Throws InputError if the engine
  /// does not play messages.
  Seconds watch(const Algorithm& algorithm, const Call& call, const Engine& engine,
                const Watched& watched) const;
  /// The mean of the ranks' own times in OSU's loop, by critical path: a rank calls as soon as it leaves the
  /// `barrier` after the previous call, so that a rank that was done early in one waits in the other.
  Seconds mean_between_barriers(const Algorithm& algorithm, const Call& call, const Algorithm& barrier) const;
  /// What the algorithm needs and this platform's network lacks, in words; empty: nothing.
  std::string lacks(const Algorithm& algorithm) const;
  /// Why no library would run it here on messages of this size, in words; empty: one may.
  std::string why_avoided(const Algorithm& algorithm, Bytes message) const;

  /// The bound on the platform as described, and at both ends of its uncertainty.
  Bound lower_bound(const Algorithm& algorithm, const Call& call, Bounds::Of of = Bounds::Of::messages) const;
  bool calibrated() const { return nominal_.machine.calibrated(); }
  const Fabric& fabric() const { return nominal_.fabric; }
  const Machine& machine() const { return nominal_.machine; }
  const Transport& transport() const { return transport_; }
  /// What it costs to hand a collective to DPUs and back, on the platform as described and at both ends of
  /// the uncertainty.
  struct HandedOver {
    Seconds here, fast, slow;
  };
  HandedOver handed_over() const {
    return {nominal_.machine.handoff().all, fast_.machine.handoff().all, slow_.machine.handoff().all};
  }
  /// How many consecutive ranks share a node; 1 if ranks are dealt out to the nodes.
  Rank ranks_per_node() const { return ranks_per_node_; }

 private:
  Capabilities serving(const Demands& demands) const;
  /// Whether all numbers are calibrated, with those of switches if the algorithm needs these.
  bool calibrated(const Algorithm& algorithm) const;

  struct Platform {
    Machine machine;
    std::unique_ptr<Fabric> sent;  ///< the fabric of a transport other than the machine's own
    HomeFabric fabric;
    Platform(const Description& d, Rank ranks, const Placement& placement, Memory memory, int workers,
             const Transport& transport, const std::shared_ptr<SharedCutGraphs>& graphs, double stretch = 1);
    Bound bound(const Algorithm& algorithm, const Call& call, Bounds::Of of) const;

   private:
    /// The machine and its bounds without software, made when first asked for.
    struct WithoutSoftware {
      Machine machine;
      Bounds bounds;
      WithoutSoftware(const Description& d, Rank ranks, const Placement& placement, Memory home,
                      std::shared_ptr<SharedCutGraphs> graphs);
    };
    Description description_;
    Placement placement_;
    Memory home_;
    std::shared_ptr<SharedCutGraphs> graphs_;
    Bounds bounds_;
    mutable std::once_flag made_without_software_;
    mutable std::optional<WithoutSoftware> without_software_;
  };
  Transport transport_;
  std::shared_ptr<SharedCutGraphs> graphs_;
  Platform nominal_, fast_, slow_;
  Rank ranks_per_node_;
  std::vector<CalibratedOn> calibrated_on_;
};

}  // namespace collcast
