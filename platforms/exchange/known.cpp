// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <vector>

#include "platforms/description/parts.hpp"
#include "platforms/exchange/formats.hpp"

namespace collcast {
namespace {

struct Row {
  KnownGpu gpu;
  std::vector<std::set<std::string>> names;  ///< in capitals; a model's name has all words of one set
  std::vector<const char*> numbers;          ///< PCI devices
};

/// If several rows fit a name, the first one holds.
const std::vector<Row>& gpus() {
  static const std::vector<Row> rows = {
      {{"GB10", "nvlink5"}, {{"GB10"}}, {}},
      {{"RTX-5090", "nvlink5"}, {{"RTX", "5090"}}, {"2b85"}},
      {{"B200-180GB", "nvlink5"}, {{"B200"}}, {"2901"}},
      {{"GB200-186GB", "nvlink5"}, {{"GB200"}}, {"2941"}},
      {{"H200-SXM5-141GB", "nvlink4"}, {{"H200"}}, {"2335"}},
      {{"H100-SXM5-80GB", "nvlink4"}, {{"H100", "SXM5"}, {"H100", "HBM3"}}, {"2330"}},
      {{"L40S", "nvlink3"}, {{"L40S"}}, {"26b9"}},
      {{"RTX-3090", "nvlink3-ga102"}, {{"RTX", "3090"}}, {"2204"}},
      {{"A100-SXM4-80GB", "nvlink3"}, {{"A100", "SXM4", "80GB"}, {"A100", "SXM", "80GB"}}, {"20b2"}},
      {{"A100-SXM4-40GB", "nvlink3"}, {{"A100", "SXM4", "40GB"}, {"A100", "SXM", "40GB"}}, {"20b0"}},
      {{"T4", "nvlink2"}, {{"T4"}}, {"1eb8"}},
      {{"V100-SXM2-16GB", "nvlink2"}, {{"V100", "SXM2", "16GB"}}, {"1db1"}},
      {{"V100-SXM2-32GB", "nvlink2"}, {{"V100", "SXM2", "32GB"}, {"V100", "SXM3", "32GB"}}, {"1db5", "1db8"}},
      {{"V100-PCIe-16GB", "nvlink2"}, {{"V100", "PCIE", "16GB"}}, {"1db4"}},
      {{"P100-SXM2", "nvlink1"}, {{"P100", "SXM2"}}, {"15f9"}},
      {{"K80-half", "nvlink1"}, {{"K80"}}, {"102d"}},
      {{"MI350X", "xgmi-mi350"}, {{"MI350X"}}, {"75a0"}},
      {{"MI325X", "xgmi-mi300"}, {{"MI325X"}}, {"74a5"}},
      {{"MI300A", "xgmi-mi300"}, {{"MI300A"}}, {"74a0"}},
      {{"MI300X", "xgmi-mi300"}, {{"MI300X"}}, {"74a1", "74b5"}},
      {{"MI250X-GCD", "xgmi-mi200"}, {{"MI250X"}, {"MI250"}, {"MI210"}}, {"7408", "740c", "740f"}},
      {{"MI100", "xgmi-mi50"}, {{"MI100"}}, {"738c"}},
      {{"MI60", "xgmi-mi50"}, {{"MI60"}}, {}},
      {{"MI50", "xgmi-mi50"}, {{"MI50"}}, {}},
      {{"MI25", "xgmi-mi50"}, {{"MI25"}}, {"6860"}}};
  return rows;
}

/// Older RCCL writes 910 for 90a.
const std::map<std::string, std::string>& gcns() {
  static const std::map<std::string, std::string> devices = {
      {"900", "MI25"},   {"906", "MI50"},   {"908", "MI100"},  {"90a", "MI250X-GCD"},
      {"940", "MI300X"}, {"941", "MI300X"}, {"942", "MI300X"}, {"950", "MI350X"}};
  return devices;
}

const KnownGpu& part(const std::string& device) {
  return std::ranges::find(gpus(), device, [](const Row& row) { return std::string(row.gpu.device); })->gpu;
}

/// The words of letters and digits of a name, in capitals: "Tesla V100-SXM2-16GB" has 4.
std::set<std::string> words(const std::string& name) {
  std::set<std::string> found;
  std::string word;
  for (const char c : name + " ") {
    const auto letter = static_cast<unsigned char>(c);
    if (std::isalnum(letter) != 0)
      word += static_cast<char>(std::toupper(letter));
    else if (!word.empty())
      found.insert(word), word = "";
  }
  return found;
}

}  // namespace

const KnownGpu* gpu_by_number(const std::string& pci_device) {
  for (const Row& row : gpus())
    for (const char* number : row.numbers)
      if (pci_device == number || pci_device == std::string("0x") + number) return &row.gpu;
  return nullptr;
}

const KnownGpu* gpu_by_name(const std::string& model) {
  const std::set<std::string> said = words(model);
  for (const Row& row : gpus())
    for (const std::set<std::string>& name : row.names)
      if (std::ranges::includes(said, name)) return &row.gpu;
  return nullptr;
}

const KnownGpu& gpu_by_capability(int sm) {
  return part(sm >= 121   ? "GB10"
              : sm >= 120 ? "RTX-5090"
              : sm >= 100 ? "B200-180GB"
              : sm >= 90  ? "H100-SXM5-80GB"
              : sm >= 89  ? "L40S"
              : sm >= 86  ? "RTX-3090"
              : sm >= 80  ? "A100-SXM4-80GB"
              : sm >= 75  ? "T4"
              : sm >= 70  ? "V100-SXM2-32GB"
              : sm >= 60  ? "P100-SXM2"
                          : "K80-half");
}

const KnownGpu* gpu_by_gcn(const std::string& gcn) {
  const auto device = gcns().find(gcn.starts_with("gfx") ? gcn.substr(3) : gcn == "910" ? "90a" : gcn);
  return device == gcns().end() ? nullptr : &part(device->second);
}

std::string known_gcns() {
  std::string list;
  for (const auto& [gcn, device] : gcns()) list += (list.empty() ? "gfx" : ", gfx") + gcn;
  return list;
}

KnownSocket known_socket(const std::string& arch, const std::string& vendor, int family, int model) {
  if (arch.starts_with("ppc64")) return {"POWER9", "x-bus"};
  if (arch == "arm64" || arch == "aarch64") return {"Xeon-6148", "arm-socket"};
  if (vendor == "AuthenticAMD") return {"EPYC-7742", "infinity-fabric"};
  if (vendor != "GenuineIntel" || family != 6 || model <= 0) return {"Xeon-6148", "upi"};
  // Granite Rapids and Sierra Forest have lower numbers than their predecessor Emerald Rapids.
  if (model >= 0xCF || (model >= 0xAD && model <= 0xAF)) return {"Xeon-8480C", "upi-emerald-rapids"};
  if (model >= 0x8F) return {"Xeon-8480C", "upi-sapphire-rapids"};
  if (model >= 0x55) return {"Xeon-6148", "upi"};
  return {"Xeon-E5-2698v4", "qpi-broadwell"};
}

void add_nvls(Json& node) {
  if (!node["vertices"].contains("nvswitch")) return;
  const auto has = [&](const char* generation) {
    return std::ranges::any_of(node["vertices"], [&](const Json& v) {
      return v["kind"] == "gpu" &&
             shared_parts()["devices"][v["device"].get<std::string>()]["generation"] == generation;
    });
  };
  const bool hopper = has("hopper");
  if (!hopper && !has("blackwell")) return;
  node["multicast"] = {
      {"packet_overhead_us", sourced(0, "stores of a kernel: counted as its copy", "guess")}};
  node["in_network_reduction"] = {
      {"aggregation_latency_us", sourced(0.4, "no measurement found; as SHARP between nodes", "guess")},
      {"bandwidth_share",
       sourced(hopper ? 0.62 : 0.53, hopper ? "as on dgx-h100" : "as on dgx-b200", "derived")}};
}

void join_sockets(Json& links, const std::vector<std::string>& kinds) {
  for (std::size_t b = 1; b < kinds.size(); ++b)
    for (std::size_t a = 0; a < b; ++a)
      links.push_back(
          {{"between", {"cpu" + std::to_string(a), "cpu" + std::to_string(b)}}, {"kind", kinds[a]}});
}

}  // namespace collcast
