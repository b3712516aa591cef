// SPDX-License-Identifier: Apache-2.0
#include "replay/source/packed.hpp"

#include <array>
#include <bit>
#include <cstring>
#include <tuple>
#include <type_traits>
#include <utility>

namespace collcast {
namespace {

constexpr std::size_t piece_bytes = std::size_t{1} << 16;
using Mask = std::uint32_t;  ///< which fields differ

/// All fields but the kind.
template <class A>
auto fields_of(A& a) {
  auto& [kind, operation, call, note, time, begin, duration, times, shortest, longest, communicator, number,
         collective, algorithm, direct, sized, synchronous, message, root, to, from, tag, received_tag, bytes,
         received_bytes, request, requests, stream, count, counts, phases] = a;
  return std::tie(operation, call, note, time, begin, duration, times, shortest, longest, communicator,
                  number, collective, algorithm, direct, sized, synchronous, message, root, to, from, tag,
                  received_tag, bytes, received_bytes, request, requests, stream, count, counts, phases);
}
using Places = std::make_index_sequence<std::tuple_size_v<decltype(fields_of(std::declval<Activity&>()))>>;
static_assert(Places::size() <= 8 * sizeof(Mask));

using Shared = std::vector<std::shared_ptr<const void>>;

template <std::size_t I, class A>
auto& field(A& a) {
  return std::get<I>(fields_of(a));
}

template <std::size_t... I>
Mask differences(const Activity& a, const Activity& b, std::index_sequence<I...>) {
  return ((Mask{field<I>(a) != field<I>(b)} << I) | ...);
}

class FieldWriter {
 public:
  FieldWriter(std::vector<std::byte>& to, Shared& shared) : to_(to), shared_(shared) {}

  template <class T>
  void put(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    const auto* const first = reinterpret_cast<const std::byte*>(&value);
    to_.insert(to_.end(), first, first + sizeof value);
  }
  void put(const std::vector<std::int64_t>& values) {
    put(values.size());
    for (const std::int64_t v : values) put(v);
  }
  template <class T>
  void put(const std::shared_ptr<T>& pointer) {
    put(shared_.size());
    shared_.push_back(pointer);
  }

 private:
  std::vector<std::byte>& to_;
  Shared& shared_;
};

class FieldReader {
 public:
  FieldReader(const std::byte* from, const Shared& shared) : from_(from), shared_(shared) {}

  template <class T>
  void get(T& value) {
    std::memcpy(&value, from_, sizeof value);
    from_ += sizeof value;
  }
  void get(std::vector<std::int64_t>& values) {
    std::size_t size = 0;
    get(size);
    values.resize(size);
    for (std::int64_t& v : values) get(v);
  }
  template <class T>
  void get(std::shared_ptr<T>& pointer) {
    std::size_t place = 0;
    get(place);
    pointer = std::static_pointer_cast<T>(shared_[place]);
  }
  const std::byte* at() const { return from_; }

 private:
  const std::byte* from_;
  const Shared& shared_;
};

/// How a field is written and read.
struct FieldCode {
  void (*put)(const Activity& from, FieldWriter& to, Activity& last);
  void (*get)(FieldReader& from, Activity& last);
};

template <std::size_t I>
void put_field(const Activity& from, FieldWriter& to, Activity& last) {
  to.put(field<I>(from));
  field<I>(last) = field<I>(from);
}

template <std::size_t I>
void get_field(FieldReader& from, Activity& last) {
  from.get(field<I>(last));
}

template <std::size_t... I>
constexpr std::array<FieldCode, sizeof...(I)> codes_of(std::index_sequence<I...>) {
  return {FieldCode{put_field<I>, get_field<I>}...};
}
constexpr auto field_codes = codes_of(Places());

/// Calls `visit` with the code of each field in the mask.
template <class Visit>
void for_each_code(Mask mask, Visit visit) {
  for (; mask != 0; mask &= mask - 1) visit(field_codes[static_cast<std::size_t>(std::countr_zero(mask))]);
}

}  // namespace

void PackedActivities::add(const Activity& activity) {
  if (pieces_.empty() || pieces_.back().size() >= piece_bytes) {
    if (!pieces_.empty()) pieces_.back().shrink_to_fit();
    pieces_.emplace_back();
  }
  last_.resize(activity_kinds);
  Activity& last = last_[static_cast<std::size_t>(activity.kind)];
  const Mask changed = differences(activity, last, Places());
  FieldWriter writer(pieces_.back(), shared_);
  writer.put(activity.kind);
  writer.put(changed);
  for_each_code(changed, [&](const FieldCode& code) { code.put(activity, writer, last); });
}

const Activity* PackedActivities::Reader::next() {
  if (piece_ < packed_.pieces_.size() && at_ == packed_.pieces_[piece_].size()) ++piece_, at_ = 0;
  if (piece_ == packed_.pieces_.size()) return nullptr;
  last_.resize(activity_kinds);
  const std::vector<std::byte>& piece = packed_.pieces_[piece_];
  FieldReader reader(piece.data() + at_, packed_.shared_);
  auto kind = Activity::Kind::compute;
  Mask changed = 0;
  reader.get(kind);
  reader.get(changed);
  Activity& last = last_[static_cast<std::size_t>(kind)];
  last.kind = kind;
  for_each_code(changed, [&](const FieldCode& code) { code.get(reader, last); });
  at_ = static_cast<std::size_t>(reader.at() - piece.data());
  return &last;
}

}  // namespace collcast
