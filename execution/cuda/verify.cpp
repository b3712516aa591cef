// SPDX-License-Identifier: Apache-2.0
#include "execution/cuda/verify.hpp"

#include <cmath>

#include "execution/check/reference.hpp"

namespace collcast::cuda {
namespace {

template <class T>
T from_double(double x) {
  if constexpr (std::is_same_v<T, Half>)
    return to_half(static_cast<float>(x));
  else if constexpr (std::is_same_v<T, Bfloat16>)
    return to_bfloat16(static_cast<float>(x));
  else
    return static_cast<T>(x);
}
template <class T>
double to_double(T x) {
  if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, Bfloat16>)
    return widen(x);
  else
    return static_cast<double>(x);
}

/// Element i of a rank: from -1 to 1; for products near 1, for integers small enough for any sum, or +-1.
template <class T>
T value(int rank, std::size_t i, Operation op) {
  const std::uint64_t mixed =
      (static_cast<std::uint64_t>(rank + 1) * 0x9e3779b97f4a7c15 + i) * 0xbf58476d1ce4e5b9;
  const double x = static_cast<double>(mixed >> 11) / 0x1p52 - 1;
  if constexpr (std::is_integral_v<T>)
    return op == Operation::product ? (x < 0 ? -1 : 1) : static_cast<T>(x * 1e6);
  return from_double<T>(op == Operation::product ? 1 + x / 16 : x);
}

MPI_Op of(Operation op) {
  switch (op) {
    case Operation::sum:
      return MPI_SUM;
    case Operation::product:
      return MPI_PROD;
    case Operation::minimum:
      return MPI_MIN;
    default:
      return MPI_MAX;
  }
}

/// Each order of p values is within p roundings of what is at most `largest`.
double tolerance(Element element, Operation op, int ranks) {
  if (op == Operation::minimum || op == Operation::maximum) return 0;
  const double largest = op == Operation::sum ? ranks : std::pow(1.0 + 1.0 / 16, ranks);
  return 2 * info(element).rounding * ranks * largest;
}

template <class T>
std::optional<mpi::Mismatch> mine(Player& player, const Algorithm& algorithm, Element element, Operation op,
                                  const mpi::Communicator& communicator, Device& device) {
  const std::size_t sent = player.sent(), received = player.received();
  std::vector<double> exact_send(sent), exact(received);
  Buffer host(device, Memory::host, std::max<std::size_t>(1, std::max(sent, received)) * sizeof(T));
  Buffer send(device, Memory::device, std::max<std::size_t>(1, sent) * sizeof(T));
  Buffer recv(device, Memory::device, std::max<std::size_t>(1, received) * sizeof(T));
  const auto queue = device.queue();
  auto copy = [&](std::byte* to, const std::byte* from, std::size_t bytes) {
    queue->copy(to, from, bytes);
    while (!queue->idle()) {
    }
  };
  auto* values = reinterpret_cast<T*>(host.data());
  for (std::size_t i = 0; i < sent; ++i) {
    values[i] = value<T>(communicator.rank(), i, op);
    exact_send[i] = to_double(values[i]);
  }
  copy(send.data(), host.data(), sent * sizeof(T));
  mpi::reference(player.part(), player.elements(), player.blocks(), exact_send.data(), exact.data(),
                 MPI_DOUBLE, of(op), communicator.handle());
  player.run(send.data(), recv.data());
  copy(host.data(), recv.data(), received * sizeof(T));
  const bool reduces = definition(algorithm.collective).reduces;
  const double allowed = reduces ? tolerance(element, op, communicator.size()) : 0;
  for (std::size_t i = 0; i < received; ++i)
    if (const double got = to_double(values[i]); !(std::abs(got - exact[i]) <= allowed))
      return mpi::Mismatch{communicator.rank(), i, std::to_string(got), std::to_string(exact[i]),
                           std::string(info(element).name)};
  return {};
}

}  // namespace

std::optional<mpi::Mismatch> verify(const Algorithm& algorithm, const Call& call, Element element,
                                    Operation op, const std::shared_ptr<mpi::Communicator>& communicator,
                                    Device& device, Transport transport) {
  Player player(algorithm, call, element, op, communicator, device, transport);
  const auto wrong = with_type(element, [&](auto sample) {
    return mine<decltype(sample)>(player, algorithm, element, op, *communicator, device);
  });
  return mpi::agree(wrong, *communicator);
}

}  // namespace collcast::cuda
