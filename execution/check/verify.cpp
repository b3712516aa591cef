// SPDX-License-Identifier: Apache-2.0
#include "execution/check/verify.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "execution/check/reference.hpp"
#include "execution/check/values.hpp"
#include "execution/mpi/check.hpp"

namespace collcast::mpi {
namespace {

template <class T>
struct Type;
template <>
struct Type<std::int64_t> {
  static MPI_Datatype mpi() { return MPI_INT64_T; }
  static constexpr const char* name = "int64";
};
template <>
struct Type<std::int32_t> {
  static MPI_Datatype mpi() { return MPI_INT32_T; }
  static constexpr const char* name = "int32";
};
template <>
struct Type<std::uint8_t> {
  static MPI_Datatype mpi() { return MPI_UINT8_T; }
  static constexpr const char* name = "uint8";
};
template <>
struct Type<double> {
  static MPI_Datatype mpi() { return MPI_DOUBLE; }
  static constexpr const char* name = "double";
};
template <>
struct Type<float> {
  static MPI_Datatype mpi() { return MPI_FLOAT; }
  static constexpr const char* name = "float";
};

template <class T>
bool close_enough(T got, T wanted, bool reduces, int ranks) {
  if constexpr (std::is_floating_point_v<T>)  // each order of p values up to 1 is within (p - 1) u p of the
                                              // sum
    return reduces ? std::abs(got - wanted) <= std::numeric_limits<T>::epsilon() * T(ranks) * T(ranks)
                   : got == wanted;
  else
    return got == wanted;
}

template <class T>
Mismatch mismatch(int rank, std::size_t element, T got, T wanted, const char* buffer) {
  return {rank, element, std::to_string(got), std::to_string(wanted), std::string(Type<T>::name) + buffer};
}

constexpr std::size_t guard_elements = 8;

/// One call on elements of one type.
template <class T>
class Check {
 public:
  Check(const Algorithm& algorithm, const Call& call, const std::shared_ptr<Communicator>& communicator,
        bool in_place)
      : player_(algorithm, call, Type<T>::mpi(), MPI_SUM, communicator),
        communicator_(*communicator),
        in_place_(in_place),
        reduces_(definition(algorithm.collective).reduces) {}

  std::optional<Mismatch> run() {
    std::vector<T> send(player_.sent()), wanted(player_.received() + guard_elements);
    for (std::size_t i = 0; i < send.size(); ++i)
      send[i] = value<T>(communicator_.rank(), i, reduces_ ? communicator_.size() : 1);
    for (std::size_t i = 0; i < wanted.size(); ++i) wanted[i] = value<T>(-1, i, 1);
    std::vector<T> got = wanted;
    const std::vector<T> sent = send;
    reference(player_.part(), player_.elements(), player_.blocks(), send.data(), wanted.data(),
              Type<T>::mpi(), MPI_SUM, communicator_.handle());
    if (in_place_)
      play_in_place(send, got);
    else
      player_.run(send.data(), got.data());
    if (auto wrong = first_difference(got, wanted, "")) return wrong;
    return first_difference(send, sent, " sent");
  }

 private:
  bool any_of(std::initializer_list<Collective> collectives) const {
    return std::ranges::find(collectives, player_.part().collective) != collectives.end();
  }

  /// Offset of the rank's own share.
  std::ptrdiff_t own_share() const {
    const Part& part = player_.part();
    const Rank sharers = any_of({Collective::multi_broadcast}) ? part.root + 1 : part.ranks;
    return static_cast<std::ptrdiff_t>(player_.elements().begin(part.rank * (player_.blocks() / sharers)));
  }

