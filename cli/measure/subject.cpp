// SPDX-License-Identifier: Apache-2.0
#include "cli/measure/subject.hpp"

#include <array>
#include <cmath>

#include "execution/check/reference.hpp"
#include "execution/check/verify.hpp"
#include "execution/mpi/check.hpp"
#include "execution/mpi/collective_errors.hpp"
#include "support/error.hpp"
#include "support/json.hpp"

namespace collcast::mpi {
namespace {

std::shared_ptr<Communicator> job_of(const Point& point, const std::shared_ptr<Communicator>& world) {
  if (point.jobs == 1) return world;
  MPI_Comm part;
  check(MPI_Comm_split(world->handle(), world->rank() % point.jobs, 0, &part), "MPI_Comm_split");
  auto job = std::make_shared<Communicator>(part);
  check(MPI_Comm_free(&part), "MPI_Comm_free");
  return job;
}

/// Any algorithm of the collective that serves the call; it tells how buffers are divided among the ranks.
const Algorithm& stand_in(const Point& point) {
  for (const Algorithm* a : algorithms(point.collective))
    if (a->supports(point.call.ranks)) return *a;
  throw InputError("no algorithm of the catalogue serves " + describe(point));
}

}  // namespace

Subject::Subject(const Point& point, std::shared_ptr<Communicator> world)
    : point_(point), world_(std::move(world)), job_(job_of(point, world_)) {
  const bool words = std::llround(point.call.message.value) % 4 == 0;
  const MPI_Datatype type = words ? MPI_FLOAT : MPI_UINT8_T;
  const std::size_t size = words ? sizeof(float) : 1;
  const Algorithm& algorithm = point.algorithm ? *point.algorithm : stand_in(point);
  attempt_on_all(world_->handle(),
                 [&] { player_ = std::make_unique<Player>(algorithm, point.call, type, MPI_SUM, job_); });
  send_.resize(player_->sent() * size);
  recv_.resize(player_->received() * size);
  if (point.algorithm)
    play_ = [this] { player_->run(send_.data(), recv_.data()); };
  else
    play_ = [this, type] {
      reference(player_->part(), player_->elements(), player_->blocks(), send_.data(), recv_.data(), type,
                MPI_SUM, job_->handle());
    };
}

std::string Subject::verify() const {
  const auto wrong = mpi::verify(*point_.algorithm, point_.call, job_);
  return first_text(wrong ? wrong->words() : "", world_->handle());
}

Times Subject::measure(const Effort& effort, const SharedClock& clock) {
  return mpi::measure(play_, effort, *world_, clock);
}

Json summary(const Times& times) {
  const auto [low, high] = times.interval();
  return {{"time_s", times.median()},
          {"low_s", low},
          {"high_s", high},
          {"min_s", times.seconds.front()},
          {"max_s", times.seconds.back()},
          {"repetitions", times.seconds.size()},
          {"late_starts", times.late}};
}

std::vector<std::string> hosts(const Communicator& world) {
  constexpr int length = MPI_MAX_PROCESSOR_NAME;
  std::array<char, length> mine{};
  int used = 0;
  check(MPI_Get_processor_name(mine.data(), &used), "MPI_Get_processor_name");
  std::vector<char> all(static_cast<std::size_t>(length) * static_cast<std::size_t>(world.size()));
  check(MPI_Allgather(mine.data(), length, MPI_CHAR, all.data(), length, MPI_CHAR, world.handle()),
        "MPI_Allgather");
  std::vector<std::string> names;
  for (auto at = all.begin(); at != all.end(); at += length) names.emplace_back(&*at);
  return names;
}

}  // namespace collcast::mpi
