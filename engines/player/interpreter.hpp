// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engines/player/backend.hpp"
#include "engines/player/first_copy.hpp"
#include "engines/player/player.hpp"
#include "engines/player/pool.hpp"
#include "engines/player/table.hpp"

namespace collcast {

// Plays a program as a discrete-event simulation. It holds every rank's strands and every message; the
// backend has the clock and the network, and calls `on` with each event and `settle` once an instant is over.
//
// 1. strands.cpp: a strand posts the operations of its next batch together, and goes on when all blocking
//    ones are done. `drain` advances all strands that can go on.
//    meetings.cpp: operations of several ranks that have a time and no messages.
// 2. messages.cpp: a message's life: posted by its sender and its receiver, matched in order, its overhead
//    paid by the sender's processor, carried by the backend, received, reduced.
// 3. What happens at one instant is collected, and done in `settle` in the order of the program (Op::order),
//    so that no result depends on the order in which a backend reports simultaneous events.
//
// Each time carries the log entry of its cause (`why`), from which the chain of an explanation is read.

/// One run of `play`.
class Interpreter : public Listener {
 public:
  Interpreter(Program& program, const Fabric& fabric, Backend& backend, const PlayOptions& options);
  Result run();

  void on(Event event) override;
  void settle() override;

 private:
  /// A time and its cause.
  struct Moment {
    Seconds at = {};
    CauseLog::Entry why = 0;
  };
  struct StrandState {
    std::unique_ptr<Strand> code;
    Rank rank = 0;
    std::uint32_t pending = 0;  ///< blocking operations of its batch that are not done
    Waiter waiter;              ///< what waits for its end; nothing for a main strand
    bool main = false;
    bool inner = false;  ///< started within a strand that has a tag
    std::uint64_t tag = 0;
    Seconds started, batch_began;
    Moment busy_until;
    Index payer = no_index;  ///< the strand whose processor pays for its messages; none: it has its own
    Index next_to_join = no_index;
    CauseLog::Entry why = 0;  ///< the cause of the time at which it goes on
    std::int32_t track = 0;
    Bytes bytes = {};
    Seconds met = Seconds(-1);  ///< when all had come to its last meeting; -1: it had none
    std::int64_t step = -1;     ///< the step of a schedule that its batch is; -1: none
  };
  struct RankState {
    Seconds finish, compute;
    Moment processor_free, reduced;
    Moment busy_until;            ///< when the overheads of its main strand and its requests are paid
    std::vector<Index> meetings;  ///< meetings under way that load its links
  };
  /// A computation, a pause or a wait in progress.
  struct Task {
    Rank rank = 0;
    Waiter waiter;
    CauseLog::Entry why = 0;
    Op::Kind kind = Op::Kind::compute;
    std::int32_t track = 0;
    Seconds begin = {};
  };
  /// A message to which something happens in the order of the program.
  struct InTurn {
    std::uint64_t order;
    Index message;
  };
  /// The post of the other end, or a new post if the other end has not come.
  struct Match {
    Index post;
    bool met;
  };
  /// A meeting to which all strands have come, linked by `next_to_join`.
  struct Meeting {
    Index first = no_index;
    CauseLog::Entry why = 0;
    Rank explained_by = 0;
    double load = 0;
    bool between_nodes = false;
    Seconds begin, since;  ///< since: when its pace last changed
    Seconds left;          ///< how much of its time was left at `since`
    double slower = 1;     ///< its pace: how many times as long as alone it takes
    std::uint64_t turn = 0;
  };
  /// The event at which a meeting is over, unless its pace has changed by then.
  struct Due {
    Index meeting = no_index;
    std::uint64_t turn = 0;
  };
  /// A multicast in progress.
  struct Group {
    Rank rank = 0;
    Waiter sender;
    Rank unsent = 0;     ///< copies that still hold up the sender
    Rank under_way = 0;  ///< copies not yet delivered
    std::uint64_t tag = 0;
    std::vector<Port> ports = {};  ///< ports by which copies have left
    ForFirstCopy through = {};     ///< by queue: when the sender was through with earlier messages
  };

