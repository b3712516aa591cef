// SPDX-License-Identifier: Apache-2.0
#include "replay/trace/codec.hpp"

#include <climits>
#include <cmath>

#include "support/error.hpp"

namespace collcast::trace {
namespace {

/// The fields that follow the operation. Fields with their default value are left out. The order is the file
/// format.
enum Field : std::uint32_t {
  compute,
  duration,
  comm,
  send_bytes,
  recv_bytes,
  request,
  completed,
  dest,
  source,
  send_tag,
  recv_tag,
  datatype_bytes,
  root,
  reduction,
  flags,
  new_comm,
  polls,
  polling,
  send_counts,
  recv_counts,
  thread,
  overlapped,
  send_number,
  recv_number,
  field_count
};

enum Flag : std::uint64_t { in_place = 1, persistent = 2 };

std::uint64_t nanoseconds(Seconds time) {
  return time.value > 0 ? static_cast<std::uint64_t>(std::llround(time.value * 1e9)) : 0;
}

Seconds seconds(std::uint64_t ns) {
  return Seconds(static_cast<double>(ns) * 1e-9);
}

std::uint64_t flags_of(const Event& event) {
  return (event.in_place ? std::uint64_t{in_place} : 0) | (event.persistent ? std::uint64_t{persistent} : 0);
}

std::uint32_t fields_of(const Event& e) {
  std::uint32_t mask = 0;
  auto mark = [&](bool present, Field field) { mask |= static_cast<std::uint32_t>(present) << field; };
  mark(nanoseconds(e.compute) != 0, compute);
  mark(nanoseconds(e.duration) != 0, duration);
  mark(e.comm != none, comm);
  mark(e.send_bytes != 0, send_bytes);
  mark(e.recv_bytes != 0, recv_bytes);
  mark(e.request != none, request);
  mark(!e.completed.empty(), completed);
  mark(e.dest != none, dest);
  mark(e.source != none, source);
  mark(e.send_tag != none, send_tag);
  mark(e.recv_tag != none, recv_tag);
  mark(e.datatype_bytes != 0, datatype_bytes);
  mark(e.root != none, root);
  mark(e.reduction != Reduction::none, reduction);
  mark(flags_of(e) != 0, flags);
  mark(e.new_comm != none, new_comm);
  mark(e.polls != 0, polls);
  mark(nanoseconds(e.polling) != 0, polling);
  mark(!e.send_counts.empty(), send_counts);
  mark(!e.recv_counts.empty(), recv_counts);
  mark(e.thread != 0, thread);
  mark(e.overlapped != 0, overlapped);
  mark(e.send_number != none, send_number);
  mark(e.recv_number != none, recv_number);
  return mask;
}

void put_counts(std::vector<std::uint8_t>& to, const std::vector<std::int64_t>& counts) {
  put_varint(to, counts.size());
  for (auto count : counts) put_varint(to, zigzag(count));
}

void put_completions(std::vector<std::uint8_t>& to, const std::vector<Completion>& completed,
                     RequestId last) {
  put_varint(to, completed.size());
  for (const auto& one : completed) {
    const bool matched = one.source != none || one.tag != none;
    put_varint(to, zigzag(last - one.request));
    put_varint(to, (matched ? 1u : 0u) | (one.cancelled ? 2u : 0u) | (one.number != none ? 4u : 0u));
    if (matched) put_varint(to, zigzag(one.source)), put_varint(to, zigzag(one.tag));
    if (one.number != none) put_varint(to, zigzag(one.number));
  }
}

}  // namespace

void put_varint(std::vector<std::uint8_t>& to, std::uint64_t value) {
  for (; value >= 128; value >>= 7) to.push_back(static_cast<std::uint8_t>(value | 128));
  to.push_back(static_cast<std::uint8_t>(value));
}

std::uint64_t VarintSource::next() {
  std::uint64_t value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    if (empty()) damaged("ends inside a number");
    const std::uint8_t byte = bytes_[at_++];
    value |= static_cast<std::uint64_t>(byte & 127) << shift;
    if (byte < 128) return value;
  }
  damaged("has a number of more than 64 bits");
}

int VarintSource::next_int() {
  const std::int64_t value = next_signed();
  if (value < INT_MIN || value > INT_MAX) damaged("has a number of more than 32 bits");
  return static_cast<int>(value);
}

void VarintSource::damaged(const std::string& what) const {
  throw InputError(where_ + ": damaged: " + what);
}

void Encoder::restart() {
  bytes_.clear();
  count_ = 0;
  last_request_ = 0;
}

