// SPDX-License-Identifier: Apache-2.0
#include "algorithms/exchange/msccl_program.hpp"

#include <algorithm>
#include <map>
#include <pugixml.hpp>
#include <set>

#include "support/error.hpp"
#include "support/numbers.hpp"

namespace collcast::msccl {
namespace {

constexpr Rank most_ranks = 1 << 16;
constexpr Block most_chunks = Block{1} << 24;

struct Type {
  bool receives, reduces, writes, sends, reads_target;
};
const std::map<std::string_view, Type> types = {
    {"s", {false, false, false, true, false}},    {"r", {true, false, true, false, false}},
    {"rcs", {true, false, true, true, false}},    {"rrc", {true, true, true, false, false}},
    {"rrs", {true, true, false, true, false}},    {"rrcs", {true, true, true, true, false}},
    {"cpy", {false, false, true, false, false}},  {"re", {false, true, true, false, true}},
    {"nop", {false, false, false, false, false}},
};

/// The name of a collective without hyphens, as MSCCL writes it: "reducescatter".
std::string run_together(std::string_view name) {
  std::string letters;
  std::ranges::copy_if(name, std::back_inserter(letters), [](char c) { return c != '-' && c != '_'; });
  return letters;
}

class Parser {
 public:
  Parser(const std::string& text, const std::string& file) : text_(text) { program_.file = file; }

  Program run() {
    pugi::xml_document document;
    const pugi::xml_parse_result result = document.load_buffer(text_.data(), text_.size());
    if (!result) program_.fail(line(result.offset), std::string("malformed XML: ") + result.description());
    const pugi::xml_node algo = document.child("algo");
    if (!algo) program_.fail(1, "no <algo> element: an MSCCL algorithm is wanted");
    read(algo);
    return std::move(program_);
  }

