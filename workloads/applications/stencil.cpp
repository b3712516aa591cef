// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "support/error.hpp"
#include "workloads/applications/script.hpp"

namespace collcast::workloads {

/// A step exchanges `width` layers of each face. With overlap, cells that need no neighbour's are computed
/// meanwhile; without, all cells are computed afterwards.
Job stencil(Settings& settings, const Site& site) {
  const int dims = settings.count("dims", 3), side = settings.count("side", 256);
  const int width = settings.count("width", 1), steps = settings.count("steps", 10);
  const int residual = settings.count("residual", 0, 0);
  const Bytes cell(settings.count("bytes", 8));
  const double flops = settings.real("flops", 8), reached = efficiency(settings);
  const bool overlap = settings.flag("overlap", false);
  if (dims != 2 && dims != 3) throw InputError("application stencil: dims takes 2 or 3");
  if (width > side / 2)
    throw InputError("application stencil: halos of width " + std::to_string(width) +
                     " need more cells than a side of " + std::to_string(side));
  const Progress by_host = host_progress(settings);
  if (!overlap && settings.has("progress"))
    throw InputError("application stencil: progress goes with overlap=1");
  const double cells = std::pow(side, dims);
  Seconds whole = settings.time("compute", Seconds(-1));
  if (whole < Seconds())
    whole = kernel_time(site.device, site.device.fp64, flops * cells, 2 * cells * cell, reached);
  const double inner = overlap ? std::pow(side - 2 * width, dims) / cells : 0;
  const Progress progress = overlap ? by_host : Progress::always;
  const Bytes faces = 2.0 * dims * width * std::pow(side, dims - 1) * cell;
  Script script;
  std::vector<int> done;  // last activities of the step before
  for (int s = 1; s <= steps; ++s) {
    const int halo = script.collective("halo", dims == 2 ? Collective::halo_2d : Collective::halo_3d, 0,
                                       faces, done, progress);
    if (overlap) script.compute("interior", inner * whole);
    const int cells_done = script.compute(overlap ? "boundary" : "cells", (1 - inner) * whole, {halo});
    done = {cells_done};
    if (residual > 0 && s % residual == 0)
      done = {script.collective("residual", Collective::allreduce, 0, Bytes(8), {cells_done})};
  }
  Job job;
  job.dimensions = {{"grid", site.ranks}};
  job.groups = {{"grid", {0}}};
  job.roles = {{"rank", script.take()}};
  return job;
}

}  // namespace collcast::workloads
