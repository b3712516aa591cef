// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <sstream>

#include "platforms/exchange/formats.hpp"
#include "support/decimal.hpp"
#include "support/json.hpp"
#include "support/text.hpp"

namespace collcast {
namespace {

enum class Os : std::uint8_t { network, openfabrics, coprocessor };

/// Reads packages with their cores, the GPUs and NICs below them, and bridges that several of these share.
/// From hwloc 2 and 3, `lstopo file.xml`.
struct HwlocReader {
  std::string file;
  bool of_3 = false;  ///< hwloc 3: types of devices are sets of bits
  Json vertices = Json::object(), links = Json::array(), kinds = Json::object(), devices = Json::object();
  Json cpus = Json::array(), gpus = Json::array();
  std::vector<std::string> sockets = {};                 ///< what joins each package to others
  std::map<std::string, std::string> of_object = {};     ///< vertices by object, as "OSDev:332"
  std::map<std::string, const char*> gpu_links = {};     ///< by known GPU: the kind of link between such GPUs
  std::set<std::string> unknown_gpus = {}, unread = {};  ///< models of GPUs; ends of links
  std::string arch = {};
  int cores = 0, threads = 0, nics = 0, bridges = 0, read_links = 0, all_unknown = 0, without_package = 0;
  double memory_B = 0;

  static std::string type(const pugi::xml_node& object) { return object.attribute("type").value(); }
  static std::string info(const pugi::xml_node& object, const char* name) {
    return object.find_child_by_attribute("info", "name", name).attribute("value").value();
  }
  static std::string key(const pugi::xml_node& object) {
    return type(object) + ":" + object.attribute("gp_index").value();
  }

  void walk(const pugi::xml_node& object, const std::string& parent) {
    std::string at = parent;
    if (arch.empty()) arch = info(object, "Architecture");
    if (type(object) == "Package") at = add_package(object);
    if (type(object) == "Bridge") at = add_bridge(object, at);
    if (type(object) == "Core") ++cores;
    if (type(object) == "PU") ++threads;
    if (type(object) == "NUMANode") memory_B += decimal::leading(object.attribute("local_memory").value());
    if (type(object) == "PCIDev") device(object, at);
    for (const pugi::xml_node& child : object.children("object")) walk(child, at);
  }

  std::string add_package(const pugi::xml_node& package) {
    const std::string name = "cpu" + std::to_string(cpus.size());
    vertices[name] = {{"kind", "cpu"}, {"device", "core"}};
    links.push_back({{"between", {name, name}}, {"kind", "shared-memory"}});
    const auto number = [&package](const char* of) {
      return static_cast<int>(std::strtol(info(package, of).c_str(), nullptr, 10));
    };
    sockets.emplace_back(
        known_socket(arch, info(package, "CPUVendor"), number("CPUFamilyNumber"), number("CPUModelNumber"))
            .link);
    of_object[key(package)] = name;
    cpus.push_back(name);
    return name;
  }

  /// Adds a bridge that several devices share, as a switch: it is one, or a slot whose card has several
  /// functions. Host bridges ("0-1") share nothing.
  std::string add_bridge(const pugi::xml_node& bridge, const std::string& at) {
    const auto ways = bridge.children("object");
    const bool parts =
        std::string(bridge.attribute("bridge_type").value()) == "1-1" &&
        std::ranges::count_if(ways, [this](const pugi::xml_node& way) { return leads_to_device(way); }) > 1;
    if (!parts) return at;
    const std::string name = "plx" + std::to_string(bridges++);
    vertices[name] = {{"kind", "switch"}};
    join(name, at, bridge);
    return name;
  }

  bool leads_to_device(const pugi::xml_node& object) const {
    if (type(object) == "PCIDev" && (is_gpu(object) || is_card(object))) return true;
    return std::ranges::any_of(object.children("object"),
                               [this](const pugi::xml_node& below) { return leads_to_device(below); });
  }

  bool holds(const pugi::xml_node& pci, Os what) const {
    const int of_2 = what == Os::network ? 2 : what == Os::openfabrics ? 3 : 5;
    const int bit = what == Os::network ? 16 : what == Os::openfabrics ? 32 : 8;
    return std::ranges::any_of(pci.children("object"), [=, this](const pugi::xml_node& o) {
      const int os = o.attribute("osdev_type").as_int(-1);
      return of_3 ? os > 0 && (os & bit) != 0 : os == of_2;
    });
  }
  bool is_card(const pugi::xml_node& pci) const {
    return holds(pci, Os::network) || holds(pci, Os::openfabrics);
  }
  /// Whether a PCI device is a GPU: by its class ("0302 [10de:1db1 ..."), or because NVML or ROCm SMI manage
  /// it, whatever its class.
  bool is_gpu(const pugi::xml_node& pci) const {
    const std::string pci_class = std::string(pci.attribute("pci_type").value()).substr(0, 4);
    return pci_class == "0302" || pci_class == "0380" || pci_class == "1200" || holds(pci, Os::coprocessor) ||
           std::ranges::any_of(pci.children("object"), [](const pugi::xml_node& o) {
             const std::string name = o.attribute("name").value();
             return name.starts_with("nvml") || name.starts_with("rsmi");
           });
  }

