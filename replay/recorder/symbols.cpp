// SPDX-License-Identifier: Apache-2.0
//
// The symbols that the recorder puts in front of the MPI library's, C and
// Fortran, made from the table of calls. A symbol is an indirect function: its resolver, which the loader
// runs, returns the instance to call. So the instance's signature is deduced from MPI's and need not be
// written again.
#include <mpi.h>

#include "replay/recorder/entry.hpp"
#include "replay/recorder/fill.hpp"
#include "replay/recorder/fortran.hpp"
#include "replay/recorder/fortran_special.hpp"
#include "replay/recorder/passthrough.hpp"
#include "replay/recorder/special.hpp"

using namespace collcast::recorder;
using Op = collcast::trace::Op;

using Routine = void();  // a Fortran routine, whatever its arguments

#define HIDDEN __attribute__((visibility("hidden"), used))
#define SHOWN(resolver) __attribute__((ifunc(#resolver), visibility("default")))

#define EXPORT_C(Name, lower, ...)                                \
  extern "C" HIDDEN decltype(&PMPI_##Name) collcast_c_##lower() { \
    return __VA_ARGS__;                                           \
  }                                                               \
  extern "C" decltype(PMPI_##Name) MPI_##Name SHOWN(collcast_c_##lower);

#define RESOLVER(name, ...)                         \
  extern "C" HIDDEN Routine* name() {               \
    return reinterpret_cast<Routine*>(__VA_ARGS__); \
  }

// `use mpi` and mpif.h call mpi_x_, `use mpi_f08` calls mpi_x_f08_; the arguments lie in memory alike.
#define EXPORT_FORTRAN(lower, ...)                                   \
  RESOLVER(collcast_fortran_##lower, __VA_ARGS__)                    \
  extern "C" Routine mpi_##lower##_ SHOWN(collcast_fortran_##lower); \
  extern "C" Routine mpi_##lower##_f08_ SHOWN(collcast_fortran_##lower);

#define EXPORT(Name, lower, ...)     \
  EXPORT_C(Name, lower, __VA_ARGS__) \
  EXPORT_FORTRAN(lower, &fortran::Entry<(__VA_ARGS__)>::call)

// A Fortran call that is only counted goes on to the library's own Fortran entry, arguments untouched.
#define EXPORT_COUNTED(Name, lower)                                                       \
  namespace {                                                                             \
  constexpr char name_##lower[] = "MPI_" #Name;                                           \
  }                                                                                       \
  extern "C" Routine pmpi_##lower##_ __attribute__((weak));                               \
  extern "C" Routine pmpi_##lower##_f08_ __attribute__((weak));                           \
  RESOLVER(collcast_fortran_##lower,                                                      \
           &fortran::Passthrough<name_##lower, &PMPI_##Name, &pmpi_##lower##_>::call)     \
  RESOLVER(collcast_f08_##lower,                                                          \
           &fortran::Passthrough<name_##lower, &PMPI_##Name, &pmpi_##lower##_f08_>::call) \
  extern "C" Routine mpi_##lower##_ SHOWN(collcast_fortran_##lower);                      \
  extern "C" Routine mpi_##lower##_f08_ SHOWN(collcast_f08_##lower);

#define NONBLOCKING(op, Iname, ilower, described) \
  EXPORT(Iname, ilower, &Nonblocking<Op::op, &fill::described, &PMPI_##Iname>::call)
#define BOTH(op, Name, Iname, lower, ilower, described)                        \
  EXPORT(Name, lower, &Blocking<Op::op, &fill::described, &PMPI_##Name>::call) \
  NONBLOCKING(op, Iname, ilower, described)
#define ALLTOALLW(op, Name, Iname, lower, ilower, described)                           \
  EXPORT_C(Name, lower, &Blocking<Op::op, &fill::described, &PMPI_##Name>::call)       \
  EXPORT_C(Iname, ilower, &Nonblocking<Op::op, &fill::described, &PMPI_##Iname>::call) \
  EXPORT_COUNTED(Name, lower)                                                          \
  EXPORT_COUNTED(Iname, ilower)
#define PERSISTENT(op, Name, lower, described) \
  EXPORT(Name, lower, &Persistent<Op::op, &fill::described, &PMPI_##Name>::call)
#define CREATION(op, Name, lower) EXPORT(Name, lower, &Creation<Op::op, &PMPI_##Name>::call)
#define SPECIAL(Name, lower, function) EXPORT(Name, lower, &special::function)
#define SPECIAL_C(Name, lower, function)    \
  EXPORT_C(Name, lower, &special::function) \
  EXPORT_FORTRAN(lower, &fortran::function)
#define COUNTED(Name, lower)  \
  EXPORT_COUNTED(Name, lower) \
  EXPORT_C(Name, lower, &Counted<name_##lower, &PMPI_##Name>::call)

#include "replay/recorder/calls.def"
