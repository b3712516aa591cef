// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "support/error.hpp"
#include "support/suggest.hpp"
#include "workloads/applications/application.hpp"
#include "workloads/applications/script.hpp"

namespace collcast::workloads {
namespace {

struct ApplicationEntry {
  ApplicationName row;
  Job (*make)(Settings&, const Site&);
  bool by_peaks = true;  ///< computation follows from the device's peaks, unless its time is stated
};

const std::vector<ApplicationEntry>& application_entries() {
  static const std::vector<ApplicationEntry> all = {
      {{"p3dfft", "3D FFTs of complex numbers on pencils: an alltoall by row and one by column each",
        "n=1024, grid=RxC (near square), fields=2, transforms=2, mode=blocking|nonblocking|offload, "
        "progress=host|always, offloaded=both|column, compute=TIME a transform, efficiency=0.7",
        "Pekurovsky, P3DFFT, SIAM J. Sci. Comput. 34 (2012); its non-blocking fields: Kandalla et al., ISC "
        "2011"},
       p3dfft},
      {{"kmeans", "k-means: nearest centroids of each rank's points, then sums and counts are added up",
        "points=1e7 of all ranks, features=50, clusters=8, iterations=10, compute=TIME an iteration, "
        "efficiency=0.7",
        "Lloyd's algorithm as cuML and MPI4cuML distribute it (Ghazimirsaeed et al., MLHPC 2020)"},
       kmeans},
      {{"stencil", "halo exchange on a torus of 2 or 3 dimensions, a residual every few steps",
        "dims=3, side=256 cells of a rank, bytes=8 a cell, width=1, flops=8 a cell, steps=10, residual=0 "
        "(none) steps, overlap=0|1, progress=host|always, compute=TIME a step, efficiency=0.7",
        "Jacobi iteration; cells are weakly scaled"},
       stencil},
      {{"pbt", "population-based training: trials train side by side; the last copy a first one's checkpoint",
        "trial=1 ranks, quantiles=5, rounds=4, steps=100 between exploits, step=TIME (100ms), gradients=0, "
        "checkpoint=1GB",
        "Jaderberg et al., arXiv 1711.09846: truncation selection, the worst 20 % copy the best 20 %"},
       pbt,
       false},
  };
  return all;
}

std::string before_colon(const std::string& text) {
  return text.substr(0, text.find(':'));
}

}  // namespace

const std::vector<ApplicationName>& application_names() {
  static const std::vector<ApplicationName> names = [] {
    std::vector<ApplicationName> all;
    for (const ApplicationEntry& e : application_entries()) all.push_back(e.row);
    return all;
  }();
  return names;
}

bool is_application(const std::string& text) {
  const std::string name = before_colon(text);
  return std::ranges::any_of(application_names(),
                             [&](const ApplicationName& known) { return known.name == name; });
}

Job application_job(const std::string& text, Rank ranks, const Device& device) {
  std::vector<std::string> known;
  for (const ApplicationEntry& e : application_entries()) {
    known.emplace_back(e.row.name);
    if (e.row.name != before_colon(text)) continue;
    Settings settings(text, "application");
    Job job = e.make(settings, {ranks, device});
    settings.finish();
    job.guessed = e.by_peaks && !settings.has("compute");
    job.name = text;
    job.check();
    return job;
  }
  throw InputError("unknown application '" + before_colon(text) + "'" +
                   suggestion(before_colon(text), known) +
                   "; a job of one's own is a file that ends in .json");
}

}  // namespace collcast::workloads
