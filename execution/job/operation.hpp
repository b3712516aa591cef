// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "execution/mpi/player.hpp"
#include "execution/mpi/timing.hpp"
#include "execution/offload/offloaded.hpp"

namespace collcast::mpi {

/// A nonblocking operation of a rank.
class Operation {
 public:
  virtual ~Operation() = default;
  virtual void start() = 0;
  /// Makes progress if it needs this thread; returns whether it is done.
  virtual bool test() = 0;
  /// The clock's time at which it will be done; empty if that depends on others.
  virtual std::optional<double> end() const { return {}; }
  /// Whether a worker makes its progress, so that this rank may sleep until it is done, or for some seconds.
  virtual bool by_worker() const { return false; }
  virtual void sleep(double) const {}
};

/// Computation, which just lets time pass.
class Computation : public Operation {
 public:
  Computation(double seconds, const SharedClock& clock) : seconds_(seconds), clock_(clock) {}
  void start() override { end_ = clock_.now() + seconds_; }
  bool test() override { return clock_.now() >= end_; }
  std::optional<double> end() const override { return end_; }

 private:
  double seconds_, end_ = 0;
  const SharedClock& clock_;
};

/// A collective by an algorithm of the catalogue, on floats if the message is a multiple of their size, else
/// on bytes.
class CollectivePlay : public Operation {
 public:
  /// Where the result differs from the MPI library's; empty if it does not. Collective over the ranks.
  virtual std::string wrong() = 0;
};

/// A collective that the rank plays itself.
class OwnPlay : public CollectivePlay {
 public:
  OwnPlay(const Algorithm& algorithm, const Call& call, const std::shared_ptr<Communicator>& communicator);
  void start() override { player_.start(); }
  bool test() override { return player_.test(); }
  std::string wrong() override;

 private:
  const Algorithm& algorithm_;
  Call call_;
  std::shared_ptr<Communicator> communicator_;
  Player player_;
  std::vector<std::byte> send_, recv_;
};

/// A collective that the rank's worker plays. The worker has an OffloadedPlay of its own, and serves it.
class OffloadedPlay : public CollectivePlay {
 public:
  /// Collective over the team; `beside` as in Offloaded.
  OffloadedPlay(const Algorithm& algorithm, const Call& call, const Team& team, const Offloaded* beside);
  void start() override { offloaded_.start(); }
  bool test() override { return offloaded_.test(); }
  bool by_worker() const override { return true; }
  void sleep(double seconds) const override { offloaded_.wait(seconds); }
  std::string wrong() override;
  Offloaded& offloaded() { return offloaded_; }

 private:
  const Communicator& ranks_;
  bool words_;
  Offloaded offloaded_;
};

/// Whether receivers check the content of messages, and the first wrong one.
struct Inspection {
  bool on = false;
  std::string wrong;
};

/// One message between two ranks, the `number`-th of its tag and direction.
class MessagePlay : public Operation {
 public:
  struct What {
    bool send;
    int from, to, tag;
    std::uint32_t number;
    std::size_t bytes;
  };
  /// `buffer`: at least `bytes`. All references outlive this.
  MessagePlay(const What& what, std::vector<std::byte>& buffer, MPI_Comm comm, Inspection& inspection)
      : what_(what), buffer_(buffer), comm_(comm), inspection_(inspection) {}
  void start() override;
  bool test() override;

 private:
  std::byte content(std::size_t at) const;
  void inspect();

  What what_;
  std::vector<std::byte>& buffer_;
  MPI_Comm comm_;
  Inspection& inspection_;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

}  // namespace collcast::mpi
