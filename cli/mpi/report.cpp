// SPDX-License-Identifier: Apache-2.0
#include "cli/mpi/report.hpp"

#include <cmath>
#include <cstdio>
#include <iostream>

#include "algorithms/exchange/point/point.hpp"
#include "execution/mpi/version.hpp"
#include "support/json.hpp"

namespace collcast::mpi {
namespace {

double algorithm_bandwidth(const Outcome& o) {
  const bool moves = definition(o.job.algorithm->collective).whole(1) > 0;  // a barrier moves nothing
  return moves ? o.job.call.message.value / o.times.median() / 1e9 : 0;
}

double bus_bandwidth(const Outcome& o) {
  return algorithm_bandwidth(o) * definition(o.job.algorithm->collective).bus_factor(o.job.call.ranks);
}

Json what(const Job& job) {
  const Definition& d = definition(job.algorithm->collective);
  return {{"collective", d.name},
          {"algorithm", job.algorithm->name},
          {"parameters", parameters(*job.algorithm, job.call)},
          {"ranks", job.call.ranks},
          {"root", d.rooted ? Json(job.call.root) : Json()},
          {"message_bytes", std::llround(job.call.message.value)}};
}

Json row(const Outcome& o) {
  Json row = what(o.job);
  row.update({{"type", o.type},
              {"checked", o.checked},
              {"repetitions", o.times.seconds.size()},
              {"late_starts", o.times.late},
              {"time_s", o.times.median()},
              {"min_s", o.times.seconds.front()},
              {"max_s", o.times.seconds.back()},
              {"algbw_GBps", algorithm_bandwidth(o)},
              {"busbw_GBps", bus_bandwidth(o)}});
  return row;
}

Json row_of(const Overlap& o) {
  return {{"pure_s", o.pure_s},
          {"compute_s", o.compute_s},
          {"total_s", o.total_s},
          {"overlap_percent", o.percent()}};
}

Json row(const OverlapOutcome& o) {
  Json row = what(o.job);
  row.update({{"checked", o.checked}, {"predicted", row_of(o.predicted)}, {"measured", row_of(o.measured)}});
  return row;
}

}  // namespace

void print_json(const std::vector<OverlapOutcome>& outcomes) {
  Json rows = Json::array();
  for (const OverlapOutcome& o : outcomes) rows.push_back(row(o));
  std::cout << dump(Json{{"engine", "mpi"}, {"library", library()}, {"overlaps", rows}}, 2) << '\n';
}

void print_table(const std::vector<OverlapOutcome>& outcomes) {
  std::printf("%-24s %6s %12s %12s %12s %12s %9s | predicted: %12s %12s %9s %6s\n", "algorithm", "ranks",
              "message [B]", "alone [us]", "compute [us]", "both [us]", "overlap", "alone [us]", "both [us]",
              "overlap", "check");
  for (const OverlapOutcome& o : outcomes)
    std::printf("%-24s %6d %12.0f %12.2f %12.2f %12.2f %7.1f %% |            %12.2f %12.2f %7.1f %% %6s\n",
                std::string(o.job.algorithm->name).c_str(), o.job.call.ranks, o.job.call.message.value,
                o.measured.pure_s * 1e6, o.measured.compute_s * 1e6, o.measured.total_s * 1e6,
                o.measured.percent(), o.predicted.pure_s * 1e6, o.predicted.total_s * 1e6,
                o.predicted.percent(), o.checked ? "ok" : "-");
}

void print_json(const Report& report) {
  Json rows = Json::array();
  for (const Outcome& o : report.outcomes) {
    rows.push_back(row(o));
    rows.back()["buffers"] = report.buffers;
    if (report.emulated) rows.back()["emulated"] = true;
  }
  Json all{{"engine", "mpi"}, {"library", library()}, {"measurements", rows}};
  if (const auto& p = report.packets)
    all["multicast_packets"] = {{"sent", p->sent},
                                {"repeated", p->repeated},
                                {"received", p->taken},
                                {"doubled", p->doubled},
                                {"dropped_on_purpose", p->dropped}};
  std::cout << dump(all, 2) << '\n';
}

void print_table(const Report& report) {
  int late = 0;
  std::printf("%-24s %6s %12s %12s %12s %12s %10s %10s %6s\n", "algorithm", "ranks", "message [B]",
              "time [us]", "min [us]", "max [us]", "algbw GB/s", "busbw GB/s", "check");
  for (const Outcome& o : report.outcomes) {
    std::printf("%-24s %6d %12.0f %12.2f %12.2f %12.2f %10.3f %10.3f %6s\n",
                std::string(o.job.algorithm->name).c_str(), o.job.call.ranks, o.job.call.message.value,
                o.times.median() * 1e6, o.times.seconds.front() * 1e6, o.times.seconds.back() * 1e6,
                algorithm_bandwidth(o), bus_bandwidth(o), o.checked ? "ok" : "-");
    late += o.times.late;
  }
  if (const auto& p = report.packets)
    std::printf(
        "\nmulticast packets: %llu sent, %llu repeated; %llu received, %llu doubled, %llu dropped on "
        "purpose\n",
        static_cast<unsigned long long>(p->sent), static_cast<unsigned long long>(p->repeated),
        static_cast<unsigned long long>(p->taken), static_cast<unsigned long long>(p->doubled),
        static_cast<unsigned long long>(p->dropped));
  if (late != 0)
    std::printf(
        "\n%d repetitions began late on some rank (more ranks than processors?): their times include that "
        "delay.\n",
        late);
}

}  // namespace collcast::mpi
