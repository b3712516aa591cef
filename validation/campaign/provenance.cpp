// SPDX-License-Identifier: Apache-2.0
#include "validation/campaign/provenance.hpp"

#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <ctime>
#include <fstream>

#include "commit.hpp"
#include "engines/smpi/smpi.hpp"
#include "support/json.hpp"

namespace collcast::campaign {
namespace {

std::string processor() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("model name"))
      if (const auto colon = line.find(": "); colon != std::string::npos) return line.substr(colon + 2);
  return "unknown";
}

std::string now() {
  const std::time_t seconds = std::time(nullptr);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&seconds));
  return text.data();
}

}  // namespace

Json provenance() {
  utsname system{};
  uname(&system);
  return {{"commit", COLLCAST_COMMIT},
          {"version", COLLCAST_VERSION},
          {"date", now()},
          {"machine", system.nodename},
          {"processor", processor()},
          {"processors", sysconf(_SC_NPROCESSORS_ONLN)},
          {"kernel", std::string(system.sysname) + " " + system.release},
          {"compiler", COLLCAST_COMPILER},
          {"simgrid", smpi::available() ? smpi::version() : "none"}};
}

}  // namespace collcast::campaign
