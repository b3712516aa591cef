// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "model/units.hpp"

namespace collcast {

/// Moments that belong to at least one of some spans, which come about in the order of their ends. Of far
/// more than a few hundred, a span that begins within one of the first is taken to overlap others evenly.
class Moments {
 public:
  /// Returns by how much the sum grows.
  Seconds add(Seconds begin, Seconds end);
  Seconds sum() const { return sum_; }

 private:
  struct Span {
    Seconds begin, end;
    Seconds sum;  ///< less than its length: it stands for several
  };
  void thin();

  std::vector<Span> spans_;  ///< without overlap, in order
  Seconds sum_;
};

}  // namespace collcast
