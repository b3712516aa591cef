// SPDX-License-Identifier: Apache-2.0
#include "replay/source/scaled.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <set>

#include "replay/source/dimensions.hpp"
#include "support/error.hpp"
#include "support/index.hpp"
#include "support/text.hpp"

namespace collcast {
namespace {

using Kind = Activity::Kind;

bool is_message(const Activity& a) {
  return a.kind == Kind::send || a.kind == Kind::receive || a.kind == Kind::exchange;
}
bool sends(const Activity& a) {
  return a.kind == Kind::send || a.kind == Kind::exchange;
}
bool receives(const Activity& a) {
  return a.kind == Kind::receive || a.kind == Kind::exchange;
}

/// Whether the pattern, and not only the sizes, depends on the number of ranks.
bool depends_on_the_number_of_ranks(Collective c) {
  constexpr std::array all = {Collective::alltoall,       Collective::alltoallv, Collective::sendrecv,
                              Collective::halo_1d,        Collective::halo_2d,   Collective::halo_3d,
                              Collective::multi_broadcast};
  return std::ranges::find(all, c) != all.end();
}

/// What a rank does on a communicator, as far as other ranks have to do the same: the number of calls, and a
/// fingerprint.
struct Sequence {
  std::int64_t count = 0;
  std::uint64_t fingerprint = 14695981039346656037u;
  template <typename... T>
  void add(T... parts) {
    ++count;
    for (const std::uint64_t part : {static_cast<std::uint64_t>(parts)...})
      fingerprint = (fingerprint ^ part) * 1099511628211u;
  }
  bool operator==(const Sequence&) const = default;
};

/// How a communicator is used, by any rank.
struct Use {
  bool collectives = false;
  std::string_view counted;     ///< an operation that gives each rank its own size
  std::string_view on_ranks;    ///< an operation whose pattern depends on the number of ranks
  std::set<Rank> roots, peers;  ///< roots as ranks of the job, peers as distances
};

/// What the recorded ranks do. Reads the source once.
class Survey {
 public:
  explicit Survey(const Source& source) : source_(source) {
    for (const Rank r : recorded_ranks(source)) read(r);
  }

  std::map<int, Use> uses;
  std::map<Rank, std::map<int, Sequence>> sequences;
  std::map<Rank, std::set<Rank>> peers;  ///< of each rank

 private:
  void read(Rank rank) {
    auto& mine = sequences[rank];
    Activity a;
    for (int s = 0; s < source_.streams(rank); ++s)
      for (const auto stream = source_.stream(rank, s); stream->next(a);)
        if (a.kind == Kind::collective || is_message(a)) add(rank, mine, a);
  }

  void add(Rank rank, std::map<int, Sequence>& mine, const Activity& a) {
    const auto& members = source_.communicators().at(static_cast<std::size_t>(a.communicator));
    const auto member = [&](Rank r) {
      if (r < 0 || to_index(r) >= members.size())
        throw InputError(source_.info().name + ": rank " + std::to_string(rank) + " names rank " +
                         std::to_string(r) + " of a communicator of " + std::to_string(members.size()));
      return members[to_index(r)];
    };
    if (!mine.contains(a.communicator) && std::ranges::find(members, rank) == members.end())
      throw InputError(source_.info().name + ": rank " + std::to_string(rank) +
                       " calls on a communicator that it is no member of");
    Use& use = uses[a.communicator];
    Sequence& sequence = mine[a.communicator];
    if (a.kind == Kind::collective) {
      use.collectives = true;
      if (a.counts) use.counted = a.operation;
      if (a.sized && depends_on_the_number_of_ranks(a.collective)) use.on_ranks = a.operation;
      if (definition(a.collective).rooted) use.roots.insert(member(a.root));
      sequence.add(a.collective, a.message.value, a.root);
      return;
    }
    const auto peer = [&](Rank r, Bytes bytes, int tag) {
      const Rank other = member(r);
      peers[rank].insert(other);
      sequence.add(a.kind, other - rank, bytes.value, tag);
    };
    if (sends(a)) peer(a.to, a.bytes, a.tag);
    if (receives(a)) peer(a.from, a.received_bytes, a.received_tag);
  }

