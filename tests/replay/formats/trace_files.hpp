// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "tests/folder.hpp"
#include "tests/replay/formats/samples.hpp"

namespace collcast::testing {

/// Traces that a test writes to a folder of its own.
class TraceFiles : public ::testing::Test {
 protected:
  std::string file(const std::string& name, const std::string& content) {
    return samples::write(folder_ / name, content);
  }
  Folder folder_;
};

}  // namespace collcast::testing
