// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <random>
#include <string>
#include <vector>

#include "replay/formats/formats.hpp"
#include "replay/source/inspection.hpp"
#include "tests/complaint.hpp"
#include "tests/folder.hpp"
#include "tests/mutated.hpp"
#include "tests/replay/formats/samples.hpp"
#include "tests/sanitized.hpp"

namespace collcast::testing {

/// Opens each sample with other numbers in it, as recorded and on 64 ranks: a source that can be read to its
/// end, or one InputError.
inline void read_or_refuse_other_numbers(const std::vector<std::string>& good,
                                         const std::string& name = "t_0") {
  const Folder folder;
  std::mt19937 random(20261127);
  for (const std::string& text : good)
    for (int i = 0; i < all_or_one_in(4, 100); ++i) {
      const std::string path = samples::write(folder / name, misnumbered(text, random));
      complaint([&] { inspect(*open_source({path})); });
      complaint([&] { inspect(open_trace({path}, {}, 64).source()); });
    }
}

}  // namespace collcast::testing
