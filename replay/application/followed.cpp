// SPDX-License-Identifier: Apache-2.0
#include "replay/application/followed.hpp"

#include <utility>

namespace collcast {

class Followed::Reader : public Activities {
 public:
  Reader(std::unique_ptr<Activities> read, Progress& progress)
      : read_(std::move(read)), progress_(progress) {}
  bool next(Activity& activity) override {
    progress_.ended = !read_->next(activity);
    progress_.handed_out += !progress_.ended;
    return !progress_.ended;
  }

 private:
  std::unique_ptr<Activities> read_;
  Progress& progress_;
};

std::unique_ptr<Activities> Followed::stream(Rank rank, int stream) const {
  return std::make_unique<Reader>(source_.stream(rank, stream), progress_[{rank, stream}]);
}

std::map<std::string, Followed::Calls> Followed::communication() const {
  using Kind = Activity::Kind;
  std::map<std::string, Calls> all;
  for (Rank r = 0; r < ranks(); ++r)
    for (int s = 0; s < streams(r); ++s) {
      const auto found = progress_.find({r, s});
      const Progress at = found == progress_.end() ? Progress{} : found->second;
      const std::int64_t done = at.ended ? at.handed_out : at.handed_out - 1;
      const auto activities = source_.stream(r, s);
      Activity a;
      for (std::int64_t i = 0; activities->next(a); ++i) {
        if (a.kind != Kind::collective && a.kind != Kind::send && a.kind != Kind::receive &&
            a.kind != Kind::exchange)
          continue;
        Calls& calls = all[std::string(a.operation)];
        ++calls.all;
        calls.left += i >= done;
      }
    }
  return all;
}

}  // namespace collcast
