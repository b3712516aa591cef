// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#ifdef __CUDACC__
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#define COLLCAST_BOTH __host__ __device__
#else
#define COLLCAST_BOTH
#endif

namespace collcast::cuda {

/// The types that GPUs reduce. The 16-bit floats are added in single precision and rounded once.
enum class Element : std::uint8_t { float32, float64, float16, bfloat16, int32 };
enum class Operation : std::uint8_t { sum, product, minimum, maximum };

struct ElementInfo {
  Element element;
  std::string_view name;
  std::size_t size;
  double rounding;  ///< largest relative error of one operation; 0: exact
};
inline constexpr ElementInfo elements[] = {
    {Element::float32, "float", 4, 0x1p-24}, {Element::float64, "double", 8, 0x1p-53},
    {Element::float16, "half", 2, 0x1p-11},  {Element::bfloat16, "bfloat16", 2, 0x1p-8},
    {Element::int32, "int", 4, 0},
};
constexpr const ElementInfo& info(Element e) {
  return elements[static_cast<std::size_t>(e)];
}

/// IEEE 754 binary16.
struct Half {
  std::uint16_t bits = 0;
};
/// The upper half of a binary32.
struct Bfloat16 {
  std::uint16_t bits = 0;
};

namespace narrow {

COLLCAST_BOTH inline std::uint32_t bits_of(float f) {
  std::uint32_t u;
  memcpy(&u, &f, sizeof u);
  return u;
}
COLLCAST_BOTH inline float float_of(std::uint32_t u) {
  float f;
  memcpy(&f, &u, sizeof f);
  return f;
}

}  // namespace narrow

COLLCAST_BOTH inline float widen(Bfloat16 b) {
  return narrow::float_of(std::uint32_t{b.bits} << 16);
}
/// Rounds to nearest, ties to even.
COLLCAST_BOTH inline Bfloat16 to_bfloat16(float f) {
  const std::uint32_t u = narrow::bits_of(f);
  if (f != f) return {static_cast<std::uint16_t>(u >> 16 | 0x40)};
  return {static_cast<std::uint16_t>((u + 0x7fff + (u >> 16 & 1)) >> 16)};
}

COLLCAST_BOTH inline float widen(Half h) {
#ifdef __CUDA_ARCH__
  return __half2float(__ushort_as_half(h.bits));
#else
  const std::uint32_t sign = std::uint32_t{h.bits} << 16 & 0x80000000, rest = h.bits & 0x7fff;
  if (rest >= 0x7c00) return narrow::float_of(sign | 0x7f800000 | (rest & 0x3ff) << 13);
  // As a binary32 with the exponent of a binary16: 2^112 too small, subnormals included.
  const float small = narrow::float_of(rest << 13) * 0x1p112f;
  return narrow::float_of(sign | narrow::bits_of(small));
#endif
}
/// Rounds to nearest, ties to even.
COLLCAST_BOTH inline Half to_half(float f) {
#ifdef __CUDA_ARCH__
  return {__half_as_ushort(__float2half_rn(f))};
#else
  const std::uint32_t u = narrow::bits_of(f), sign = u >> 16 & 0x8000, rest = u & 0x7fffffff;
  if (rest > 0x7f800000) return {static_cast<std::uint16_t>(sign | 0x7e00)};
  if (rest >= 0x477ff000) return {static_cast<std::uint16_t>(sign | 0x7c00)};  // 65520 and up
  if (rest < 0x38800000)  // subnormal: the sum's last bit is 2^-24
    return {static_cast<std::uint16_t>(sign | (narrow::bits_of(narrow::float_of(rest) + 0.5f) - 0x3f000000))};
  return {static_cast<std::uint16_t>(sign | (rest - 0x38000000 + 0xfff + (rest >> 13 & 1)) >> 13)};
#endif
}

template <class T>
COLLCAST_BOTH T apply(Operation op, T a, T b) {
  switch (op) {
    case Operation::sum:
      return a + b;
    case Operation::product:
      return a * b;
    case Operation::minimum:
      return b < a ? b : a;
    default:
      return a < b ? b : a;
  }
}
COLLCAST_BOTH inline Half apply(Operation op, Half a, Half b) {
  return to_half(apply(op, widen(a), widen(b)));
}
COLLCAST_BOTH inline Bfloat16 apply(Operation op, Bfloat16 a, Bfloat16 b) {
  return to_bfloat16(apply(op, widen(a), widen(b)));
}

/// Calls `visit` with a value of the element's type.
template <class Visit>
auto with_type(Element element, Visit&& visit) {
  switch (element) {
    case Element::float32:
      return visit(float{});
    case Element::float64:
      return visit(double{});
    case Element::float16:
      return visit(Half{});
    case Element::bfloat16:
      return visit(Bfloat16{});
    default:
      return visit(std::int32_t{});
  }
}

}  // namespace collcast::cuda
