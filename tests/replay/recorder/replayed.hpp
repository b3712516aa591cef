// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platforms/description/load.hpp"
#include "replay/application/replay.hpp"
#include "replay/formats/cct.hpp"
#include "replay/trace/reader.hpp"

namespace collcast::recorder::test {

inline ReplayReport replayed(const trace::Reader& reader) {
  ReplayOptions options;
  options.engine = &engine("path");
  return replay(*cct_source(reader), load_platform("flat"), options);
}

}  // namespace collcast::recorder::test
