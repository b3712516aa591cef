// SPDX-License-Identifier: Apache-2.0
#include "cli/platform_files.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "platforms/description/load.hpp"
#include "platforms/exchange/export.hpp"
#include "platforms/exchange/import.hpp"
#include "platforms/picture/dot.hpp"
#include "replay/trace/output_file.hpp"
#include "support/error.hpp"

namespace collcast::cli {
namespace {

namespace fs = std::filesystem;

std::string shell_quoted(const std::string& text) {
  std::string out = "'";
  for (char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

void draw(const std::string& dot_text, const std::string& path) {
  if (std::system("command -v dot >/dev/null 2>&1") != 0)
    throw SubstrateError(
        path + ": Graphviz's `dot` draws SVG and is not installed (Debian: graphviz); ask for a .dot file");
  const std::string source = path + ".dot.part", target = path + ".part";
  write_text(source, dot_text);
  const bool drawn =
      std::system(("dot -Tsvg " + shell_quoted(source) + " -o " + shell_quoted(target)).c_str()) == 0;
  fs::remove(source);
  std::error_code error;
  if (drawn) fs::rename(target, path, error);
  if (!drawn || error) throw SubstrateError(path + ": `dot -Tsvg` failed");
}

}  // namespace

void write_text(const std::string& path, const std::string& text) {
  trace::OutputFile file(path);
  file.write({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
  file.commit();
}

void write_graph(const Description& platform, const std::string& path) {
  const std::string text = dot(read_blueprint(platform));
  if (path.ends_with(".dot")) return write_text(path, text);
  if (path.ends_with(".svg")) return draw(text, path);
  throw InputError("--graph: '" + path + "' must end in .dot or .svg");
}

void write_export(const Description& platform, const std::string& path, Rank ranks) {
  if (path.ends_with(".json")) return write_text(path, platform.json().dump(2) + "\n");
  if (!path.ends_with(".xml")) throw InputError("--export: '" + path + "' must end in .json or .xml");
  const auto most = static_cast<Rank>(std::min<std::int64_t>(max_ranks(platform), 1 << 20));
  const Rank whole = std::max(2, read_blueprint(platform).ranks_per_node);
  write_text(path, simgrid_xml(platform, ranks > 0 ? ranks : std::min(most, whole)));
}

void import_file(const std::string& from, const std::string& to) {
  const Json json = import_platform(from);
  const std::string text = json.dump(2) + "\n";
  const Description d = parse_platform(text, fs::path(to).stem().string(), from);
  write_text(to, text);
  std::cout << to << ": " << d.text() << "\n";
  for (const Json& note : json.value("notes", Json::array())) std::cout << note.get<std::string>() << "\n";
}

}  // namespace collcast::cli
