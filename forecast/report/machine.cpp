// SPDX-License-Identifier: Apache-2.0
#include "forecast/report/machine.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "forecast/report/svg.hpp"
#include "model/fabric.hpp"
#include "support/text.hpp"

namespace collcast::report {
namespace {

constexpr double box_height = 24, row_gap = 64, edge = 14, caption_height = 34, letter = 6.2;

/// The look of a line that is busy up to `most` of the time: the busier the darker, also in grey, and the
/// broader. The first look is for links that carried nothing, the last for all that are busier than the rest.
struct Shade {
  double most;
  const char *name, *color;
  double breadth;
};
constexpr std::array shades = {Shade{0, "", "#c4c4c4", 1}, Shade{0.1, "busy up to 10 %", "#fec44f", 2.5},
                               Shade{0.3, "up to 30 %", "#f0801c", 4},
                               Shade{0.6, "up to 60 %", "#c8410a", 5.5},
                               Shade{HUGE_VAL, "above", "#7a1f04", 7}};
/// The shade of a link that carried something.
const Shade& shade_of(double share) {
  return *std::find_if(shades.begin() + 1, shades.end() - 1, [&](const Shade& s) { return share <= s.most; });
}

std::string percent_of(double share) {
  return share > 0 && share < 0.01 ? "<1 %" : std::to_string(std::lround(100 * share)) + " %";
}

std::string words_of(const Json& row) {
  const auto links = row["links"].get<std::int64_t>();
  const std::string busiest =
      percent_of(row["busiest_share"]) + " of the time, " + text::bytes(row["busiest_bytes"]);
  const std::string& name = row["name"].get_ref<const std::string&>();
  if (links == 1) return name + ": busy " + busiest;
  return name + ": the busiest of " + text::count(links) + " " + busiest + "; mean " +
         percent_of(row["mean_share"]);
}

struct Spot {
  double x, y;
};

/// A box's place: x is its middle, y its top.
struct Placed {
  double x, y, width;
  double near(double to) const { return std::clamp(to, x - width / 2 + 8, x + width / 2 - 8); }
};

/// What one line shows.
struct Drawn {
  std::string path, words;
  std::array<Spot, 3> spots;  ///< where its label may stand
  const Json* busiest = nullptr;
};

/// The area of a box or a label, where no other label may be.
struct Taken {
  Spot at;
  double half, tall;  ///< half its width and height
  bool meets(const Taken& other) const {
    return std::abs(at.x - other.at.x) < half + other.half && std::abs(at.y - other.at.y) < tall + other.tall;
  }
};

class Drawing {
 public:
  Drawing(const Sketch& sketch, const Json& rows, const std::string& idle, std::size_t nodes)
      : sketch_(sketch), idle_(idle), nodes_(nodes) {
    for (const Json& row : rows) rows_[row["name"]] = &row;
    place();
    for (const Sketch::Line& line : sketch.lines)
      if (Drawn d = drawn(line); d.busiest || line.from != line.to) lines_.push_back(std::move(d));
    std::ranges::stable_sort(lines_, {}, [](const Drawn& d) { return share(d); });  // the busiest on top
  }

  Figure figure() {
    std::string body = frame(),
                words = caption() + (sketch_.boxes.back().network ? ", and the network." : ".");
    for (const Drawn& d : lines_) body += stroked(d);
    for (std::size_t b = 0; b < boxes_.size(); ++b) body += boxed(b);
    for (const auto& row : narrow_) body += named(row);
    for (auto d = lines_.rbegin(); d != lines_.rend(); ++d)
      if (d->busiest) body += labelled(*d), words += " " + d->words + ".";
    std::vector<svg::Entry> entries;
    for (const Shade& s : shades) entries.push_back({&s == &shades[0] ? idle_ : s.name, s.color});
    double below = foot_ + 30;
    body += svg::legend(entries, below);
    return svg::framed("Use of the machine", words, below, body);
  }

 private:
  static double share(const Drawn& d) { return d.busiest ? (*d.busiest)["busiest_share"].get<double>() : -1; }
  static double rise(double across) { return 14 + 0.1 * across; }
  const Sketch::Box& box(int b) const { return sketch_.boxes[static_cast<std::size_t>(b)]; }
  const Placed& placed(int b) const { return boxes_[static_cast<std::size_t>(b)]; }

