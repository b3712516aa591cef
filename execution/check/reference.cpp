// SPDX-License-Identifier: Apache-2.0
#include "execution/check/reference.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "execution/mpi/check.hpp"
#include "execution/mpi/count.hpp"
#include "support/error.hpp"

namespace collcast::mpi {
namespace {

std::string librarys(Collective collective) {
  return "the MPI library's " + std::string(definition(collective).name);
}

/// Counts of consecutive parts of a buffer, and where each begins.
class Parts {
 public:
  explicit Parts(Collective collective) : what_(librarys(collective)) {}
  void add(std::size_t count) {
    counts.push_back(mpi_count(count, what_ + ": a part"));
    begins_.push_back(end_);
    end_ += count;
  }
  bool even() const {
    return std::ranges::adjacent_find(counts, std::ranges::not_equal_to()) == counts.end();
  }
  std::vector<int> offsets() const {
    std::vector<int> all;
    for (const std::size_t begin : begins_) all.push_back(mpi_count(begin, what_ + ": an offset"));
    return all;
  }

  std::vector<int> counts;

 private:
  std::string what_;
  std::vector<std::size_t> begins_;
  std::size_t end_ = 0;
};

/// One call of the MPI library.
class Reference {
 public:
  Reference(const Part& part, const Elements& elements, Block blocks, MPI_Datatype type, MPI_Op op,
            MPI_Comm communicator)
      : part_(part), elements_(elements), blocks_(blocks), type_(type), op_(op), communicator_(communicator) {
    const Definition& d = definition(part.collective);
    sent_ = elements.size(d.initially(part.rank, part.ranks, blocks, part.root));
    received_ = elements.size(d.finally(part.rank, part.ranks, blocks, part.root));
  }

  int run(const void* send, void* recv) const {
    switch (plain(part_.collective)) {
      case Collective::allreduce:
        return MPI_Allreduce(send, recv, sent(), type_, op_, communicator_);
      case Collective::reduce:
        return MPI_Reduce(send, recv, sent(), type_, op_, part_.root, communicator_);
      case Collective::scan:
        return MPI_Scan(send, recv, sent(), type_, op_, communicator_);
      case Collective::exscan:
        return MPI_Exscan(send, recv, sent(), type_, op_, communicator_);
      case Collective::barrier:
        return MPI_Barrier(communicator_);
      case Collective::broadcast:
        return broadcast(send, recv);
      case Collective::sendrecv:
        return sendrecv(send, recv);
      case Collective::halo_1d:
      case Collective::halo_2d:
      case Collective::halo_3d:
        return halo(send, recv,
                    static_cast<int>(part_.collective) - static_cast<int>(Collective::halo_1d) + 1);
      case Collective::alltoall:
        return alltoall(send, recv);
      default:
        return shared_out(send, recv);
    }
  }

 private:
  /// Makes a collective in which every rank has a share of the message.
  int shared_out(const void* send, void* recv) const {
    const bool some_have = part_.collective == Collective::multi_broadcast;
    const Rank sharers = some_have ? part_.root + 1 : part_.ranks;
    Parts p(part_.collective);
    for (Rank r = 0; r < part_.ranks; ++r) p.add(r < sharers ? share(r, sharers) : 0);
    const int *counts = p.counts.data(), each = counts[0];
    if (p.even()) switch (part_.collective) {
        case Collective::allgather:
          return MPI_Allgather(send, each, type_, recv, each, type_, communicator_);
        case Collective::gather:
          return MPI_Gather(send, each, type_, recv, each, type_, part_.root, communicator_);
        case Collective::scatter:
          return MPI_Scatter(send, each, type_, recv, each, type_, part_.root, communicator_);
        default:
          break;
      }
    switch (plain(part_.collective)) {
      case Collective::allgather:
      case Collective::multi_broadcast:
        return MPI_Allgatherv(send, sent(), type_, recv, counts, p.offsets().data(), type_, communicator_);
      case Collective::gather:
        return MPI_Gatherv(send, sent(), type_, recv, counts, p.offsets().data(), type_, part_.root,
                           communicator_);
      case Collective::scatter:
        return MPI_Scatterv(send, counts, p.offsets().data(), type_, recv, received(), type_, part_.root,
                            communicator_);
      case Collective::reduce_scatter:
        return MPI_Reduce_scatter(send, recv, counts, type_, op_, communicator_);
      default:
        throw InputError("there is no MPI call to compare " + std::string(definition(part_.collective).name) +
                         " with");
    }
  }

