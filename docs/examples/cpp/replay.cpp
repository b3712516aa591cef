// SPDX-License-Identifier: Apache-2.0
// What would a recorded application gain from a faster network? Usage: replay TRACE...
#include <cstdio>
#include <exception>

#include "platforms/description/load.hpp"
#include "replay/application/replay.hpp"
#include "replay/formats/formats.hpp"

namespace {

constexpr const char* hdr = R"({
  "base": "edr-cluster",
  "description": "the same cluster with HDR adapters",
  "network": {"bandwidth_GBps": {"value": 25, "source": "data sheet of the adapter", "stamp": "datasheet"}}
})";

}  // namespace

int main(int argc, char** argv) try {
  const auto trace = collcast::open_source({argv + 1, argv + argc});
  for (const collcast::Description& platform :
       {collcast::load_platform("edr-cluster"), collcast::parse_platform(hdr, "hdr-cluster", "replay.cpp")}) {
    const collcast::ReplayReport report = replay(*trace, platform, {});
    std::printf("%s: %.1f ms, from %.1f to %.1f ms; %.1f ms of it compute\n", platform.name().c_str(),
                1e3 * report.time.value, 1e3 * report.low.value, 1e3 * report.high.value,
                1e3 * report.compute.value);
    for (const auto& lost : report.not_modelled)
      std::printf("  not modelled: %s, %s\n", lost.operation.c_str(), lost.reason.c_str());
  }
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 2;
}
