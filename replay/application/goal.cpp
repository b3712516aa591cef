// SPDX-License-Identifier: Apache-2.0
#include "replay/application/goal.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "replay/application/application.hpp"
#include "replay/source/merged.hpp"
#include "support/error.hpp"
#include "support/output_file.hpp"

namespace collcast {
namespace {

using Labels = std::set<std::int64_t>;

/// The source with one stream per rank.
class OneStream : public Source {
 public:
  explicit OneStream(const Source& source) : source_(source) {}
  const SourceInfo& info() const override { return source_.info(); }
  Rank ranks() const override { return source_.ranks(); }
  const std::vector<std::vector<Rank>>& communicators() const override { return source_.communicators(); }
  std::unique_ptr<Activities> stream(Rank rank, int) const override {
    return std::make_unique<Merged>(source_, rank);
  }

 private:
  const Source& source_;
};

/// One rank's program as operations and what each requires.
class RankWriter {
 public:
  RankWriter(std::ostream& out, std::map<std::uint64_t, std::int64_t>& tags) : out_(out), tags_(tags) {}

  /// Writes a strand that begins after `after`; returns what its end is after.
  Labels strand(Strand& code, Labels after) {
    for (Batch batch; code.next(batch); batch.clear()) {
      Labels done;
      std::vector<Op> ops = std::move(batch.ops);
      auto strands = std::move(batch.strands);
      for (const Op& op : ops) {
        Labels own = operation(op, strands, after);
        if (op.request != 0 && op.kind != Op::Kind::wait)
          requests_[op.request].merge(own);
        else
          done.merge(own);
      }
      if (!done.empty()) after = std::move(done);
    }
    return after;
  }

  std::int64_t labels() const { return next_; }
  std::int64_t pauses() const { return pauses_; }

 private:
  Labels operation(const Op& op, std::vector<std::unique_ptr<Strand>>& strands, const Labels& after) {
    switch (op.kind) {
      case Op::Kind::pause:
        ++pauses_;
        [[fallthrough]];
      case Op::Kind::compute:
        return write("calc " + std::to_string(std::llround(1e9 * op.time.value)), after);
      case Op::Kind::send:
        return write("send " + message(op, " to "), after);
      case Op::Kind::receive:
        return write("recv " + message(op, " from "), after);
      case Op::Kind::start:
        return strand(*strands[op.strand], after);
      case Op::Kind::wait: {
        Labels all = after;
        if (const auto found = requests_.find(op.request); found != requests_.end()) {
          all.merge(found->second);
          requests_.erase(found);
        }
        return all;
      }
      default:
        throw InputError("GOAL has no multicast, copy or join of channels");
    }
  }

  std::string message(const Op& op, const std::string& direction) {
    const auto [tag, is_new] = tags_.try_emplace(op.tag, static_cast<std::int64_t>(tags_.size()));
    return std::to_string(std::llround(op.bytes.value)) + "b" + direction + std::to_string(op.peer) +
           " tag " + std::to_string(tag->second);
  }

  Labels write(const std::string& operation, const Labels& after) {
    const std::int64_t label = next_++;
    out_ << "l" << label << ": " << operation << '\n';
    for (const std::int64_t before : after) out_ << "l" << label << " requires l" << before << '\n';
    return {label};
  }

  std::ostream& out_;
  std::map<std::uint64_t, std::int64_t>& tags_;
  std::int64_t next_ = 0, pauses_ = 0;
  std::map<std::int32_t, Labels> requests_;
};

}  // namespace

std::vector<Loss> write_goal(const Source& source, const Fabric& fabric, const std::string& path) {
  const OneStream merged(source);
  Selection selection(fabric);
  Application application(merged, selection);
  OutputStream file(path);
  std::map<std::uint64_t, std::int64_t> tags;
  std::int64_t pauses = 0;
  file << "num_ranks " << source.ranks() << "\n";
  for (Rank r = 0; r < source.ranks(); ++r) {
    file << "\nrank " << r << " {\n";
    RankWriter writer(file, tags);
    writer.strand(*application.main(r), {});
    if (writer.labels() == 0) file << "l0: calc 0\n";
    pauses += writer.pauses();
    file << "}\n";
  }
  file.commit();
  std::vector<Loss> losses = source.info().losses;
  if (pauses > 0)
    losses.push_back({"pause", pauses, "becomes computation, which is all that the format has"});
  for (const auto& [what, count] : application.passed_over())
    losses.push_back({what.first, count, what.second});
  for (const auto& [name, tally] : application.tallies())
    if (!tally.algorithms.empty())
      losses.push_back(
          {name, tally.count,
           "is written as the messages of an algorithm: " + std::string(*tally.algorithms.begin())});
  return losses;
}

}  // namespace collcast
