// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "execution/job/alarm.hpp"
#include "execution/job/operation.hpp"
#include "workloads/job/job.hpp"

namespace collcast::mpi {

/// Throws InputError if real ranks cannot play the job: an activity names no algorithm, a coordinator decides
/// what is reduced, roles differ in the collectives of a common group, computation slows down, or activities
/// deadlock.
void require_playable(const workloads::Job& job);

/// Plays one rank of a described job on MPI: collectives and messages with real data, computation as time
/// that passes while the others make progress. Streams run concurrently in the calling thread, which starts
/// activities that are ready and tests those in progress. If the team has workers, they play the collectives.
class JobPlayer {
 public:
  /// Collective over `world`. The team, made from it, has the job's ranks, and either no worker or one for
  /// each rank; otherwise throws InputError. A worker plays the role of its rank. All arguments outlive this;
  /// the job is playable.
  JobPlayer(const workloads::Job& job, const Communicator& world, const Team& team, const SharedClock& clock);
  JobPlayer(const JobPlayer&) = delete;
  JobPlayer& operator=(const JobPlayer&) = delete;

  /// Plays every activity once.
  void run();
  /// Plays once more with checks. Returns, on all ranks, what a collective or a message got wrong; empty:
  /// nothing.
  std::string wrong();
  /// Ranks call `dismiss` after all plays. Workers call `serve`, which returns once their rank has dismissed
  /// them.
  void dismiss();
  void serve();

  const workloads::Role& role() const { return *role_; }
  /// Begin and end of an activity of the role in the last run, in seconds.
  struct Interval {
    double start, end;
  };
  const std::vector<Interval>& intervals() const { return intervals_; }

 private:
  using JobActivity = workloads::JobActivity;
  struct Stream {
    std::vector<int> queue;  ///< activities, in order
    std::size_t next = 0;
    bool under_way = false;
    std::vector<std::byte> buffer;  ///< shared by its messages, of which one is in progress at a time
  };

  std::size_t coordinate(int dimension) const;
  void add(int index);
  Operation* computation(const JobActivity& a);
  std::unique_ptr<CollectivePlay> collective(const JobActivity& a);
  Operation* message(const JobActivity& a, Stream& stream);
  bool calls(int group) const;
  std::unique_ptr<Team> members(int group, const Communicator& world) const;
  void start_ready();
  bool stands_still(const Stream& stream) const;
  bool finish_one();
  void rest();
  void wake_at(double time);

  const workloads::Job& job_;
  const Team& team_;
  const SharedClock& clock_;
  bool workers_;
  Rank rank_;
  const workloads::Role* role_;
  int role_index_ = 0;
  std::vector<std::unique_ptr<Team>> groups_;  ///< by the job's group; null: no collective in it
  std::vector<std::unique_ptr<Operation>> owned_;
  using Spec = std::tuple<int, Collective, double, std::string, int, workloads::Progress>;
  static Spec spec(const JobActivity& a) {
    return {a.group, a.collective, a.bytes.value, a.algorithm, a.stream, a.progress};
  }
  std::map<Spec, std::unique_ptr<CollectivePlay>> collectives_;  ///< null: not played by the worker
  std::vector<Offloaded*> offloaded_;                            ///< the first one rings for all
  std::map<std::tuple<int, int, int>, std::uint32_t> numbers_;   ///< of messages, by sender, receiver, tag
  std::vector<Operation*> operations_;                           ///< by activity
  std::vector<Stream> streams_;
  std::vector<char> done_;
  std::vector<Interval> intervals_;
  std::size_t left_ = 0;
  double begin_ = 0;
  Inspection inspection_;
  Alarm alarm_;
  double alarm_at_ = 0;
};

}  // namespace collcast::mpi
