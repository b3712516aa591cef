// SPDX-License-Identifier: Apache-2.0
#include "replay/formats/pytorch_et.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "replay/formats/across_ranks.hpp"
#include "replay/formats/all_to_all.hpp"
#include "replay/formats/input.hpp"
#include "replay/formats/json.hpp"
#include "replay/formats/members.hpp"
#include "replay/formats/message_group.hpp"
#include "replay/formats/names.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"

namespace collcast {
namespace {

struct RecordedCall {
  std::int64_t id = 0;
  std::string name, group;
  Bytes input, output;
  Rank ranks = 0;
  Rank number = -1;  ///< place in the group: the root, the other end of a message, or else the caller
  std::vector<int> sent, received;  ///< proportions in an all-to-all; empty: equal
  Rank first = -1, stride = -1;     ///< of the group, if its members are said to be at equal distances

  bool message() const { return name == "send" || name == "recv"; }
  /// The i-th member; -1 if it is not said.
  Rank member(Rank i) const { return i < ranks ? strided(first, stride, i, most_recorded_ranks) : -1; }
};

/// One file: its calls, and what it says of the groups that its rank is in.
struct ExecutionTrace {
  std::vector<RecordedCall> calls;
  std::map<std::string, std::vector<Rank>> groups;
  Rank rank = -1, world = 0;
  Rank named = 0;  ///< the least number of ranks, by the other ends of messages
  std::int64_t damaged = 0;
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

/// A group's name, which is a number before schema 1.0.3: ["0", "default_pg"], "0", 82149104.
std::string group_of(const JsonValue& value) {
  if (const auto number = value.integer()) return std::to_string(*number);
  const auto items = value.items();
  return std::string(items.empty() ? value.text() : items[0].text());
}

std::vector<int> whole_numbers(const JsonValue& list) {
  std::vector<int> all;
  for (const JsonValue& item : list.items())
    if (const auto n = item.integer(); n && *n >= 0 && *n < 1 << 30) all.push_back(static_cast<int>(*n));
  return all.size() == list.items().size() ? all : std::vector<int>();
}

/// Reads the attributes of schema 1.1.
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
    if (name == "pg_size" || name == "group_size") call.ranks = std::max(possible_rank(value), 0);
  }
  if (element > 0 && in >= 0)
    call.input = Bytes(in * element), call.output = Bytes(std::max(out, 0.0) * element);
}

/// Reads the inputs of torch's record_param_comms: the tensors, if any, a sequence number, the group, a rank,
/// the collective, and what is sent to and received from each member. From schema 1.0.2 on, the group's first
/// rank and distance (or neither) and its size follow.
bool read_call(const JsonValue& node, RecordedCall& call) {
  call.id = node["id"].integer().value_or(0);
  const JsonValue inputs = node["inputs"], outputs = node["outputs"];
  const auto values = (inputs.is_array() ? inputs : inputs["values"]).items();
  call.output = Bytes(tensor_bytes(outputs.is_array() ? outputs : outputs["values"]));
  if (!values.empty()) call.input = Bytes(tensor_bytes(values[0]));
  std::size_t at = values.size();
  while (at > 0 && values[at - 1].text().empty()) --at;
  if (at-- > 0) {
    call.name = values[at].text();
    if (at >= 1) call.number = possible_rank(values[at - 1]);
    if (at >= 2) call.group = group_of(values[at - 2]);
    // The rank is the root if groups have a name and a description; before that it is the caller's own.
    const auto collective = collective_of(call.name);
    if (collective && definition(*collective).rooted && (at < 2 || !values[at - 2].is_array()))
      call.number = -1;
    if (at + 1 < values.size()) call.sent = whole_numbers(values[at + 1]);
    if (at + 2 < values.size()) call.received = whole_numbers(values[at + 2]);
    // Where the size is not said yet, unequal parts tell it.
    call.ranks = std::max(possible_rank(values.back()), 0);
    if (!values.back().integer())
      call.ranks = static_cast<Rank>(
          std::min<std::size_t>(std::max(call.sent.size(), call.received.size()), most_recorded_ranks));
    if (at + 5 < values.size())
      call.first = possible_rank(values[at + 3]), call.stride = possible_rank(values[at + 4]);
  }
  read_attributes(node, call);
  return call.name != "wait" && call.name != "init" && !call.name.empty();
}

/// Reads the node "## process_group:init ##", which has the groups as JSON in a text. A group without ranks
/// is all ranks.
void read_groups(const JsonValue& node, ExecutionTrace& trace) {
  const JsonValue inputs = node["inputs"];
  const auto values = (inputs.is_array() ? inputs : inputs["values"]).items();
  if (values.empty()) return;
  JsonText text;
  for (const JsonValue& group : text.parse(values[0].text()).items()) {
    std::vector<Rank> ranks;
    for (const JsonValue& r : group["ranks"].items()) ranks.push_back(possible_rank(r));
    group["ranks"].members(
        [&](std::string_view key, const JsonValue&) { ranks.push_back(leading_or<Rank>(key, -1)); });
    trace.world = std::max(trace.world, possible_rank(group["group_size"]));
    for (const Rank r : ranks) trace.world = std::max(trace.world, std::min(r, most_recorded_ranks - 1) + 1);
    if (ranks.empty()) continue;
    for (const char* key : {"pg_name", "backend_id"})
      if (const std::string name = group_of(group[key]); !name.empty()) trace.groups[name] = ranks;
  }
}

/// The rank of a file, by a call of all ranks.
Rank own_rank(const ExecutionTrace& trace) {
  for (const RecordedCall& c : trace.calls) {
    const auto collective = collective_of(c.name);
    if (!collective || definition(*collective).rooted || c.number < 0) continue;
    const auto group = trace.groups.find(c.group);
    if (group != trace.groups.end()) {
      const std::vector<Rank>& members = group->second;
      if (c.number < std::ssize(members)) return members[static_cast<std::size_t>(c.number)];
    } else if (const Rank own = c.member(c.number); own >= 0) {
      return own;
    } else if (c.member(0) < 0 && (c.ranks == 0 || c.ranks == trace.world)) {
      return c.number;
    }
  }
  return -1;
}

ExecutionTrace read_trace(const std::string& file) {
  ExecutionTrace trace;
  const JsonEnd end = read_elements(file, "nodes", [&](const JsonValue& node) {
    const std::string_view name = node["name"].text();
    if (name.find("process_group:init") != std::string_view::npos) read_groups(node, trace);
    RecordedCall call;
    if (name != "record_param_comms" || !read_call(node, call)) return;
    trace.world = std::max(trace.world, call.ranks);
    trace.world = std::max(trace.world, call.member(call.ranks - 1) + 1);
    // Nobody sends to itself.
    if (call.message() && call.number >= 0 && call.ranks == 0)
      trace.named = std::max({trace.named, call.number + 1, 2});
    trace.calls.push_back(std::move(call));
  });
  if (!end.closed) throw InputError(file + ": the JSON is cut short in its middle");
  trace.damaged = end.damaged;
  std::ranges::stable_sort(trace.calls, {}, &RecordedCall::id);
  trace.rank = own_rank(trace);
  return trace;
}

/// Numbers the ranks of the files: as their calls say, if all differ; else by the numbers in their names, or
/// their order.
void number_ranks(std::vector<ExecutionTrace>& traces, const std::vector<std::string>& files, Rank world) {
  std::set<Rank> said;
  for (const ExecutionTrace& t : traces) said.insert(t.rank);
  const bool known = said.size() == traces.size() && *said.begin() >= 0 && *said.rbegin() < world;
  std::map<Rank, std::string> claimed;
  for (std::size_t i = 0; i < traces.size() && !known; ++i) {
    const int number = traces.size() > 1 ? number_in_name(files[i]) : rank_in_name(files[i]);
    traces[i].rank = number >= 0 && number < world ? number : static_cast<Rank>(i);
    if (!claimed.emplace(traces[i].rank, files[i]).second)
      throw InputError("two files claim rank " + std::to_string(traces[i].rank) + ", " + files[i] +
                       " the second");
  }
}

/// Plays one rank's calls in order; messages up to `coalesced` begin together.
class TraceCalls {
 public:
  TraceCalls(RecordedSource& source, const ExecutionTrace& trace)
      : source_(source), trace_(trace), stream_(source.at(trace.rank)), group_(stream_) {}

