// SPDX-License-Identifier: Apache-2.0
#include "replay/formats/deepintrospect.hpp"

#include <algorithm>

#include "replay/formats/json.hpp"
#include "replay/formats/names.hpp"
#include "support/error.hpp"

namespace collcast {
namespace {

/// Reads one file's operations, which are those of a rank.
class ProfileDump {
 public:
  ProfileDump(RecordedSource& source, Rank rank) : source_(source), rank_(rank) {}

  /// Reads operations at any depth: in a list, in an object by tag or rank, or alone.
  void read(const JsonValue& value, int depth = 0) {
    if (!value["operation"].text().empty()) return operation(value);
    if (depth == 4) return;
    for (const JsonValue& item : value.items()) read(item, depth + 1);
    value.members([&](std::string_view, const JsonValue& member) { read(member, depth + 1); });
  }

  std::int64_t unsized = 0;

 private:
  void operation(const JsonValue& value) {
    std::string name(value["operation"].text());
    const auto collective = collective_of(name);
    if (const auto tag = value["tag"].text(); !tag.empty()) name += " (" + std::string(tag) + ")";
    std::int64_t left = count(value);
    double time = us(value);
    for (const JsonValue& row : value["stats"].items()) {
      const std::int64_t n = count(row);
      const auto size = row["msg_size"].number();
      left -= n, time -= us(row);
      add(name, collective, n, us(row), size && *size >= 0 ? size : std::nullopt);
    }
    if (left > 0) add(name, collective, left, std::max(time, 0.0), {});
  }

  static std::int64_t count(const JsonValue& value) {
    return std::clamp<std::int64_t>(value["count"].integer().value_or(0), 0, 1'000'000'000'000);
  }
  static double us(const JsonValue& value) { return std::max(value["time"].number().value_or(0), 0.0); }

  void add(const std::string& name, std::optional<Collective> collective, std::int64_t n, double total_us,
           std::optional<double> size) {
    if (n == 0) return;
    Activity a;
    if (collective) a = collective_activity(*collective, 0, Bytes(size.value_or(0)));
    if (!collective) a.kind = Activity::Kind::skipped, a.note = "is no collective that is known";
    a.operation = a.call = source_.keep(name);
    a.sized = size.has_value();
    a.times = n;
    a.duration = a.time = Seconds(1e-6 * total_us / static_cast<double>(n));
    unsized += a.sized ? 0 : n;
    source_.at(rank_).push_back(std::move(a));
  }

  RecordedSource& source_;
  Rank rank_;
};

}  // namespace

bool is_deepintrospect(std::string_view head) {
  const auto first = head.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && (head[first] == '[' || head[first] == '{') &&
         head.find("\"operation\"") != std::string_view::npos &&
         head.find("\"msg_size\"") != std::string_view::npos;
}

std::unique_ptr<Source> open_deepintrospect(const std::vector<std::string>& files, const OpenOptions&) {
  auto source = std::make_unique<RecordedSource>(static_cast<Rank>(files.size()));
  SourceInfo& info = source->info();
  info.ordered = false;
  info.unknown = {"order, communicators, roots and computation: how often and how long, not when",
                  "how many ranks there were: each file is taken as one",
                  "what of a time was waiting for others"};
  for (Rank r = 0; r < source->ranks(); ++r) {
    const std::string& file = files[static_cast<std::size_t>(r)];
    JsonText text;
    ProfileDump dump(*source, r);
    dump.read(read_json(file, text));
    if (source->at(r).empty()) throw InputError(file + ": a DeepIntrospect dump without calls");
    info.lose("call", dump.unsized, "without a message size");
  }
  return source;
}

}  // namespace collcast
