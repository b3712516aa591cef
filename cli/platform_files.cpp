// SPDX-License-Identifier: Apache-2.0
#include "cli/platform_files.hpp"

#include <algorithm>
#include <filesystem>

#include "cli/output.hpp"
#include "cli/own_input.hpp"
#include "platforms/description/load.hpp"
#include "platforms/exchange/export.hpp"
#include "platforms/exchange/import.hpp"
#include "platforms/picture/dot.hpp"
#include "support/error.hpp"
#include "support/json.hpp"
#include "support/output_file.hpp"
#include "support/process/complaint.hpp"
#include "support/process/launch.hpp"

namespace collcast::cli {
namespace {

namespace fs = std::filesystem;

void draw(const std::string& dot_text, const std::string& path) {
  if (!can_run({"dot", "-V"}))
    throw SubstrateError(path +
                         ": drawing SVG needs Graphviz's `dot`, which is not installed (Debian: graphviz); a "
                         ".dot file does not need it");
  check_writable(path);
  const ProcessResult ended = filter({"dot", "-Tsvg"}, dot_text);
  if (ended.code != 0) throw SubstrateError(path + ": dot: " + complaint(ended.errors, ended.code));
  write_file(path, ended.output);
}

}  // namespace

void write_graph(const Description& platform, const std::string& path) {
  const std::string text = dot(read_blueprint(platform));
  if (path.ends_with(".dot")) return write_file(path, text);
  if (path.ends_with(".svg")) return draw(text, path);
  throw InputError("--graph: '" + path + "' must end in .dot or .svg");
}

void write_export(const Description& platform, const std::string& path, Rank ranks) {
  refuse_own_input(path, {platform.file()}, "the platform");
  if (path.ends_with(".json")) return write_file(path, dump(platform.json(), 2) + "\n");
  if (!path.ends_with(".xml")) throw InputError("--export: '" + path + "' must end in .json or .xml");
  check_writable(path);
  const auto most = static_cast<Rank>(std::min<std::int64_t>(max_ranks(platform), 1 << 20));
  const Rank whole = std::max(2, read_blueprint(platform).ranks_per_node);
  write_file(path, simgrid_xml(platform, ranks > 0 ? ranks : std::min(most, whole)));
}

void import_file(const std::string& from, const std::string& to) {
  check_writable(to);
  refuse_own_input(to, {from}, "the topology");
  const Json json = import_platform(from);
  const std::string text = dump(json, 2) + "\n";
  const Description d = parse_platform(text, fs::path(to).stem().string(), from);
  write_file(to, text);
  print_text(to + ": " + d.text() + "\n");
  for (const Json& note : json.value("notes", Json::array())) print_text(note.get<std::string>() + "\n");
}

}  // namespace collcast::cli
