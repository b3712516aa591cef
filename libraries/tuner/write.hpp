// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "libraries/tuner/tuner.hpp"

namespace collcast::tuner {

// Writers of tuning files, by the grammars of the libraries' own readers.

/// plugins/tuner/example of NCCL 2.28.3 to 2.30. Lines for these ranks come first, then the same for any
/// ranks, as NCCL gives a collective without a line one channel.
std::string write_nccl(const Tuning& tuning);
/// coll_tuned_dynamic_file.c. The fixed decisions hold for other numbers of ranks, and for sizes that are not
/// tuned.
std::string write_openmpi(const Tuning& tuning);
std::string write_openmpi_json(const Tuning& tuning);
/// csel.c. The file replaces MPICH's own, so it covers every collective.
std::string write_mpich(const Tuning& tuning);
/// ucc_coll_score.c and ucc_parser.c. A radix holds for teams of any size.
std::string write_ucc(const Tuning& tuning);
/// allreduce_tuning.c, which reads ranges only if its indexed tables are off. For rules that cover all sizes;
/// the file holds for any number of ranks.
std::string write_mvapich2(const Tuning& tuning);

}  // namespace collcast::tuner
