// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "model/network.hpp"

namespace collcast {

/// Links are directed and numbered 0, 1, ... by their fabric.
using LinkId = std::uint32_t;
inline constexpr LinkId no_link = ~LinkId{0};

struct Link {
  BytesPerSecond bandwidth;
};

/// A network with its links: what a message costs on its own (the Network of CriticalPath), and which links
/// it crosses, for engines that model contention.
class Fabric {
 public:
  virtual ~Fabric() = default;

  virtual Rank ranks() const = 0;
  virtual Wire wire(Place from, Place to, Bytes bytes) const = 0;
  /// The kind of the wire between two places. Wires of one kind differ only in their ports. Null: not known.
  virtual const void* kind(Place, Place) const { return nullptr; }
  virtual Switched switched(Switching, Place from, Place to, Bytes bytes) const {
    return {wire(from, to, bytes), bytes};
  }
  /// The sizes at which wires may change, ascending from 0.
  virtual std::vector<Bytes> sizes() const { return {Bytes(0)}; }
  virtual SecondsPerByte gamma(Place place) const = 0;
  /// The rank whose processor this rank uses. Ranks with one processor take turns in paying overheads and
  /// reducing.
  virtual Rank processor(Rank rank) const { return rank; }
  virtual const MessageProtocol& protocol() const = 0;
  /// The machine that textbook formulas assume, if this is one: messages cost the same between any two ranks.
  virtual std::optional<AlphaBetaGamma> hockney() const { return {}; }
  /// The time before a collective's first message: launching a kernel of this many channels.
  virtual Seconds launch([[maybe_unused]] int channels) const { return {}; }
  virtual Port ports() const = 0;
  /// How many queues the critical path keeps: one per port, unless wires say otherwise.
  virtual Port queues() const { return ports(); }
  virtual std::string port_name(Port port) const = 0;

  virtual const std::vector<Link>& links() const = 0;
  virtual std::string link_name(LinkId link) const = 0;
  /// The framing of messages between ranks (Wire::framing).
  virtual double framing() const { return 1; }
  /// Appends the links that a message crosses, in order; none within one memory of a rank.
  virtual void route(Place from, Place to, std::vector<LinkId>& links) const = 0;
};

/// The name of a link or port without the numbers of nodes, ranks and switches.
std::string alike(const std::string& name);

/// Ranks that each have a full-duplex link to one non-blocking switch.
class UniformFabric : public Fabric {
 public:
  UniformFabric(const AlphaBetaGamma& machine, Rank ranks);
  UniformFabric(const LogGP& machine, Rank ranks);

  Rank ranks() const override { return ranks_; }
  Wire wire(Place from, Place to, Bytes bytes) const override { return network_.wire(from, to, bytes); }
  std::vector<Bytes> sizes() const override { return network_.sizes(); }
  SecondsPerByte gamma(Place place) const override { return network_.gamma(place); }
  const MessageProtocol& protocol() const override { return network_.protocol(); }
  std::optional<AlphaBetaGamma> hockney() const override { return network_.hockney(); }
  Port ports() const override { return network_.ports(); }
  std::string port_name(Port port) const override;
  const std::vector<Link>& links() const override { return links_; }
  /// Link i is port i: first the links out of the ranks, then those into them.
  std::string link_name(LinkId link) const override { return port_name(link); }
  void route(Place from, Place to, std::vector<LinkId>& links) const override;

 private:
  Rank ranks_;
  UniformNetwork network_;
  std::vector<Link> links_;
};

/// A fabric that changes another one, which must outlive it. What a derived class does not override is taken
/// from the other fabric, except `kind`, `switched` and `hockney`: they follow from the cost of messages,
/// which the class may change.
class FabricAdaptor : public Fabric {
 public:
  explicit FabricAdaptor(const Fabric& base) : base_(base) {}

  Rank ranks() const override { return base_.ranks(); }
  std::vector<Bytes> sizes() const override { return base_.sizes(); }
  SecondsPerByte gamma(Place place) const override { return base_.gamma(place); }
  Rank processor(Rank rank) const override { return base_.processor(rank); }
  const MessageProtocol& protocol() const override { return base_.protocol(); }
  Seconds launch(int channels) const override { return base_.launch(channels); }
  Port ports() const override { return base_.ports(); }
  Port queues() const override { return base_.queues(); }
  std::string port_name(Port port) const override { return base_.port_name(port); }
  const std::vector<Link>& links() const override { return base_.links(); }
  std::string link_name(LinkId link) const override { return base_.link_name(link); }
  double framing() const override { return base_.framing(); }
  void route(Place from, Place to, std::vector<LinkId>& links) const override {
    base_.route(from, to, links);
  }

 protected:
  const Fabric& base_;
};

/// A fabric on which schedules play in another memory: device memory in a schedule is memory `home` here.
/// `processors`: by rank, the rank whose processor it uses (Fabric::processor); empty: as in `base`.
class HomeFabric : public FabricAdaptor {
 public:
  HomeFabric(const Fabric& base, Memory home, std::vector<Rank> processors = {})
      : FabricAdaptor(base), home_(home), processors_(std::move(processors)) {}

  Wire wire(Place from, Place to, Bytes bytes) const override {
    return base_.wire(at_home(from), at_home(to), bytes);
  }
  const void* kind(Place from, Place to) const override { return base_.kind(at_home(from), at_home(to)); }
  Switched switched(Switching what, Place from, Place to, Bytes bytes) const override {
    return base_.switched(what, at_home(from), at_home(to), bytes);
  }
  SecondsPerByte gamma(Place place) const override { return base_.gamma(at_home(place)); }
  Rank processor(Rank rank) const override {
    return processors_.empty() ? base_.processor(rank) : processors_[static_cast<std::size_t>(rank)];
  }
  std::optional<AlphaBetaGamma> hockney() const override { return base_.hockney(); }
  void route(Place from, Place to, std::vector<LinkId>& links) const override {
    base_.route(at_home(from), at_home(to), links);
  }

 private:
  Place at_home(Place p) const { return p.memory == Memory::device ? Place{p.rank, home_} : p; }
  Memory home_;
  std::vector<Rank> processors_;
};

/// Some ranks of a fabric as a fabric of their own: rank i is rank `members[i]` of `base`, and each has its
/// own processor.
class MemberFabric : public FabricAdaptor {
 public:
  /// Both arguments outlive this.
  MemberFabric(const Fabric& base, std::span<const Rank> members) : FabricAdaptor(base), members_(members) {}

  Rank ranks() const override { return static_cast<Rank>(members_.size()); }
  Wire wire(Place from, Place to, Bytes bytes) const override {
    return base_.wire(world(from), world(to), bytes);
  }
  Switched switched(Switching what, Place from, Place to, Bytes bytes) const override {
    return base_.switched(what, world(from), world(to), bytes);
  }
  SecondsPerByte gamma(Place place) const override { return base_.gamma(world(place)); }
  Rank processor(Rank rank) const override { return rank; }
  std::optional<AlphaBetaGamma> hockney() const override { return base_.hockney(); }
  void route(Place from, Place to, std::vector<LinkId>& links) const override {
    base_.route(world(from), world(to), links);
  }

 private:
  Place world(Place p) const { return {members_[static_cast<std::size_t>(p.rank)], p.memory}; }
  std::span<const Rank> members_;
};

}  // namespace collcast
