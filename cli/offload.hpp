// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <optional>

#include "cli/output.hpp"
#include "forecast/offload.hpp"

namespace collcast::cli {

/// Who plays a collective while the ranks compute.
struct OffloadOptions {
  std::string who;  ///< dpu; none: the ranks themselves; empty: overlap is not asked for
  std::optional<std::int64_t> workers;
  std::optional<double> compute;

  bool asked() const { return !who.empty(); }
  bool to_dpu() const { return who == "dpu"; }
};

/// --offload, --workers, --compute.
void add_offload(CLI::App& verb, OffloadOptions& options);

/// Throws InputError where `engine` does not know overlap.
void check(const OffloadOptions& options, const Engine& engine);

/// Cores of a node's DPU that play; 0 without a DPU being asked for.
int workers(const OffloadOptions& options, const Description& platform);

OverlapPrediction predict(const OffloadOptions& options, const Forecaster& forecaster,
                          const Algorithm& algorithm, const Call& call, const Engine& engine);

/// ", played by 8 cores of each node's DPU"; empty if overlap is not asked for.
std::string heading(const OffloadOptions& options, const Description& platform);

/// What a row of a prediction says besides.
void add_overlap(Json& row, const OffloadOptions& options, int workers, const Overlap& overlap);

}  // namespace collcast::cli
