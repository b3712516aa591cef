// SPDX-License-Identifier: Apache-2.0
#include "workloads/job/read.hpp"

#include <algorithm>
#include <initializer_list>
#include <map>

#include "algorithms/catalogue.hpp"
#include "support/error.hpp"
#include "support/file_kind.hpp"
#include "support/json.hpp"
#include "support/text.hpp"

namespace collcast::workloads {
namespace {

using Kind = JobActivity::Kind;
constexpr std::size_t most_activities = 4'000'000;

/// An object of the file and its JSON path.
struct Node {
  const Json& json;
  std::string file, path;

  [[noreturn]] void reject(const std::string& what) const {
    throw InputError(file + ": " + (path.empty() ? "the job" : path) + " " + what);
  }
  Node operator[](const std::string& key) const {
    if (!json.contains(key)) reject("needs '" + key + "'");
    return {json[key], file, path.empty() ? key : path + "." + key};
  }
  Node operator[](std::size_t index) const { return {json[index], file, path + "." + std::to_string(index)}; }
  bool has(const std::string& key) const { return json.contains(key); }

  void keys(std::initializer_list<std::string_view> known) const {
    if (!json.is_object()) reject("must be an object");
    for (const auto& [key, value] : json.items())
      if (std::ranges::find(known, key) == known.end())
        reject("has no '" + key + "'; it takes " + text::join(known));
  }
  const Json& list() const {
    if (!json.is_array()) reject("must be a list");
    return json;
  }
  std::string text() const {
    if (!json.is_string()) reject("must be text");
    return json.get<std::string>();
  }
  /// A number from 0 to `most`.
  double real(double most) const {
    if (!json.is_number() || !(json.get<double>() >= 0 && json.get<double>() <= most))
      reject("must be a number from 0 to " + text::number(most));
    return json.get<double>();
  }
  int count(int least) const {
    constexpr int most = 1 << 30;
    if (!json.is_number_integer() || json.get<std::int64_t>() < least || json.get<std::int64_t>() > most)
      reject("must be a whole number from " + std::to_string(least) + " to " + std::to_string(most));
    return json.get<int>();
  }
};

template <class List>
int index_of(const Node& node, const List& list, const std::string& what) {
  const std::string name = node.text();
  for (std::size_t i = 0; i < list.size(); ++i)
    if (list[i].name == name) return static_cast<int>(i);
  node.reject("names the " + what + " '" + name + "'; there are " +
              text::join(list, ", ", [](const auto& one) { return one.name; }));
}

void read_dimensions(const Node& node, Rank ranks, Job& job) {
  if (!node.json.is_object() || node.json.empty()) node.reject("must name a dimension and its size");
  std::int64_t product = 1;
  int open = -1;
  for (const auto& [name, size] : node.json.items()) {
    const Node at = node[name];
    const bool any = size.is_string() && size.get<std::string>() == "*";
    if (any && open >= 0) at.reject("is a second '*'");
    if (any) open = static_cast<int>(job.dimensions.size());
    const int n = any ? 1 : at.count(1);
    product *= n;
    if (product > (1 << 30)) node.reject("multiply to more ranks than there can be");
    job.dimensions.push_back({name, n});
  }
  if (open >= 0 && ranks == 0) node.reject("leave '*' open: say how many ranks");
  if (ranks == 0) return;
  if (open >= 0 ? ranks % product != 0 : ranks != product)
    node.reject("multiply to " + std::to_string(product) + (open >= 0 ? " and '*'" : "") + ", not to " +
                std::to_string(ranks) + " ranks");
  if (open >= 0) job.dimensions[static_cast<std::size_t>(open)].size = static_cast<Rank>(ranks / product);
}

void read_groups(const Node& root, Job& job) {
  std::vector<int> all;
  for (std::size_t d = 0; d < job.dimensions.size(); ++d) {
    job.groups.push_back({job.dimensions[d].name, {static_cast<int>(d)}});
    all.push_back(static_cast<int>(d));
  }
  job.groups.push_back({"all", all});
  if (!root.has("groups")) return;
  const Node groups = root["groups"];
  if (!groups.json.is_object()) groups.reject("must be an object");
  for (const auto& [name, unused] : groups.json.items()) {
    const Node group = groups[name];
    if (std::ranges::find(job.groups, name, &Job::Group::name) != job.groups.end())
      group.reject("takes a name that is taken: every dimension is a group, and 'all' is that of all ranks");
    Job::Group g{name, {}};
    for (std::size_t i = 0; i < group.list().size(); ++i)
      g.dimensions.push_back(index_of(group[i], job.dimensions, "dimension"));
    job.groups.push_back(std::move(g));
  }
}

/// The activities of one role, in the order of the file.
class RoleReader {
 public:
  RoleReader(Job& job, Role& role, const std::vector<std::string>& roles)
      : job_(job), role_(role), roles_(roles) {}

  void read(const Node& list, int depth = 0) {
    if (depth > 8) list.reject("is nested more than 8 times");
    for (std::size_t i = 0; i < list.list().size(); ++i) {
      const Node one = list[i];
      if (!one.json.is_object()) one.reject("must be an object");
      if (!one.has("repeat")) {
        role_.activities.push_back(activity(one));
        last_[role_.activities.back().name] = static_cast<int>(role_.activities.size()) - 1;
        if (role_.activities.size() > most_activities) one.reject("makes more activities than four million");
        continue;
      }
      one.keys({"repeat", "do"});
      const int times = one["repeat"].count(0);
      for (int t = 0; t < times; ++t) {
        const std::size_t before = role_.activities.size();
        read(one["do"], depth + 1);
        if (role_.activities.size() == before) break;  // an empty body stays empty
      }
    }
  }