  void device(const pugi::xml_node& pci, const std::string& at) {
    if (std::string(pci.attribute("subtype").value()) == "NVSwitch") {
      of_object[key(pci)] = "nvswitch";
    } else if (is_gpu(pci)) {
      const std::string name = "gpu" + std::to_string(gpus.size());
      const KnownGpu* model = gpu_model(pci);
      vertices[name] = {{"kind", "gpu"}, {"device", model == nullptr ? "V100-PCIe-16GB" : model->device}};
      if (model != nullptr) gpu_links[name] = model->link;
      gpus.push_back(name);
      of_object[key(pci)] = name;
      for (const pugi::xml_node& o : pci.children("object")) of_object[key(o)] = name;
      join(name, at, pci);
    } else if (is_card(pci)) {
      const std::string name = "nic" + std::to_string(nics++);
      vertices[name] = {{"kind", "nic"}};
      join(name, at, pci);
    }
  }

  /// The model of a GPU, by its PCI device ("0302 [10de:1db1]"), or by a name in the file.
  const KnownGpu* gpu_model(const pugi::xml_node& pci) {
    const std::string pci_type = pci.attribute("pci_type").value();
    const KnownGpu* model = pci_type.size() >= 15 ? gpu_by_number(pci_type.substr(11, 4)) : nullptr;
    std::string said = info(pci, "PCIDevice");
    for (const pugi::xml_node& o : pci.children("object"))
      if (const std::string name = info(o, "GPUModel"); !name.empty()) said = name;
    if (model == nullptr) model = gpu_by_name(said);
    if (model == nullptr) ++all_unknown, unknown_gpus.insert(said.empty() ? pci_type : said);
    return model;
  }

  /// Adds the link above a device or bridge: a shared part if its speed is that of one, else with the share
  /// of the raw speed that NCCL assumes.
  void join(const std::string& name, const std::string& at, const pugi::xml_node& pci) {
    const double raw = decimal::leading(pci.attribute("pci_link_speed").value()), lane = 15.753846;
    const auto is = [raw](double speed) { return std::abs(raw - speed) < 0.05 * speed; };
    std::string kind = is(2 * lane) ? "pcie4-x16" : is(4 * lane) ? "pcie5-x16" : "pcie3-x16";
    if (raw > 0 && !is(lane) && kind == "pcie3-x16") {
      kind = "pcie-" + std::to_string(std::lround(raw * 10));
      kinds[kind] = {
          {"type", "pcie"},
          {"bandwidth_GBps",
           sourced(raw * 12 / lane,
                   "raw speed of the PCIe link in " + file + ", at NCCL's share: 12 of 15.75", "derived")},
          {"latency_us", sourced(0.3, "the file does not say", "guess")}};
    }
    if (at.empty()) ++without_package;
    const std::string to = at.empty() && !cpus.empty() ? cpus[0].get<std::string>() : at;
    links.push_back({{"between", {name, to}}, {"kind", kind}});
  }

  static std::vector<std::string> listed_in(const pugi::xml_node& node, const char* tag) {
    std::vector<std::string> words;
    for (const pugi::xml_node& part : node.children(tag)) {
      std::istringstream in(part.child_value());
      for (std::string word; in >> word;) words.push_back(word);
    }
    return words;
  }

  /// Reads <distances2hetero name="NVLinkBandwidth">: MB/s between any two of the objects.
  void nvlinks(const pugi::xml_node& matrix) {
    const std::string of = matrix.attribute("type").value(), name = matrix.attribute("name").value();
    const std::vector<std::string> ends = listed_in(matrix, "indexes"),
                                   values = listed_in(matrix, "u64values");
    const std::size_t n = ends.size();
    if (n > 4096 || values.size() != n * n)
      reject(file, "<" + std::string(matrix.name()) + "> " + name,
             "must hold a value for each two of its " + std::to_string(n) + " objects, " +
                 std::to_string(n * n) + ", not " + std::to_string(values.size()));
    std::map<std::pair<std::string, std::string>, double> MBps;  // bandwidth from a GPU to another part
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = i + 1; j < n; ++j) {
        const double both =
            std::max(decimal::leading(values[i * n + j]), decimal::leading(values[j * n + i]));
        if (!(both > 0)) continue;
        if (both > 1e9)
          reject(file, "<" + std::string(matrix.name()) + "> " + name, "holds more than 1e9 MB/s");
        std::string a = vertex(of, ends[i]), b = vertex(of, ends[j]);
        if (a.empty() || b.empty()) unread.insert(a.empty() ? ends[i] : ends[j]);
        if (!a.starts_with("gpu")) std::swap(a, b);
        if (a.starts_with("gpu") && !b.empty() && a != b) MBps[{a, b}] += both;
      }
    for (const auto& [between, sum] : MBps) nvlink(between.first, between.second, sum, name);
  }

  std::string vertex(const std::string& type_of_all, const std::string& end) const {
    const auto found = of_object.find(type_of_all.empty() ? end : type_of_all + ":" + end);
    return found == of_object.end() ? "" : found->second;
  }

