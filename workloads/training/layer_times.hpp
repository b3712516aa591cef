// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "workloads/compute/processor.hpp"
#include "workloads/models/model.hpp"

namespace collcast::workloads {

/// Measured times of layers, which replace the roofline's. A row is of one layer, or of all whose names begin
/// with its name and a dot; the roofline then says how the time spreads over them.
struct LayerTimes {
  struct Row {
    std::string layer;
    Seconds forward, backward;
    double samples = 0;  ///< computed at once; 0: a micro-batch of the step
    std::string where;   ///< file and line, for errors
  };
  std::vector<Row> rows;
};

/// Reads a table with the header "layer,forward_ms,backward_ms" or "...,samples". Throws InputError, which
/// names `file`.
LayerTimes parse_layer_times(const std::string& csv, const std::string& file);

/// How many times as long as by the roofline a layer takes.
struct LayerFactor {
  double forward = 1, backward = 1;
  bool measured = false;
};

/// Of each layer of the model. `micro`: samples of a micro-batch. Throws InputError at rows that name no
/// layer, or one that has been measured before.
std::vector<LayerFactor> layer_factors(const LayerTimes& times, const Model& model, double micro,
                                       const Processor& processor, Precision precision);

}  // namespace collcast::workloads
