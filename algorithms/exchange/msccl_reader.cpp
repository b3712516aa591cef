// SPDX-License-Identifier: Apache-2.0
#include <zlib.h>

#include <memory>

#include "algorithms/exchange/msccl.hpp"
#include "algorithms/exchange/msccl_conversion.hpp"
#include "support/error.hpp"

namespace collcast {
namespace {

constexpr std::size_t longest_file = std::size_t{1} << 28;

/// The file's text, unpacked if it is gzipped.
std::string unpacked(const std::string& path) {
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> file(gzopen(path.c_str(), "rb"), gzclose);
  if (!file) throw InputError(path + ": cannot be opened");
  std::string text;
  char buffer[1 << 16];
  int count = 0;
  while ((count = gzread(file.get(), buffer, sizeof buffer)) > 0) {
    text.append(buffer, static_cast<std::size_t>(count));
    if (text.size() > longest_file) throw InputError(path + ": longer than 256 MiB");
  }
  int status = Z_OK;
  gzerror(file.get(), &status);
  if (count < 0 || (status != Z_OK && status != Z_STREAM_END))
    throw InputError(path + ": cannot be read, or is damaged");
  return text;
}

}  // namespace

ImportedAlgorithm parse_msccl(const std::string& text, const std::string& file) {
  const msccl::Program program = msccl::parse(text, file);
  const msccl::Execution execution = msccl::execute(program);
  ImportedAlgorithm result;
  result.ranks = program.ranks();
  result.root = program.root;
  result.wrong = execution.wrong;
  result.algorithm.collective = program.collective;
  result.algorithm.name = program.name;
  result.algorithm.description = "from a file in MSCCL's XML";
  result.algorithm.ranks = std::to_string(result.ranks);
  result.algorithm.supports = [ranks = result.ranks](Rank p) { return p == ranks; };
  if (result.wrong) return result;
  auto [schedule, unused] = msccl::convert(execution, file);
  result.wrong = prove(schedule, program.collective, program.root);
  result.unused_messages = unused;
  result.algorithm.schedule = [schedule = std::move(schedule)](const Call&) { return schedule; };
  return result;
}

ImportedAlgorithm read_msccl(const std::string& path) {
  return parse_msccl(unpacked(path), path);
}

std::string ImportedAlgorithm::refusal() const {
  return full_name(algorithm) + " on " + std::to_string(ranks) + " ranks does not hold: " + wrong->words();
}

void require(const ImportedAlgorithm& imported, const std::string& collective,
             std::optional<std::int64_t> root) {
  const Algorithm& a = imported.algorithm;
  if (!collective.empty() && definition(collective).collective != a.collective)
    throw InputError("the file holds " + full_name(a) + ", not " + collective);
  if (root && *root != imported.root)
    throw InputError("the file's " + full_name(a) + " has root " + std::to_string(imported.root) + ", not " +
                     std::to_string(*root));
}

}  // namespace collcast
