// SPDX-License-Identifier: Apache-2.0
#include "libraries/mvapich/settings.hpp"

#include <set>
#include <sstream>
#include <vector>

#include "model/sizes.hpp"
#include "support/error.hpp"
#include "support/suggest.hpp"
#include "support/text.hpp"

namespace collcast::mvapich {
namespace {

constexpr std::string_view library = "mvapich2-gdr";
constexpr double largest = 1LL << 40;

struct Variable {
  std::string_view name;  ///< without MV2_
  double Settings::*value;
  double least, most;
};

constexpr Variable variables[] = {
    {"use_gpudirect_rdma", &Settings::use_gpudirect_rdma, 0, 1},
    {"gpudirect_limit", &Settings::gpudirect_limit, 0, largest},
    {"use_gpudirect_receive_limit", &Settings::use_gpudirect_receive_limit, 0, largest},
    {"cuda_block_size", &Settings::cuda_block_size, 1024, largest},
    {"cuda_ipc", &Settings::cuda_ipc, 0, 1},
    {"cuda_ipc_threshold", &Settings::cuda_ipc_threshold, 0, largest},
    {"gdrcopy_limit", &Settings::gdrcopy_limit, 0, largest},
    {"gdrcopy_naive_limit", &Settings::gdrcopy_naive_limit, 0, largest},
    {"use_mcast", &Settings::use_mcast, 0, 1},
    {"mcast_num_nodes_threshold", &Settings::mcast_num_nodes_threshold, 1, largest},
    {"mcast_bcast_max_msg", &Settings::mcast_bcast_max_msg, 1, largest},
    {"gpudirect_mcast_pipeline", &Settings::gpudirect_mcast_pipeline, 0, 1},
    {"gpudirect_mcast_recv_type", &Settings::gpudirect_mcast_recv_type, 1, 2},
    {"cuda_use_naive", &Settings::cuda_use_naive, 0, 1},
    {"cuda_bcast_naive_limit", &Settings::cuda_bcast_naive_limit, 0, largest},
    {"cuda_allgather_naive_limit", &Settings::cuda_allgather_naive_limit, 0, largest},
    {"cuda_alltoall_naive_limit", &Settings::cuda_alltoall_naive_limit, 0, largest},
};

std::string plain_name(std::string_view text) {
  const std::string name = text::lower(text);
  return name.starts_with("mv2_") ? name.substr(4) : name;
}

const Variable& variable(const std::string& name) {
  std::vector<std::string> known;
  for (const Variable& v : variables) {
    if (v.name == name) return v;
    known.emplace_back(v.name);
  }
  throw InputError(std::string(library) + ": no setting '" + name + "'" + suggestion(name, known));
}

void set(Settings& settings, const std::string& assignment) {
  const std::size_t equals = assignment.find('=');
  const Variable& v = variable(plain_name(assignment.substr(0, equals)));
  const std::string what = std::string(library) + ": " + std::string(v.name);
  if (equals == std::string::npos) throw InputError(what + " needs a value: " + std::string(v.name) + "=N");
  const double value = parse_size(assignment.substr(equals + 1), what).value;
  if (value < v.least || value > v.most)
    throw InputError(what + " must be from " + std::to_string(static_cast<long long>(v.least)) + " to " +
                     std::to_string(static_cast<long long>(v.most)));
  settings.*v.value = value;
}

}  // namespace

std::optional<Settings> parse(std::string_view name) {
  if (!name.starts_with(library)) return {};
  Settings settings;
  const std::string_view rest = name.substr(library.size());
  if (rest.empty()) return settings;
  if (rest.front() != ':') return {};
  std::istringstream list{std::string(rest.substr(1))};
  std::set<std::string> given;
  for (std::string assignment; std::getline(list, assignment, ',');) {
    set(settings, assignment);
    if (const std::string key = plain_name(assignment.substr(0, assignment.find('=')));
        !given.insert(key).second)
      throw InputError(std::string(library) + ": " + key + " is given twice");
  }
  if (given.empty()) variable("");
  return settings;
}

std::string text(const Settings& settings) {
  std::string name(library);
  char before = ':';
  for (const Variable& v : variables) {
    if (settings.*v.value == Settings().*v.value) continue;
    name += before + std::string(v.name) + "=" + std::to_string(static_cast<long long>(settings.*v.value));
    before = ',';
  }
  return name;
}

}  // namespace collcast::mvapich
