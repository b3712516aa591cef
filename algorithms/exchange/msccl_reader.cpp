// SPDX-License-Identifier: Apache-2.0
#include <zlib.h>

#include <array>
#include <memory>

#include "algorithms/exchange/forest_file.hpp"
#include "algorithms/exchange/listing_file.hpp"
#include "algorithms/exchange/msccl.hpp"
#include "algorithms/exchange/msccl_conversion.hpp"
#include "support/error.hpp"
#include "support/file_kind.hpp"
#include "support/input_file.hpp"
#include "support/json.hpp"
#include "support/printable.hpp"

namespace collcast {
namespace {

constexpr std::size_t longest_file = std::size_t{1} << 28;

[[noreturn]] void damaged(const std::string& path) {
  throw InputError(path + ": cannot be unpacked: it is damaged");
}

/// The text that was gzipped.
std::string inflated(const std::string& packed, const std::string& path) {
  z_stream stream{};
  if (inflateInit2(&stream, 16 + MAX_WBITS) != Z_OK) throw SubstrateError("zlib cannot begin");
  const std::unique_ptr<z_stream, int (*)(z_stream*)> guard(&stream, inflateEnd);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  std::string text;
  std::array<char, 1 << 16> part;
  for (int status = Z_OK; status != Z_STREAM_END;) {
    stream.next_out = reinterpret_cast<Bytef*>(part.data());
    stream.avail_out = static_cast<uInt>(part.size());
    status = inflate(&stream, Z_NO_FLUSH);
    if (status != Z_OK && status != Z_STREAM_END) damaged(path);
    text.append(part.data(), part.size() - stream.avail_out);
    if (text.size() > longest_file) throw InputError(path + ": longer than 256 MiB");
  }
  return text;
}

/// The file's text, unpacked if it is gzipped.
std::string unpacked(const std::string& path) {
  std::string text = read_file(path);
  return text.starts_with("\x1f\x8b") ? inflated(text, path) : text;
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

ImportedAlgorithm read_algorithm(const std::string& path) try {
  const std::string text = unpacked(path);
  const auto first = text.find_first_not_of(" \t\r\n");
  const char begin = first == std::string::npos ? ' ' : text[first];
  constexpr auto expected = "MSCCL's XML, or what `collcast synthesize` wrote";
  if (begin == '<') return parse_msccl(text, path);
  if (begin != '{') {
    refuse_other_kinds(path, text, expected);
    throw InputError(path + ": is neither XML nor a JSON object; expected " + expected);
  }
  const Json json = parse_json(text, path);
  const auto format = json.find("format");
  if (format == json.end()) refuse_other_kinds(path, text, expected);
  return format != json.end() && *format == listing_format ? parse_listing(json, path)
                                                           : parse_forest(json, path);
} catch (const InputError& e) {
  throw InputError(printable(e.what()));  // the message may quote line breaks of the file
}

std::string ImportedAlgorithm::note() const {
  if (unused_messages == 0) return {};
  return std::to_string(unused_messages) + " messages of the file are left out: no result needs their data";
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
