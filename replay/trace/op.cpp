// SPDX-License-Identifier: Apache-2.0
#include "replay/trace/op.hpp"

#include <cctype>
#include <iterator>

namespace collcast::trace {
namespace {

struct OpRow {
  const char* id;
  const char* mpi;
  OpClass kind;
};

constexpr OpRow ops[] = {
#define COLLCAST_OP(id, name, kind) {#id, name, OpClass::kind},
    COLLCAST_TRACE_OPS(COLLCAST_OP)
#undef COLLCAST_OP
};

constexpr const char* reductions[] = {"none", "sum",  "prod", "max",    "min",    "land",    "band",  "lor",
                                      "bor",  "lxor", "bxor", "maxloc", "minloc", "replace", "no_op", "user"};
static_assert(std::size(reductions) == reduction_count);

const OpRow& row(Op op) {
  return ops[static_cast<int>(op)];
}

}  // namespace

const char* short_name(Op op) {
  return row(op).id;
}

std::string mpi_name(Op op, bool nonblocking) {
  std::string text = row(op).mpi;
  if (!nonblocking) return "MPI_" + text;
  if (text.starts_with("Comm_")) return "MPI_Comm_i" + text.substr(5);
  text[0] = static_cast<char>(std::tolower(text[0]));
  return "MPI_I" + text;
}

OpClass class_of(Op op) {
  return row(op).kind;
}

const char* name(Reduction reduction) {
  return reductions[static_cast<int>(reduction)];
}

}  // namespace collcast::trace
