// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/network.hpp"

namespace collcast {

/// Links are directed and numbered 0, 1, ... by their fabric.
using LinkId = std::uint32_t;

struct Link {
  std::string name;
  BytesPerSecond bandwidth;
};

/// A network as players see it: what a message costs when alone (the Network of CriticalPath), and which
/// links it crosses, for the players that know contention.
class Fabric {
 public:
  virtual ~Fabric() = default;

  virtual Rank ranks() const = 0;
  virtual Wire wire(Place from, Place to, Bytes bytes) const = 0;
  virtual Switched switched(Switching, Place from, Place to, Bytes bytes) const {
    return {wire(from, to, bytes), bytes};
  }
  /// The sizes from which on wires may differ from those of smaller messages; 0 first, growing.
  virtual std::vector<Bytes> sizes() const { return {Bytes(0)}; }
  virtual SecondsPerByte gamma(Place place) const = 0;
  /// Ranks with the same processor, one of theirs by number, pay for their messages and reductions in turn.
  virtual Rank processor(Rank rank) const { return rank; }
  virtual const Protocol& protocol() const = 0;
  /// The machine that formulas assume, where messages between any two ranks cost what they do on it.
  virtual std::optional<AlphaBetaGamma> hockney() const { return {}; }
  /// What a collective of so many channels costs before its first message: launching its kernel.
  virtual Seconds launch([[maybe_unused]] int channels) const { return {}; }
  virtual Port ports() const = 0;
  /// How many queues the critical path keeps.
  virtual Port queues() const { return ports(); }
  virtual std::string port_name(Port port) const = 0;

  virtual const std::vector<Link>& links() const = 0;
  /// Appends the links that a message crosses, in order. Same rank and memory: none.
  virtual void route(Place from, Place to, std::vector<LinkId>& links) const = 0;
};

/// Any number of ranks, each behind one full-duplex port of a non-blocking switch.
class UniformFabric : public Fabric {
 public:
  UniformFabric(const AlphaBetaGamma& machine, Rank ranks);
  UniformFabric(const LogGP& machine, Rank ranks);

  Rank ranks() const override { return ranks_; }
  Wire wire(Place from, Place to, Bytes bytes) const override { return network_.wire(from, to, bytes); }
  std::vector<Bytes> sizes() const override { return network_.sizes(); }
  SecondsPerByte gamma(Place place) const override { return network_.gamma(place); }
  const Protocol& protocol() const override { return network_.protocol(); }
  std::optional<AlphaBetaGamma> hockney() const override { return network_.hockney(); }
  Port ports() const override { return network_.ports(); }
  std::string port_name(Port port) const override { return links_[port].name; }
  const std::vector<Link>& links() const override { return links_; }
  void route(Place from, Place to, std::vector<LinkId>& links) const override;

 private:
  Rank ranks_;
  UniformNetwork network_;
  std::vector<Link> links_;
};

/// A fabric whose ranks keep their data in another memory: what a schedule calls device is `home` here.
/// `processors`: of each rank, where they are not its own.
class HomeFabric : public Fabric {
 public:
  HomeFabric(const Fabric& fabric, Memory home, std::vector<Rank> processors = {})
      : fabric_(fabric), home_(home), processors_(std::move(processors)) {}

  Rank ranks() const override { return fabric_.ranks(); }
  Wire wire(Place from, Place to, Bytes bytes) const override {
    return fabric_.wire(at_home(from), at_home(to), bytes);
  }
  Switched switched(Switching what, Place from, Place to, Bytes bytes) const override {
    return fabric_.switched(what, at_home(from), at_home(to), bytes);
  }
  std::vector<Bytes> sizes() const override { return fabric_.sizes(); }
  SecondsPerByte gamma(Place place) const override { return fabric_.gamma(at_home(place)); }
  Rank processor(Rank rank) const override {
    return processors_.empty() ? fabric_.processor(rank) : processors_[static_cast<std::size_t>(rank)];
  }
  const Protocol& protocol() const override { return fabric_.protocol(); }
  std::optional<AlphaBetaGamma> hockney() const override { return fabric_.hockney(); }
  Seconds launch(int channels) const override { return fabric_.launch(channels); }
  Port ports() const override { return fabric_.ports(); }
  Port queues() const override { return fabric_.queues(); }
  std::string port_name(Port port) const override { return fabric_.port_name(port); }
  const std::vector<Link>& links() const override { return fabric_.links(); }
  void route(Place from, Place to, std::vector<LinkId>& links) const override {
    fabric_.route(at_home(from), at_home(to), links);
  }

 private:
  Place at_home(Place p) const { return p.memory == Memory::device ? Place{p.rank, home_} : p; }
  const Fabric& fabric_;
  Memory home_;
  std::vector<Rank> processors_;
};

}  // namespace collcast
