// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "algorithms/call_text.hpp"
#include "algorithms/catalogue.hpp"
#include "algorithms/exchange/msccl.hpp"
#include "execution/cuda/exchange.hpp"

namespace collcast::mpi {

/// What the command line asks for.
struct MpiOptions {
  std::string collective, algorithm, import;
  std::vector<std::string> sizes;
  CallText call;
  int repetitions = 20;
  bool check = false, json = false;
  std::string multicast;  ///< group of IP multicasts; empty: none
  double loss = 0;
  std::string device = "host";
  cuda::Transport transport = cuda::Transport::copy;
  cuda::Element element = cuda::Element::float32;
  cuda::Operation operation = cuda::Operation::sum;
  bool overlap = false;
  int workers = 0;
};

/// The options, or the text of --help if that was asked for.
struct Parsed {
  MpiOptions options;
  std::string help;
};
Parsed parse(int argc, char** argv);

/// A call of each algorithm and size that were asked for. Throws InputError for calls that an algorithm
/// cannot serve. `imported`: played instead of an algorithm of the catalogue; has to outlive the jobs.
struct Job {
  const Algorithm* algorithm;
  Call call;
};
std::vector<Job> jobs(const MpiOptions& options, const ImportedAlgorithm* imported, Rank ranks);

/// Notes on options of the command line that change nothing for any of these jobs.
std::vector<std::string> notes(const MpiOptions& options, const std::vector<Job>& jobs);

}  // namespace collcast::mpi