  /// Adds the NVLinks from a GPU. hwloc counts 20,000 and 25,000 MB/s for a link of the first two
  /// generations, and both directions together from the third on.
  void nvlink(const std::string& gpu, const std::string& to, double MBps, const std::string& matrix) {
    const auto known = gpu_links.find(gpu);
    std::string kind = known == gpu_links.end() ? "" : known->second;
    const double each = kind == "nvlink1"             ? 20000
                        : kind == "nvlink2"           ? 25000
                        : kind.starts_with("nvlink3") ? 50000
                        : kind == "nvlink4"           ? 50000
                        : kind.starts_with("xgmi")    ? 100000
                                                      : 0;
    const double count = each > 0 ? MBps / each : 0;
    if (count < 1 || count > 64 || count != std::floor(count)) {
      kind = "nvlink-" + std::to_string(std::lround(MBps));
      kinds[kind] = {{"type", "nvlink"},
                     {"bandwidth_GBps", sourced(MBps / 1000, matrix + " in " + file, "guess")},
                     {"latency_us", sourced(0.8, "one way of a later NVLink (0.82 us, H100)", "guess")}};
    }
    if (to == "nvswitch") vertices[to] = {{"kind", "switch"}};
    // NVLinks to a processor replace PCIe, as in NCCL.
    std::erase_if(links.get_ref<Json::array_t&>(), [&](const Json& l) {
      return l["between"] == Json{gpu, to};
    });
    Json link = {{"between", {gpu, to}}, {"kind", kind}};
    if (count > 1 && !kinds.contains(kind)) link["count"] = static_cast<int>(count);
    links.push_back(link);
    ++read_links;
  }

  Json notes() const {
    Json all = {"Imported from " + file + ". One node."};
    if (cores == 0 && threads > 0)
      all.push_back("The file has no cores: its " + text::counted(threads, "PU") + " stand for them.");
    if (all_unknown > 0)
      all.push_back(text::counted(all_unknown, "GPU") + " of a model that is not known (" +
                    text::join(unknown_gpus) + ") taken for V100.");
    if (without_package > 0)
      all.push_back("The file does not say at which package: taken for at the first are " +
                    text::counted(without_package, "PCI device") + ".");
    if (gpus.size() > 1 && read_links == 0)
      all.push_back(
          "No NVLinks: the file has no NVLinkBandwidth or XGMIBandwidth between its GPUs. lstopo "
          "writes them where hwloc was built with NVML or ROCm SMI.");
    if (!unread.empty()) all.push_back("Not read: links to " + text::join(unread) + ".");
    if (std::ranges::any_of(gpu_links,
                            [](const auto& l) { return std::string(l.second).starts_with("xgmi"); }) &&
        read_links > 0)
      all.push_back("hwloc counts one XGMI link between two GPUs, however many there are.");
    return all;
  }
};

}  // namespace

Json from_hwloc(const pugi::xml_node& topology, const std::string& file) {
  const std::string version = std::string(topology.attribute("version").value()).substr(0, 1);
  if (version != "2" && version != "3")
    reject(file, "", "is not of hwloc 2 or 3: make it with `lstopo --of xml` of such a version");
  HwlocReader reader{file, version == "3"};
  for (const pugi::xml_node& object : topology.children("object")) {
    if (reader.arch.empty()) reader.arch = HwlocReader::info(topology, "Architecture");
    reader.walk(object, "");
  }
  if (reader.cpus.empty()) reject(file, "", "holds no object of type Package");
  for (const pugi::xml_node& matrix : topology.children()) {
    const std::string name = matrix.attribute("name").value();
    if (name == "NVLinkBandwidth" || name == "XGMIBandwidth") reader.nvlinks(matrix);
  }
  join_sockets(reader.links, reader.sockets);
  reader.devices["core"] = {{"reduce_GBps", sourced(5, "one core summing floats; calibrate", "guess")}};
  const bool on_gpus = !reader.gpus.empty();
  const int cores = reader.cores > 0 ? reader.cores : reader.threads;
  const auto cpus = static_cast<int>(reader.cpus.size());
  if (reader.memory_B > 0)
    reader.devices["core"]["memory_GiB"] =
        sourced(reader.memory_B / cpus / std::pow(2, 30), "a package's local_memory in " + file, "measured");
  Json node = {
      {"vertices", reader.vertices},
      {"links", reader.links},
      {"ranks_on", on_gpus ? reader.gpus : reader.cpus},
      {"ranks_per_node", on_gpus ? static_cast<int>(reader.gpus.size()) : std::max(1, cores / cpus) * cpus}};
  if (!reader.kinds.empty()) node["link_kinds"] = reader.kinds;
  add_nvls(node);
  return {{"base", "gpu-cluster"},
          {"description", "A machine of " + text::counted(cpus, "socket") + " and " +
                              text::counted(cores, "core") + ", from hwloc"},
          {"notes", reader.notes()},
          {"max_nodes", 1},
          {"devices", reader.devices},
          {"node", node},
          {"network", no_network()}};
}

}  // namespace collcast
