// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "forecast/predict.hpp"
#include "model/overlap.hpp"

namespace collcast {

/// Who plays a collective while the ranks compute.
struct Offload {
  std::string who = {};  ///< dpu; none: the ranks themselves; empty: overlap is not asked for
  std::optional<std::int64_t> workers = {};  ///< cores of a node's DPU; all without it
  int pieces = 1;                            ///< of the message, in a pipeline through the DPU
  std::optional<double> compute = {};        ///< s of a rank; as long as the collective without it

  bool asked() const { return !who.empty(); }
  bool to_dpu() const { return who == "dpu"; }
};
/// Throws InputError where it makes no sense, or `engine` does not know it.
void check(const Offload& offload, const Engine& engine);
/// Cores of a node's DPU that play; 0 without a DPU being asked for.
int workers(const Offload& offload, const Description& platform);
/// Whether DPUs write into the receivers' own memory (`on_dpu`): "staged" or "direct", as `what` says.
bool is_direct(const std::string& what, const std::string& delivery);

/// The algorithm as the cores of a DPU play it: the message is copied to the DPU's memory, sent from there to
/// the others', and what a rank is to have is copied back. Of several pieces each is a step behind the one
/// before; an algorithm of several channels is played as one. `direct`: where no rank passes on what it got,
/// workers write into the ranks' own memory, and nothing is copied back.
Algorithm on_dpu(const Algorithm& algorithm, int pieces = 1, bool direct = false);

/// A forecast of a collective that ranks begin before they compute.
struct OverlapPrediction {
  Prediction prediction;  ///< of the collective alone, handing it over included
  Overlap overlap;
};

/// Workers of `forecaster` play `algorithm`, which is on their DPU. `compute`: as long as the collective, if
/// nothing is given.
OverlapPrediction predict_offloaded(const Forecaster& forecaster, const Algorithm& algorithm,
                                    const Call& call, const Engine& engine, std::optional<Seconds> compute);

/// The ranks play it themselves, as far as they can before they compute; by critical path.
OverlapPrediction predict_overlapped(const Forecaster& forecaster, const Algorithm& algorithm,
                                     const Call& call, std::optional<Seconds> compute);

/// The one of both that `offload` asks for.
OverlapPrediction predict_overlap(const Offload& offload, const Forecaster& forecaster,
                                  const Algorithm& algorithm, const Call& call, const Engine& engine);

}  // namespace collcast
