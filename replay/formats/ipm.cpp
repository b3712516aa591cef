// SPDX-License-Identifier: Apache-2.0
#include "replay/formats/ipm.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "replay/formats/input.hpp"
#include "replay/formats/profile.hpp"
#include "support/error.hpp"

namespace collcast {
namespace {

/// Whether the line begins a banner, behind the spaces before a quoted one.
bool begins_banner(std::string_view line) {
  const std::size_t text = line.find_first_not_of(" \t");
  return text != std::string_view::npos && line.substr(text).starts_with("##IPMv");
}

struct Banner {
  Rank tasks = 0;
  double said = 0;          ///< calls of all ranks by the head, from IPM 2 on; 0: not said
  std::int64_t others = 0;  ///< banners of further runs in the file
  std::vector<ProfiledCall> calls;
};

/// The banner of the first run in the file: "# mpi_tasks : 128 on 32 nodes", and rows "# MPI_Bcast 1.14 256
/// 0.10" under "[time] [count]". The first table is of the whole run, the following ones are of its regions.
Banner banner_of(const std::string& path) {
  Banner banner;
  Input input(path);
  int tables = 0;
  bool in_counts = false;
  std::int64_t banners = 0;
  for (std::string line; input.line(line);) {
    banners += begins_banner(line);
    if (banners > 1) continue;
    std::istringstream words(line);
    std::string hash, word;
    if (!(words >> hash >> word) || hash != "#") continue;
    if (word == "[time]") ++tables;
    if (word == "#calls") in_counts = true;
    if (word == "MPI" && in_counts && tables == 0) {
      words >> hash >> banner.said;
      in_counts = false;
    }
    // mpi_tasks stands alone in its line, or in IPM 0.98 after the host.
    if (const auto at = line.find("mpi_tasks"); at != std::string::npos)
      std::istringstream(line.substr(at)) >> word >> word >> banner.tasks;
    double seconds = 0, count = 0;
    if (tables != 1 || !word.starts_with("MPI_") || !(words >> seconds >> count)) continue;
    if (!(seconds >= 0 && seconds < 1e15 && count >= 1 && count < 1e15))
      throw InputError(path + ": '" + word + "' has no time in seconds and count of calls");
    banner.calls.push_back({word, std::llround(count), Seconds(seconds)});
    if (banner.calls.size() > 10'000) throw InputError(path + ": has more calls than MPI");
  }
  banner.others = banners - 1;
  return banner;
}

}  // namespace

bool is_ipm(std::string_view head) {
  for (std::size_t end = 0; !head.empty(); head.remove_prefix(std::min(end + 1, head.size()))) {
    end = std::min(head.find('\n'), head.size());
    if (begins_banner(head.substr(0, end))) return true;
  }
  return false;
}

std::unique_ptr<Source> open_ipm(const std::vector<std::string>& files, const OpenOptions&) {
  require_one(files, "IPM's banner has all ranks in one file");
  const Banner banner = banner_of(files[0]);
  if (banner.calls.empty())
    throw InputError(files[0] +
                     ": IPM's banner without its table of calls ([time] [count]); IPM_REPORT=full "
                     "writes it");
  if (banner.tasks > most_recorded_ranks) throw InputError(files[0] + ": has more ranks than a job");
  auto source = std::make_unique<RecordedSource>(std::max<Rank>(banner.tasks, 1));
  source->info().recorded_ranks = {0};
  source->info().unknown = unknown_to_profiles();
  source->info().unknown.emplace_back("sizes");
  source->info().notes = {"rank 0 stands for the sum of all ranks"};
  add_profile(*source, 0, banner.calls);
  source->info().lose("banner", banner.others, "of another run than the file's first");
  std::int64_t listed = 0;
  for (const ProfiledCall& c : banner.calls) listed += c.count;
  if (banner.said < 1e15 && std::llround(banner.said) > listed)
    source->info().losses.push_back(
        {"call", std::llround(banner.said) - listed, "less in the table than IPM says there were"});
  return source;
}

}  // namespace collcast
