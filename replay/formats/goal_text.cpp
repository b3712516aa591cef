// SPDX-License-Identifier: Apache-2.0
#include "replay/formats/goal_text.hpp"

#include <set>
#include <unordered_map>
#include <utility>

#include "replay/formats/graph.hpp"
#include "replay/formats/input.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"

namespace collcast {
namespace {

/// The words of a GOAL text. Braces and colons are words of their own; comments are left out.
class Words {
 public:
  explicit Words(const std::string& path) : input_(path) {}

  bool next(std::string& word) {
    if (!skip_space()) return false;
    word.clear();
    if (line_[at_] == '{' || line_[at_] == '}' || line_[at_] == ':') return word = line_[at_++], true;
    while (at_ < line_.size() && std::string_view(" \t{}:").find(line_[at_]) == std::string_view::npos)
      word += line_[at_++];
    return true;
  }
  bool ends_line() {
    for (;; at_ = line_.find("*/", at_) + 2) {
      at_ = std::min(line_.find_first_not_of(" \t", at_), line_.size());
      if (at_ == line_.size() || line_[at_] == '}' || line_.compare(at_, 2, "//") == 0) return true;
      if (line_.compare(at_, 2, "/*") != 0) return false;
      if (line_.find("*/", at_) == std::string::npos) return true;
    }
  }
  std::string where() const { return input_.path() + ": line " + std::to_string(number_); }

 private:
  bool skip_space() {
    while (true) {
      at_ = std::min(line_.find_first_not_of(" \t", at_), line_.size());
      if (at_ == line_.size() || line_.compare(at_, 2, "//") == 0) {
        if (!input_.line(line_)) return false;
        ++number_, at_ = 0;
      } else if (line_.compare(at_, 2, "/*") == 0) {
        for (std::size_t end; (end = line_.find("*/", at_)) == std::string::npos; at_ = 0, ++number_)
          if (!input_.line(line_)) throw InputError(where() + ": the text ends in a comment");
        at_ = line_.find("*/", at_) + 2;
      } else {
        return true;
      }
    }
  }

  Input input_;
  std::string line_;
  std::size_t at_ = 0;
  std::int64_t number_ = 0;
};

class Reader {
 public:
  explicit Reader(const std::string& path) : words_(path) {}

  std::unique_ptr<RecordedSource> read() {
    expect("num_ranks");
    const auto ranks = static_cast<Rank>(number(word(), most_recorded_ranks));
    if (ranks < 1) refuse("num_ranks has to be 1 or more");
    auto source = std::make_unique<RecordedSource>(ranks);
    std::set<Rank> seen;
    for (std::string w; words_.next(w);) {
      if (w != "rank") refuse("'" + w + "' where `rank` belongs");
      const auto rank = static_cast<Rank>(number(word(), ranks - 1));
      const std::string where = words_.where();
      expect("{");
      auto nodes = statements(ranks);
      if (!seen.insert(rank).second) refuse("rank " + std::to_string(rank) + " is there twice");
      missing += add_graph(*source, rank, std::move(nodes), where);
    }
    return source;
  }

  std::int64_t missing = 0, early = 0;

 private:
  [[noreturn]] void refuse(const std::string& what) const { throw InputError(words_.where() + ": " + what); }
  std::string word() {
    std::string w;
    if (!words_.next(w)) refuse("the text is cut short");
    return w;
  }
  void expect(const std::string& wanted) {
    if (const std::string w = word(); w != wanted) refuse("'" + w + "' where `" + wanted + "` belongs");
  }
  std::int64_t number(std::string_view text, std::int64_t most) const {
    if (text.ends_with('b')) text.remove_suffix(1);
    if (const auto n = number_in<std::int64_t>(text); n && *n >= 0 && *n <= most) return *n;
    refuse("'" + std::string(text) + "' where a number up to " + std::to_string(most) + " belongs");
  }
  std::uint64_t label(const std::string& name) {
    return labels_.try_emplace(name, labels_.size()).first->second;
  }

  std::vector<Node> statements(Rank ranks) {
    labels_.clear();
    std::vector<Node> nodes;
    std::vector<std::size_t> at;  // the node of each label, from 1 on; 0: not there
    std::vector<std::pair<std::uint64_t, std::uint64_t>> edges;
    for (std::string w = word(); w != "}"; w = word()) {
      std::string name = w;
      if (w != "send" && w != "recv" && w != "calc") {
        const std::string after = word();
        if (after == "requires" || after == "irequires") {
          early += after == "irequires";
          edges.emplace_back(label(w), label(word()));
          continue;
        }
        if (after != ":") refuse("'" + after + "' after the label " + w);
        w = word();
      } else {
        name = " " + std::to_string(nodes.size());
      }
      nodes.push_back(operation(w, ranks));
      nodes.back().id = label(name);
      at.resize(labels_.size());
      if (std::exchange(at[nodes.back().id], nodes.size()) > 0)
        refuse("the label " + name + " is there twice");
    }
    at.resize(labels_.size());
    for (const auto& [after, before] : edges) {
      if (at[after] == 0) refuse("requires of a label that is not there");
      nodes[at[after] - 1].after.push_back(before);
    }
    return nodes;
  }

  Node operation(const std::string& kind, Rank ranks) {
    Node node;
    Activity& a = node.what;
    constexpr std::int64_t most = 1'000'000'000'000'000'000;
    const auto amount = static_cast<double>(number(word(), most));
    if (kind == "calc") {
      a.time = a.duration = Seconds(1e-9 * amount);
    } else if (kind == "send" || kind == "recv") {
      const bool sends = kind == "send";
      expect(sends ? "to" : "from");
      const std::string peer = word();
      if (peer == "-1") refuse("'-1', any rank, where the rank that sends belongs");
      a = message_activity(sends, 0, static_cast<Rank>(number(peer, ranks - 1)), Bytes(amount));
    } else {
      refuse("'" + kind + "' is no operation that is known: send, recv, calc");
    }
    while (!words_.ends_line()) {
      const std::string option = word(), text = word();
      if (option == "tag" && text == "-1") refuse("'-1', any tag, where the tag of the message belongs");
      const auto value = number(text, most);
      if (option == "tag")
        a.tag = a.received_tag = static_cast<int>(value & 0x7fffffff);
      else if (option != "cpu" && option != "nic")
        refuse("'" + option + "' is no option that is known: tag, cpu, nic");
    }
    a.synchronous = a.kind == Activity::Kind::send && a.tag >= first_collective_tag;
    return node;
  }

  Words words_;
  std::unordered_map<std::string, std::uint64_t> labels_;
};

}  // namespace

bool is_goal_text(std::string_view head) {
  const auto at = head.find("num_ranks");
  return at != std::string_view::npos &&
         (at == 0 || head.substr(0, at).find_first_not_of(" \t\r\n") == std::string_view::npos ||
          head.starts_with("/*") || head.starts_with("//"));
}

std::unique_ptr<Source> open_goal_text(const std::vector<std::string>& files, const OpenOptions&) {
  require_one(files, "a GOAL text has all ranks in one file");
  Reader reader(files[0]);
  auto source = reader.read();
  match_in_order(*source);
  source->info().unknown = {"collectives: they are messages already",
                            "which processor (cpu) or NIC (nic) an operation is on"};
  source->info().lose("requires", reader.missing, "of labels that are not there");
  if (reader.early)
    source->info().notes.push_back(std::to_string(reader.early) +
                                   " irequires are taken as requires: after the end, not the begin");
  return source;
}

}  // namespace collcast
