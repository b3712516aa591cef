// SPDX-License-Identifier: Apache-2.0
#include "python/interrupt.hpp"

#include <pybind11/pybind11.h>

#include <csignal>

namespace collcast::python {
namespace {

namespace py = pybind11;

std::atomic<bool> flag{false}, computing{false};
void (*pythons)(int) = nullptr;  ///< Python's handler of SIGINT
thread_local bool here = false;

bool in_main_thread() {
  static const auto main =
      py::module_::import("threading").attr("main_thread")().attr("ident").cast<unsigned long>();
  return PyThread_get_thread_ident() == main;
}

void heard(int signal) {
  if (computing) flag = true;
  pythons(signal);
}

}  // namespace

Interruptible::Interruptible() {
  if (here || !in_main_thread()) return;
  const auto now = PyOS_getsig(SIGINT);
  if (now == SIG_DFL || now == SIG_IGN || now == SIG_ERR) return;
  if (now != heard) pythons = now, PyOS_setsig(SIGINT, heard);  // and it stays installed
  flag = false, outermost_ = here = true, computing = true;
}

Interruptible::~Interruptible() {
  if (outermost_) here = false, computing = false;
}

bool Interruptible::ended() {
  if (!outermost_ || !flag) return false;
  PyErr_Clear();
  return PyErr_CheckSignals() != 0;
}

const std::atomic<bool>* interrupt() {
  return here ? &flag : nullptr;
}

}  // namespace collcast::python
