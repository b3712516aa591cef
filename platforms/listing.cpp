// SPDX-License-Identifier: Apache-2.0
#include "platforms/listing.hpp"

#include <algorithm>
#include <iomanip>
#include <set>

#include "platforms/load.hpp"
#include "platforms/machine.hpp"
#include "platforms/paths.hpp"

namespace collcast {

PlatformSummary summary(const Description& description) {
  const Blueprint b = read_blueprint(description);
  const std::int64_t ranks = max_ranks(description);
  const Machine machine(description, static_cast<Rank>(std::min<std::int64_t>(ranks, 1 << 20)));
  return {description.name(), description.text(), ranks,
          static_cast<int>(b.of_kind(Blueprint::Vertex::Kind::gpu).size()), machine.stamp()};
}

std::vector<PlatformSummary> list_platforms() {
  std::vector<PlatformSummary> all;
  for (const std::string& name : shipped_platforms()) all.push_back(summary(load_platform(name)));
  return all;
}

void print(std::ostream& out, const Description& description) {
  const PlatformSummary s = summary(description);
  out << s.name << ": " << s.description << "\n"
      << "up to " << s.max_ranks << " ranks, " << s.gpus_per_node << " GPUs per node\n\n";
  std::set<std::string> unused;
  for (const Parameter& p : unused_parameters(description)) unused.insert(p.path);
  std::size_t width = 9;
  for (const Parameter& p : description.parameters()) width = std::max(width, p.path.size());
  const auto w = static_cast<int>(width) + 2;
  out << std::left << std::setw(w) << "parameter" << std::setw(10) << "value" << std::setw(8) << "unit"
      << std::setw(12) << "stamp"
      << "source\n";
  for (const Parameter& p : description.parameters())
    out << std::setw(w) << p.path << std::setw(10) << p.value << std::setw(8) << p.unit << std::setw(12)
        << to_string(p.stamp) << p.source << (unused.contains(p.path) ? " [no engine uses it]" : "") << "\n";
  if (description.json().contains("notes"))
    for (const Json& note : description.json()["notes"]) out << "\n" << note.get<std::string>() << "\n";
}

}  // namespace collcast