  // strands.cpp
  void start_strand(std::unique_ptr<Strand> code, Rank rank, const Op* op, Waiter waiter, std::int32_t track,
                    bool inner = false);
  void drain();
  void advance(Index strand);
  void end(Index strand);
  void post(Index strand, const Op& op);
  void compute(Index strand, const Op& op);
  void pause(Index strand, const Op& op);
  void wait(Index strand, const Op& op);
  void join(Index strand, const Op& op);
  Index assemble(Index strand, Table::Key key, std::int32_t count);
  Waiter hold(Index strand, const Op& op);
  void complete(Rank rank, Waiter waiter);
  void release(Index strand);
  void begin_request(Rank rank, std::int32_t request);
  void end_request(Rank rank, std::int32_t request);
  void finished(Rank rank);
  Moment after(const Moment& busy) const;
  void computed(const Task& task);
  void tell_step(const StrandState& strand) const;
  void report(Rank rank, Waiter waiter, Op::Kind kind, std::uint64_t tag, Rank peer = -1, Bytes bytes = {});

  // meetings.cpp
  void meet(Index strand, const Op& op);
  void met(Index due);
  void pace(Index meeting);
  void end_meeting(Index meeting);
  double load_of(Rank rank, bool between_nodes) const;
  std::vector<Rank> ranks_of(const Meeting& meeting) const;
  std::vector<Index> meetings_of(const std::vector<Rank>& ranks) const;

  // messages.cpp
  void post_send(Index strand, const Op& op);
  void post_copy(Index strand, const Op& op);
  void post_multicast(Index strand, const Op& op);
  void post_receive(Index strand, const Op& op);
  Wire cross(const Op& op, Place from, Place to, Bytes& carried) const;
  Index outgoing(Rank rank, Rank peer, const Op& op);
  Moment pay(const Message& message, Rank rank, Waiter waiter, Seconds overhead, Seconds moving = {});
  void pay_for(Waiter sender, Message& message);
  CauseLog::Entry carried(Index id, bool there);
  Moment& busy_until(Rank rank, Waiter waiter);
  void emit(Index id);
  void depart(Index id);
  void enter(Index id);
  Seconds turn(const Message& message);
  void sent(Index id);
  void arrived(Index id);
  void delivered(Index id);
  void received(Index id);
  void tell_delivery(Index id);
  Match match(Table::Key key, bool send);
  void take();
  void flush();
  void check_peer(Rank rank, Rank peer) const {
    if (peer < 0 || peer >= size_) no_such_peer(rank, peer);
  }
  [[noreturn]] void no_such_peer(Rank rank, Rank peer) const;

  // interpreter.cpp
  /// What ranks wait for in vain; empty if all are done.
  std::string stuck() const;
  std::vector<std::pair<Rank, std::string>> blocked() const;
  Result result() const;
  void poll();
  void tidy_log();

  static Table::Key match_key(Rank from, Rank to, std::uint64_t tag) {
    return {std::uint64_t{static_cast<std::uint32_t>(from)} << 32 | static_cast<std::uint32_t>(to), tag};
  }
  static Table::Key rank_key(Rank rank, std::uint64_t number) {
    return {static_cast<std::uint32_t>(rank), number};
  }
  RankState& rank_state(Rank rank) { return ranks_[static_cast<std::size_t>(rank)]; }

  Program& program_;
  const Fabric& fabric_;
  Backend& backend_;
  const PlayOptions& options_;
  const Rank size_;
  const MessageProtocol protocol_;

  std::vector<RankState> ranks_;
  Pool<StrandState> strands_;
  Pool<Message> messages_;
  Pool<Post> posts_;
  Pool<Task> tasks_;
  Pool<Group> groups_;
  Pool<Meeting> meetings_;
  Pool<Due> dues_;
  std::uint64_t turns_ = 0;  ///< numbers of dues, which tell them apart
  Table unmatched_;          ///< by sender, receiver and tag: the first and the last unmatched post
  Table requests_;  ///< by rank and request: how many operations are not done, and the strand that waits
  Table joins_;     ///< by rank (-1: any) and tag: how many strands have come, and the last of them

  std::vector<Index> runnable_, advancing_;  ///< strands that can go on, and those that do
  std::vector<Seconds> through_;             ///< by queue: when software is through with its messages so far
  std::vector<InTurn> entering_;             ///< messages whose overheads were paid at this instant
  std::vector<InTurn> admitted_;             ///< messages that reached their ports at this instant
  std::vector<InTurn> taking_;               ///< messages that arrived at this instant
  Batch batch_;
  std::int64_t sent_messages_ = 0, batches_ = 0;
  Bytes sent_bytes_;
  CauseLog log_;
  CauseLog::Entry why_ = 0;  ///< the cause of the event being handled
  Moment last_;              ///< when the last rank was done
};

}  // namespace collcast
