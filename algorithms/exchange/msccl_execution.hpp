// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "algorithms/exchange/msccl_buffers.hpp"
#include "model/contributions.hpp"
#include "model/proof.hpp"

namespace collcast::msccl {

using ValueId = std::int32_t;
inline constexpr ValueId nothing = -1;

/// What a chunk of memory holds at some time. Values never change; a reduction makes a new one.
struct Value {
  Rank rank;
  Block block;                              ///< the block that its data belongs to
  ContributionSets::Set set;                ///< whose contributions are in it
  ValueId left = nothing, right = nothing;  ///< the sum of these, or
  std::int32_t message = -1;  ///< what came as this chunk of this message; otherwise there from the start
  std::int32_t chunk = 0;
};

struct Message {
  Rank from, to;
  std::vector<ValueId> values;
  Position remote;  ///< where its sender says that it goes
  int line;
};

/// In the order of execution: a value comes to be, or a message is sent.
struct Event {
  bool sent;
  std::int32_t index;
};

/// What happened when a program was executed on symbols.
struct Execution {
  Rank ranks;
  Block blocks;
  std::vector<Value> values;
  std::vector<Message> messages;
  std::vector<Event> events;
  std::vector<ValueId> results;                      ///< what the definition asks for
  std::vector<std::vector<std::int32_t>> sequences;  ///< messages of each thread block, in order, ...
  std::vector<std::vector<bool>> received;           ///< ... and whether it receives them
  std::optional<Counterexample> wrong;
};

/// Runs each thread block in order; messages of a sender, receiver and channel match in order and are
/// buffered. Where thread blocks share a receiver's connection, each takes the next message that its sender
/// addresses to the position it works on. Throws InputError on deadlock, dependency cycle and access to what
/// is not there.
Execution execute(const Program& program);

}  // namespace collcast::msccl