  const Source& source_;
};

/// A class of communicators that mean the same to their members.
struct Class {
  GroupShape shape;
  int ordinal;  ///< among communicators of the same ranks
  auto operator<=>(const Class&) const = default;
};

/// The grid, its data dimension, and which recorded rank stands for each rank. Throws InputError if the
/// source cannot be scaled.
class WiderGrid {
 public:
  WiderGrid(const Source& source, Rank ranks) : source_(source), ranks_(ranks), survey_(source) {
    if (ranks_ != source_.ranks() && !source_.info().unscalable.empty()) refuse(source_.info().unscalable);
    find_grid();
    find_classes();
    find_data_dimension();
    find_roles();
    if (ranks_ != source_.ranks()) check_data_dimension();
    wide = grid;
    wide[data].size = static_cast<Rank>(ranks_ / (source_.ranks() / grid[data].size));
    for (std::size_t k = data + 1; k < grid.size(); ++k)
      wide[k].stride = wide[k - 1].stride * wide[k - 1].size;
    find_likes();
  }

  std::vector<Dimension> grid, wide;  ///< as recorded, and on the new number of ranks
  std::size_t data = 0;               ///< the dimension that is extended
  std::map<int, Class> classes;       ///< by communicator that is used
  std::vector<Rank> likes;            ///< by rank: the recorded rank that it is like

  /// The grid in words; empty if there is only the world.
  std::string words() const {
    if (grid.size() == 1) return {};
    std::string sizes, strides, pipelines;
    const auto list = [](std::string& to, const char* between, const std::string& next) {
      to += (to.empty() ? "" : between) + next;
    };
    for (std::size_t k = 0; k < grid.size(); ++k) {
      list(sizes, " x ", std::to_string(grid[k].size));
      list(strides, ", ", std::to_string(grid[k].stride));
      if (pipelined_[k]) list(pipelines, " and ", std::to_string(grid[k].stride));
    }
    const std::string now = wide[data].size == grid[data].size
                                ? std::string()
                                : ": " + std::to_string(grid[data].size) + " ranks along it become " +
                                      std::to_string(wide[data].size);
    return "communicators make a grid of " + sizes + " ranks (strides " + strides + "); " +
           (pipelines.empty() ? "" : "messages go along stride " + pipelines + " (pipeline); ") + "stride " +
           std::to_string(grid[data].stride) +
           (pipelines.empty() ? ", the outermost" : ", the outermost other") +
           ", is taken for the data dimension" + now;
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw InputError(source_.info().name + ": cannot stand for " + std::to_string(ranks_) + " ranks: " + why);
  }
  const std::vector<Rank>& members(int communicator) const {
    return source_.communicators()[static_cast<std::size_t>(communicator)];
  }
  static std::string words(Dimension d) {
    return "the dimension of stride " + std::to_string(d.stride) + " (" + std::to_string(d.size) + " ranks)";
  }

  void find_grid() {
    std::vector<std::vector<Rank>> groups;
    for (const auto& [c, use] : survey_.uses)
      if (use.collectives) groups.push_back(members(c));
    grid = dimensions_of(source_.ranks(), groups);
    if (grid.empty())
      refuse("its communicators make no grid: their strides and sizes do not divide each other");
  }

  void find_classes() {
    std::map<std::vector<Rank>, int> same;
    for (std::size_t c = 0; c < source_.communicators().size(); ++c) {
      const int ordinal = same[source_.communicators()[c]]++;
      const int id = static_cast<int>(c);
      if (!survey_.uses.contains(id)) continue;
      auto shape = shape_of(members(id), grid);
      if (!shape)
        refuse("communicator " + std::to_string(id) + " of " + std::to_string(members(id).size()) +
               " ranks is no part of a grid of ranks in ascending order");
      classes[id] = {std::move(*shape), ordinal};
    }
  }

