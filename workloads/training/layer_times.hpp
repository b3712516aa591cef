// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "workloads/compute/processor.hpp"
#include "workloads/models/model.hpp"

namespace collcast::workloads {

/// Measured times of layers, which replace the roofline's. A row covers one layer, or all layers whose names
/// begin with its name and a dot; the roofline then tells how the time spreads over them.
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

/// The measured time of a layer over the roofline's.
struct LayerFactor {
  double forward = 1, backward = 1;
  bool measured = false;
};

/// The factor of each layer of the model. `micro`: samples of a micro-batch. Throws InputError for rows that
/// name no layer, or one that an earlier row covers.
std::vector<LayerFactor> layer_factors(const LayerTimes& times, const Model& model, double micro,
                                       const Processor& processor, Precision precision);

}  // namespace collcast::workloads