  /// Plays in place where MPI allows it: at the root of gather, reduce and scatter, else on all ranks.
  void play_in_place(std::vector<T>& send, std::vector<T>& got) {
    const bool scatters = any_of({Collective::scatter, Collective::scatterv});
    const bool gathers = any_of({Collective::gather, Collective::gatherv});
    const bool at_root = player_.part().rank == player_.part().root;
    if (!at_root && (scatters || gathers || any_of({Collective::reduce})))
      return player_.run(send.data(), got.data());
    if (scatters) {
      player_.run(send.data(), MPI_IN_PLACE);
      std::copy_n(send.begin() + own_share(), player_.received(), got.begin());
      return;
    }
    std::vector<T> both(std::max(send.size(), got.size()));
    std::ranges::copy(got, both.begin());
    const bool to_share =
        gathers || any_of({Collective::allgather, Collective::allgatherv, Collective::multi_broadcast});
    if (!send.empty()) std::ranges::copy(send, both.begin() + (to_share ? own_share() : 0));
    player_.run(MPI_IN_PLACE, both.data());
    const std::size_t end = std::max(send.size(), player_.received());
    std::copy_n(both.begin(), player_.received(), got.begin());
    if (end < got.size())
      std::copy(both.begin() + static_cast<std::ptrdiff_t>(end),
                both.begin() + static_cast<std::ptrdiff_t>(got.size()),
                got.begin() + static_cast<std::ptrdiff_t>(end));
  }

  std::optional<Mismatch> first_difference(const std::vector<T>& got, const std::vector<T>& wanted,
                                           const char* buffer) const {
    for (std::size_t i = 0; i < got.size(); ++i)
      if (!close_enough(got[i], wanted[i], reduces_ && i < player_.received(), communicator_.size()))
        return mismatch(communicator_.rank(), i, got[i], wanted[i], buffer);
    return {};
  }

  Player player_;
  Communicator& communicator_;
  bool in_place_;
  bool reduces_;
};

template <class T>
std::optional<Mismatch> verify_type(const Algorithm& algorithm, const Call& call,
                                    const std::shared_ptr<Communicator>& communicator, bool in_place) {
  return agree(Check<T>(algorithm, call, communicator, in_place).run(), *communicator);
}

bool whole(const Call& call, double width) {
  return std::fmod(call.message.value, width) == 0 &&
         std::ranges::all_of(call.counts, [=](Bytes b) { return std::fmod(b.value, width) == 0; });
}

}  // namespace

std::optional<Mismatch> agree(const std::optional<Mismatch>& mine, const Communicator& communicator) {
  int first = mine ? communicator.rank() : communicator.size();
  check(MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, communicator.handle()), "MPI_Allreduce");
  if (first == communicator.size()) return {};
  struct {
    std::uint64_t element;
    char got[64], wanted[64], type[32];
  } told{};
  if (first == communicator.rank()) {
    told.element = mine->element;
    std::strncpy(told.got, mine->got.c_str(), sizeof told.got - 1);
    std::strncpy(told.wanted, mine->wanted.c_str(), sizeof told.wanted - 1);
    std::strncpy(told.type, mine->type.c_str(), sizeof told.type - 1);
  }
  check(MPI_Bcast(&told, sizeof told, MPI_BYTE, first, communicator.handle()), "MPI_Bcast");
  return Mismatch{first, told.element, told.got, told.wanted, told.type};
}

std::string Mismatch::words() const {
  return "element " + std::to_string(element) + " of rank " + std::to_string(rank) + " is " + got +
         ", should be " + wanted + " (" + type + ")";
}

std::optional<Mismatch> verify(const Algorithm& algorithm, const Call& call,
                               const std::shared_ptr<Communicator>& communicator, bool in_place) {
  auto both = [&]<class Integer, class Real>(Integer, Real) {
    auto wrong = verify_type<Integer>(algorithm, call, communicator, in_place);
    return wrong ? wrong : verify_type<Real>(algorithm, call, communicator, in_place);
  };
  if (whole(call, 8)) return both(std::int64_t{}, double{});
  if (whole(call, 4)) return both(std::int32_t{}, float{});
  return verify_type<std::uint8_t>(algorithm, call, communicator, in_place);
}

}  // namespace collcast::mpi
