// SPDX-License-Identifier: Apache-2.0
#include "workloads/job/job.hpp"

#include <algorithm>

#include "support/error.hpp"

namespace collcast::workloads {
namespace {

template <class Of>
void require(const Job& job, const Role& role, const JobActivity& a, bool holds, Of what) {
  if (!holds)
    throw InputError("job " + job.name + ": '" + a.name + "' of " + role.name + " " + std::string(what));
}

bool within(int index, std::size_t size) {
  return index >= 0 && static_cast<std::size_t>(index) < size;
}

void check_activity(const Job& job, const Role& role, std::size_t index) {
  const JobActivity& a = role.activities[index];
  using Kind = JobActivity::Kind;
  require(job, role, a, within(a.stream, job.streams.size()), "names a stream that the job lacks");
  require(job, role, a, a.kind != Kind::collective || within(a.group, job.groups.size()),
          "names a group that the job lacks");
  const bool message = a.kind == Kind::send || a.kind == Kind::receive;
  require(job, role, a, !message || within(a.peer, job.roles.size()), "names a role that the job lacks");
  require(job, role, a, !message || &job.roles[static_cast<std::size_t>(a.peer)] != &role,
          "is a message to its own role");
  require(job, role, a, (a.kind != Kind::offer && a.kind != Kind::settle) || job.coordinator.has_value(),
          "needs a coordinator");
  require(job, role, a, (a.kind != Kind::push && a.kind != Kind::pull) || job.servers.has_value(),
          "needs parameter servers");
  for (const int before : a.after)
    require(job, role, a, within(before, index), "comes after what does not stand before it");
}

}  // namespace

Rank Job::ranks() const {
  Rank n = 1;
  for (const Dimension& d : dimensions) n *= d.size;
  return n;
}

std::string Job::collective_of(int group, Collective collective) const {
  return groups[static_cast<std::size_t>(group)].name + " " + std::string(definition(collective).name);
}

RankGroup Job::members(const std::vector<int>& of) const {
  RankGroup group;
  group.world = ranks();
  Rank stride = 1;
  for (std::size_t d = 0; d < dimensions.size(); ++d) {
    const bool taken = std::ranges::find(of, static_cast<int>(d)) != of.end();
    if (taken && dimensions[d].size > 1) {
      if (!group.dimensions.empty() &&
          group.dimensions.back().stride * group.dimensions.back().count == stride)
        group.dimensions.back().count *= dimensions[d].size;
      else
        group.dimensions.push_back({dimensions[d].size, stride});
    }
    stride *= dimensions[d].size;
  }
  return group;
}

void Job::check() const {
  if (role_dimension >= static_cast<int>(dimensions.size()))
    throw InputError("job " + name + ": roles differ along a dimension that it lacks");
  const std::size_t expected =
      role_dimension < 0
          ? 1
          : static_cast<std::size_t>(dimensions[static_cast<std::size_t>(role_dimension)].size);
  if (roles.size() != expected)
    throw InputError("job " + name + ": " + std::to_string(roles.size()) +
                     " roles, where its dimensions ask for " + std::to_string(expected));
  for (const Group& g : groups)
    for (const int d : g.dimensions)
      if (d < 0 || d >= static_cast<int>(dimensions.size()))
        throw InputError("job " + name + ": group '" + g.name + "' names a dimension that it lacks");
  for (const Role& role : roles)
    for (std::size_t i = 0; i < role.activities.size(); ++i) check_activity(*this, role, i);
}

}  // namespace collcast::workloads
