// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "forecast/predict.hpp"
#include "model/overlap.hpp"

namespace collcast {

/// Who plays a collective while the ranks compute, and how.
struct Offload {
  std::string who = {};  ///< "dpu"; "none": the ranks themselves; empty: overlap is not asked for
  std::optional<std::int64_t> workers = {};  ///< cores of a node's DPU; none: all of them
  int pieces = 1;                      ///< into which the message is cut, for a pipeline through the DPU
  std::optional<double> compute = {};  ///< [s] that a rank computes; none: as long as the collective takes

  bool asked() const { return !who.empty(); }
  bool to_dpu() const { return who == "dpu"; }
};
/// Throws InputError if the offload makes no sense, or the engine does not model it.
void check(const Offload& offload, const Engine& engine);
/// The number of cores of a node's DPU that play; 0 if no DPU was asked for.
int workers(const Offload& offload, const Description& platform);
/// Whether DPUs write into the receivers' own memory (`on_dpu`): "staged" or "direct", as `what` says.
bool is_direct(const std::string& what, const std::string& delivery);

/// The algorithm as the cores of a DPU play it: the message is copied to the DPU's memory and sent from there
/// to the other DPUs, and results are copied back. Several pieces form a pipeline, each a step behind the one
/// before; the channels of an algorithm are played as one. `direct`: if no rank passes on what it received,
/// workers write into the ranks' own memory, and nothing is copied back.
Algorithm on_dpu(const Algorithm& algorithm, int pieces = 1, bool direct = false);

/// A forecast of a collective that ranks begin before they compute.
struct OverlapPrediction {
  Prediction prediction;  ///< of the collective alone, handing it over included
  Overlap overlap;
};

/// The forecaster's workers play an algorithm made by `on_dpu`. Without `compute`, ranks compute as long as
/// the collective takes.
OverlapPrediction predict_offloaded(const Forecaster& forecaster, const Algorithm& algorithm,
                                    const Call& call, const Engine& engine, std::optional<Seconds> compute);

/// The ranks play the algorithm themselves, as far as they can before they compute; by critical path.
OverlapPrediction predict_overlapped(const Forecaster& forecaster, const Algorithm& algorithm,
                                     const Call& call, std::optional<Seconds> compute);

/// `predict_offloaded` or `predict_overlapped`, as `offload` asks for.
OverlapPrediction predict_overlap(const Offload& offload, const Forecaster& forecaster,
                                  const Algorithm& algorithm, const Call& call, const Engine& engine);

}  // namespace collcast
