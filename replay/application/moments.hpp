// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "model/units.hpp"

namespace collcast {

/// The total time covered by spans, which are added about in the order of their ends. If there are far more
/// than a few hundred, a new span that begins within one of the earliest is taken to overlap the others
/// evenly.
class Moments {
 public:
  /// Adds a span; returns by how much the sum grows.
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
