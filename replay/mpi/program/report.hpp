// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "replay/mpi/program/options.hpp"
#include "replay/mpi/timing.hpp"

namespace collcast::mpi {

struct Outcome {
  Job job;
  std::string type;  ///< of the elements
  bool checked = false;
  Times times;
};

void print_table(const std::vector<Outcome>& outcomes);
void print_json(const std::vector<Outcome>& outcomes);

}  // namespace collcast::mpi