 private:
  int line(std::ptrdiff_t offset) const {
    const auto end = std::min(text_.size(), static_cast<std::size_t>(std::max<std::ptrdiff_t>(offset, 0)));
    return 1 + static_cast<int>(
                   std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
  }

  /// Nodes come in the order of the file, so that each line is counted once.
  int line(pugi::xml_node node) {
    const auto offset = static_cast<std::size_t>(std::max<std::ptrdiff_t>(node.offset_debug(), 0));
    for (; counted_ < std::min(offset, text_.size()); ++counted_) line_ += text_[counted_] == '\n';
    return line_;
  }

  [[noreturn]] void fail(const std::string& what) const { program_.fail(line_, where_ + what); }

  /// The elements inside of `node`, which must all be of one kind.
  auto elements(pugi::xml_node node, const std::string& name) {
    for (pugi::xml_node child : node)
      if (child.type() != pugi::node_element || child.name() != name) {
        line(child);
        fail(std::string("<") + node.name() + "> holds <" + name + "> elements only, not '" +
             (child.type() == pugi::node_element ? child.name() : child.value()) + "'");
      }
    return node.children();
  }

  std::string text(pugi::xml_node node, const char* name) const {
    const pugi::xml_attribute attribute = node.attribute(name);
    if (!attribute) fail(std::string("<") + node.name() + "> lacks the attribute '" + name + "'");
    return attribute.value();
  }

  Block number(pugi::xml_node node, const char* name, Block least, Block most) const {
    const std::string digits = text(node, name);
    if (const auto value = number_in<Block>(digits); value && *value >= least && *value <= most)
      return *value;
    fail(std::string(name) + "=\"" + digits + "\" is not a whole number from " + std::to_string(least) +
         " to " + std::to_string(most));
  }

  void read(pugi::xml_node algo) {
    line(algo);
    program_.name = text(algo, "name");
    program_.collective = collective(text(algo, "coll"));
    const auto ranks = static_cast<Rank>(number(algo, "ngpus", 1, most_ranks));
    if (algo.attribute("root")) program_.root = static_cast<Rank>(number(algo, "root", 0, ranks - 1));
    program_.gpus.resize(static_cast<std::size_t>(ranks));
    std::vector<bool> seen(program_.gpus.size());
    for (pugi::xml_node node : elements(algo, "gpu")) {
      line(node);
      where_.clear();
      const auto id = static_cast<Rank>(number(node, "id", 0, ranks - 1));
      if (seen[static_cast<std::size_t>(id)]) fail("gpu " + std::to_string(id) + " appears twice");
      seen[static_cast<std::size_t>(id)] = true;
      read(node, id);
    }
    where_.clear();
    for (Rank r = 0; r < ranks; ++r)
      if (!seen[static_cast<std::size_t>(r)])
        fail("gpu " + std::to_string(r) + " of ngpus=\"" + std::to_string(ranks) + "\" is missing");
    // Older files do not say whether the algorithm is in place. Without an output buffer it has to be.
    program_.in_place = algo.attribute("inplace")
                            ? number(algo, "inplace", 0, 1) == 1
                            : std::ranges::all_of(program_.gpus, [](const Gpu& g) { return g.output == 0; });
  }

  Collective collective(const std::string& name) const {
    std::string known;
    for (const Definition& d : definitions()) {
      if (d.counted()) continue;
      if (run_together(d.name) == run_together(name)) return d.collective;
      known += (known.empty() ? "" : ", ") + std::string(d.name);
    }
    fail("collective '" + name + "' has no definition here to prove it by; accepted: " + known);
  }

  void read(pugi::xml_node node, Rank rank) {
    Gpu& gpu = program_.gpus[static_cast<std::size_t>(rank)];
    gpu.input = number(node, "i_chunks", 0, most_chunks);
    gpu.output = number(node, "o_chunks", 0, most_chunks);
    gpu.scratch = number(node, "s_chunks", 0, most_chunks);
    std::set<int> ids;
    for (pugi::xml_node tb : elements(node, "tb")) {
      line(tb);
      where_ = "gpu " + std::to_string(rank) + ": ";
      gpu.blocks.push_back(thread_block(tb, rank));
      where_ = "gpu " + std::to_string(rank) + ": ";
      const ThreadBlock& b = gpu.blocks.back();
      if (!ids.insert(b.id).second) fail("thread block " + std::to_string(b.id) + " appears twice");
    }
    check_dependencies(gpu, rank);
  }

  ThreadBlock thread_block(pugi::xml_node node, Rank rank) {
    ThreadBlock block;
    block.id = static_cast<int>(number(node, "id", 0, 1 << 20));
    block.send = static_cast<Rank>(number(node, "send", -1, program_.ranks() - 1));
    block.receive = static_cast<Rank>(number(node, "recv", -1, program_.ranks() - 1));
    block.channel = static_cast<int>(number(node, "chan", -1, 65535));
    if (block.send == rank || block.receive == rank)
      fail("thread block " + std::to_string(block.id) + " has its own gpu as peer");
    for (pugi::xml_node step : elements(node, "step")) {
      line(step);
      where_ = place(rank, block.id, block.steps.size()) + ": ";
      if (number(step, "s", 0, 1 << 30) != static_cast<Block>(block.steps.size()))
        fail("s=\"" + text(step, "s") + "\" is out of order");
      block.steps.push_back(instruction(step, block));
    }
    return block;
  }

  Instruction instruction(pugi::xml_node node, const ThreadBlock& block) const {
    Instruction i;
    const std::string name = text(node, "type");
    const auto type = types.find(name);
    if (type == types.end())
      fail("unknown type \"" + name + "\"; accepted: s, r, rcs, rrc, rrs, rrcs, cpy, re, nop");
    const Type t = type->second;
    i.receives = t.receives, i.reduces = t.reduces, i.writes = t.writes, i.sends = t.sends;
    i.reads_target = t.reads_target;
    if (i.sends && block.send < 0) fail("sends, but its thread block has send=\"-1\"");
    if (i.receives && block.receive < 0) fail("receives, but its thread block has recv=\"-1\"");
    if (i.sends || i.receives || i.writes) i.count = number(node, "cnt", 1, most_chunks);
    if (i.reads_source()) i.source = position(node, "srcbuf", "srcoff");
    if (i.writes) i.target = position(node, "dstbuf", "dstoff");
    if (i.sends && node.attribute("dstbuf") && node.attribute("dstoff"))
      i.remote = {*node.attribute("dstbuf").value(), node.attribute("dstoff").as_llong(-1)};
    i.after_block = static_cast<int>(number(node, "depid", -1, 1 << 20));
    i.after_step = static_cast<int>(number(node, "deps", -1, 1 << 30));
    i.line = line_;
    return i;
  }

  Position position(pugi::xml_node node, const char* buffer, const char* offset) const {
    const std::string name = text(node, buffer);
    if (name != "i" && name != "o" && name != "s") fail("unknown buffer \"" + name + "\"; accepted: i, o, s");
    return {name[0], number(node, offset, 0, most_chunks)};
  }

  void check_dependencies(const Gpu& gpu, Rank rank) const {
    for (const ThreadBlock& block : gpu.blocks)
      for (std::size_t s = 0; s < block.steps.size(); ++s) {
        const Instruction& i = block.steps[s];
        if (i.after_block < 0) continue;
        const auto other = std::ranges::find(gpu.blocks, i.after_block, &ThreadBlock::id);
        if (other == gpu.blocks.end() || i.after_step < 0 ||
            i.after_step >= static_cast<std::int64_t>(other->steps.size()))
          program_.fail(i.line, place(rank, block.id, s) + ": waits for step " +
                                    std::to_string(i.after_step) + " of thread block " +
                                    std::to_string(i.after_block) + ", which does not exist");
      }
  }

  const std::string& text_;
  Program program_;
  std::string where_;
  std::size_t counted_ = 0;
  int line_ = 1;
};

}  // namespace

void Program::fail(int line, const std::string& what) const {
  throw InputError(file + ":" + std::to_string(line) + ": " + what);
}

std::string place(Rank rank, int block, std::size_t step) {
  return "gpu " + std::to_string(rank) + ", thread block " + std::to_string(block) + ", step " +
         std::to_string(step);
}

Program parse(const std::string& text, const std::string& file) {
  return Parser(text, file).run();
}

}  // namespace collcast::msccl