  void find_data_dimension() {
    pipelined_.assign(grid.size(), false);
    for (const auto& [rank, others] : survey_.peers)
      for (const Rank other : others)
        for (std::size_t k = 0; k < grid.size(); ++k)
          if (grid[k].coordinate(rank) != grid[k].coordinate(other)) pipelined_[k] = true;
    const auto last = std::ranges::find(pipelined_.rbegin(), pipelined_.rend(), false);
    if (last == pipelined_.rend())
      refuse("rank " + std::to_string(survey_.peers.begin()->first) +
             " sends or receives messages, and who the peers of more ranks are is unknown");
    data = static_cast<std::size_t>(pipelined_.rend() - last) - 1;
  }

  /// Finds for each dimension why a rank cannot stand for another one along it; empty: it can.
  void find_roles() {
    for (std::size_t k = 0; k < grid.size(); ++k) roles_.push_back(role(k));
  }
  std::string role(std::size_t k) const {
    if (pipelined_[k]) return "messages go along " + words(grid[k]);
    if (const auto two = unlike(k); !two.empty()) return unlike_words(two);
    for (const auto& [c, use] : survey_.uses) {
      const std::size_t along = classes.at(c).shape[k].size();
      if (along > 0 && along < to_index(grid[k].size)) return some_words(along, k);
      if (along > 0 && !use.counted.empty()) return counted_words(use);
    }
    return {};
  }
  static std::string unlike_words(const std::vector<Rank>& two) {
    return "ranks " + std::to_string(two[0]) + " and " + std::to_string(two[1]) +
           " are not alike: what they call differs in kind, size or number";
  }
  std::string some_words(std::size_t some, std::size_t k) const {
    return "a communicator has " + std::to_string(some) + " of the ranks along " + words(grid[k]);
  }
  static std::string counted_words(const Use& use) {
    return std::string(use.counted) + " gives each rank its own size";
  }

  /// Two recorded ranks that differ only in this coordinate and do not do the same; empty if there are none.
  std::vector<Rank> unlike(std::size_t k) const {
    std::map<Rank, Rank> first;
    for (const auto& [rank, mine] : survey_.sequences) {
      const Rank line = rank - grid[k].coordinate(rank) * grid[k].stride;
      const Rank other = first.emplace(line, rank).first->second;
      if (other != rank && by_class(other) != by_class(rank)) return {other, rank};
    }
    return {};
  }
  std::map<Class, Sequence> by_class(Rank rank) const {
    std::map<Class, Sequence> all;
    for (const auto& [c, sequence] : survey_.sequences.at(rank)) all[classes.at(c)] = sequence;
    return all;
  }

  void check_data_dimension() const {
    const Dimension& along = grid[data];
    if (!roles_[data].empty()) refuse(roles_[data]);
    bool tied = false;
    for (const auto& [c, use] : survey_.uses)
      if (const auto& coordinates = classes.at(c).shape[data]; !coordinates.empty()) {
        check(use);
        tied = tied || use.collectives;
      }
    if (!tied) refuse("no collective goes along " + words(along) + ", the outermost without messages");
    const Rank replica = source_.ranks() / along.size;
    if (ranks_ % replica != 0)
      refuse("there are " + std::to_string(replica) + " ranks beside each along " + words(along) +
             ", the data dimension, and " + std::to_string(ranks_) + " is no multiple");
  }

  void check(const Use& use) const {
    const Dimension& along = grid[data];
    if (!use.on_ranks.empty())
      refuse("what ranks exchange in " + std::string(use.on_ranks) + " depends on how many they are");
    std::set<Rank> roots;
    for (const Rank root : use.roots) roots.insert(along.coordinate(root));
    if (roots.size() > 1)
      refuse("roots are several of the ranks along " + words(along) +
             ", and which they would be of more or fewer is unknown");
    const Rank size = static_cast<Rank>(ranks_ / (source_.ranks() / along.size));
    if (!roots.empty() && *roots.begin() >= size)
      refuse("the root of a collective is rank " + std::to_string(*roots.begin()) + " along " + words(along));
  }

  /// Coordinates of a rank in all dimensions of a grid that `wanted` names.
  template <typename Wanted>
  static std::vector<Rank> coordinates(Rank rank, const std::vector<Dimension>& grid, Wanted wanted) {
    std::vector<Rank> all;
    for (std::size_t k = 0; k < grid.size(); ++k)
      if (wanted(k)) all.push_back(grid[k].coordinate(rank));
    return all;
  }

