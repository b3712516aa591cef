// SPDX-License-Identifier: Apache-2.0
// What would a recorded application lose on a slower network? Usage: replay TRACE...
#include <cstdio>
#include <exception>

#include "platforms/description/load.hpp"
#include "replay/application/replay.hpp"
#include "replay/formats/formats.hpp"

namespace {

constexpr const char* ethernet = R"({
  "base": "edr-cluster",
  "description": "the same cluster on Ethernet of 10 Gb/s",
  "network": {"bandwidth_GBps": {"value": 1.25, "source": "data rate of the adapter", "stamp": "datasheet"}}
})";

}  // namespace

int main(int argc, char** argv) try {
  const auto trace = collcast::open_source({argv + 1, argv + argc});
  for (const collcast::Description& platform :
       {collcast::load_platform("edr-cluster"),
        collcast::parse_platform(ethernet, "10g-cluster", "replay.cpp")}) {
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
