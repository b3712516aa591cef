// SPDX-License-Identifier: Apache-2.0
#include "platforms/description/schema.hpp"

#include "model/collective.hpp"

namespace collcast {
namespace {

struct Field {
  const char* key;
  Schema schema;
  bool required = false;
};

Schema object(const std::vector<Field>& fields) {
  Schema schema{.kind = Schema::Kind::object};
  for (const Field& f : fields) {
    schema.fields.push_back(f.schema);
    schema.fields.back().key = f.key;
    schema.fields.back().required = f.required;
  }
  return schema;
}
Schema map_of(Schema element) {
  return {.kind = Schema::Kind::map, .element = {std::move(element)}};
}
Schema list_of(Schema element) {
  return {.kind = Schema::Kind::list, .element = {std::move(element)}};
}
Schema text() {
  return {.kind = Schema::Kind::text};
}
Schema choice(std::vector<std::string> choices) {
  return {.kind = Schema::Kind::choice, .choices = std::move(choices)};
}
Schema count(std::int64_t most) {
  return {.kind = Schema::Kind::count, .most = most};
}
Schema share() {
  return {.kind = Schema::Kind::share};
}
Schema positive() {
  return {.kind = Schema::Kind::parameter};
}
Schema stated() {
  return {.kind = Schema::Kind::stated};
}
Schema zero_or_more() {
  return {.kind = Schema::Kind::parameter, .zero = true};
}

Schema device() {
  return object(
      {{"generation", choice({"kepler", "maxwell", "pascal", "volta", "turing", "ampere", "ada", "hopper",
                              "blackwell", "gcn", "cdna", "cdna2", "cdna3", "cdna4", "other"})},
       {"memory_GiB", positive()},
       {"memory_bandwidth_GBps", positive()},
       {"reduce_GBps", positive()},
       {"fp64_TFLOPS", positive()},
       {"fp32_TFLOPS", positive()},
       {"fp16_TFLOPS", positive()},
       {"tensor_TFLOPS", positive()},
       {"fp8_TFLOPS", positive()},
       {"int8_TOPS", positive()},
       {"copy_engines", positive()},
       {"gpudirect_read_GBps", positive()},
       {"gpudirect_write_GBps", positive()},
       {"cores", positive()},
       {"clock_GHz", positive()},
       {"capacity_TB", positive()},
       {"read_GBps", positive()},
       {"write_GBps", positive()}});
}

Schema vertex() {
  return object({{"kind", choice({"gpu", "cpu", "nic", "switch", "dpu", "nvme"}), true},
                 {"device", text()},
                 {"count", count(256)}});
}

Schema link_kind() {
  return object({{"type", choice({"nvlink", "pcie", "socket", "memory"})},
                 {"bandwidth_GBps", positive(), true},
                 {"latency_us", zero_or_more(), true}});
}

Schema link() {
  return object(
      {{"between", list_of(text()), true}, {"kind", text(), true}, {"count", count(64)}, {"ways", count(2)}});
}

Schema multicast() {
  return object({{"mtu_B", positive()},
                 {"packet_header_B", zero_or_more()},
                 {"max_groups", positive()},
                 {"packet_overhead_us", zero_or_more()},
                 {"loss_share", zero_or_more()},
                 {"recovery_us", zero_or_more()}});
}

Schema in_network_reduction() {
  return object({{"message_limit_KiB", positive()},
                 {"outstanding_operations", positive()},
                 {"aggregation_latency_us", zero_or_more()},
                 {"bandwidth_share", positive()}});
}

Schema node() {
  return object({{"vertices", map_of(vertex()), true},
                 {"link_kinds", map_of(link_kind())},
                 {"links", list_of(link())},
                 {"ranks_on", list_of(text()), true},
                 {"ranks_per_node", count(65536), true},
                 {"multicast", multicast()},
                 {"in_network_reduction", in_network_reduction()},
                 {"price_per_hour_USD", positive()},
                 {"power_W", positive()}});
}

Schema level() {
  return object({{"name", text(), true},
                 {"down", count(4096), true},
                 {"up", count(4096)},
                 {"cables", count(4096)},
                 {"switch_ports", count(65536)},
                 {"bandwidth_GBps", positive()}});
}

Schema network() {
  return object(
      {{"kind", choice({"none", "uniform", "single-switch", "fat-tree", "torus", "dragonfly"}), true},
       {"bandwidth_GBps", positive()},
       {"latency_us", zero_or_more()},
       {"switch_latency_us", zero_or_more()},
       {"switch_ports", count(4096)},
       {"levels", list_of(level())},
       {"routing", choice({"d-mod-k", "ecmp", "minimal", "valiant", "adaptive"})},
       {"routing_seed", count(1 << 30)},
       {"nodes_per_switch", count(4096)},
       {"switches_per_node", count(64)},
       {"dimensions", list_of(count(4096))},
       {"link_bandwidth_GBps", positive()},
       {"link_latency_us", zero_or_more()},
       {"groups", count(4096)},
       {"switches_per_group", count(4096)},
       {"chassis_per_group", count(4096)},
       {"links_between_groups", count(4096)},
       {"local_bandwidth_GBps", positive()},
       {"chassis_bandwidth_GBps", positive()},
       {"global_bandwidth_GBps", positive()},
       {"global_latency_us", zero_or_more()},
       {"multicast", multicast()},
       {"in_network_reduction", in_network_reduction()}});
}

Schema protocol() {
  return object({{"hold", choice({"injection", "delivery"}), true},
                 {"eager_limit_KiB", zero_or_more()},
                 {"handshake_us", zero_or_more()}});
}

/// The schema of costs by size: `fields` for the smallest messages, and again for each piece from its size
/// on.
Schema by_size(std::vector<Field> fields) {
  std::vector<Field> piece = {{"from_KiB", positive(), true}};
  piece.insert(piece.end(), fields.begin(), fields.end());
  fields.push_back({"pieces", list_of(object(piece))});
  return object(fields);
}

/// The costs of NCCL's kernels and network proxies, by protocol.
Schema nccl() {
  const Schema costs = object({{"launch_us", zero_or_more()},
                               {"channel_us", zero_or_more()},
                               {"hop_us", zero_or_more()},
                               {"tree_hop_us", zero_or_more()},
                               {"proxy_us", zero_or_more()}});
  return object({{"LL", costs}, {"LL128", costs}, {"Simple", costs}});
}

Schema software() {
  const std::vector<Field> costs = {{"overhead_us", zero_or_more()}, {"receive_overhead_us", zero_or_more()},
                                    {"latency_us", zero_or_more()},  {"gap_us", zero_or_more()},
                                    {"bandwidth_GBps", positive()},  {"copy_GBps", positive()},
                                    {"processor_GBps", positive()}};
  Schema message = by_size(costs);
  const std::vector<Field> protocols = {{"eager_limit_KiB", zero_or_more()},
                                        {"blocking_eager_limit_KiB", zero_or_more()},
                                        {"handshake_us", zero_or_more()},
                                        {"single_copy_GBps", positive()},
                                        {"other_sender_us", zero_or_more()}};
  for (const Schema& field : object(protocols).fields) message.fields.push_back(field);
  const Schema by_memory = object({{"device", message},
                                   {"host", message},
                                   {"dpu", message},
                                   {"device_to_host", message},
                                   {"host_to_device", message}});
  const Schema copy = by_size({costs[0], costs[2], costs[4]});
  return object({{"in_node", by_memory},
                 {"across_sockets", by_memory},
                 {"between_nodes", by_memory},
                 {"copy", copy},
                 {"dpu_copy", copy},
                 {"offload", object({{"start_us", zero_or_more()}, {"handoff_us", zero_or_more()}})},
                 {"nccl", nccl()}});
}

/// The schema of storage: shared file systems, and what stores files on each node.
Schema storage() {
  return object({{"kind", choice({"gpfs", "lustre", "nfs", "nvme", "ssd", "disk", "other"}), true},
                 {"reach", choice({"shared", "node"}), true},
                 {"read_GBps", positive(), true},
                 {"write_GBps", positive(), true},
                 {"opens_Hz", positive()},
                 {"target_GBps", positive()},
                 {"capacity_TB", positive()}});
}

Schema calibrated_on() {
  std::vector<std::string> collectives;
  for (const Definition& d : definitions()) collectives.emplace_back(d.name);
  return object({{"transport", text(), true},
                 {"source", text(), true},
                 {"collectives", list_of(choice(std::move(collectives))), true},
                 {"ranks", list_of(count(1 << 24)), true},
                 {"message_B", list_of(count(std::int64_t{1} << 50)), true},
                 {"tables", count(65536), true},
                 {"between_tables", share(), true},
                 {"within_tables", share(), true}});
}

Schema platform() {
  return object({{"base", text()},
                 {"description", text(), true},
                 {"notes", list_of(text())},
                 {"max_nodes", count(1 << 24), true},
                 {"devices", map_of(device())},
                 {"node", node(), true},
                 {"network", network(), true},
                 {"protocol", protocol(), true},
                 {"software", software()},
                 {"storage", map_of(storage())},
                 {"library", stated()},
                 {"calibrated_on", list_of(calibrated_on())},
                 {"edit", list_of(text())}});
}

}  // namespace

const Schema& platform_schema() {
  static const Schema schema = platform();
  return schema;
}

const Schema* find(const Schema& schema, const std::string& key) {
  if (!schema.element.empty()) return schema.element.data();
  for (const Schema& f : schema.fields)
    if (f.key == key) return &f;
  return nullptr;
}

std::vector<std::string> keys(const Schema& schema) {
  std::vector<std::string> all;
  for (const Schema& f : schema.fields) all.push_back(f.key);
  return all;
}

}  // namespace collcast