  int alltoall(const void* send, void* recv) const {
    Parts out(part_.collective), in(part_.collective);
    const Block p = part_.ranks;
    for (Block r = 0; r < p; ++r) {
      out.add(share(part_.rank * p + r, p * p));
      in.add(share(r * p + part_.rank, p * p));
    }
    if (part_.collective == Collective::alltoall && out.even() && in.even())
      return MPI_Alltoall(send, out.counts[0], type_, recv, in.counts[0], type_, communicator_);
    return MPI_Alltoallv(send, out.counts.data(), out.offsets().data(), type_, recv, in.counts.data(),
                         in.offsets().data(), type_, communicator_);
  }

  int broadcast(const void* send, void* recv) const {
    const int count = received();
    if (part_.rank == part_.root && count != 0) std::memcpy(recv, send, received_ * extent());
    return MPI_Bcast(recv, count, type_, part_.root, communicator_);
  }

  int sendrecv(const void* send, void* recv) const {
    const Rank p = part_.ranks;
    return MPI_Sendrecv(send, sent(), type_, (part_.rank + 1) % p, 0, recv, received(), type_,
                        (part_.rank + p - 1) % p, 0, communicator_, MPI_STATUS_IGNORE);
  }

  int halo(const void* send, void* recv, int dimensions) const {
    const Grid grid(part_.ranks, dimensions);
    std::vector<MPI_Request> requests(static_cast<std::size_t>(2 * grid.faces()), MPI_REQUEST_NULL);
    std::size_t in = 0, out = 0;
    for (int f = 0; f < grid.faces(); ++f) {
      const Rank other = grid.neighbour(part_.rank, f);
      const std::size_t face = 2 * static_cast<std::size_t>(f);
      const std::size_t arriving =
          share(Block{other} * grid.faces() + (f ^ 1), Block{part_.ranks} * grid.faces());
      const std::size_t leaving =
          share(Block{part_.rank} * grid.faces() + f, Block{part_.ranks} * grid.faces());
      check(MPI_Irecv(static_cast<std::byte*>(recv) + in * extent(), count(arriving), type_, other, f ^ 1,
                      communicator_, &requests[face]),
            "MPI_Irecv");
      check(MPI_Isend(static_cast<const std::byte*>(send) + out * extent(), count(leaving), type_, other, f,
                      communicator_, &requests[face + 1]),
            "MPI_Isend");
      in += arriving, out += leaving;
    }
    return MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  }

  int count(std::size_t elements) const {
    return mpi_count(elements, librarys(part_.collective) + ": a message");
  }
  int sent() const { return count(sent_); }
  int received() const { return count(received_); }

  /// Elements of the i-th of `parts` equal groups of blocks.
  std::size_t share(Block i, Block parts) const {
    return elements_.size(Chunk{i * (blocks_ / parts), blocks_ / parts});
  }

  std::size_t extent() const {
    MPI_Aint begin = 0, extent = 0;
    check(MPI_Type_get_extent(type_, &begin, &extent), "MPI_Type_get_extent");
    return static_cast<std::size_t>(extent);
  }

  const Part& part_;
  const Elements& elements_;
  Block blocks_;
  MPI_Datatype type_;
  MPI_Op op_;
  MPI_Comm communicator_;
  std::size_t sent_ = 0, received_ = 0;
};

}  // namespace

void reference(const Part& part, const Elements& elements, Block blocks, const void* send, void* recv,
               MPI_Datatype type, MPI_Op op, MPI_Comm communicator) {
  check(Reference(part, elements, blocks, type, op, communicator).run(send, recv),
        librarys(part.collective).c_str());
}

}  // namespace collcast::mpi
