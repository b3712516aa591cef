// SPDX-License-Identifier: Apache-2.0
#include "execution/cuda/player.hpp"

#include <algorithm>
#include <exception>

#include "execution/mpi/on_machine.hpp"
#include "support/error.hpp"

namespace collcast::cuda {
Player::Player(const Algorithm& algorithm, Call call, Element element, Operation op,
               std::shared_ptr<mpi::Communicator> communicator, Device& device, Transport transport)
    : communicator_(std::move(communicator)),
      part_{algorithm.collective, communicator_->rank(), communicator_->size(), call.root, mpi::InPlace::no},
      schedule_(algorithm.schedule(call = mpi::served(algorithm, std::move(call), communicator_->size()))),
      elements_(mpi::elements(algorithm.collective, call, schedule_, info(element).size)),
      element_(element),
      op_(op),
      width_(info(element).size),
      plan_(mpi::plan(schedule_, part_, elements_, {MPI_BYTE, static_cast<MPI_Aint>(width_), false})),
      finals_(device.queue()) {
  if (transport == Transport::copy && mpi::on_machine(communicator_->handle()).ranks < communicator_->size())
    throw InputError("transport copy reaches the GPUs of one node only; use mpi or nccl between nodes");
  if (transport == Transport::nccl) nccl_ = nccl_world(*communicator_, schedule_.channels);

  areas_.resize(mpi::Address::areas(schedule_.channels));
  for (std::size_t area = mpi::Address::own; area < areas_.size(); ++area) {
    const bool host = mpi::Address{static_cast<std::uint16_t>(area)}.in_host_memory();
    own_.emplace_back(device, host ? Memory::host : Memory::device, plan_.elements[area] * width_);
    areas_[area] = own_.back().data();
  }
  arrived_.resize(plan_.joins.size());
  int tag = communicator_->reserve_tags(2 * schedule_.channels);
  for (int c = 0; c < schedule_.channels; ++c, tag += 2) {
    Channel& channel = channels_.emplace_back();
    channel.plan = &plan_.channels[static_cast<std::size_t>(c)];
    channel.queue = device.queue();
    if (nccl_) channel.between_gpus = nccl_->exchange(c);
    channel.other = transport == Transport::copy ? copy_exchange(device, *communicator_, tag)
                                                 : mpi_exchange(device, *communicator_, tag, gpu_aware_mpi());
  }
}

Player::~Player() {
  if (!under_way_ || std::uncaught_exceptions() != 0) return;
  try {
    wait();
  } catch (const std::exception&) {
  }
}

void Player::start(const std::byte* send, std::byte* recv) {
  areas_[mpi::Address::send] = const_cast<std::byte*>(send);  // the plan only reads from it
  areas_[mpi::Address::recv] = recv;
  std::ranges::fill(arrived_, 0);
  for (Channel& c : channels_) c.step = 0, c.stage = Channel::Stage::joining, c.joined = false;
  under_way_ = true;
  ending_ = false;
  for (const mpi::Move& m : plan_.at_first) queue(m, *finals_);
  test();
}

bool Player::test() {
  if (!under_way_) return true;
  bool all = true;
  for (Channel& channel : channels_) {
    while (advance(channel)) {
    }
    all = all && channel.step == channel.plan->steps.size();
  }
  if (!finals_->idle() || !all) return false;
  if (!ending_) {
    for (const mpi::Move& m : plan_.at_last) queue(m, *finals_);
    ending_ = true;
    if (!finals_->idle()) return false;
  }
  under_way_ = false;
  return true;
}

void Player::wait() {
  while (!test()) {
  }
}

/// Lets the channel go on; returns whether it entered its next stage.
bool Player::advance(Channel& channel) {
  if (channel.step == channel.plan->steps.size()) return false;
  const mpi::PlanStep& step = channel.plan->steps[channel.step];
  using Stage = Channel::Stage;
  switch (channel.stage) {
    case Stage::joining:
      if (!may_pass(step, channel)) return false;
      queue(channel, step.before);
      channel.stage = Stage::preparing;
      return true;
    case Stage::preparing:
      if (!channel.queue->idle()) return false;
      exchange(step, channel);
      queue(channel, step.beside);
      channel.stage = Stage::exchanging;
      return true;
    case Stage::exchanging: {
      const bool carried = !channel.between_gpus || channel.between_gpus->done();
      if (!channel.other->done() || !carried || !channel.queue->idle()) return false;
      queue(channel, step.after);
      channel.stage = Stage::settling;
      return true;
    }
    case Stage::settling:
      if (!channel.queue->idle()) return false;
      ++channel.step;
      channel.joined = false;
      channel.stage = Stage::joining;
      return true;
  }
  return false;
}

bool Player::may_pass(const mpi::PlanStep& step, Channel& channel) {
  if (step.join < 0) return true;
  const auto join = static_cast<std::size_t>(step.join);
  if (!channel.joined) ++arrived_[join];
  channel.joined = true;
  return arrived_[join] == plan_.joins[join];
}

void Player::exchange(const mpi::PlanStep& step, Channel& channel) {
  for (Parcels* p : {&by_gpus_, &by_others_}) p->receives.clear(), p->sends.clear();
  auto add = [&](mpi::Range range, std::vector<Parcel> Parcels::*list) {
    for (std::uint32_t i = range.begin; i < range.end; ++i) {
      const mpi::Message& m = channel.plan->messages[i];
      const bool here = !m.at.in_host_memory(), there = m.other == Memory::device;
      const bool by_gpus = channel.between_gpus && here && there && m.count != 0;
      ((by_gpus ? by_gpus_ : by_others_).*list)
          .push_back({m.count == 0 ? nullptr : at(m.at), m.count, static_cast<int>(width_), m.peer, here});
    }
  };
  add(step.receives, &Parcels::receives);
  add(step.sends, &Parcels::sends);
  if (channel.between_gpus) channel.between_gpus->start(by_gpus_.receives, by_gpus_.sends);
  channel.other->start(by_others_.receives, by_others_.sends);
}

void Player::queue(const mpi::Move& m, Queue& queue) const {
  if (m.reduce)
    queue.reduce(at(m.to), at(m.from), m.count, element_, op_);
  else
    queue.copy(at(m.to), at(m.from), m.count * width_);
}

void Player::queue(const Channel& channel, mpi::Range moves) const {
  for (std::uint32_t i = moves.begin; i < moves.end; ++i) queue(channel.plan->moves[i], *channel.queue);
}

}  // namespace collcast::cuda
