// SPDX-License-Identifier: Apache-2.0
#include "workloads/compute/device.hpp"

#include <algorithm>

#include "platforms/description/blueprint.hpp"
#include "support/error.hpp"

namespace collcast::workloads {
namespace {

constexpr double flops_per_cycle = 16;

/// The value of the device's parameter; 0 if it has none.
double of_device(const std::vector<Parameter>& all, const std::string& device, const std::string& key) {
  const auto found = std::ranges::find(all, "devices." + device + "." + key, &Parameter::path);
  return found == all.end() ? 0 : found->value;
}

}  // namespace

Device device(const Description& platform) {
  const Blueprint b = read_blueprint(platform);
  Device d{"a rank's processor on " + platform.name(), 0, 0, {}};
  if (b.ranks_on.empty()) return d;
  const int home = b.vertex_of_slot(0);
  const int index = b.vertices[static_cast<std::size_t>(home)].device;
  if (index < 0) return d;
  const double ranks = b.ranks_on_vertex(home);
  d.name = b.devices[static_cast<std::size_t>(index)].name;
  const std::vector<Parameter> all = platform.parameters();
  const auto number = [&](const char* key) { return of_device(all, d.name, key); };
  d.fp64 = number("fp64_TFLOPS") * 1e12 / ranks;
  if (d.fp64 == 0) d.fp64 = number("cores") * number("clock_GHz") * 1e9 * flops_per_cycle / ranks;
  d.fp32 = number("fp32_TFLOPS") * 1e12 / ranks;
  if (d.fp32 == 0) d.fp32 = 2 * d.fp64;
  d.bandwidth = BytesPerSecond(number("memory_bandwidth_GBps") * 1e9 / ranks);
  return d;
}

Seconds kernel_time(const Device& d, double peak, double flops, Bytes moved, double efficiency) {
  if (peak == 0 || d.bandwidth == BytesPerSecond())
    throw InputError("the platform does not say how fast " + d.name + " computes; give compute=TIME");
  return std::max(Seconds(flops / peak), moved / d.bandwidth) / efficiency;
}

}  // namespace collcast::workloads
