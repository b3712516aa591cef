// SPDX-License-Identifier: Apache-2.0
#include "workloads/job/write.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "support/error.hpp"
#include "support/index.hpp"
#include "support/json.hpp"

namespace collcast::workloads {
namespace {

using Kind = JobActivity::Kind;

/// A name that is not among `taken`, numbered if need be.
std::string unique_name(const std::string& name, const std::set<std::string>& taken) {
  std::string unique = name;
  for (int i = 2; taken.contains(unique); ++i) unique = name + " (" + std::to_string(i) + ")";
  return unique;
}

/// The names of groups. Each dimension is a group without being named, and so are all dimensions together.
std::vector<std::string> group_names(const Job& job, Json& named) {
  std::map<std::vector<int>, std::string> known;
  std::set<std::string> taken;
  std::vector<int> all;
  for (std::size_t d = 0; d < job.dimensions.size(); ++d) {
    all.push_back(static_cast<int>(d));
    known[{static_cast<int>(d)}] = job.dimensions[d].name;
    taken.insert(job.dimensions[d].name);
  }
  known.emplace(all, "all");
  taken.insert("all");
  std::vector<std::string> names;
  for (const Job::Group& g : job.groups) {
    std::vector<int> dimensions = g.dimensions;
    std::ranges::sort(dimensions);
    const auto [found, is_new] = known.try_emplace(dimensions, unique_name(g.name, taken));
    names.push_back(found->second);
    if (!is_new) continue;
    taken.insert(found->second);
    for (const int d : dimensions) named[found->second].push_back(job.dimensions[to_index(d)].name);
  }
  return names;
}

/// The names of a role's activities. `after` means the last activity of a name so far, so an activity gets a
/// number if it is referred to after another one of its name.
std::vector<std::string> activity_names(const Role& role) {
  std::vector<std::string> names;
  for (const JobActivity& a : role.activities) names.push_back(a.name);
  std::set<std::string> taken(names.begin(), names.end());
  std::map<std::string, int> last;
  std::set<int> hidden;
  for (std::size_t i = 0; i < role.activities.size(); ++i) {
    for (const int before : role.activities[i].after)
      if (last.at(names[to_index(before)]) != before) hidden.insert(before);
    last[names[i]] = static_cast<int>(i);
  }
  for (const int i : hidden) taken.insert(names[to_index(i)] = unique_name(names[to_index(i)], taken));
  return names;
}

class JobWriter {
 public:
  explicit JobWriter(const Job& job) : job_(job) { groups_ = group_names(job, named_); }

  std::string text() {
    Json head = {{"name", job_.name}, {"dimensions", Json::object()}};
    for (const Job::Dimension& d : job_.dimensions) head["dimensions"][d.name] = d.size;
    if (!named_.is_null()) head["groups"] = named_;
    head["streams"] = job_.streams;
    if (job_.slowdown > 0) head["slowdown"] = job_.slowdown;
    if (job_.role_dimension >= 0) head["roles_along"] = job_.dimensions[to_index(job_.role_dimension)].name;
    std::string all = "{\n";
    for (const auto& [key, value] : head.items()) all += "  " + dump(key) + ": " + dump(value) + ",\n";
    all += "  \"roles\": [\n";
    for (std::size_t r = 0; r < job_.roles.size(); ++r) all += (r > 0 ? ",\n" : "") + role(job_.roles[r]);
    return all + "\n  ]\n}\n";
  }

 private:
  std::string role(const Role& role) const {
    const std::vector<std::string> names = activity_names(role);
    std::string all = "    {\"name\": " + dump(role.name) + ", \"do\": [";
    for (std::size_t i = 0; i < role.activities.size(); ++i)
      all += (i > 0 ? ",\n      " : "\n      ") + dump(activity(role.activities[i], names, names[i]));
    return all + "]}";
  }

  Json activity(const JobActivity& a, const std::vector<std::string>& names, const std::string& name) const {
    const std::string what = verb(a);
    Json one = {{"do", what}};
    if (name != what) one["name"] = name;
    if (a.kind == Kind::compute)
      one["time_s"] = a.time.value;
    else
      add_communication(one, a);
    if (a.stream != (a.kind == Kind::compute || job_.streams.size() == 1 ? 0 : 1))
      one["stream"] = job_.streams[to_index(a.stream)];
    for (const int i : a.after) one["after"].push_back(names[to_index(i)]);
    return one;
  }

  static std::string verb(const JobActivity& a) {
    if (a.kind == Kind::compute) return "compute";
    if (a.kind == Kind::send) return "send";
    if (a.kind == Kind::receive) return "receive";
    return std::string(definition(a.collective).name);
  }

  void add_communication(Json& one, const JobActivity& a) const {
    one["bytes"] = a.bytes.value;
    if (a.kind == Kind::collective) {
      one["group"] = groups_[to_index(a.group)];
      if (!a.algorithm.empty()) one["algorithm"] = a.algorithm;
      if (a.progress == Progress::host) one["progress"] = "host";
      if (a.progress == Progress::dpu) one["offload"] = "dpu";
      return;
    }
    one[a.kind == Kind::send ? "to" : "from"] = job_.roles[to_index(a.peer)].name;
    if (a.tag != 0) one["tag"] = a.tag;
  }

  const Job& job_;
  Json named_;
  std::vector<std::string> groups_;
};

}  // namespace

std::string job_text(const Job& job) {
  if (job.coordinator)
    throw InputError("job " + job.name + ": gradients that a coordinator reduces have no JSON form");
  if (job.servers) throw InputError("job " + job.name + ": parameter servers have no JSON form");
  return JobWriter(job).text();
}

}  // namespace collcast::workloads