  /// Finds for each rank the recorded rank with the same coordinates in a replica, else one with the same
  /// role.
  void find_likes() {
    const auto in_replica = [this](std::size_t k) { return k != data || !roles_[k].empty(); };
    const auto in_role = [this](std::size_t k) { return !roles_[k].empty(); };
    std::map<std::vector<Rank>, std::vector<Rank>> same, role;
    for (const auto& [rank, mine] : survey_.sequences) {
      same[coordinates(rank, grid, in_replica)].push_back(rank);
      role[coordinates(rank, grid, in_role)].push_back(rank);
    }
    for (Rank r = 0; r < ranks_; ++r) {
      auto found = same.find(coordinates(r, wide, in_replica));
      if (found == same.end()) {
        found = role.find(coordinates(r, wide, in_role));
        if (found == role.end()) refuse(missing(r));
      }
      likes.push_back(found->second[to_index(wide[data].coordinate(r)) % found->second.size()]);
    }
  }
  std::string missing(Rank rank) const {
    std::string why;
    for (const std::string& role : roles_)
      if (!role.empty()) why += role + "; ";
    return why + "none like rank " + std::to_string(rank) + " was recorded";
  }

  const Source& source_;
  Rank ranks_;
  Survey survey_;
  std::vector<bool> pipelined_;
  std::vector<std::string> roles_;
};

/// The communicators of the wider grid, class by class, and within a class by the coordinates that all its
/// members share.
class Communicators {
 public:
  Communicators(const Source& source, const WiderGrid& layout, Rank ranks)
      : source_(source), layout_(layout) {
    all_.emplace_back(to_index(ranks));
    std::iota(all_[0].begin(), all_[0].end(), 0);
    for (const auto& [c, of] : layout.classes) add(of);
  }

  const std::vector<std::vector<Rank>>& all() const { return all_; }

  /// The communicator of `rank` that corresponds to `communicator` of the recorded rank that it is like.
  int of(Rank rank, int communicator) const {
    const Class& c = layout_.classes.at(communicator);
    std::size_t line = 0, lines = 1;
    for (std::size_t k = 0; k < layout_.wide.size(); ++k)
      if (c.shape[k].empty()) {
        line += lines * to_index(layout_.wide[k].coordinate(rank));
        lines *= to_index(layout_.wide[k].size);
      }
    return firsts_.at(c) + static_cast<int>(line);
  }

  Rank root(Rank rank, Rank like, const Activity& a) const { return place(rank, like, a, a.root, false); }
  Rank peer(Rank rank, Rank like, const Activity& a, Rank peer) const {
    return place(rank, like, a, peer, true);
  }

 private:
  void add(const Class& c) {
    if (firsts_.contains(c)) return;
    const bool world = c.ordinal == 0 && std::ranges::none_of(c.shape, &std::vector<Rank>::empty) &&
                       source_.communicators()[0].size() == size(c.shape, layout_.grid);
    firsts_[c] = world ? 0 : static_cast<int>(all_.size());
    if (world) return;
    std::vector<Rank> bases{0};
    for (std::size_t k = 0; k < c.shape.size(); ++k)
      if (c.shape[k].empty()) spread(bases, layout_.wide[k], range(layout_.wide[k].size));
    for (const Rank base : bases) {
      std::vector<Rank>& members = all_.emplace_back(1, base);
      for (std::size_t k = 0; k < c.shape.size(); ++k)
        if (!c.shape[k].empty()) spread(members, layout_.wide[k], along(c.shape, k));
    }
  }