  /// Places the boxes of a row side by side, with room above it for arcs between them.
  void place() {
    std::map<int, std::vector<std::size_t>> rows;
    for (std::size_t b = 0; b < sketch_.boxes.size(); ++b) rows[sketch_.boxes[b].row].push_back(b);
    boxes_.resize(sketch_.boxes.size());
    for (const auto& [row, all] : rows) {
      const double share = (svg::width - 2 * edge - 20) / static_cast<double>(all.size());
      for (const std::size_t b : all)
        boxes_[b] = {edge + 10 + (sketch_.boxes[b].column + 0.5) * share, 0,
                     sketch_.boxes[b].network ? share - 40 : std::min(92.0, share - 6)};
      if (boxes_[all[0]].width < 4 * letter) narrow_.push_back(all);
    }
    double y = caption_height;
    for (const auto& [row, all] : rows) {
      double above = 0;
      for (const Sketch::Line& l : sketch_.lines)
        if (l.from != l.to && box(l.from).row == row && box(l.to).row == row)
          above = std::max(above, rise(std::abs(placed(l.from).x - placed(l.to).x)));
      y += row == 0 ? above : std::max(0.0, above - row_gap / 3);
      if (sketch_.boxes[all[0]].network) y += 12;
      for (const std::size_t b : all) {
        boxes_[b].y = y;
        taken_.push_back({{boxes_[b].x, y + box_height / 2}, boxes_[b].width / 2, box_height / 2});
      }
      foot_ = y + box_height;
      if (!sketch_.boxes[all[0]].network) node_foot_ = foot_ + 10;
      y = foot_ + row_gap;
    }
  }

  Drawn drawn(const Sketch::Line& line) const {
    Drawn d = path(line);
    std::string names = box(line.from).name + (line.to == line.from ? "" : " and " + box(line.to).name);
    for (const auto* way : {&line.forth, &line.back})
      for (const std::string& name : *way) {
        const auto row = rows_.find(name);
        if (row == rows_.end()) continue;
        d.words += (d.words.empty() ? "" : "\n") + words_of(*row->second);
        const double busy = (*row->second)["busiest_share"];
        if (busy > share(d)) d.busiest = row->second;
      }
    if (!d.busiest) d.words = names + ": " + idle_;
    return d;
  }

  Drawn path(const Sketch::Line& line) const {
    const Placed &a = placed(line.from), &b = placed(line.to);
    Drawn d;
    if (line.from == line.to) {
      const double x = a.x + a.width / 2 - 14, y = a.y;
      d.path = "M" + svg::at(x - 12) + " " + svg::at(y) + "c0 -16 20 -16 20 0";
      d.spots = {{{x, y - 16}, {x - 20, y - 16}, {x - 40, y - 16}}};
      return d;
    }
    if (box(line.from).row == box(line.to).row) {
      const double top = a.y - 2 * rise(std::abs(a.x - b.x)), middle = (a.x + b.x) / 2;
      d.path = "M" + svg::at(a.x) + " " + svg::at(a.y) + "Q" + svg::at(middle) + " " + svg::at(top) + " " +
               svg::at(b.x) + " " + svg::at(b.y);
      const auto on = [&](double t) {
        return Spot{a.x + t * (b.x - a.x), a.y + 2 * t * (1 - t) * (top - a.y)};
      };
      d.spots = {on(0.5), on(0.35), on(0.65)};
      return d;
    }
    const Placed &upper = a.y < b.y ? a : b, &lower = a.y < b.y ? b : a;
    const bool down = upper.width < lower.width;  // from the middle of the narrower box
    const double from = down ? upper.x : upper.near(lower.x),
                 to = down ? lower.near(upper.x) : lower.near(from);
    const double y1 = upper.y + box_height, y2 = lower.y;
    d.path = "M" + svg::at(from) + " " + svg::at(y1) + "L" + svg::at(to) + " " + svg::at(y2);
    const auto on = [&](double t) { return Spot{from + t * (to - from), y1 + t * (y2 - y1)}; };
    d.spots = {on(0.5), on(0.3), on(0.7)};
    return d;
  }

  std::string stroked(const Drawn& d) const {
    const Shade& s = d.busiest ? shade_of(share(d)) : shades[0];
    return "<path d=\"" + d.path + "\" fill=\"none\" stroke=\"" + s.color + "\" stroke-width=\"" +
           svg::at(s.breadth) + "\"" + (d.busiest ? "" : " stroke-dasharray=\"3 3\"") + "><title>" +
           escaped(d.words) + "</title></path>\n";
  }

  std::string boxed(std::size_t b) const {
    const Placed& p = boxes_[b];
    const Sketch::Box& of = sketch_.boxes[b];
    std::string name = of.name;
    if (of.network && !of.what.empty()) name += ": " + of.what;
    const auto room = static_cast<std::size_t>(p.width / letter);
    if (room < 4)
      name = "";  // the row has one name for all its boxes
    else if (name.size() > room)
      name = name.substr(0, room - 1) + "…";
    return "<rect x=\"" + svg::at(p.x - p.width / 2) + "\" y=\"" + svg::at(p.y) + "\" width=\"" +
           svg::at(p.width) + "\" height=\"" + svg::at(box_height) +
           "\" rx=\"4\" fill=\"#f2f4f7\" stroke=\"#555\"><title>" +
           escaped(of.name + (of.what.empty() ? "" : ": " + of.what)) + "</title></rect>\n" +
           svg::label(p.x, p.y + 16, name, "middle", " font-size=\"11\" pointer-events=\"none\"");
  }

