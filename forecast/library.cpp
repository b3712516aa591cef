// SPDX-License-Identifier: Apache-2.0
#include "forecast/library.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "forecast/transferred.hpp"
#include "libraries/nccl/pairs.hpp"
#include "libraries/nccl/schedules.hpp"
#include "libraries/situation.hpp"
#include "model/load.hpp"
#include "support/error.hpp"
#include "support/json.hpp"
#include "support/text.hpp"

namespace collcast {
namespace {

constexpr std::string_view in_a_row =
    "NCCL's broadcast and reduce are timed call after call, as nccl-tests does; --engine contention times a "
    "lone call";

/// The explanation by the closed form: the launch, and what takes the rest of the time.
void explain(Prediction& p, const nccl::Play& played) {
  const Cause cause = played.limited_by == "latency" ? Cause::latency : Cause::link;
  p.explanation = {{cause, played.limited_by, played.time - played.launch},
                   {Cause::overhead, "launch", played.launch}};
  if (p.explanation[1].time > p.explanation[0].time) std::swap(p.explanation[0], p.explanation[1]);
  p.limited_by = p.explanation[0].name, p.limited_by_share = p.explanation[0].time / p.time;
}

/// The policy, told to take the transport's protocol. Throws InputError if the two are of different libraries
/// or releases; a transport of the usual release goes with every release.
std::string told(const std::string& policy, const std::optional<Transport>& transport) {
  std::optional<nccl::Policy> nccl = nccl::parse(policy);
  if (!nccl || !transport || transport->kind != Transport::Kind::nccl) return policy;
  const nccl::Release& of = transport->protocol.release;
  if (of.rccl != nccl->release.rccl)
    throw InputError("--transport " + transport->name() + " is of another library than --policy " + policy);
  if (of.minor != nccl->release.minor && of.minor != nccl::usual(of.rccl).minor)
    throw InputError("--transport " + transport->name() + " is of another release than --policy " + policy);
  if (nccl->proto.value_or(transport->protocol.protocol) != transport->protocol.protocol)
    throw InputError("--transport " + transport->name() + " and --policy " + policy +
                     " name different protocols");
  nccl->proto = transport->protocol.protocol;
  return nccl->text();
}

/// The transport of messages that NCCL's own does not carry: the forced one, or the library's.
std::optional<Transport> carrier(const std::string& policy, const std::optional<Transport>& forced) {
  if (nccl::parse(policy) && forced && forced->kind == Transport::Kind::nccl) return {};
  return forced ? forced : transport_of(policy);
}

/// A collective that NCCL lacks, as nccl-tests plays it: an ncclSend and an ncclRecv for each pair of ranks,
/// to `peers` ranks at once; 0: to all.
struct OfPairs {
  Collective collective;
  std::string_view name;
  Rank peers;
};
constexpr OfPairs all_of_pairs[] = {{Collective::alltoall, "linear", 0}, {Collective::gather, "linear", 0},
                                    {Collective::scatter, "linear", 0},  {Collective::sendrecv, "direct", 1},
                                    {Collective::halo_1d, "direct", 2},  {Collective::halo_2d, "direct", 4},
                                    {Collective::halo_3d, "direct", 6},  {Collective::alltoallv, "linear", 0},
                                    {Collective::gatherv, "linear", 0},  {Collective::scatterv, "linear", 0}};

const OfPairs* of_pairs(Collective collective) {
  const auto found = std::ranges::find(all_of_pairs, collective, &OfPairs::collective);
  return found == std::end(all_of_pairs) ? nullptr : found;
}

/// With more ranks than the catalogue's schedule takes at once, the messages go one step after the other.
const Algorithm& algorithm_of(const OfPairs& pairs, Rank ranks) {
  const Algorithm& a = algorithm(pairs.collective, pairs.name);
  return a.supports(ranks) ? a : algorithm(pairs.collective, "pairwise");
}

/// How much one rank sends to another.
Bytes of_a_pair(const OfPairs& pairs, const Call& call) {
  const Rank parts = pairs.peers == 0 ? call.ranks : pairs.peers;
  return call.message / parts;
}

/// Compares the address, as an algorithm of a file may have a name of the catalogue.
bool in_catalogue(const Algorithm& a) {
  return std::ranges::find(catalogue(), &a) != catalogue().end();
}

bool knows_nccl(const Description& description) {
  return description.json().value("software", Json::object()).contains("nccl");
}

/// How the messages of a kernel's channels crowd links, if all flow at once.
struct Crowding {
  Load most_loaded;
  nccl::Squeeze squeeze;  ///< by links of the network
};

/// `rail` is the pace of a card whose messages are alone on the network, slow links there included.
Crowding crowded(const Machine& machine, const Fabric& sent, const std::vector<PairTraffic>& pairs,
                 BytesPerSecond rail) {
  const std::vector<Seconds> busy = loads(sent, pairs);
  Crowding crowding{heaviest(sent, busy), {}};
  if (crowding.most_loaded.id == no_link || crowding.most_loaded.id < machine.network()) return crowding;
  double all = 0, between = 0;
  std::vector<LinkId> route;
  for (const PairTraffic& p : pairs) {
    if (machine.node(p.from) == machine.node(p.to) || p.bytes == Bytes(0)) continue;
    route.clear();
    sent.route({p.from}, {p.to}, route);
    Seconds own, shared;
    LinkId card = no_link;
    for (const LinkId l : route) {
      const bool of_node = l < machine.network();
      if (of_node && shared == Seconds(0)) card = l;
      Seconds& most = of_node ? own : shared;
      most = std::max(most, busy[l]);
    }
    if (card != no_link) own = std::max(own, busy[card] * sent.links()[card].bandwidth / rail);
    const double squeezed = std::max(1.0, shared / own);
    crowding.squeeze.most = std::max(crowding.squeeze.most, squeezed);
    all += squeezed, ++between;
  }
  if (between > 0) crowding.squeeze.mean = all / between;
  return crowding;
}

/// The ranks of each node; nodes in the order of their first ranks.
std::vector<std::vector<Rank>> ranks_of_nodes(const Machine& machine) {
  std::vector<std::vector<Rank>> nodes;
  std::map<int, std::size_t> place;
  for (Rank r = 0; r < machine.ranks(); ++r) {
    const auto [found, is_new] = place.try_emplace(machine.node(r), nodes.size());
    if (is_new) nodes.emplace_back();
    nodes[found->second].push_back(r);
  }
  return nodes;
}

}  // namespace

bool has_rule(const std::string& policy, Collective collective) {
  if (policy == "fastest") return false;
  if (nccl::parse(policy) && of_pairs(collective)) return true;
  const std::vector<Collective> all = ruled(policy);
  return std::ranges::find(all, collective) != all.end();
}

Library::Library(const std::string& policy, const Description& description, Rank ranks,
                 const Placement& placement, Memory memory, const std::optional<Transport>& transport)
    : policy_(told(policy, transport)),
      nccl_(nccl::parse(policy_)),
      own_transport_(!transport || (nccl_ && transport->kind == Transport::Kind::nccl)),
      forecaster_(description, ranks, placement, memory, 0, carrier(policy_, transport)),
      description_(description),
      placement_(placement),
      memory_(memory) {
  const Description views[] = {description, optimistic(description), pessimistic(description)};
  const double factor[] = {1, 1 / (1 + uncertainty(Stamp::guess)), 1 + uncertainty(Stamp::guess)};
  for (std::size_t v : {nominal, fast, slow}) {
    View& view = views_[v];
    view.situation = collcast::situation(views[v], occupancy(forecaster_.machine()), policy_);
    if (!nccl_) continue;
    view.software = nccl::software_on(read_blueprint(views[v]), nccl_->release, view.situation, factor[v]);
  }
  calibrated_ = knows_nccl(description);
  calibrated_on_ = calibrated_on(description);
  if (nccl_)
    for (const auto& node : ranks_of_nodes(forecaster_.machine()))
      if (const auto [at, is_new] = found_.try_emplace(node.size()); is_new)
        at->second = channels(description, situation().nodes, static_cast<Rank>(node.size()), policy_);
  if (transport && nccl_ && own_transport_) {
    forced_ = nccl::KernelSettings{.release = nccl_->release, .protocol = transport->protocol.protocol};
    nccl::check(*forced_, forecaster_.machine(), situation());
  }
  if (const Description blocking = with_blocking_sends(description);
      forecaster_.transport().kind == Transport::Kind::mpi && blocking.json() != description.json())
    blocking_.emplace(blocking, ranks, placement, memory);
  chooser_ = by_policy(policy_, description, forecaster_.machine(), default_forecaster().fabric(),
                       blocking_ ? &blocking_->fabric() : nullptr);
}

Choice Library::choose(Collective collective, const Call& asked) const {
  return chooser_({collective, {}, asked});
}

bool Library::stages(Collective collective, const Call& asked) const {
  if (nccl_ || !has_rule(policy_, collective)) return false;
  try {
    return choose(collective, asked).staged;
  } catch (const NoRule&) {
    return false;
  }
}

const Forecaster& Library::sends(const Choice& choice) const {
  return choice.blocking && blocking_ ? *blocking_ : default_forecaster();
}

Prediction Library::predict(const Choice& choice, const Engine& engine) const {
  return sends(choice).predict(*choice.algorithm, choice.call, engine);
}

Library::Forecast Library::by_nccl(const nccl::Policy& told, Collective collective, const Call& asked,
                                   const Engine& engine) const {
  if (const OfPairs* pairs = of_pairs(collective))
    return predict(algorithm_of(*pairs, asked.ranks), asked, engine);
  const auto by_rule = [&] {
    if (told.text() == nccl_->text()) return choose(collective, asked);
    return by_policy(told.text(), description_, forecaster_.machine(),
                     default_forecaster().fabric())({collective, {}, asked});
  };
  if (asked.ranks == 1) {
    const Choice choice = by_rule();
    return {choice, default_forecaster().predict(*choice.algorithm, choice.call, engine)};
  }
  const nccl::Candidate chosen = nccl::choose(told, collective, asked, situation());
  const bool by_kernels = own_transport_ && !engine.closed_form && nccl::has_transport(chosen.shape);
  Choice choice = by_kernels ? as_played(told, collective, asked, chosen) : by_rule();
  const Algorithm& a = *choice.algorithm;
  if (!own_transport_) {
    choice.protocol.clear();
    choice.why += ", on its own transport, which " + forecaster_.transport().name() + " replaces";
    return {choice, forecaster_.predict(a, choice.call, engine)};
  }
  if (engine.closed_form) return {choice, default_forecaster().predict(a, choice.call, engine), chosen.time};
  const Forecaster& sender = by_kernels
                                 ? sent_by(chosen, play(views_[nominal], collective, choice.call, chosen))
                                 : sent_by({nccl_->release, chosen.shape, chosen.protocol});
  const bool closed = engine.name == "path" || engine.chooses;
  if (!by_kernels) {
    Prediction p = sender.predict(a, choice.call, closed ? collcast::engine("path") : engine);
    p.calibrated = calibrated_ && forecaster_.calibrated();
    return {choice, std::move(p), chosen.time, &sender};
  }
  choice.why += faster_at_twice_size(told, collective, choice.call, chosen);
  Prediction p = closed ? by_transport(a, choice.call, chosen) : by_schedule(a, choice.call, chosen, engine);
  return {choice, std::move(p), chosen.time, &sender, chosen};
}

/// Looks for a message of twice the size that the library plays otherwise, in less time.
std::string Library::faster_at_twice_size(const nccl::Policy& told, Collective collective, const Call& asked,
                                          const nccl::Candidate& chosen) const {
  Call twice = asked;
  twice.message = 2 * asked.message;
  const nccl::Candidate other = nccl::choose(told, collective, twice, situation());
  if ((other.shape == chosen.shape && other.protocol == chosen.protocol) || !nccl::has_transport(other.shape))
    return {};
  const Seconds time = play(views_[nominal], collective, twice, other).time;
  if (!(time < play(views_[nominal], collective, asked, chosen).time)) return {};
  return "; twice the size takes less, " + text::seconds(time.value) + ", by " +
         std::string(nccl::name(other.shape)) + "/" + std::string(nccl::name(other.protocol));
}

/// A pipelined message is cut into the rounds of its kernel.
Choice Library::as_played(const nccl::Policy& told, Collective collective, Call call,
                          const nccl::Candidate& chosen) const {
  const Pick p = nccl::pick(told, collective, call, situation());
  const Algorithm& a = algorithm(collective, p.algorithm);
  if (a.channels) call.channels = p.channels;
  if (a.segmented)
    call.segments = std::max<Block>(1, std::llround(play(views_[nominal], collective, call, chosen).loops));
  return {&a, call, p.why, std::string(p.protocol)};
}

Library::Forecast Library::predict(Collective collective, const Call& asked, const Engine& engine) const {
  if (nccl_) return by_nccl(*nccl_, collective, asked, engine);
  const Choice choice = choose(collective, asked);
  return {choice, sends(choice).predict(*choice.algorithm, choice.call, engine)};
}

Library::Forecast Library::predict(const Algorithm& a, const Call& asked, const Engine& engine,
                                   std::optional<Bytes> segment) const {
  const bool known = in_catalogue(a);
  const auto shape = nccl_ && known ? nccl::shape_of(a.collective, a.name) : std::nullopt;
  if (shape && asked.ranks > 1) {
    nccl::Policy told = *nccl_;
    told.algo = shape;
    return by_nccl(told, a.collective, asked, engine);
  }
  const bool nccl = nccl_ && own_transport_ && asked.ranks > 1 && !engine.closed_form;
  const OfPairs* pairs = of_pairs(a.collective);
  const auto transport = [&]() -> nccl::KernelSettings {
    if (pairs) {
      const bool theirs = known && a.name == pairs->name;
      const Rank peers = !theirs ? 1 : pairs->peers == 0 ? asked.ranks - 1 : pairs->peers;
      const nccl::Protocol protocol = nccl::pair_protocol(*nccl_, of_a_pair(*pairs, asked));
      return {.release = nccl_->release, .protocol = protocol, .peers = peers, .channels = nccl_->channels};
    }
    if (forced_) return *forced_;
    if (const Demands needs = demands(a); needs.multicast || needs.reduction)
      return {.release = nccl_->release, .shape = nccl::Shape::nvls};
    const nccl::Candidate chosen = nccl::choose(*nccl_, a.collective, asked, situation());
    return {nccl_->release, chosen.shape, chosen.protocol};
  };
  const Forecaster& sender = nccl ? sent_by(transport()) : default_forecaster();
  const Call call = segmented(sender.fabric(), a, asked, segment);
  Choice choice{&a, call};
  if (known && stages(a.collective, asked)) choice.algorithm = &in_host_memory(a), choice.staged = true;
  const Algorithm& played = *choice.algorithm;
  if (!nccl || !pairs) return {std::move(choice), sender.predict(played, call, engine), {}, &sender};
  choice.why = policy_ + ": an ncclSend and an ncclRecv for each pair of ranks";
  Prediction p = sender.predict(known ? in_nccls_order(a) : a, call, engine);
  p.algorithm = &a;
  return {std::move(choice), std::move(p), {}, &sender};
}

Seconds Library::watch(const Forecast& f, const Engine& engine, const Watched& watched) const {
  const Algorithm& a = *f.choice.algorithm;
  const Forecaster& sender = f.sender ? *f.sender : sends(f.choice);
  const Algorithm played = f.kernels                     ? scheduled(a, f.choice.call, *f.kernels)
                           : f.sender && in_catalogue(a) ? in_nccls_order(a)
                                                         : a;
  return sender.watch(played, f.choice.call, engine, watched);
}

Algorithm Library::in_nccls_order(const Algorithm& a) const {
  Algorithm played = a;
  if (plain(a.collective) == Collective::alltoall && a.name == "linear")
    played.schedule = [nodes = ranks_of_nodes(forecaster_.machine())](const Call& c) {
      return nccl::alltoall_in_turns(c.ranks, nodes);
    };
  return played;
}

std::vector<Library::Forecast> Library::predict_all(Collective collective, const Call& asked,
                                                    const Engine& engine) const {
  if (!nccl_ || asked.ranks == 1 || of_pairs(collective)) return {};
  std::vector<nccl::Candidate> all = nccl::candidates(*nccl_, collective, asked, situation());
  std::ranges::stable_sort(all, {}, &nccl::Candidate::time);
  if (!own_transport_) {  // other transports have no protocols: one row per shape
    std::set<nccl::Shape> seen;
    std::erase_if(all, [&](const nccl::Candidate& c) { return !seen.insert(c.shape).second; });
  }
  std::vector<Forecast> forecasts;
  for (const nccl::Candidate& c : all) {
    nccl::Policy told = *nccl_;
    told.algo = c.shape, told.proto = c.protocol;
    forecasts.push_back(by_nccl(told, collective, asked, engine));
    if (own_transport_) forecasts.back().choice.why.clear();  // it was told
  }
  return forecasts;
}

std::optional<Seconds> Library::mean_between_barriers(Collective collective, const Call& asked) const {
  if (nccl_) return {};
  const Choice choice = choose(collective, asked),
               pause = choose(Collective::barrier, {.ranks = asked.ranks});
  return sends(choice).mean_between_barriers(*choice.algorithm, choice.call, *pause.algorithm);
}

nccl::Play Library::play(const View& v, Collective collective, const Call& call,
                         const nccl::Candidate& chosen, const nccl::Squeeze& squeeze) const {
  return nccl::play(*nccl_, collective, call, v.situation, chosen, v.software, squeeze);
}

const Forecaster& Library::sent_by(const nccl::KernelSettings& t) const {
  return sent_
      .try_emplace({t.shape, t.protocol, t.by_turns, t.peers, t.in_use, t.threads}, description_,
                   forecaster_.machine().ranks(), placement_, memory_, 0, Transport{Transport::Kind::nccl, t})
      .first->second;
}

const Forecaster& Library::sent_by(const nccl::Candidate& chosen, const nccl::Play& played) const {
  nccl::KernelSettings t{nccl_->release, chosen.shape, chosen.protocol};
  // Of trees between two nodes, too. Between more, a node hands on what comes from others, whole.
  const bool ll = chosen.protocol == nccl::Protocol::ll, two = ll && played.at_once && situation().nodes == 2;
  t.by_turns = played.turn > Bytes(0) && (chosen.shape == nccl::Shape::ring || two);
  t.channels = nccl_->all_channels(situation());
  if (ll) t.threads = static_cast<std::int16_t>(played.threads);
  if (ll && (since_hopper(situation().gpu) || of_amd(situation().gpu)))
    t.in_use = static_cast<std::int16_t>(played.channels);
  return sent_by(t);
}

std::vector<nccl::Order> Library::orders(const nccl::Play& played) const {
  const Machine& machine = forecaster_.machine();
  std::vector<std::vector<Rank>> nodes = ranks_of_nodes(machine);
  for (std::vector<Rank>& ranks : nodes)  // NCCL's search knows GPUs, not ranks
    std::ranges::sort(ranks, {}, [&](Rank r) { return machine.slot(r); });
  return nccl::orders(found_, nodes, situation().channels, played.channels);
}

Algorithm Library::scheduled(const Algorithm& a, const Call& call, const nccl::Candidate& chosen) const {
  const nccl::Play played = play(views_[nominal], a.collective, call, chosen);
  return nccl::scheduled(a.name, a.collective, chosen, played, orders(played), situation().channels,
                         occupancy(forecaster_.machine()).on_a_node);
}

Prediction Library::by_schedule(const Algorithm& a, const Call& call, const nccl::Candidate& chosen,
                                const Engine& engine) const {
  Prediction p = sent_by(chosen, play(views_[nominal], a.collective, call, chosen))
                     .predict(scheduled(a, call, chosen), call, engine);
  p.algorithm = &a;
  p.calibrated = calibrated_ && forecaster_.calibrated();
  return p;
}

Prediction Library::by_transport(const Algorithm& a, const Call& call, const nccl::Candidate& chosen) const {
  check(a, call);
  nccl::Play played = play(views_[nominal], a.collective, call, chosen);
  const Crowding crowding =
      crowded(forecaster_.machine(), sent_by(chosen, played).fabric(),
              nccl::traffic(chosen.shape, a.collective, call.root, orders(played), situation().channels,
                            occupancy(forecaster_.machine()).on_a_node, call.message),
              situation().rail_bandwidth);
  if (crowding.squeeze.most > 1) {
    played = play(views_[nominal], a.collective, call, chosen, crowding.squeeze);
    if (played.limited_by == nccl::network_cards) played.limited_by = crowding.most_loaded.link;
  }
  const auto seconds = [&](const View& v) {
    return play(v, a.collective, call, chosen, crowding.squeeze).time;
  };
  Prediction p{&a,
               call,
               played.time,
               std::min(seconds(views_[fast]), played.time) / (1 + left_out_of_kernels),
               std::max(seconds(views_[slow]), played.time) * (1 + left_out_of_kernels),
               forecaster_.lower_bound(a, call, Bounds::Of::links),
               {},
               {},
               calibrated_ && forecaster_.calibrated()};
  p.transport = Transport{Transport::Kind::nccl, {nccl_->release, chosen.shape, chosen.protocol}}.name();
  p.engine = engine("path").name;
  if (a.name == "chain") p.note = in_a_row;
  explain(p, played);
  if (const Load& load = crowding.most_loaded; load.time > p.time) {
    const double slower = load.time / p.time;
    p.time = load.time, p.low = slower * p.low, p.high = slower * p.high;
    p.limited_by = load.link, p.limited_by_share = 1;
    p.explanation = {{Cause::link, load.link, p.time}};
  }
  return not_below_bound(within(calibrated_on_, std::move(p)));
}

}  // namespace collcast