 private:
  JobActivity activity(const Node& node) {
    const std::string what = node["do"].text();
    JobActivity a;
    a.name = node.has("name") ? node["name"].text() : what;
    if (what == "compute") {
      node.keys({"do", "name", "stream", "after", "time_s"});
      a.time = Seconds(node["time_s"].real(1e9));
    } else if (what == "send" || what == "receive") {
      const char* other = what == "send" ? "to" : "from";
      node.keys({"do", "name", "stream", "after", "bytes", "tag", other});
      a.kind = what == "send" ? Kind::send : Kind::receive;
      a.peer = role(node[other]);
      if (node.has("tag")) a.tag = node["tag"].count(0);
    } else {
      node.keys({"do", "name", "stream", "after", "bytes", "group", "algorithm", "progress", "offload"});
      a.kind = Kind::collective;
      a.collective = collective(node["do"]);
      a.group = node.has("group") ? index_of(node["group"], job_.groups, "group") : all();
      if (node.has("algorithm")) a.algorithm = algorithm_of(node["algorithm"], a);
      a.progress = progress(node);
    }
    const bool is_barrier = a.kind == Kind::collective && a.collective == Collective::barrier;
    if (a.kind != Kind::compute) a.stream = job_.streams.size() > 1 ? 1 : 0;
    if (a.kind != Kind::compute && (!is_barrier || node.has("bytes")))
      a.bytes = Bytes(node["bytes"].real(1e18));
    if (is_barrier && a.bytes > Bytes()) node["bytes"].reject("must be 0: a barrier carries nothing");
    if (node.has("stream")) a.stream = stream(node["stream"]);
    if (node.has("after"))
      for (std::size_t i = 0; i < node["after"].list().size(); ++i)
        a.after.push_back(before(node["after"][i]));
    return a;
  }

  static Collective collective(const Node& node) {
    try {
      return definition(node.text()).collective;
    } catch (const InputError& e) {
      node.reject(std::string("is no activity (compute, send, receive, repeat): ") + e.what());
    }
  }
  /// The algorithm, which has to be one of the catalogue that the group's ranks can play.
  std::string algorithm_of(const Node& node, const JobActivity& a) const {
    try {
      const Call call{.ranks =
                          job_.members(job_.groups[static_cast<std::size_t>(a.group)].dimensions).size()};
      collcast::check(algorithm(a.collective, node.text()), call);
      return node.text();
    } catch (const InputError& e) {
      if (!node.json.is_string()) throw;
      node.reject(std::string("cannot be: ") + e.what());
    }
  }
  static Progress progress(const Node& node) {
    if (!node.has("offload")) {
      if (!node.has("progress")) return Progress::always;
      const std::string who = node["progress"].text();
      if (who != "always" && who != "host")
        node["progress"].reject("takes always or host, not '" + who + "'");
      return who == "host" ? Progress::host : Progress::always;
    }
    if (const std::string to = node["offload"].text(); to != "dpu")
      node["offload"].reject("takes dpu, not '" + to + "'");
    if (node.has("progress")) node.reject("is brought on by a DPU or by 'progress', not by both");
    return Progress::dpu;
  }
  int all() const { return static_cast<int>(job_.dimensions.size()); }
  int role(const Node& node) const {
    const auto at = std::ranges::find(roles_, node.text());
    if (at == roles_.end()) node.reject("names the role '" + node.text() + "', which there is not");
    return static_cast<int>(at - roles_.begin());
  }
  int stream(const Node& node) const {
    const auto at = std::ranges::find(job_.streams, node.text());
    if (at == job_.streams.end())
      node.reject("names the stream '" + node.text() + "', which 'streams' does not");
    return static_cast<int>(at - job_.streams.begin());
  }
  /// The index of the last activity so far that the node names.
  int before(const Node& node) const {
    const auto at = last_.find(node.text());
    if (at == last_.end()) node.reject("names '" + node.text() + "', which does not stand before it");
    return at->second;
  }

  Job& job_;
  Role& role_;
  const std::vector<std::string>& roles_;
  std::map<std::string, int> last_;
};

void add_name(std::vector<std::string>& names, const std::string& name, const Node& at, const char* what) {
  if (std::ranges::find(names, name) != names.end())
    at.reject("names the " + std::string(what) + " '" + name + "' a second time");
  names.push_back(name);
}

void read_roles(const Node& list, Job& job) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < list.list().size(); ++i) {
    const Node role = list[i];
    role.keys({"name", "do"});
    add_name(names, role.has("name") ? role["name"].text() : std::to_string(i), role, "role");
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    job.roles.push_back({names[i], {}});
    RoleReader(job, job.roles.back(), names).read(list[i]["do"]);
  }
}

}  // namespace

Job parse_job(const std::string& text, const std::string& file, Rank ranks) {
  const Json json = parse_json(text, file);
  if (!json.contains("roles")) refuse_other_kinds(file, text, "the description of a job, which has roles");
  const Node root{json, file, ""};
  root.keys({"name", "dimensions", "groups", "streams", "slowdown", "roles_along", "roles"});
  Job job;
  job.name = root.has("name") ? root["name"].text() : file;
  read_dimensions(root["dimensions"], ranks, job);
  read_groups(root, job);
  if (root.has("slowdown")) job.slowdown = root["slowdown"].real(1000);
  if (root.has("streams")) {
    job.streams.clear();
    for (std::size_t i = 0; i < root["streams"].list().size(); ++i)
      add_name(job.streams, root["streams"][i].text(), root["streams"][i], "stream");
    if (job.streams.empty()) root["streams"].reject("must name one");
  }
  if (root.has("roles_along"))
    job.role_dimension = index_of(root["roles_along"], job.dimensions, "dimension");
  read_roles(root["roles"], job);
  job.check();
  return job;
}

}  // namespace collcast::workloads
