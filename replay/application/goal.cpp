// SPDX-License-Identifier: Apache-2.0
#include "replay/application/goal.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "replay/application/application.hpp"
#include "replay/application/as_messages.hpp"
#include "support/error.hpp"
#include "support/output_file.hpp"

namespace collcast {
namespace {

using Labels = std::set<std::int64_t>;

/// Writes one rank's program as operations and what each requires.
class RankWriter {
 public:
  RankWriter(std::ostream& out, const Fabric& fabric, Rank rank, MessageTags& tags, LossSums& losses)
      : out_(out), fabric_(fabric), rank_(rank), tags_(tags), losses_(losses) {}

  /// Writes a strand that begins after `after`; returns the labels that its end requires.
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

 private:
  Labels operation(const Op& op, std::vector<std::unique_ptr<Strand>>& strands, const Labels& after) {
    switch (op.kind) {
      case Op::Kind::meet:  // only a named pause of one rank
        if (op.count != 1) throw InputError("GOAL has no meeting of several ranks");
        [[fallthrough]];
      case Op::Kind::pause:
        losses_.add("pause", "becomes computation, which is all that the format has", 1, op.time.value);
        [[fallthrough]];
      case Op::Kind::compute:
        return calc(op.time, after);
      case Op::Kind::send:
        return write("send " + message(op, " to "), after);
      case Op::Kind::receive:
        return reduced(op, write("recv " + message(op, " from "), after));
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
    return std::to_string(std::llround(op.bytes.value)) + "b" + direction + std::to_string(op.peer) +
           " tag " + std::to_string(tags_(op.tag));
  }

  Labels calc(Seconds time, const Labels& after) {
    return write("calc " + std::to_string(std::llround(1e9 * time.value)), after);
  }

  Labels reduced(const Op& op, const Labels& received) {
    const Seconds time =
        op.combine == Combine::reduce ? op.bytes * fabric_.gamma(Place{rank_, op.to}) : Seconds();
    return time > Seconds() ? calc(time, received) : received;
  }

  Labels write(const std::string& operation, const Labels& after) {
    const std::int64_t label = next_++;
    out_ << "l" << label << ": " << operation << '\n';
    for (const std::int64_t before : after) out_ << "l" << label << " requires l" << before << '\n';
    return {label};
  }

  std::ostream& out_;
  const Fabric& fabric_;
  Rank rank_;
  MessageTags& tags_;
  LossSums& losses_;
  std::int64_t next_ = 0;
  std::map<std::int32_t, Labels> requests_;
};

}  // namespace

std::vector<Loss> write_goal(const Source& source, Selection& selection, const Fabric& fabric,
                             const std::string& path) {
  const OneStream merged(source);
  Application application(merged, selection);
  OutputStream file(path);
  MessageTags tags;
  LossSums pauses;
  file << "num_ranks " << source.ranks() << "\n";
  for (Rank r = 0; r < source.ranks(); ++r) {
    file << "\nrank " << r << " {\n";
    RankWriter writer(file, fabric, r, tags, pauses);
    writer.strand(*application.main(r), {});
    if (writer.labels() == 0) file << "l0: calc 0\n";
    file << "}\n";
  }
  file.commit();
  std::vector<Loss> losses = source.info().losses;
  const Seconds recorded = recorded_over_ranks(source);
  for (std::vector<Loss> more : {pauses.all(recorded.value), merged.losses(),
                                 written_as_messages(application.collectives(), recorded)})
    losses.insert(losses.end(), more.begin(), more.end());
  return losses;
}

}  // namespace collcast
