// SPDX-License-Identifier: Apache-2.0
#include "replay/recorder/handles.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace collcast::recorder {

std::vector<int> world_ranks(MPI_Comm comm) {
  MPI_Group group, world;
  PMPI_Comm_group(comm, &group);
  PMPI_Comm_group(MPI_COMM_WORLD, &world);
  int size = 0;
  PMPI_Group_size(group, &size);
  std::vector<int> ranks(static_cast<std::size_t>(size)), in_world(ranks.size());
  std::iota(ranks.begin(), ranks.end(), 0);
  PMPI_Group_translate_ranks(group, size, ranks.data(), world, in_world.data());
  PMPI_Group_free(&group);
  PMPI_Group_free(&world);
  return in_world;
}

std::vector<int> Communicators::add(MPI_Comm comm) {
  last_ = MPI_COMM_NULL;
  int between_groups = 0;
  PMPI_Comm_test_inter(comm, &between_groups);
  std::vector<int> members;
  if (!between_groups) members = world_ranks(comm);
  const bool playable = !members.empty() && !std::ranges::count(members, MPI_UNDEFINED);
  if (!playable) members.clear();
  ids_[comm] = playable ? next_++ : trace::none;
  return members;
}

trace::CommId Communicators::add_like(MPI_Comm comm) {
  last_ = MPI_COMM_NULL;
  return ids_[comm] = next_++;
}

void Communicators::remove(MPI_Comm comm) {
  last_ = MPI_COMM_NULL;
  ids_.erase(comm);
}

std::optional<trace::CommId> Communicators::find(MPI_Comm comm) {
  if (comm == last_) return last_id_;
  const auto found = ids_.find(comm);
  if (found == ids_.end()) return std::nullopt;
  last_ = comm, last_id_ = found->second;
  return last_id_;
}

std::int64_t MessageNumbers::next(const Channel& channel) {
  constexpr std::size_t most = 1u << 20;  // limits memory: an application may never use a tag twice
  const auto found = counts_.find(channel);
  if (found != counts_.end()) return ++found->second;
  if (counts_.size() == most) return trace::none;
  return counts_[channel] = 0;
}

void Requests::begin(MPI_Request handle, trace::Event& event, bool persistent, bool outside) {
  event.request = next_++;
  const bool wildcard = event.source == trace::any || event.recv_tag == trace::any;
  active_.emplace(handle, Pending{event.request, event.comm, wildcard, persistent,
                                  outside ? std::make_shared<trace::Event>(event) : nullptr});
}

std::vector<std::shared_ptr<trace::Event>> Requests::take_in() {
  std::vector<std::shared_ptr<trace::Event>> all;
  for (auto& [handle, pending] : active_) {
    if (!pending.outside) continue;
    const trace::OpClass kind = class_of(pending.outside->op);
    if (kind == trace::OpClass::send || kind == trace::OpClass::receive)
      all.push_back(std::exchange(pending.outside, nullptr));
  }
  std::ranges::sort(all, {}, [](const auto& event) { return event->request; });
  return all;
}

const Pending* Requests::find(MPI_Request handle) const {
  const auto found = active_.find(handle);
  return found == active_.end() ? nullptr : &found->second;
}

void Requests::end(MPI_Request handle) {
  const auto found = active_.find(handle);
  if (found != active_.end()) active_.erase(found);
}

const trace::Event* Requests::start_of(MPI_Request handle) const {
  const auto found = starts_.find(handle);
  return found == starts_.end() ? nullptr : &found->second;
}

void Requests::release(MPI_Request handle) {
  end(handle);
  starts_.erase(handle);
}

std::int64_t size_of(MPI_Datatype type) {
  MPI_Count size = 0;
  if (type != MPI_DATATYPE_NULL) PMPI_Type_size_x(type, &size);
  return size;
}

trace::Reduction reduction_of(MPI_Op op) {
  using trace::Reduction;
  const std::pair<MPI_Op, Reduction> known[] = {
      {MPI_SUM, Reduction::sum},         {MPI_MAX, Reduction::max},       {MPI_MIN, Reduction::min},
      {MPI_PROD, Reduction::prod},       {MPI_LAND, Reduction::land},     {MPI_BAND, Reduction::band},
      {MPI_LOR, Reduction::lor},         {MPI_BOR, Reduction::bor},       {MPI_LXOR, Reduction::lxor},
      {MPI_BXOR, Reduction::bxor},       {MPI_MAXLOC, Reduction::maxloc}, {MPI_MINLOC, Reduction::minloc},
      {MPI_REPLACE, Reduction::replace}, {MPI_NO_OP, Reduction::no_op}};
  for (const auto& [handle, reduction] : known)
    if (handle == op) return reduction;
  return Reduction::user;
}

}  // namespace collcast::recorder
