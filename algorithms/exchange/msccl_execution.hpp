// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "algorithms/exchange/msccl_buffers.hpp"
#include "model/contributions.hpp"
#include "model/proof.hpp"

namespace collcast::msccl {

using ValueId = std::int32_t;
inline constexpr ValueId nothing = -1;

/// The content of a chunk of memory at some time. Values never change; a reduction makes a new one.
struct Value {
  Rank rank;
  Block block;                              ///< the block to which its data belong
  ContributionSets::Set set;                ///< the contributions in it
  ValueId left = nothing, right = nothing;  ///< it is the sum of these, if set;
  std::int32_t message = -1;  ///< or chunk `chunk` of this message, if set; or else an initial value
  std::int32_t chunk = 0;
};

struct Message {
  Rank from, to;
  std::vector<ValueId> values;
  Position remote;  ///< its destination by the sender's file entry
  int line;
  int channel;
};

/// An event of an execution: a value is made, or a message is sent.
struct Event {
  bool sent;
  std::int32_t index;
};

/// The record of a program's execution on symbols.
struct Execution {
  Rank ranks;
  Block blocks;
  std::vector<Value> values;
  std::vector<Message> messages;
  std::vector<Event> events;
  std::vector<ValueId> results;                      ///< the final values that the definition asks for
  std::vector<std::vector<std::int32_t>> sequences;  ///< messages of each thread block, in order, ...
  std::vector<std::vector<bool>> received;           ///< ... and whether it receives them
  std::optional<Counterexample> wrong;
};

/// Runs each thread block in order. Messages of a sender, receiver and channel match in order and are
/// buffered. If thread blocks share a receiver's connection, each takes the next message that is addressed to
/// the position on which it works. Throws InputError at a deadlock, a dependency cycle, or an access to data
/// that is not there.
Execution execute(const Program& program);

}  // namespace collcast::msccl
