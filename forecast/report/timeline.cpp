// SPDX-License-Identifier: Apache-2.0
#include "forecast/report/timeline.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "support/error.hpp"
#include "support/json.hpp"
#include "support/text.hpp"

namespace collcast::report {
namespace {

constexpr std::int32_t computation = 0, first_stream = 1, sends = 1 << 30, receives = sends + 1;
constexpr std::size_t counted_links = 16;

/// Times in the file are whole picoseconds, so that a slice inside another one stays inside.
std::int64_t picoseconds(Seconds t) {
  return std::llround(t.value * 1e12);
}

/// Appends picoseconds as microseconds, the unit of trace events.
void append_us(std::string& out, std::int64_t ps) {
  constexpr std::int64_t us = 1'000'000;
  out += std::to_string(ps / us);
  std::string rest = std::to_string(us + ps % us);
  rest.erase(rest.find_last_not_of('0') + 1);
  if (rest.size() > 1) out += '.' + rest.substr(1);
}

const std::string& checked(const std::string& path) {
  if (path.ends_with(".json") || path.ends_with(".json.gz")) return path;
  throw InputError("--timeline writes FILE.json or FILE.json.gz, not '" + path + "'");
}

}  // namespace

Timeline::Timeline(const std::string& path, std::size_t events)
    : file_(checked(path)), operations_(events * 2 / 5), steps_(events / 5), messages_(events / 10) {}

Observer* Timeline::watch(const Fabric& fabric, NameOf name) {
  fabric_ = &fabric;
  name_ = std::move(name);
  return this;
}

std::uint32_t Timeline::name_of(const std::string& name) {
  const auto [at, fresh] = numbers_.try_emplace(name, static_cast<std::uint32_t>(names_.size()));
  if (fresh) names_.push_back(name);
  return at->second;
}

void Timeline::keep(Longest<Slice>& in, const Slice& s) {
  in.add(s, s.end - s.begin, static_cast<std::uint32_t>(s.process));
}

void Timeline::done(const Interval& i) {
  const bool computes = i.kind == Op::Kind::compute;
  const std::string name = computes ? "compute" : i.kind == Op::Kind::pause ? "pause" : name_(i);
  if (name.empty()) return;
  const std::int32_t row = computes ? computation : first_stream + i.track;
  keep(operations_, {i.rank, row, name_of(name), i.begin, i.end, i.bytes, -1, i.peer});
}

void Timeline::stepped(const Step& s) {
  keep(steps_, {s.rank, first_stream + s.track, name_of("step"), s.begin, s.end, {}, s.number});
}

void Timeline::delivered(const Delivery& d) {
  messages_.add(d, d.done - d.left, static_cast<std::uint32_t>(d.from.rank));
}

void Timeline::used(const Use& use) {
  links_ = links_ || use.link;
  if (usage_.add(use.which, use.begin, use.end, use.busy.value))
    resources_[use.which] = use.link ? fabric_->link_name(use.which) : fabric_->port_name(use.which);
}

void Timeline::add(std::int32_t process, std::int32_t row, const std::string& name, Seconds begin,
                   Seconds end, Bytes bytes) {
  keep(operations_, {process, row, name_of(name), begin, end, bytes});
}

/// All slices that are shown, sorted by process, row and time, each in the first lane of its row with room
/// for it.
std::vector<Timeline::Slice> Timeline::slices() {
  std::vector<Slice> all = operations_.take();
  const std::vector<Slice> steps = steps_.take();
  all.insert(all.end(), steps.begin(), steps.end());
  std::int64_t arrow = 0;
  for (const Delivery& d : messages_.take()) {
    ++arrow;
    all.push_back(
        {d.from.rank, sends, name_of("to"), d.left, d.arrived, d.bytes, -1, d.to.rank, arrow, d.posted});
    all.push_back({d.to.rank, receives, name_of("from"), d.first, d.done, d.bytes, -1, d.from.rank, -arrow});
  }
  const auto key = [](const Slice& s) {
    return std::tuple(s.process, s.row, picoseconds(s.begin), -picoseconds(s.end));
  };
  std::ranges::stable_sort(all, {}, key);
  std::vector<std::vector<std::int64_t>> lanes;  // ends of the slices that are open in each
  for (std::size_t i = 0; i < all.size(); ++i) {
    Slice& s = all[i];
    if (i == 0 || s.process != all[i - 1].process || s.row != all[i - 1].row) lanes.clear();
    const std::int64_t begin = picoseconds(s.begin), end = picoseconds(s.end);
    const bool nests = s.row != computation && s.row < sends;
    const auto has_room = [&](std::vector<std::int64_t>& open) {
      while (!open.empty() && open.back() <= begin) open.pop_back();
      return open.empty() || (nests && end <= open.back());
    };
    const auto lane = std::ranges::find_if(lanes, has_room);
    s.lane = static_cast<int>(lane - lanes.begin());
    if (lane == lanes.end()) lanes.emplace_back();
    lanes[static_cast<std::size_t>(s.lane)].push_back(end);
  }
  return all;
}

std::string Timeline::row_name(const Slice& s) const {
  const auto named = rows_.find(s.row);
  std::string name = named != rows_.end()   ? named->second
                     : s.row == sends       ? "sends"
                     : s.row == receives    ? "receives"
                     : s.row == computation ? "computation"
                                            : "stream " + std::to_string(s.row - first_stream);
  return s.lane == 0 ? name : name + " (" + std::to_string(s.lane + 1) + ")";
}

/// Writes the file, event by event.
struct Timeline::Writer {
  CompressedFile& file;
  std::string text = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[";
  bool first = true;

  void event(const char* phase, std::int64_t process, std::int64_t row) {
    text += first ? "\n{\"ph\":\"" : ",\n{\"ph\":\"";
    first = false;
    text += phase;
    text += "\",\"pid\":" + std::to_string(process) + ",\"tid\":" + std::to_string(row);
  }
  void time(const char* key, std::int64_t ps) {
    text += ",\"" + std::string(key) + "\":";
    append_us(text, ps);
  }
  void name(const std::string& words) { text += ",\"name\":" + dump(Json(words)); }
  void end() {
    text += '}';
    if (text.size() < 1 << 20) return;
    file.write(text);
    text.clear();
  }
  void label(const char* what, std::int64_t process, std::int64_t row, const std::string& words,
             std::int64_t order) {
    for (const bool sort : {false, true}) {
      event("M", process, row);
      text += ",\"name\":\"" + std::string(what) + (sort ? "_sort_index" : "_name") + "\",\"args\":{\"" +
              (sort ? "sort_index\":" + std::to_string(order) : "name\":" + dump(Json(words))) + '}';
      end();
    }
  }
  void slice(const Slice& s, std::int64_t row, const std::string& words) {
    const std::int64_t begin = picoseconds(s.begin);
    event("X", s.process, row);
    time("ts", begin);
    time("dur", picoseconds(s.end) - begin);
    name(words);
    std::string args;
    if (s.bytes.value > 0) args += ",\"bytes\":" + std::to_string(std::llround(s.bytes.value));
    if (s.peer >= 0 && s.arrow == 0) args += ",\"peer\":" + std::to_string(s.peer);
    if (s.arrow > 0) {
      args += ",\"queued_us\":";
      append_us(args, std::max<std::int64_t>(0, begin - picoseconds(s.posted)));
    }
    if (!args.empty()) text += ",\"args\":{" + args.substr(1) + '}';
    end();
    if (s.arrow == 0) return;
    event(s.arrow > 0 ? "s" : "f", s.process, row);
    time("ts", begin);
    text += ",\"id\":" + std::to_string(std::abs(s.arrow)) + ",\"name\":\"message\",\"cat\":\"message\"" +
            (s.arrow > 0 ? "" : ",\"bp\":\"e\"");
    end();
  }
  /// Writes a counter, at changes only.
  void counter(std::int64_t process, const std::string& words, const Usage::Thing& use, Seconds span) {
    double last = 0;
    for (std::size_t i = 0; i < use.by_span.size(); ++i) {
      const double percent = std::round(1000 * use.by_span[i] / span.value) / 10;
      if (percent == last) continue;
      event("C", process, 0);
      time("ts", picoseconds(static_cast<double>(i) * span));
      name(words);
      text += ",\"args\":{\"busy %\":" + dump(Json(percent)) + '}';
      end();
      last = percent;
    }
  }
};

void Timeline::write_rows(Writer& out, std::vector<Slice>& all) const {
  std::int64_t before = 0;  // rows of the process that are already written
  for (auto first = all.begin(); first != all.end();) {
    if (first == all.begin() || first->process != first[-1].process) {
      const auto named = processes_.find(first->process);
      before = 0;
      out.label("process", first->process, 0,
                named == processes_.end() ? "rank " + std::to_string(first->process) : named->second,
                first->process);
    }
    const auto end = std::find_if(
        first, all.end(), [&](const Slice& s) { return s.process != first->process || s.row != first->row; });
    int lanes = 0;
    for (auto s = first; s != end; ++s) {
      const std::int64_t row = before + s->lane + 1;
      if (s->lane == lanes) out.label("thread", s->process, row, row_name(*s), row), ++lanes;
      out.slice(*s, row, words(*s));
    }
    before += lanes;
    first = end;
  }
}

std::string Timeline::words(const Slice& s) const {
  const std::string& name = names_[s.name];
  if (s.number >= 0) return name + " " + std::to_string(s.number);
  return s.arrow != 0 ? name + " " + std::to_string(s.peer) : name;
}

void Timeline::write_counters(Writer& out, std::int32_t process) const {
  std::vector<Usage::Thing> most = usage_.most_used(counted_links);
  if (most.empty()) return;
  out.label("process", process, 0, links_ ? "busiest links" : "busiest ports", process);
  for (Usage::Thing& use : most) {
    level(use.by_span, usage_.span().value);
    out.counter(process, resources_.at(use.which), use, usage_.span());
  }
}

std::vector<std::string> Timeline::left_out() const {
  std::vector<std::string> all;
  const auto tell = [&](const auto& kept, std::size_t shown, const char* what) {
    if (shown == kept.seen()) return;
    all.push_back("the timeline leaves out " + text::count(static_cast<std::int64_t>(kept.seen() - shown)) +
                  " of " + text::count(static_cast<std::int64_t>(kept.seen())) + " " + what +
                  ": the shortest, up to about " + text::seconds(kept.shortest().value) +
                  "; --timeline-events takes more");
  };
  tell(operations_, operations_.size(), "operations");
  tell(steps_, steps_.size(), "steps");
  tell(messages_, messages_.size(), "messages");
  if (usage_.things() > counted_links)
    all.push_back("the timeline counts the use of the " + std::to_string(counted_links) + " busiest of " +
                  text::count(static_cast<std::int64_t>(usage_.things())) + (links_ ? " links" : " ports") +
                  " that carried anything");
  return all;
}

std::vector<std::string> Timeline::write(const Json& about) {
  std::vector<Slice> all = slices();
  Writer out{file_};
  write_rows(out, all);
  write_counters(out, all.empty() ? 0 : all.back().process + 1);
  Json other = about;
  std::vector<std::string> missing = left_out();
  other["left_out"] = missing;
  out.text += "\n],\"otherData\":" + dump(other) + "}\n";
  out.file.write(out.text);
  out.file.commit();
  return missing;
}

}  // namespace collcast::report
