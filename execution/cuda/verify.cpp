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

/// Element i of a rank, if elements of `added` ranks are reduced (1: none). From -1 to 1; for products -1 or
/// 1; for sums whole numbers so small that no partial sum is rounded. So results are exact.
template <class T>
T value(Element element, int rank, std::size_t i, Operation op, int added) {
  std::uint64_t mixed = (static_cast<std::uint64_t>(rank + 1) * 0x9e3779b97f4a7c15 + i) * 0xbf58476d1ce4e5b9;
  mixed = (mixed ^ mixed >> 31) * 0x94d049bb133111eb;
  const double x = static_cast<double>(mixed >> 11) / 0x1p52 - 1;
  if (op == Operation::product) return from_double<T>(x < 0 ? -1 : 1);
  const double rounding = info(element).rounding, exact = rounding > 0 ? 1 / rounding : 0x1p31 - 1;
  if (op == Operation::sum && added > 1) {
    const double most = std::floor(exact / added);
    if (most >= 1) return from_double<T>(std::copysign(std::ceil(std::abs(x) * most), x));
    const auto one_in = static_cast<std::size_t>(std::ceil(added / exact));  // one in so many ranks is not 0
    return from_double<T>((static_cast<std::size_t>(rank) + i) % one_in ? 0 : x < 0 ? -1 : 1);
  }
  return from_double<T>(std::is_integral_v<T> ? x * 1e6 : x);
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
  const int added = definition(algorithm.collective).reduces ? communicator.size() : 1;
  for (std::size_t i = 0; i < sent; ++i) {
    values[i] = value<T>(element, communicator.rank(), i, op, added);
    exact_send[i] = to_double(values[i]);
  }
  copy(send.data(), host.data(), sent * sizeof(T));
  mpi::reference(player.part(), player.elements(), player.blocks(), exact_send.data(), exact.data(),
                 MPI_DOUBLE, of(op), communicator.handle());
  player.run(send.data(), recv.data());
  copy(host.data(), recv.data(), received * sizeof(T));
  for (std::size_t i = 0; i < received; ++i)
    if (const double got = to_double(values[i]); got != exact[i])
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
