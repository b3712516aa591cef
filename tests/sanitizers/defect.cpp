// SPDX-License-Identifier: Apache-2.0
// A program with the defect that is asked for: leak, use-after-free, overflow (of a signed integer).
#include <limits>
#include <string>

namespace {

int* volatile memory = nullptr;

}  // namespace

int main(int count, char** words) {
  const std::string defect = count == 2 ? words[1] : "";
  memory = new int(count);
  if (defect == "leak") memory = nullptr;
  if (defect == "use-after-free") {
    delete memory;
    return *memory;
  }
  if (defect == "overflow") *memory += std::numeric_limits<int>::max();
  delete memory;
  return 0;
}