void Encoder::put(const Event& e) {
  const std::uint32_t mask = fields_of(e);
  auto has = [mask](Field field) { return (mask >> field) & 1; };
  auto number = [this, has](Field field, std::int64_t value) {
    if (has(field)) put_varint(bytes_, zigzag(value));
  };
  bytes_.push_back(static_cast<std::uint8_t>(e.op));
  put_varint(bytes_, mask);
  if (has(compute)) put_varint(bytes_, nanoseconds(e.compute));
  if (has(duration)) put_varint(bytes_, nanoseconds(e.duration));
  number(comm, e.comm);
  number(send_bytes, e.send_bytes);
  number(recv_bytes, e.recv_bytes);
  number(request, e.request - last_request_);
  if (has(request)) last_request_ = e.request;
  if (has(completed)) put_completions(bytes_, e.completed, last_request_);
  number(dest, e.dest);
  number(source, e.source);
  number(send_tag, e.send_tag);
  number(recv_tag, e.recv_tag);
  number(datatype_bytes, e.datatype_bytes);
  number(root, e.root);
  number(reduction, static_cast<int>(e.reduction));
  if (has(flags)) put_varint(bytes_, flags_of(e));
  number(new_comm, e.new_comm);
  number(polls, e.polls);
  if (has(polling)) put_varint(bytes_, nanoseconds(e.polling));
  if (has(send_counts)) put_counts(bytes_, e.send_counts);
  if (has(recv_counts)) put_counts(bytes_, e.recv_counts);
  if (mask >> thread) {  // most recordings have none of these
    number(thread, e.thread);
    number(overlapped, e.overlapped);
    number(send_number, e.send_number);
    number(recv_number, e.recv_number);
  }
  ++count_;
}

void Decoder::counts(std::vector<std::int64_t>& to) {
  const std::uint64_t size = source_.next();
  if (size > static_cast<std::uint64_t>(ranks_)) source_.damaged("has a list longer than there are ranks");
  to.resize(size);
  for (auto& count : to) count = source_.next_signed();
}

void Decoder::completions(std::vector<Completion>& to) {
  const std::uint64_t size = source_.next();
  if (size > source_.left()) source_.damaged("has a list longer than the piece");
  to.resize(size);
  for (auto& one : to) {
    one.request = static_cast<RequestId>(static_cast<std::uint64_t>(last_request_) -
                                         static_cast<std::uint64_t>(source_.next_signed()));
    const std::uint64_t bits = source_.next();
    one.cancelled = bits & 2;
    if (bits & 1) one.source = source_.next_int(), one.tag = source_.next_int();
    if (bits & 4) one.number = source_.next_signed();
  }
}

bool Decoder::next(Event& e) {
  if (source_.empty()) return false;
  clear(e);
  const std::uint64_t op = source_.next();
  if (op >= op_count) source_.damaged("operation " + std::to_string(op) + " is unknown");
  e.op = static_cast<Op>(op);
  const std::uint64_t mask = source_.next();
  if (mask >> field_count) source_.damaged("an event has unknown fields");
  auto has = [mask](Field field) { return (mask >> field) & 1; };
  auto number = [&](Field field, int& value) {
    if (has(field)) value = source_.next_int();
  };
  if (has(compute)) e.compute = seconds(source_.next());
  if (has(duration)) e.duration = seconds(source_.next());
  number(comm, e.comm);
  if (has(send_bytes)) e.send_bytes = source_.next_signed();
  if (has(recv_bytes)) e.recv_bytes = source_.next_signed();
  if (has(request))
    e.request = last_request_ = static_cast<RequestId>(static_cast<std::uint64_t>(last_request_) +
                                                       static_cast<std::uint64_t>(source_.next_signed()));
  if (has(completed)) completions(e.completed);
  number(dest, e.dest);
  number(source, e.source);
  number(send_tag, e.send_tag);
  number(recv_tag, e.recv_tag);
  if (has(datatype_bytes)) e.datatype_bytes = source_.next_signed();
  number(root, e.root);
  int reduced = 0;
  number(reduction, reduced);
  if (reduced < 0 || reduced >= reduction_count)
    source_.damaged("reduction " + std::to_string(reduced) + " is unknown");
  e.reduction = static_cast<Reduction>(reduced);
  const std::uint64_t bits = has(flags) ? source_.next() : 0;
  e.in_place = bits & in_place, e.persistent = bits & persistent;
  number(new_comm, e.new_comm);
  if (has(polls)) e.polls = source_.next_signed();
  if (has(polling)) e.polling = seconds(source_.next());
  if (has(send_counts)) counts(e.send_counts);
  if (has(recv_counts)) counts(e.recv_counts);
  number(thread, e.thread);
  if (has(overlapped)) e.overlapped = source_.next_signed();
  if (has(send_number)) e.send_number = source_.next_signed();
  if (has(recv_number)) e.recv_number = source_.next_signed();
  return true;
}

}  // namespace collcast::trace