  void build() {
    const std::vector<RecordedCall>& calls = trace_.calls;
    for (std::size_t i = 0; i < calls.size(); ++i) {
      if (calls[i].name == "coalesced") {
        group_.finish();
      } else if (calls[i].message() && coalesced(i)) {
        group_.add(activity(calls[i]));
      } else {
        stream_.push_back(activity(calls[i]));
      }
    }
    group_.finish();
  }

 private:
  bool coalesced(std::size_t i) const {
    while (i < trace_.calls.size() && trace_.calls[i].message()) ++i;
    return i < trace_.calls.size() && trace_.calls[i].name == "coalesced";
  }

  Activity activity(const RecordedCall& c) {
    const int communicator = members(c);
    const auto ranks =
        static_cast<Rank>(source_.communicators()[static_cast<std::size_t>(communicator)].size());
    const auto collective = collective_of(c.name);
    Activity a;
    if (collective) {
      a = collective_activity(*collective, communicator, message_of(*collective, c.input, c.output, ranks));
      a.sized = *collective == Collective::barrier || c.input + c.output > Bytes();
      if (definition(*collective).rooted && c.number >= 0 && c.number < ranks) a.root = c.number;
      if (a.sized) set_parts(a, c.sent, c.received, c.input, c.output, ranks);
    } else if (c.message() && c.number >= 0 && c.number < ranks) {
      const bool sends = c.name == "send";
      a = message_activity(sends, communicator, c.number, sends ? c.input : std::max(c.input, c.output));
    } else {
      a.kind = Activity::Kind::skipped;
      a.operation = a.call = source_.keep(c.name);
      a.note = !c.message()   ? "is no collective that is known"
               : c.number < 0 ? "its peer is not said"
                              : "its peer is not in the communicator";
    }
    return a;
  }

