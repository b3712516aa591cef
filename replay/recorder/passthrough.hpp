// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <cstddef>
#include <mutex>

#include "replay/recorder/entry.hpp"

namespace collcast::recorder::fortran {

/// Counts a Fortran call and hands its addresses to `target`, the library's own entry. `c`, the C function of
/// the same name, tells how many addresses there are; hidden string lengths may follow them.
template <const char* name, auto c, auto target>
struct Passthrough;
template <const char* name, class... A, int (*c)(A...), auto target>
struct Passthrough<name, c, target> {
  template <class>
  using Address = void*;
  // The lengths of CHARACTER arguments follow. Reading more than there are is harmless, as they are only
  // passed on.
  static void call(Address<A>... addresses, void* error, std::size_t length_1, std::size_t length_2) {
    if (!active()) return forward(addresses..., error, length_1, length_2);
    Call timing;
    {
      Session& session = Session::instance();
      const std::lock_guard lock(session.mutex);
      session.lose(name, "not modelled");
    }
    forward(addresses..., error, length_1, length_2);
  }

 private:
  static void forward(Address<A>... addresses, void* error, std::size_t length_1, std::size_t length_2) {
    using Entry = void (*)(Address<A>..., void*, std::size_t, std::size_t);
    reinterpret_cast<Entry>(target)(addresses..., error, length_1, length_2);
  }
};

}  // namespace collcast::recorder::fortran