  /// One name for the boxes of a row that have no room for theirs.
  std::string named(const std::vector<std::size_t>& row) const {
    const auto [first, last] = std::ranges::minmax(row, {}, [&](std::size_t b) { return boxes_[b].x; });
    const std::string words = sketch_.boxes[first].name + " to " + sketch_.boxes[last].name;
    const double half = letter / 2 * static_cast<double>(words.size()) + 6, x = svg::width / 2.0;
    return "<rect x=\"" + svg::at(x - half) + "\" y=\"" + svg::at(boxes_[first].y + 3) + "\" width=\"" +
           svg::at(2 * half) + "\" height=\"" + svg::at(box_height - 6) + "\" fill=\"#fff\"/>\n" +
           svg::label(x, boxes_[first].y + 16, words, "middle", " font-size=\"11\"");
  }

  /// The label of a line, at the first spot with room for it.
  std::string labelled(const Drawn& d) {
    const std::string words =
        percent_of(share(d)) + ", " + text::bytes((*d.busiest)["busiest_bytes"].get<double>());
    const Taken label{{}, 2.9 * static_cast<double>(words.size()) + 3, 7};
    for (const Spot& s : d.spots) {
      const Taken here{
          {std::clamp(s.x, label.half + 2, svg::width - label.half - 2), s.y}, label.half, label.tall};
      if (std::ranges::any_of(taken_, [&](const Taken& other) { return here.meets(other); })) continue;
      taken_.push_back(here);
      return "<rect x=\"" + svg::at(here.at.x - here.half) + "\" y=\"" + svg::at(here.at.y - here.tall) +
             "\" width=\"" + svg::at(2 * here.half) + "\" height=\"" + svg::at(2 * here.tall) +
             "\" fill=\"#fff\" fill-opacity=\"0.85\" pointer-events=\"none\"/>\n" +
             svg::label(here.at.x, here.at.y + 4, words, "middle",
                        " font-size=\"10.5\" pointer-events=\"none\"");
    }
    return {};
  }

  std::string caption() const {
    return nodes_ > 1 ? "one of " + text::count(static_cast<std::int64_t>(nodes_)) + " nodes in use"
                      : "the node";
  }

  std::string frame() const {
    return "<rect x=\"4\" y=\"4\" width=\"" + svg::at(svg::width - 8) + "\" height=\"" +
           svg::at(node_foot_ - 4) +
           "\" rx=\"6\" fill=\"none\" stroke=\"#999\" stroke-dasharray=\"6 4\"/>\n" +
           svg::label(12, 20, caption(), "start", " fill=\"#555\"");
  }

  const Sketch& sketch_;
  const std::string& idle_;
  const std::size_t nodes_;
  std::map<std::string, const Json*> rows_;
  std::vector<Placed> boxes_;
  std::vector<Drawn> lines_;
  std::vector<Taken> taken_;
  std::vector<std::vector<std::size_t>> narrow_;  ///< rows whose boxes have no room for a name
  double foot_ = 0, node_foot_ = 0;
};

}  // namespace

Section use_by_kind(const std::vector<LinkUse>& all, Seconds time) {
  struct Kind {
    std::int64_t links = 0;
    Bytes bytes;
    Seconds busy;
    const LinkUse* busiest = nullptr;
  };
  std::map<std::string, Kind> kinds;
  for (const LinkUse& use : all) {
    Kind& k = kinds[alike(use.name)];
    ++k.links, k.bytes += use.bytes, k.busy += use.busy;
    if (!k.busiest || use.busy > k.busiest->busy) k.busiest = &use;
  }
  Json rows = Json::array();
  for (const auto& [name, k] : kinds)
    rows.push_back({{"name", name},
                    {"links", k.links},
                    {"busiest", k.busiest->name},
                    {"busiest_s", k.busiest->busy.value},
                    {"busiest_share", k.busiest->busy / time},
                    {"busiest_bytes", std::llround(k.busiest->bytes.value)},
                    {"mean_share", k.busy / static_cast<double>(k.links) / time},
                    {"bytes", std::llround(k.bytes.value)}});
  std::stable_sort(rows.begin(), rows.end(), [](const Json& a, const Json& b) {
    return a["busiest_share"].get<double>() > b["busiest_share"].get<double>();
  });
  return {"links_by_kind",
          std::move(rows),
          {text_of("kind of link", "name"), count_of("links used", "links"),
           text_of("busiest link", "busiest"), number_of("its use", "busiest_share", text::percent),
           number_of("its bytes", "busiest_bytes", text::bytes),
           number_of("mean use", "mean_share", text::percent), number_of("all bytes", "bytes", text::bytes)}};
}

std::size_t nodes_in_use(const std::vector<LinkUse>& all) {
  std::set<std::string> nodes;
  for (const LinkUse& use : all)
    if (use.name.starts_with("node ") || use.name.starts_with("rank "))
      nodes.insert(use.name.substr(0, use.name.find(' ', 5)));
  return nodes.size();
}

Figure machine(const Sketch& sketch, const Json& rows, const std::string& idle, std::size_t nodes) {
  return Drawing(sketch, rows, idle, nodes).figure();
}

}  // namespace collcast::report
