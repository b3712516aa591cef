// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cmath>

#include "support/error.hpp"
#include "support/numbers.hpp"
#include "workloads/applications/script.hpp"

namespace collcast::workloads {
namespace {

struct Pencils {
  Rank rows, columns;
};

[[noreturn]] void reject_pencils(const std::string& what) {
  throw InputError("application p3dfft: " + what);
}

/// A grid as near to a square as the ranks can be divided.
Pencils square(Rank ranks) {
  Rank rows = static_cast<Rank>(std::sqrt(static_cast<double>(ranks)));
  while (ranks % rows != 0) --rows;
  return {rows, ranks / rows};
}

Pencils parse_pencils(const std::string& text) {
  if (const auto rows = leading_number<Rank>(text); rows && rows->value > 0 && rows->rest.starts_with('x'))
    if (const auto columns = number_in<Rank>(rows->rest.substr(1)); columns && *columns > 0)
      return {rows->value, *columns};
  reject_pencils("grid takes rows x columns like 8x16, got '" + text + "'");
}

Pencils pencils(Settings& settings, Rank ranks, int n) {
  const std::string grid = settings.word("grid", "");
  const Pencils p = grid.empty() ? square(ranks) : parse_pencils(grid);
  if (std::int64_t{p.rows} * p.columns != ranks)
    reject_pencils("a grid of " + grid + " is not " + std::to_string(ranks) + " ranks");
  if (p.rows > n || p.columns > n)
    reject_pencils("a grid of " + std::to_string(p.rows) + " x " + std::to_string(p.columns) +
                   " cuts n = " + std::to_string(n) + " points into more pieces than there are");
  return p;
}

/// The times of what a rank does between the exchanges: it transforms along one dimension, and packs or
/// unpacks.
struct Stages {
  Seconds first, middle, last;
};

/// A transform takes 5 n^3 log2 n operations per dimension. It reads and writes 16 bytes a point, and so does
/// each packing or unpacking around the two exchanges.
Stages stages(Settings& settings, const Site& site, double points, int n) {
  const double reached = efficiency(settings);
  if (const Seconds given = settings.time("compute", Seconds(-1)); given >= Seconds())
    return {given / 3.0, given / 3.0, given / 3.0};
  const Bytes moved(2 * 16 * points);
  const auto kernel = [&](double flops) {
    return kernel_time(site.device, site.device.fp64, flops, moved, reached);
  };
  const Seconds lines = kernel(5 * points * std::log2(n)), packing = kernel(0);
  return {lines + packing, packing + lines + packing, packing + lines};
}

/// Who makes the exchanges of rows and columns progress. Ranks do what is not offloaded.
std::array<Progress, 2> of_groups(Settings& settings, const std::string& mode) {
  const Progress by_host = host_progress(settings);
  const bool both = one_of(settings, "offloaded", "both", {"both", "column"}) == "both";
  if (mode != "nonblocking" && settings.has("progress"))
    reject_pencils("progress goes with mode=nonblocking");
  if (mode != "offload" && settings.has("offloaded")) reject_pencils("offloaded goes with mode=offload");
  if (mode == "blocking") return {Progress::always, Progress::always};
  if (mode == "nonblocking") return {by_host, by_host};
  return {both ? Progress::dpu : Progress::host, Progress::dpu};
}

}  // namespace

/// Group 0 is a row of consecutive ranks, group 1 a column. In blocking mode, fields follow each other.
/// Otherwise each stage goes through all fields, and a field is exchanged while the next one is computed.
Job p3dfft(Settings& settings, const Site& site) {
  const int n = settings.count("n", 1024, 2), fields = settings.count("fields", 2);
  const int transforms = settings.count("transforms", 2);
  const Pencils p = pencils(settings, site.ranks, n);
  const double points = std::pow(n, 3) / site.ranks;
  const Stages time = stages(settings, site, points, n);
  const std::string mode = one_of(settings, "mode", "blocking", {"blocking", "nonblocking", "offload"});
  const std::array<Progress, 2> progress = of_groups(settings, mode);
  const Bytes exchanged(std::round(16 * points));
  Script script;
  const auto exchange = [&](int group, int after) {
    return script.collective(group == 0 ? "row alltoall" : "column alltoall", Collective::alltoall, group,
                             exchanged, {after}, progress[static_cast<std::size_t>(group)]);
  };
  const int together = mode == "blocking" ? 1 : fields;
  for (std::int64_t t = std::int64_t{transforms} * (fields / together); t > 0; --t) {
    std::vector<int> row, column;
    for (int f = 0; f < together; ++f) row.push_back(exchange(0, script.compute("fft 1", time.first)));
    for (const int r : row) column.push_back(exchange(1, script.compute("fft 2", time.middle, {r})));
    for (const int c : column) script.compute("fft 3", time.last, {c});
  }
  Job job;
  job.dimensions = {{"row", p.rows}, {"column", p.columns}};
  job.groups = {{"row", {0}}, {"column", {1}}};
  job.roles = {{"rank", script.take()}};
  return job;
}

}  // namespace collcast::workloads
