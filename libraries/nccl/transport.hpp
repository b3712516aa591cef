// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "libraries/nccl/kernel.hpp"

namespace collcast::nccl {

/// How a call is played.
struct Play {
  int channels = 1;
  int threads = 0;         ///< of a channel that move data
  Bytes chunk;             ///< that a channel sends at once; what a proxy sends in one message, but in Simple
  double loops = 1;        ///< over the message
  Seconds time;            ///< of one call among many that follow each other, as nccl-tests has it
  Seconds launch;          ///< of it: the kernel's
  std::string limited_by;  ///< the rest
};

/// The time of the candidate, a tree or a ring, by what NCCL's kernels and proxies do with it: see
/// docs/decisions/0011-nccl-transport.md. Throws InputError for others.
Play play(const Policy& policy, Collective collective, const Call& call, const Situation& s,
          const Candidate& candidate, const Software& software);

}  // namespace collcast::nccl
