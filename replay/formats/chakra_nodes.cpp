// SPDX-License-Identifier: Apache-2.0
#include "replay/formats/chakra_nodes.hpp"

#include <algorithm>
#include <optional>

#include "replay/formats/formats.hpp"
#include "replay/formats/input.hpp"
#include "replay/formats/json.hpp"
#include "replay/formats/members.hpp"
#include "replay/formats/names.hpp"
#include "replay/formats/protobuf.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"
#include "support/text.hpp"

namespace collcast::chakra {
namespace {

using protobuf::Field;
using protobuf::take_field;

/// CollectiveCommType of schema 0.0.3 and 0.0.4.
constexpr Collective collectives[] = {
    Collective::allreduce,      Collective::reduce,    Collective::allgather, Collective::gather,
    Collective::scatter,        Collective::broadcast, Collective::alltoall,  Collective::reduce_scatter,
    Collective::reduce_scatter, Collective::barrier};

/// How nodes are written. fields: the oldest schema, without metadata, every attribute a field. typed:
/// attributes have a number as type. current: as now.
enum class Schema { fields, typed, current };

/// The number of an older schema's CollectiveCommType in the current schema.
std::int64_t todays(Schema schema, std::int64_t comm_type) {
  constexpr std::int64_t fields[] = {-1, 0, 6, 2, 7}, typed[] = {0, 6, 2, 7, 5};
  if (schema == Schema::current || comm_type < 0 || comm_type > 4) return comm_type;
  return (schema == Schema::fields ? fields : typed)[comm_type];
}

/// The number of a CollectiveCommType that is written by name, as some writers do: "ALL_GATHER".
std::int64_t named(std::string_view comm_type) {
  const auto collective = collcast::collective_of(comm_type);
  const auto* const found = collective ? std::ranges::find(collectives, *collective) : std::end(collectives);
  return found == std::end(collectives) ? -1 : found - collectives;
}

[[noreturn]] void damaged(const std::string& path, std::size_t at) {
  throw InputError(path + ": damaged or cut short at byte " + std::to_string(at) +
                   "; a Chakra trace is messages, each after its length");
}

/// An attribute of any type.
struct Attribute {
  std::string_view name, text;
  std::int64_t value = 0;
};

void set(EtNode& node, Schema schema, const Attribute& a) {
  const std::pair<std::string_view, std::int64_t*> numbers[] = {
      {"comm_size", &node.size},    {"comm_src", &node.source}, {"comm_dst", &node.dest},
      {"comm_tag", &node.tag},      {"comm_root", &node.root},  {"duration_ns", &node.duration_ns},
      {"num_ops", &node.operations}};
  for (const auto& [name, number] : numbers)
    if (a.name == name) *number = a.value;
  if (a.name == "is_cpu_op") node.host = a.value != 0;
  if (a.name == "comm_type") node.collective = a.text.empty() ? todays(schema, a.value) : named(a.text);
  if ((a.name == "runtime" || a.name == "simulated_run_time") && node.duration_us == 0 && a.value > 0)
    node.duration_us = static_cast<std::uint64_t>(a.value);
  if (a.name == "pg_name")
    node.group = a.text.empty() && a.value > 0 ? std::to_string(a.value) : std::string(a.text);
  if (a.name == "involved_dim") node.partly = node.partly || a.text.find('\0') != std::string_view::npos;
}

/// The number in an attribute, whichever integer type the writer chose.
std::int64_t integer(const Field& f) {
  const bool zigzag = f.number == 15 || f.number == 17;
  return zigzag ? static_cast<std::int64_t>(f.value >> 1) ^ -static_cast<std::int64_t>(f.value & 1)
                : static_cast<std::int64_t>(f.value);
}

Attribute attribute(std::string_view message) {
  Attribute a;
  while (const auto f = take_field(message)) {
    if (f->number == 1)
      a.name = f->bytes;
    else if (f->number == 28 || f->number == 29)
      a.text = f->bytes;
    else if (f->wire != 2)
      a.value = integer(*f);
  }
  return a;
}

/// Takes in an attribute of the whole file.
void set(EtFile& file, const Attribute& a) {
  if (a.name == memory_attribute) file.memory = a.text;
  if (a.name == library_attribute) file.library = a.text;
}

/// An attribute of schema 0.0.2: name, type, text, then b, f, u, i, s and lists of these.
void read_typed_attribute(std::string_view message, EtNode& node) {
  Attribute a;
  while (const auto f = take_field(message)) {
    if (f->number == 1) a.name = f->bytes;
    if (f->number == 8) a.text = f->bytes;
    if (f->number == 4 || f->number == 6 || f->number == 7) a.value = static_cast<std::int64_t>(f->value);
    if (f->number == 9 && f->wire == 0)
      node.partly = node.partly || (a.name == "involved_dim" && f->value == 0);
  }
  set(node, Schema::typed, a);
}

/// A node of schema 0.0.1, where everything is a field.
void read_field(const Field& f, EtNode& node) {
  constexpr std::pair<std::uint32_t, std::string_view> attributes[] = {
      {7, "simulated_run_time"}, {12, "num_ops"},  {13, "comm_type"}, {15, "pg_name"},
      {16, "comm_src"},          {17, "comm_dst"}, {18, "comm_size"}, {19, "comm_tag"}};
  for (const auto& [number, name] : attributes)
    if (f.number == number) set(node, Schema::fields, {name, {}, static_cast<std::int64_t>(f.value)});
  if (f.number == 14) node.partly = node.partly || (f.wire == 0 && f.value == 0);
}

void read_ids(const Field& f, std::vector<std::uint64_t>& ids, const std::string& path, std::size_t at) {
  if (f.wire == 0) return ids.push_back(f.value);
  for (std::string_view packed = f.bytes; !packed.empty();) {
    const auto id = protobuf::take_varint(packed);
    if (!id) damaged(path, at);
    ids.push_back(*id);
  }
}

/// Reads torch's process groups: a list of one text as Python prints it, with JSON in the text.
void read_groups(std::string_view text, EtFile& file) {
  const auto begin = text.find('{'), end = text.rfind('}');
  if (begin == std::string_view::npos || end == std::string_view::npos || end < begin) return;
  JsonText json;
  for (const JsonValue& group :
       json.parse("[" + std::string(text.substr(begin, end - begin + 1)) + "]").items()) {
    std::vector<Rank> ranks;
    for (const JsonValue& r : group["ranks"].items()) ranks.push_back(possible_rank(r));
    const Rank size = possible_rank(group["group_size"]);
    file.world = std::max(file.world, size);
    for (Rank r = 0; group["ranks"].items().empty() && r < size; ++r) ranks.push_back(r);
    for (const Rank r : ranks) file.world = std::max(file.world, std::min(r, most_recorded_ranks - 1) + 1);
    if (const std::string name(group["pg_name"].text()); !name.empty()) file.groups[name] = ranks;
  }
}

bool names_groups(const EtNode& node) {
  return node.name.find("process_group:init") != std::string::npos;
}

EtNode read_node(const std::string& path, std::string_view message, std::size_t at, Schema schema,
                 EtFile& file) {
  EtNode node;
  while (const auto f = take_field(message)) {
    if (f->number == 1) node.id = f->value;
    if (f->number == 2) node.name = f->bytes;
    if (f->number == 3) node.type = f->value;
    if (f->number == 4) read_ids(*f, schema == Schema::current ? node.parents : node.after, path, at);
    if (schema == Schema::fields && f->number > 4) read_field(*f, node);
    if (schema == Schema::typed && f->number == 11) read_typed_attribute(f->bytes, node);
    if (schema != Schema::current) continue;
    if (f->number == 5) read_ids(*f, node.after, path, at);
    if (f->number == 6) node.start_us = f->value;
    if (f->number == 7) node.duration_us = f->value;
    if (f->number == 8 && names_groups(node))
      for (std::string_view inputs = f->bytes; const auto values = take_field(inputs);)
        if (values->number == 1) read_groups(values->bytes, file);
    if (f->number == 10) set(node, schema, attribute(f->bytes));
  }
  if (!message.empty()) damaged(path, at);
  return node;
}

/// Whether a file's first message is a node (number, name, type), as only in schema 0.0.1.
bool is_first_node(std::string_view message) {
  const auto id = take_field(message), name = take_field(message);
  return id && name && id->number == 1 && id->wire == 0 && name->number == 2 && name->wire == 2 &&
         !name->bytes.empty();
}

/// Whether the message is an attribute of schema 0.0.2, whose second field is its type.
bool is_typed_attribute(std::string_view message) {
  const auto name = take_field(message), type = take_field(message);
  return name && type && name->number == 1 && name->wire == 2 && type->number == 2 && type->wire == 0;
}

/// The schema, told by the first message; if that is empty, by the first node.
Schema schema_of(std::string_view first, std::string_view second) {
  if (is_first_node(first)) return Schema::fields;
  if (const auto f = take_field(first))
    return f->number == 1 && is_typed_attribute(f->bytes) ? Schema::typed : Schema::current;
  while (const auto f = take_field(second))
    if (f->number == 11 && f->wire == 2 && is_typed_attribute(f->bytes)) return Schema::typed;
  return Schema::current;
}

/// The next message off the text's front; nothing if there is none, or not all of it.
std::optional<std::string_view> take_message(std::string_view& text) {
  const auto length = protobuf::take_varint(text);
  if (!length || *length > text.size()) return {};
  const std::string_view message = text.substr(0, *length);
  text.remove_prefix(*length);
  return message;
}

void read_messages(const std::string& path, EtFile& file) {
  const std::string text = text_of(path);
  std::string_view rest = text;
  const std::string_view first = take_message(rest).value_or("");
  std::string_view peek = rest;
  const Schema schema = schema_of(first, take_message(peek).value_or(""));
  if (schema == Schema::fields) rest = text;
  if (schema == Schema::current)
    for (std::string_view metadata = first; const auto f = take_field(metadata);)
      if (f->number == 2 && f->wire == 2) set(file, attribute(f->bytes));
  while (!rest.empty()) {
    const std::size_t at = text.size() - rest.size();
    const auto message = take_message(rest);
    if (!message) damaged(path, at);
    file.nodes.push_back(read_node(path, *message, at, schema, file));
  }
}

/// Reads a node in JSON as Chakra's feeder does.
EtNode read_node(const std::string& path, const JsonValue& json) {
  EtNode node;
  const auto number = [&](std::string_view key, std::int64_t otherwise) {
    const JsonValue value = json[key];
    const auto n = value.integer();
    if (!value.null() && !n)
      throw InputError(path + ": has a node whose " + std::string(key) + " is no whole number");
    return n.value_or(otherwise);
  };
  const auto count = [&](std::string_view key) {
    const std::int64_t n = number(key, 0);
    if (n < 0) throw InputError(path + ": has a node whose " + std::string(key) + " is below 0");
    return static_cast<std::uint64_t>(n);
  };
  const auto ids = [&](std::string_view key, std::vector<std::uint64_t>& all) {
    for (const JsonValue& id : json[key].items())
      if (const auto n = id.integer()) all.push_back(static_cast<std::uint64_t>(*n));
  };
  node.id = count("Id");
  node.name = json["Name"].text();
  node.type = count("NodeType");
  node.host = json["is_cpu_op"].truth();
  node.duration_us = count("runtime");
  ids("ctrlDeps", node.parents), ids("data_deps", node.after);
  node.collective = number("comm_type", -1), node.size = number("comm_size", -1);
  node.source = number("comm_src", -1), node.dest = number("comm_dst", -1);
  node.tag = number("comm_tag", 0), node.root = number("comm_root", 0);
  node.operations = number("num_ops", 0);
  node.group = json["pg_name"].text();
  for (const JsonValue& dimension : json["involved_dim"].items()) node.partly |= !dimension.truth();
  return node;
}

/// A number; protobuf's JSON puts numbers of 64 bits in quotes.
std::int64_t whole(const JsonValue& value, std::int64_t otherwise = 0) {
  if (const auto n = value.integer()) return *n;
  return leading_or(value.text(), otherwise);
}

/// A field in protobuf's JSON, "dataDeps", or by its name in the schema, "data_deps", as writers may choose.
JsonValue field(const JsonValue& json, std::string_view name, std::string_view in_schema) {
  const JsonValue value = json[name];
  return value.null() ? json[in_schema] : value;
}

/// Reads a node as chakra_jsonizer prints it, in protobuf's JSON.
EtNode printed_node(const JsonValue& json, EtFile& file) {
  constexpr std::string_view types[] = {"INVALID_NODE", "METADATA_NODE",  "MEM_LOAD_NODE",  "MEM_STORE_NODE",
                                        "COMP_NODE",    "COMM_SEND_NODE", "COMM_RECV_NODE", "COMM_COLL_NODE"};
  EtNode node;
  node.id = static_cast<std::uint64_t>(whole(json["id"]));
  node.name = json["name"].text();
  const auto* const type = std::ranges::find(types, json["type"].text());
  node.type = type == std::end(types) ? 0 : static_cast<std::uint64_t>(type - types);
  const auto us = [&](std::string_view name, std::string_view in_schema) {
    return static_cast<std::uint64_t>(std::max<std::int64_t>(whole(field(json, name, in_schema)), 0));
  };
  node.start_us = us("startTimeMicros", "start_time_micros");
  node.duration_us = us("durationMicros", "duration_micros");
  for (const JsonValue& id : field(json, "ctrlDeps", "ctrl_deps").items())
    node.parents.push_back(static_cast<std::uint64_t>(whole(id)));
  for (const JsonValue& id : field(json, "dataDeps", "data_deps").items())
    node.after.push_back(static_cast<std::uint64_t>(whole(id)));
  for (const JsonValue& attribute : json["attr"].items()) {
    Attribute a{attribute["name"].text(), {}, 0};
    attribute.members([&](std::string_view key, const JsonValue& value) {
      if (key == "stringVal" || key == "string_val")
        a.text = value.text();
      else if (key == "boolVal" || key == "bool_val")
        a.value = value.truth();
      else if (key.ends_with("Val") || key.ends_with("_val"))
        a.value = whole(value);
      if ((key == "boolList" || key == "bool_list") && a.name == "involved_dim")
        for (const JsonValue& dimension : value["values"].items()) node.partly |= !dimension.truth();
    });
    set(node, Schema::current, a);
  }
  if (names_groups(node)) read_groups(json["inputs"]["values"].text(), file);
  return node;
}

bool is_feeders_json(std::string_view head) {
  return text::has(head, "\"workload_graph\"") && text::has(head, "\"NodeType\"");
}

bool is_printed_json(std::string_view head) {
  const auto first = head.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && head[first] == '{' && text::has(head, "_NODE\"") &&
         text::has(head, "\"attr\"");
}

}  // namespace

bool EtNode::collects() const {
  return type == comm_coll && (size >= 0 || (!host && collcast::collective_of(name).has_value()));
}

std::optional<Collective> collective_of_type(std::int64_t comm_type) {
  if (comm_type < 0 || comm_type >= std::ssize(collectives)) return {};
  return collectives[comm_type];
}

bool is_et(std::string_view head) {
  if (is_feeders_json(head) || is_printed_json(head)) return true;
  const auto length = protobuf::take_varint(head);
  if (!length || *length > 65536 || head.empty()) return false;
  std::string_view message = head.substr(0, *length);
  const bool node = is_first_node(message);
  // GlobalMetadata has a version, or attributes whose first field is their name.
  while (!message.empty()) {
    const auto f = take_field(message);
    if (!f || f->number > 22 || (!node && (f->wire != 2 || (f->number != 1 && f->number != 2)))) return false;
  }
  if (head.size() <= *length) return *length > 0;
  head.remove_prefix(*length);
  const auto next = protobuf::take_varint(head);
  if (!next || *next == 0) return false;
  std::string_view second = head.substr(0, *next);
  const auto f = take_field(second);
  return f && ((f->number == 1 && f->wire == 0) || (f->number == 2 && f->wire == 2));
}

EtFile read_et(const std::string& path) {
  EtFile file;
  const std::string head = head_of(path);
  if (is_feeders_json(head)) {
    const JsonEnd end = read_elements(
        path, "workload_graph", [&](const JsonValue& json) { file.nodes.push_back(read_node(path, json)); });
    if (!end.closed || end.damaged > 0) throw InputError(path + ": the JSON is damaged or cut short");
  } else if (is_printed_json(head)) {
    const JsonEnd end = read_values(path, [&](const JsonValue& json) {
      if (!json["type"].null() || !json["id"].null()) return file.nodes.push_back(printed_node(json, file));
      for (const JsonValue& a : json["attr"].items())
        set(file, {a["name"].text(), field(a, "stringVal", "string_val").text(), 0});
    });
    if (!end.closed || end.damaged > 0) throw InputError(path + ": the JSON is damaged or cut short");
  } else {
    read_messages(path, file);
  }
  // The parents in the call tree are circular in real traces. They count only if no node has data
  // dependencies.
  if (std::ranges::all_of(file.nodes, [](const EtNode& n) { return n.after.empty(); }))
    for (EtNode& n : file.nodes) n.after = std::move(n.parents);
  return file;
}

}  // namespace collcast::chakra