  /// The communicator of a call's group, found once for all calls that describe the group alike.
  int members(const RecordedCall& c) {
    const auto [known, is_new] = communicators_.try_emplace({c.group, c.first, c.stride, c.ranks});
    if (is_new) known->second = communicator_of(c);
    unnamed += !known->second && c.ranks > 0 && c.ranks < source_.ranks();
    return known->second.value_or(0);
  }
  /// The communicator of a call's group; none: nothing says who is in it.
  std::optional<int> communicator_of(const RecordedCall& c) {
    const auto found = trace_.groups.find(c.group);
    const std::vector<Rank> ranks = found != trace_.groups.end()
                                        ? found->second
                                        : strided_group(c.first, c.stride, c.ranks, source_.ranks());
    if (ranks.empty()) return {};
    if (!possible_group(ranks, trace_.rank, source_.ranks()) || ranks == source_.communicators()[0]) return 0;
    return source_.communicator(c.group, ranks);
  }

  RecordedSource& source_;
  const ExecutionTrace& trace_;
  RecordedSource::Stream& stream_;
  MessageGroup group_;
  /// Communicators by the group's name, first rank, distance and size.
  std::map<std::tuple<std::string, Rank, Rank, Rank>, std::optional<int>> communicators_;

 public:
  std::int64_t unnamed = 0;  ///< calls of some ranks of the job, where nothing says which
};

}  // namespace

bool is_pytorch_et(std::string_view head) {
  const auto first = head.find_first_not_of(" \t\r\n");
  const auto has = [&](std::string_view words) { return head.find(words) != std::string_view::npos; };
  // Tools that sort the members put the schema behind the nodes, each of which has an rf_id.
  return first != std::string_view::npos && head[first] == '{' && has("\"nodes\"") &&
         (has("\"schema\"") || has("\"rf_id\""));
}

std::unique_ptr<Source> open_pytorch_et(const std::vector<std::string>& files, const OpenOptions&) {
  std::vector<ExecutionTrace> traces;
  Rank world = static_cast<Rank>(files.size()), named = 0;
  std::int64_t damaged = 0, unnamed = 0;
  for (const std::string& file : files) {
    traces.push_back(read_trace(file));
    world = std::max(world, traces.back().world);
    named = std::max(named, traces.back().named);
    damaged += traces.back().damaged;
  }
  const bool by_messages = named > world;
  world = std::max(world, named);
  number_ranks(traces, files, world);
  auto source = std::make_unique<RecordedSource>(world);
  SourceInfo& info = source->info();
  if (by_messages)
    info.notes.push_back("no call says how many ranks there are: as many as messages name, " +
                         std::to_string(world));
  info.unknown = {"times and computation (a replay has communication alone)", "reduction operators, streams"};
  for (const ExecutionTrace& trace : traces) {
    TraceCalls calls(*source, trace);
    calls.build();
    unnamed += calls.unnamed;
    info.recorded_ranks.push_back(trace.rank);
  }
  info.lose("node", damaged, "damaged");
  if (unnamed)
    info.notes.push_back(std::to_string(unnamed) +
                         " calls are of groups whose members nothing says: all ranks are taken to take part");
  std::ranges::sort(info.recorded_ranks);
  compare_parts(*source);
  agree_on_roots(*source);
  compare_ranks(*source);
  return source;
}

}  // namespace collcast
