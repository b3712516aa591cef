// SPDX-License-Identifier: Apache-2.0
#include "execution/mpi/operations.hpp"

#include <string>
#include <utility>
#include <vector>

#include "execution/mpi/check.hpp"
#include "support/error.hpp"

namespace collcast::mpi {
namespace {

/// MPI's groups of predefined datatypes.
enum Group : unsigned {
  none = 0,
  integer = 1,
  floating = 2,
  logical = 4,
  complex = 8,
  byte = 16,
  address = 32,
  pair = 64,
  fortran_integer = 128
};

constexpr std::pair<Group, const char*> group_names[] = {
    {integer, "C integers"}, {fortran_integer, "Fortran integers"},
    {address, "addresses"},  {floating, "floating point"},
    {complex, "complex"},    {logical, "logical"},
    {byte, "bytes"},         {pair, "pairs of a value and an index"}};

Group group(MPI_Datatype type) {
  static const std::pair<Group, std::vector<MPI_Datatype>> groups[] = {
      {integer,
       {MPI_INT, MPI_LONG, MPI_SHORT, MPI_UNSIGNED_SHORT, MPI_UNSIGNED, MPI_UNSIGNED_LONG, MPI_LONG_LONG,
        MPI_UNSIGNED_LONG_LONG, MPI_SIGNED_CHAR, MPI_UNSIGNED_CHAR, MPI_INT8_T, MPI_INT16_T, MPI_INT32_T,
        MPI_INT64_T, MPI_UINT8_T, MPI_UINT16_T, MPI_UINT32_T, MPI_UINT64_T}},
      {fortran_integer, {MPI_INTEGER, MPI_INTEGER1, MPI_INTEGER2, MPI_INTEGER4, MPI_INTEGER8}},
      {address, {MPI_AINT, MPI_OFFSET, MPI_COUNT}},
      {floating,
       {MPI_FLOAT, MPI_DOUBLE, MPI_LONG_DOUBLE, MPI_REAL, MPI_DOUBLE_PRECISION, MPI_REAL4, MPI_REAL8}},
      {complex,
       {MPI_C_COMPLEX, MPI_C_FLOAT_COMPLEX, MPI_C_DOUBLE_COMPLEX, MPI_C_LONG_DOUBLE_COMPLEX,
        MPI_CXX_FLOAT_COMPLEX, MPI_CXX_DOUBLE_COMPLEX, MPI_CXX_LONG_DOUBLE_COMPLEX, MPI_COMPLEX,
        MPI_DOUBLE_COMPLEX, MPI_COMPLEX8, MPI_COMPLEX16}},
      {logical, {MPI_C_BOOL, MPI_CXX_BOOL, MPI_LOGICAL}},
      {byte, {MPI_BYTE}},
      {pair,
       {MPI_FLOAT_INT, MPI_DOUBLE_INT, MPI_LONG_INT, MPI_2INT, MPI_SHORT_INT, MPI_LONG_DOUBLE_INT, MPI_2REAL,
        MPI_2DOUBLE_PRECISION, MPI_2INTEGER}}};
  for (const auto& [g, types] : groups)
    for (MPI_Datatype t : types)
      if (t == type) return g;
  return none;
}

struct Operation {
  MPI_Op op;
  const char* name;
  unsigned groups;  ///< groups that it is defined for
};

const Operation* predefined(MPI_Op op) {
  constexpr unsigned ordered = integer | fortran_integer | floating | address;
  constexpr unsigned truths = integer | logical, bits = integer | fortran_integer | byte | address;
  static const Operation operations[] = {{MPI_SUM, "MPI_SUM", ordered | complex},
                                         {MPI_PROD, "MPI_PROD", ordered | complex},
                                         {MPI_MIN, "MPI_MIN", ordered},
                                         {MPI_MAX, "MPI_MAX", ordered},
                                         {MPI_LAND, "MPI_LAND", truths},
                                         {MPI_LOR, "MPI_LOR", truths},
                                         {MPI_LXOR, "MPI_LXOR", truths},
                                         {MPI_BAND, "MPI_BAND", bits},
                                         {MPI_BOR, "MPI_BOR", bits},
                                         {MPI_BXOR, "MPI_BXOR", bits},
                                         {MPI_MINLOC, "MPI_MINLOC", pair},
                                         {MPI_MAXLOC, "MPI_MAXLOC", pair}};
  for (const Operation& o : operations)
    if (o.op == op) return &o;
  return nullptr;
}

std::string in_words(unsigned groups) {
  std::string words;
  for (const auto& [g, name] : group_names)
    if (groups & g) words += (words.empty() ? "" : ", ") + std::string(name);
  return words;
}

std::string name_of(MPI_Datatype type) {
  char name[MPI_MAX_OBJECT_NAME];
  int length = 0;
  check(MPI_Type_get_name(type, name, &length), "MPI_Type_get_name");
  return length == 0 ? "a derived datatype" : std::string(name, static_cast<std::size_t>(length));
}

}  // namespace

void require_meaning(MPI_Op op, MPI_Datatype type) {
  if (op == MPI_OP_NULL) throw InputError("a collective that reduces needs an operation, got MPI_OP_NULL");
  if (const Operation* o = predefined(op)) {
    if (!(o->groups & group(type)))
      throw InputError(std::string(o->name) + " has no meaning on " + name_of(type) + "; it takes " +
                       in_words(o->groups));
    return;
  }
  int commutative = 0;
  check(MPI_Op_commutative(op, &commutative), "MPI_Op_commutative");
  if (!commutative)
    throw InputError("the operation is not commutative; schedules reduce in an order of their own");
}

}  // namespace collcast::mpi
