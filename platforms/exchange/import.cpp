// SPDX-License-Identifier: Apache-2.0
#include "platforms/exchange/import.hpp"

#include "platforms/exchange/formats.hpp"
#include "support/error.hpp"
#include "support/file_kind.hpp"
#include "support/input_file.hpp"
#include "support/json.hpp"

namespace collcast {
namespace {

/// Refuses XML nested deeper than 100 levels, as readers call themselves for each level. No tool writes more
/// than a dozen.
struct Shallow : pugi::xml_tree_walker {
  static constexpr int deepest = 100;
  bool for_each(pugi::xml_node&) override { return depth() < deepest; }
};

Json from_xml(const std::string& text, const std::string& path) {
  pugi::xml_document document;
  const pugi::xml_parse_result parsed = document.load_buffer(text.data(), text.size());
  if (!parsed)
    reject(path, "", std::string(parsed.description()) + " at byte " + std::to_string(parsed.offset));
  if (Shallow shallow; !document.traverse(shallow))
    reject(path, "", "has elements more than " + std::to_string(Shallow::deepest) + " deep in each other");
  const pugi::xml_node root = document.document_element();
  const std::string name = root.name();
  if (name == "system") return from_nccl(root, path);
  if (name == "topology") return from_hwloc(root, path);
  if (name == "platform") return from_simgrid(root, path);
  reject(path, "",
         "<" + name + "> is not one of <system> (NCCL), <topology> (hwloc) and <platform> (SimGrid)");
}

}  // namespace

Json import_platform(const std::string& path) {
  const std::string text = read_file(path);
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) reject(path, "", "is empty");
  if (text[first] != '<') refuse_other_kinds(path, text, "a topology, as docs/platforms.md lists");
  if (!is_utf8(text)) reject(path, "", "is not text in UTF-8");
  if (text[first] == '<') return from_xml(text, path);
  return is_slurm_topology(text) ? from_slurm(text, path) : from_ibnetdiscover(text, path);
}

}  // namespace collcast