  static std::size_t size(const GroupShape& shape, const std::vector<Dimension>& grid) {
    std::size_t n = 1;
    for (std::size_t k = 0; k < grid.size(); ++k) n *= shape[k].size();
    return n;
  }
  static std::vector<Rank> range(Rank size) {
    std::vector<Rank> all(to_index(size));
    std::iota(all.begin(), all.end(), 0);
    return all;
  }
  /// Repeats the ranks at each of the coordinates, coordinate by coordinate.
  static void spread(std::vector<Rank>& ranks, const Dimension& d, const std::vector<Rank>& coordinates) {
    std::vector<Rank> all;
    for (const Rank c : coordinates)
      for (const Rank r : ranks) all.push_back(r + c * d.stride);
    ranks = std::move(all);
  }
  /// The coordinates of the members in the wider grid: all, if the recorded members had all.
  std::vector<Rank> along(const GroupShape& shape, std::size_t k) const {
    return shape[k].size() == to_index(layout_.grid[k].size) ? range(layout_.wide[k].size) : shape[k];
  }

  /// The place in the wider communicator of the member that the recorded one has at `index`. `follows`: where
  /// that member has the coordinate of the like rank, it gets the rank's own.
  Rank place(Rank rank, Rank like, const Activity& a, Rank index, bool follows) const {
    const Rank who = source_.communicators()[static_cast<std::size_t>(a.communicator)][to_index(index)];
    const GroupShape& shape = layout_.classes.at(a.communicator).shape;
    Rank found = 0, below = 1;
    for (std::size_t k = 0; k < shape.size(); ++k) {
      if (shape[k].empty()) continue;
      const Dimension &was = layout_.grid[k], &is = layout_.wide[k];
      Rank c = was.coordinate(who);
      if (follows && c == was.coordinate(like)) c = is.coordinate(rank);
      const std::vector<Rank>& own = shape[k];
      const bool whole = own.size() == to_index(was.size);
      found += below * (whole ? c : static_cast<Rank>(std::ranges::lower_bound(own, c) - own.begin()));
      below *= whole ? is.size : static_cast<Rank>(own.size());
    }
    return found;
  }

  const Source& source_;
  const WiderGrid& layout_;
  std::vector<std::vector<Rank>> all_;
  std::map<Class, int> firsts_;
};

class Scaled : public Source {
 public:
  Scaled(const Source& source, Rank ranks)
      : source_(source),
        info_(source.info()),
        layout_(source, ranks),
        communicators_(source, layout_, ranks) {
    info_.notes.push_back(text::counted(ranks, "rank") + ", of which each is taken to be like one of the " +
                          std::to_string(recorded_ranks(source).size()) + " recorded");
    if (const std::string words = layout_.words(); !words.empty()) info_.notes.push_back(words);
    info_.recorded_ranks.clear();
  }

  const SourceInfo& info() const override { return info_; }
  Rank ranks() const override { return static_cast<Rank>(layout_.likes.size()); }
  const std::vector<std::vector<Rank>>& communicators() const override { return communicators_.all(); }
  int streams(Rank rank) const override { return source_.streams(layout_.likes[to_index(rank)]); }
  std::unique_ptr<Activities> stream(Rank rank, int stream) const override {
    return std::make_unique<Moved>(*this, rank, stream);
  }

 private:
  /// A recorded rank's activities, on the communicators of the rank that is like it.
  class Moved : public Activities {
   public:
    Moved(const Scaled& scaled, Rank rank, int stream)
        : to_(scaled.communicators_),
          rank_(rank),
          like_(scaled.layout_.likes[to_index(rank)]),
          activities_(scaled.source_.stream(like_, stream)) {}

    bool next(Activity& a) override {
      if (!activities_->next(a)) return false;
      if (a.kind != Kind::collective && !is_message(a)) return true;
      if (a.kind == Kind::collective && definition(a.collective).rooted) a.root = to_.root(rank_, like_, a);
      if (sends(a)) a.to = to_.peer(rank_, like_, a, a.to);
      if (receives(a)) a.from = to_.peer(rank_, like_, a, a.from);
      a.communicator = to_.of(rank_, a.communicator);
      return true;
    }

   private:
    const Communicators& to_;
    const Rank rank_, like_;
    std::unique_ptr<Activities> activities_;
  };

  const Source& source_;
  SourceInfo info_;
  WiderGrid layout_;
  Communicators communicators_;
};

}  // namespace

std::unique_ptr<Source> scaled(const Source& source, Rank ranks) {
  return std::make_unique<Scaled>(source, ranks);
}

}  // namespace collcast
