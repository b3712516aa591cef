// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <type_traits>

/// Fortran's view of MPI: every argument by address, handles as integers, constants as addresses of common
/// blocks.
namespace collcast::recorder::fortran {

static_assert(sizeof(MPI_Fint) == sizeof(int), "Fortran integers of the MPI library must be C's");

/// A choice buffer, with Fortran's MPI_BOTTOM and MPI_IN_PLACE replaced by C's.
void* buffer(void* argument);
/// An array of integers, with Fortran's MPI_UNWEIGHTED and MPI_WEIGHTS_EMPTY replaced by C's.
const int* integers(const void* argument);
/// Whether the address is Fortran's MPI_STATUS_IGNORE or MPI_STATUSES_IGNORE.
bool ignores_status(const void* argument);

template <class Handle>
Handle to_c(MPI_Fint f) {
  if constexpr (std::is_same_v<Handle, MPI_Comm>)
    return PMPI_Comm_f2c(f);
  else if constexpr (std::is_same_v<Handle, MPI_Datatype>)
    return PMPI_Type_f2c(f);
  else if constexpr (std::is_same_v<Handle, MPI_Op>)
    return PMPI_Op_f2c(f);
  else if constexpr (std::is_same_v<Handle, MPI_Request>)
    return PMPI_Request_f2c(f);
  else if constexpr (std::is_same_v<Handle, MPI_Group>)
    return PMPI_Group_f2c(f);
  else if constexpr (std::is_same_v<Handle, MPI_Info>)
    return PMPI_Info_f2c(f);
  else
    return PMPI_Message_f2c(f);
}

inline MPI_Fint to_f(MPI_Comm c) {
  return PMPI_Comm_c2f(c);
}
inline MPI_Fint to_f(MPI_Request c) {
  return PMPI_Request_c2f(c);
}
inline MPI_Fint to_f(MPI_Message c) {
  return PMPI_Message_c2f(c);
}

template <class T>
inline constexpr bool is_handle =
    std::is_same_v<T, MPI_Comm> || std::is_same_v<T, MPI_Datatype> || std::is_same_v<T, MPI_Op> ||
    std::is_same_v<T, MPI_Request> || std::is_same_v<T, MPI_Group> || std::is_same_v<T, MPI_Info> ||
    std::is_same_v<T, MPI_Message>;

/// One argument of type T, made from Fortran's address. The destructor copies back what C wrote.
template <class T>
class Argument {
 public:
  explicit Argument(void* address) : address_(address) {}
  operator T() const {
    if constexpr (std::is_same_v<T, void*> || std::is_same_v<T, const void*>)
      return buffer(address_);
    else if constexpr (std::is_same_v<T, const int*>)
      return integers(address_);
    else if constexpr (is_handle<T>)
      return to_c<T>(*static_cast<MPI_Fint*>(address_));
    else if constexpr (std::is_pointer_v<T>)
      return static_cast<T>(address_);
    else
      return *static_cast<T*>(address_);
  }

 private:
  void* address_;
};

template <class T>
requires is_handle<T>
class Argument<T*> {
 public:
  explicit Argument(void* address) : address_(static_cast<MPI_Fint*>(address)), value_(to_c<T>(*address_)) {}
  ~Argument() { *address_ = to_f(value_); }
  Argument(const Argument&) = delete;
  operator T*() { return &value_; }

 private:
  MPI_Fint* address_;
  T value_;
};

template <>
class Argument<MPI_Status*> {
 public:
  explicit Argument(void* address)
      : address_(ignores_status(address) ? nullptr : static_cast<MPI_Fint*>(address)) {
    if (address_) PMPI_Status_f2c(address_, &value_);
  }
  ~Argument() {
    if (address_) PMPI_Status_c2f(&value_, address_);
  }
  Argument(const Argument&) = delete;
  operator MPI_Status*() { return address_ ? &value_ : MPI_STATUS_IGNORE; }

 private:
  MPI_Fint* address_;
  MPI_Status value_{};
};

/// The Fortran entry of a C function: an address per argument, then that of the error code, which may be
/// absent.
template <auto function>
struct Entry;
template <class... A, int (*function)(A...)>
struct Entry<function> {
  template <class>
  using Address = void*;
  static void call(Address<A>... addresses, MPI_Fint* error) {
    const int status = function(Argument<A>(addresses)...);
    if (error) *error = status;
  }
};

}  // namespace collcast::recorder::fortran
