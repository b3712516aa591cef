// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>

namespace collcast {

/// A real number of unit bytes^B seconds^S. `Bytes / BytesPerSecond` is `Seconds`; `Bytes + Seconds` does not
/// compile.
template <int B, int S>
struct Quantity {
  double value = 0;

  constexpr Quantity() = default;
  constexpr explicit Quantity(double v) : value(v) {}
  constexpr auto operator<=>(const Quantity&) const = default;
  // Compared as numbers: the result of <=> would be compared again, and with branches (g++ 12).
  friend constexpr bool operator<(Quantity a, Quantity b) { return a.value < b.value; }
  friend constexpr bool operator>(Quantity a, Quantity b) { return a.value > b.value; }
  friend constexpr bool operator<=(Quantity a, Quantity b) { return a.value <= b.value; }
  friend constexpr bool operator>=(Quantity a, Quantity b) { return a.value >= b.value; }

  constexpr Quantity& operator+=(Quantity o) { return value += o.value, *this; }
  constexpr Quantity& operator-=(Quantity o) { return value -= o.value, *this; }
  friend constexpr Quantity operator+(Quantity a, Quantity b) { return Quantity(a.value + b.value); }
  friend constexpr Quantity operator-(Quantity a, Quantity b) { return Quantity(a.value - b.value); }
  friend constexpr Quantity operator-(Quantity a) { return Quantity(-a.value); }
  friend constexpr Quantity operator*(double k, Quantity a) { return Quantity(k * a.value); }
  friend constexpr Quantity operator*(Quantity a, double k) { return Quantity(k * a.value); }
  friend constexpr Quantity operator/(Quantity a, double k) { return Quantity(a.value / k); }
};

namespace detail {
template <int B, int S>
constexpr auto quantity(double v) {
  if constexpr (B == 0 && S == 0)
    return v;
  else
    return Quantity<B, S>(v);
}
}  // namespace detail

template <int B, int S, int C, int T>
constexpr auto operator*(Quantity<B, S> a, Quantity<C, T> b) {
  return detail::quantity<B + C, S + T>(a.value * b.value);
}
template <int B, int S, int C, int T>
constexpr auto operator/(Quantity<B, S> a, Quantity<C, T> b) {
  return detail::quantity<B - C, S - T>(a.value / b.value);
}
template <int B, int S>
constexpr auto operator/(double k, Quantity<B, S> a) {
  return detail::quantity<-B, -S>(k / a.value);
}

using Bytes = Quantity<1, 0>;
using Seconds = Quantity<0, 1>;
using SecondsPerByte = Quantity<-1, 1>;
using BytesPerSecond = Quantity<1, -1>;

/// GB = 1e9 bytes, GiB = 2^30 bytes; never one for the other.
namespace literals {
constexpr Bytes operator""_B(long double v) {
  return Bytes(static_cast<double>(v));
}
constexpr Bytes operator""_B(unsigned long long v) {
  return Bytes(static_cast<double>(v));
}
constexpr Bytes operator""_KiB(unsigned long long v) {
  return Bytes(static_cast<double>(v) * 1024);
}
constexpr Bytes operator""_MiB(unsigned long long v) {
  return Bytes(static_cast<double>(v) * 1048576);
}
constexpr Seconds operator""_s(long double v) {
  return Seconds(static_cast<double>(v));
}
constexpr BytesPerSecond operator""_GBps(long double v) {
  return BytesPerSecond(static_cast<double>(v) * 1e9);
}
}  // namespace literals

}  // namespace collcast
