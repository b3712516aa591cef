// SPDX-License-Identifier: Apache-2.0
#include "replay/application/staged.hpp"

#include "replay/source/by_node.hpp"
#include "support/error.hpp"

namespace collcast {
namespace {

/// What MPI libraries buffer at least; for platforms that do not say.
const Bytes buffered_sends(65536);

ReplayOptions with_policy(ReplayOptions options, const Source& source, const Description& platform) {
  if (options.policy.empty())
    options.policy = options.memory == Memory::host ? "fastest" : policy_for(source, platform);
  return options;
}

std::vector<int> nodes(const Machine& machine) {
  std::vector<int> all(static_cast<std::size_t>(machine.ranks()));
  for (std::size_t r = 0; r < all.size(); ++r) all[r] = machine.node(static_cast<Rank>(r));
  return all;
}

}  // namespace

Staged::Staged(const Source& source, const Description& platform, const ReplayOptions& options)
    : platform_(platform),
      options_(with_policy(options, source, platform)),
      usual_policy_(options.policy.empty() && options.memory != Memory::host && !source.info().by_mpi),
      nominal_(platform, source, options_),
      by_node_(by_node(source, nodes(nominal_.machine))),
      source_(by_node_ ? *by_node_ : source),
      selection_(platform, nominal_.machine, nominal_.fabric, options_.policy, options_.algorithms) {
  const bool by_dpus = !options_.offloaded.collectives.empty();
  const bool in_blocks = options_.placement.fills_nodes();
  if (by_dpus && !in_blocks) throw InputError("collectives of DPUs are priced in block placement only");
  if ((by_dpus || is_nccl(options_.policy)) && in_blocks)
    prices_.emplace(source_, platform, nominal_.machine, options_.policy, options_.offloaded);
}

Application Staged::on(const Stage& stage, Seconds GroupPrediction::*end, const Source& read) {
  const bool synchronous = stage.fabric.protocol().eager_limit < Bytes(0);
  Collectives::PriceOf price;
  if (prices_) price = [this, end](const Activity& a) { return priced(a, end); };
  Collectives::LaunchOf launch;
  if (stage.pairs) launch = [&pairs = *stage.pairs](Bytes bytes) { return pairs.launch_of(bytes); };
  return {read,
          selection_,
          {options_.compute_scale, synchronous ? buffered_sends : Bytes(-1), price, launch, true}};
}

std::optional<Collectives::Price> Staged::priced(const Activity& a, Seconds GroupPrediction::*end) {
  const std::string named =
      a.algorithm.empty() ? selection_.named_by_user(a.collective, a.message) : std::string(a.algorithm);
  const auto answer = prices_->of(a, named);
  if (!answer) return {};
  return Collectives::Price{(*answer).*end, answer->choice.empty() ? named : answer->choice,
                            answer->limited_by, answer->load, answer->between_nodes};
}

Result Staged::play(const Engine& engine, Application& application, const Fabric& fabric,
                    Observer* observer) {
  PlayOptions play = options_.play;
  play.observer = observer;
  play.may_stop_short = source_.info().truncated;
  play.here = true;
  play.explain = observer != nullptr;
  return engine.play(application, fabric, play);
}

Seconds Staged::time(const Engine& engine, const Stage& stage, Seconds GroupPrediction::*end) {
  Application application = on(stage, end, source_);
  return play(engine, application, stage.fabric, nullptr).time;
}

Seconds Staged::low(std::optional<Seconds> middle) {
  return at({optimistic(platform_), &GroupPrediction::low, 1 / (1 + uncertainty(Stamp::guess))}, middle);
}

Seconds Staged::high(std::optional<Seconds> middle) {
  return at({pessimistic(platform_), &GroupPrediction::high, 1 + uncertainty(Stamp::guess)}, middle);
}

Seconds Staged::at(const End& end, std::optional<Seconds> middle) {
  const Stage stage(end.described, source_, options_, end.published);
  if (options_.engine->quick) return time(*options_.engine, stage, end.price);
  const Engine& path = collcast::engine("path");
  const Seconds played = middle ? *middle : time();
  if (!centre_) centre_ = time(path, nominal_, &GroupPrediction::time);
  return centre_->value > 0 ? time(path, stage, end.price) / *centre_ * played : played;
}

}  // namespace collcast
