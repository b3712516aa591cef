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

/// Throws InputError where the job is none for real ranks: an activity names no algorithm, a coordinator
/// decides what is reduced, roles differ in the collectives of a group that they have in common, computation
/// slows down, or activities wait for each other.
void require_playable(const workloads::Job& job);

/// One rank of a described job on MPI: collectives and messages with real data, computation as time that
/// passes while the others are brought on. Streams run side by side in the calling thread, which starts what
/// is ready and tests what is under way. Where the team has workers, those play the collectives.
class JobPlayer {
 public:
  /// Collective over `world`; the team, made of it, has the job's ranks, and no worker or one for each of
  /// them (InputError). A worker's is that of its rank. The job, playable, and the others outlive this.
  JobPlayer(const workloads::Job& job, const Communicator& world, const Team& team, const SharedClock& clock);
  JobPlayer(const JobPlayer&) = delete;
  JobPlayer& operator=(const JobPlayer&) = delete;

  /// Every activity once.
  void run();
  /// Plays once more, and says on all ranks what a collective or a message got wrong; empty: nothing.
  std::string wrong();
  /// On ranks, behind all plays; on workers, which return when their rank has dismissed them.
  void dismiss();
  void serve();

  const workloads::Role& role() const { return *role_; }
  /// Of every activity of the role, in seconds of the last run.
  struct Interval {
    double start, end;
  };
  const std::vector<Interval>& intervals() const { return intervals_; }

 private:
  using Activity = workloads::Activity;
  struct Stream {
    std::vector<int> queue;  ///< activities, in order
    std::size_t next = 0;
    bool under_way = false;
    std::vector<std::byte> buffer;  ///< of its messages, which follow each other
  };

  std::size_t coordinate(int dimension) const;
  void add(int index);
  Operation* computation(const Activity& a);
  std::unique_ptr<CollectivePlay> collective(const Activity& a);
  Operation* message(const Activity& a, Stream& stream);
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
  std::vector<std::unique_ptr<Team>> groups_;  ///< by the job's; null: the job calls nothing there
  std::vector<std::unique_ptr<Operation>> owned_;
  using Spec = std::tuple<int, Collective, double, std::string, int, workloads::Progress>;
  static Spec spec(const Activity& a) {
    return {a.group, a.collective, a.bytes.value, a.algorithm, a.stream, a.progress};
  }
  std::map<Spec, std::unique_ptr<CollectivePlay>> collectives_;  ///< by group first; null: not the worker's
  std::vector<Offloaded*> offloaded_;                            ///< the first rings for all
  std::map<std::tuple<int, int, int>, std::uint32_t> numbers_;   ///< of messages, by sender, receiver, tag
  std::vector<Operation*> operations_;                           ///< of each activity
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
