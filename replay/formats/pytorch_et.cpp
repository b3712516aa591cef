// SPDX-License-Identifier: Apache-2.0
#include "replay/formats/pytorch_et.hpp"

#include <algorithm>
#include <map>

#include "replay/formats/across_ranks.hpp"
#include "replay/formats/input.hpp"
#include "replay/formats/json.hpp"
#include "replay/formats/names.hpp"
#include "support/error.hpp"

namespace collcast {
namespace {

struct RecordedCall {
  std::int64_t id;
  std::string name, group;
  Bytes input, output;
  Rank ranks = 0;
};

/// Bytes of the tensors in a value: [tensor, storage, offset, elements, bytes of one, device], in lists of
/// any depth.
double tensor_bytes(const JsonValue& value, int depth = 0) {
  const auto items = value.items();
  if (items.size() == 6 && items[3].number() && items[4].number() && !items[5].text().empty())
    return std::max(*items[3].number() * *items[4].number(), 0.0);
  double sum = 0;
  if (depth < 4)
    for (const JsonValue& i : items) sum += tensor_bytes(i, depth + 1);
  return sum;
}

/// What schema 1.1 says in attributes.
void read_attributes(const JsonValue& node, RecordedCall& call) {
  double in = -1, out = -1;
  int element = 0;
  for (const JsonValue& a : node["attrs"].items()) {
    const std::string_view name = a["name"].text();
    const JsonValue value = a["value"];
    if (name == "collective_name") call.name = value.text();
    if (name == "pg_name") call.group = value.text();
    if (name == "dtype") element = element_bytes(value.text());
    if (name == "in_msg_nelems") in = value.number().value_or(-1);
    if (name == "out_msg_nelems") out = value.number().value_or(-1);
    if (name == "pg_size" || name == "group_size")
      call.ranks =
          static_cast<Rank>(std::clamp<std::int64_t>(value.integer().value_or(0), 0, most_recorded_ranks));
  }
  if (element > 0 && in >= 0)
    call.input = Bytes(in * element), call.output = Bytes(std::max(out, 0.0) * element);
}

bool read_call(const JsonValue& node, RecordedCall& call) {
  if (node["name"].text() != "record_param_comms") return false;
  call.id = node["id"].integer().value_or(0);
  const JsonValue inputs = node["inputs"], outputs = node["outputs"];
  const auto values = (inputs.is_array() ? inputs : inputs["values"]).items();
  call.output = Bytes(tensor_bytes(outputs.is_array() ? outputs : outputs["values"]));
  std::size_t lists = 0;
  for (const JsonValue& v : values) {
    if (call.name.empty()) call.name = v.text();
    if (v.is_array() && !call.name.empty()) lists = std::max(lists, v.items().size());
  }
  if (!values.empty()) call.input = Bytes(tensor_bytes(values[0]));
  // After the split sizes, from schema 1.0.2 on, stands the group's size; before, unequal splits give it
  // away.
  if (!values.empty() && values.back().integer() && !call.name.empty())
    call.ranks = static_cast<Rank>(
        std::clamp<std::int64_t>(values.back().integer().value_or(0), 0, most_recorded_ranks));
  else
    call.ranks = static_cast<Rank>(std::min<std::size_t>(lists, most_recorded_ranks));
  read_attributes(node, call);
  return call.name != "wait" && call.name != "init" && !call.name.empty();
}

}  // namespace

bool is_pytorch_et(std::string_view head) {
  const auto first = head.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && head[first] == '{' &&
         head.find("\"schema\"") != std::string_view::npos &&
         head.find("\"nodes\"") != std::string_view::npos;
}

std::unique_ptr<Source> open_pytorch_et(const std::vector<std::string>& files, const OpenOptions&) {
  std::vector<std::vector<RecordedCall>> all;
  Rank world = static_cast<Rank>(files.size());
  std::int64_t damaged = 0;
  for (const std::string& file : files) {
    auto& calls = all.emplace_back();
    const JsonEnd end = read_elements(file, "nodes", [&](const JsonValue& node) {
      RecordedCall call;
      if (!read_call(node, call)) return;
      world = std::max(world, call.ranks);
      calls.push_back(std::move(call));
    });
    if (!end.closed) throw InputError(file + ": the JSON is cut short in its middle");
    damaged += end.damaged;
    std::ranges::stable_sort(calls, {}, &RecordedCall::id);
  }
  auto source = std::make_unique<RecordedSource>(world);
  SourceInfo& info = source->info();
  info.unknown = {"times and computation (a replay has communication alone)",
                  "roots, reduction operators, streams",
                  "members of process groups (all ranks are taken to take part)"};
  if (damaged) info.losses.push_back({"node", damaged, "damaged"});
  for (std::size_t i = 0; i < all.size(); ++i) {
    const int number = number_in_name(files[i]);
    const Rank rank = all.size() > 1 && number >= 0 && number < world ? number : static_cast<Rank>(i);
    if (std::ranges::find(info.recorded_ranks, rank) != info.recorded_ranks.end())
      throw InputError("two files claim rank " + std::to_string(rank) + ", " + files[i] + " the second");
    info.recorded_ranks.push_back(rank);
    for (const RecordedCall& c : all[i]) {
      const auto collective = collective_of(c.name);
      const Rank ranks = c.ranks > 0 ? c.ranks : world;
      Activity a =
          collective ? collective_activity(*collective, 0, message_of(*collective, c.input, c.output, ranks))
                     : Activity();
      if (!collective) {
        a.kind = Activity::Kind::skipped;
        a.operation = a.call = source->keep(c.name);
        a.note = "is no collective that is known, or a message whose peer is not said";
      }
      source->at(rank).push_back(std::move(a));
    }
  }
  std::ranges::sort(info.recorded_ranks);
  compare_ranks(*source);
  return source;
}

}  // namespace collcast
