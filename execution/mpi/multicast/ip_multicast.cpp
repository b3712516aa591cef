// SPDX-License-Identifier: Apache-2.0
#include "execution/mpi/multicast/ip_multicast.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>

#include "execution/mpi/check.hpp"
#include "execution/mpi/collective_errors.hpp"
#include "execution/mpi/on_machine.hpp"
#include "support/error.hpp"

namespace collcast::mpi {
namespace {

/// How long a receiver waits for a packet before it asks again; doubled each time.
constexpr double first_patience = 20e-3, last_patience = 0.5;
/// How long a receiving rank waits for a packet before it looks for requests.
constexpr double quiet_interval = 1e-3;
/// For how long a repeated packet is not repeated again, as several receivers may ask for it at once.
constexpr double repeat_interval = 5e-3;
/// Bytes that the system adds to each datagram that it keeps, roughly.
constexpr std::size_t bookkeeping_bytes = 1024;
constexpr std::size_t most_early_bytes = 16 << 20;
/// The most packets that one progress() sends or receives.
constexpr int burst = 64;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::uint64_t least(std::uint64_t mine, MPI_Comm comm) {
  check(MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_UINT64_T, MPI_MIN, comm), "MPI_Allreduce");
  return mine;
}

}  // namespace

IpMulticast::IpMulticast(const Options& options, MPI_Comm parent)
    : loss_(options.loss), random_(options.seed) {
  check(MPI_Comm_dup(parent, &control_), "MPI_Comm_dup");
  try {
    open(options, parent);
  } catch (...) {
    MPI_Comm_free(&control_);
    throw;
  }
}

void IpMulticast::open(const Options& options, MPI_Comm parent) {
  check(MPI_Comm_set_errhandler(control_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  check(MPI_Comm_rank(parent, &rank_), "MPI_Comm_rank");
  check(MPI_Comm_size(parent, &ranks_), "MPI_Comm_size");
  random_.seed(options.seed + static_cast<std::uint64_t>(rank_));
  const bool loop = on_machine(control_).ranks > 1;
  attempt_on_all(control_, [&] { socket_ = std::make_unique<GroupSocket>(options.group, loop); });
  session_ = std::random_device()() * (std::uint64_t{1} << 32) + std::random_device()();
  check(MPI_Bcast(&session_, 1, MPI_UINT64_T, 0, control_), "MPI_Bcast");
  packet_bytes_ = least(socket_->datagram_bytes(), control_) - header_bytes;
  const std::uint64_t buffer = least(socket_->buffer_bytes(), control_);
  const auto senders = static_cast<std::uint64_t>(std::max(1, ranks_ - 1));
  window_ = std::max<std::uint64_t>(2, buffer / (2 * (packet_bytes_ + bookkeeping_bytes)) / senders);
  bounce_.resize(packet_bytes_);
  check(MPI_Recv_init(&heard_, sizeof heard_, MPI_BYTE, MPI_ANY_SOURCE, 0, control_, &hearing_),
        "MPI_Recv_init");
  check(MPI_Start(&hearing_), "MPI_Start");
}

IpMulticast::~IpMulticast() {
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (finalized) return;
  MPI_Cancel(&hearing_);
  MPI_Wait(&hearing_, MPI_STATUS_IGNORE);
  MPI_Request_free(&hearing_);
  MPI_Comm_free(&control_);
}

IpMulticast::Series& IpMulticast::series(int number) {
  Series& s = series_[number];
  if (s.accounts.empty()) s.accounts.resize(static_cast<std::size_t>(ranks_));
  return s;
}

void IpMulticast::forget(Series& s) {
  std::ranges::fill(s.accounts, Account{});
  s.outgoing.clear();
  s.incoming.clear();
  s.complete.clear();
  likely_ = {};
}

void IpMulticast::abandon(int number) {
  forget(series(number));
}

void IpMulticast::begin(int number) {
  Series& s = series(number);
  ++s.play;
  forget(s);
  std::erase_if(early_, [&](const auto& message) {
    const auto& [series, play, multicast] = message.first;
    if (series != static_cast<std::uint32_t>(number) || play >= s.play) return false;
    for (const Early& e : message.second) early_bytes_ -= e.payload.size();
    return true;
  });
}

void IpMulticast::send(int number, std::uint32_t multicast, Ranks to, std::span<const std::byte> data,
                       int* left) {
  Outgoing message{data, {}, packets_of(data.size(), packet_bytes_), 0, left};
  for (Rank i = 0; i < to.count; ++i)
    if (to[i] != rank_) message.to.push_back(to[i]);
  series(number).outgoing.emplace(multicast, std::move(message));
  unsent_.emplace_back(number, multicast);
  send_some();
}

void IpMulticast::receive(int number, std::uint32_t multicast, Rank source, std::span<std::byte> data,
                          int* left) {
  Series& s = series(number);
  Incoming& in = s.incoming.emplace(multicast, Incoming{{data, packet_bytes_}, source, left}).first->second;
  if (!likely_.incoming) likely_ = {number, multicast, &s, &in};
  last_arrival_ = now();
  patience_ = first_patience;
  const auto early = early_.find({static_cast<std::uint32_t>(number), s.play, multicast});
  if (early == early_.end()) return;
  const std::vector<Early> packets = std::move(early->second);
  early_.erase(early);
  for (const Early& e : packets) {
    early_bytes_ -= e.payload.size();
    take(e.header, e.payload);
  }
}

bool IpMulticast::finished(int number) {
  Series& s = series(number);
  for (Rank r = 0; r < ranks_; ++r) grant(number, s, r, 1);
  return std::ranges::all_of(s.accounts, [](const Account& a) { return a.granted == a.sent; });
}

PacketCounts IpMulticast::total() const {
  PacketCounts all = counts_;
  static_assert(sizeof all == 5 * sizeof(std::uint64_t));
  check(MPI_Allreduce(MPI_IN_PLACE, &all, 5, MPI_UINT64_T, MPI_SUM, control_), "MPI_Allreduce");
  return all;
}

/// Makes progress. Looks for receivers' messages only if there is nothing else to do, as looking takes time.
void IpMulticast::progress() {
  send_some();
  receive_some();
  const bool quiet = now() - last_arrival_ > quiet_interval;
  if (!unsent_.empty() || quiet || !awaits_packets()) hear();
  ask_for_overdue();
}

void IpMulticast::rest() {
  if (awaits_packets()) socket_->wait(1);
}

bool IpMulticast::awaits_packets() const {
  return std::ranges::any_of(series_, [](const auto& s) { return !s.second.incoming.empty(); });
}

bool IpMulticast::awaits_credit() const {
  return !unsent_.empty() || std::ranges::any_of(series_, [](const auto& s) {
    return std::ranges::any_of(s.second.accounts, [](const Account& a) { return a.granted != a.sent; });
  });
}

bool IpMulticast::may_send(const Series& s, const Outgoing& message) const {
  return std::ranges::all_of(message.to, [&](Rank r) {
    const Account& a = s.accounts[static_cast<std::size_t>(r)];
    return a.sent - a.granted < window_;
  });
}

bool IpMulticast::transmit(const Header& header, const Outgoing& message) {
  const std::size_t begin = header.packet * packet_bytes_;
  const auto payload = message.data.subspan(begin, std::min(packet_bytes_, message.data.size() - begin));
  iovec parts[] = {{const_cast<Header*>(&header), header_bytes},
                   {const_cast<std::byte*>(payload.data()), payload.size()}};
  return socket_->send(parts);
}

void IpMulticast::send_some() {
  for (int i = 0; i < burst && !unsent_.empty(); ++i) {
    const auto [number, multicast] = unsent_.front();
    const auto found = series_.find(number);
    const bool known = found != series_.end() && found->second.outgoing.contains(multicast);
    if (!known) {  // its play was abandoned
      unsent_.pop_front();
      continue;
    }
    Series& s = found->second;
    Outgoing& message = s.outgoing.at(multicast);
    if (!may_send(s, message)) return;
    if (!transmit({session_, rank_, number, s.play, multicast, message.next}, message)) return;
    ++counts_.sent;
    for (Rank r : message.to) ++s.accounts[static_cast<std::size_t>(r)].sent;
    if (++message.next < message.packets) continue;
    --*message.left;
    unsent_.pop_front();
  }
}

bool IpMulticast::Likely::expects(const Header& header) const {
  return incoming && header.series == number && header.play == series->play && header.number == multicast &&
         header.packet == incoming->message.next();
}

void IpMulticast::receive_some() {
  for (int i = 0; i < burst && receive_one(); ++i) {
  }
}

/// Receives the expected packet at its place in the message; any other packet is copied from there.
bool IpMulticast::receive_one() {
  Header header{};
  std::span<std::byte> place;
  if (likely_.incoming) place = likely_.incoming->message.place(likely_.incoming->message.next());
  iovec parts[] = {{&header, header_bytes},
                   {place.data(), place.size()},
                   {bounce_.data() + place.size(), bounce_.size() - place.size()}};
  const std::ptrdiff_t bytes = socket_->receive(parts);
  if (bytes < 0) return false;
  if (bytes < static_cast<std::ptrdiff_t>(header_bytes) || header.session != session_ ||
      header.source == rank_)
    return true;
  if (loss_ > 0 && std::bernoulli_distribution(loss_)(random_)) return ++counts_.dropped, true;
  const auto size = static_cast<std::size_t>(bytes) - header_bytes;
  if (likely_.expects(header) && size == place.size()) return take(header, place), true;
  std::copy_n(place.begin(), std::min(size, place.size()), bounce_.begin());
  take(header, std::span(bounce_).first(size));
  return true;
}

void IpMulticast::take(const Header& header, std::span<const std::byte> payload) {
  const auto known = series_.find(header.series);
  if (known == series_.end() || header.play > known->second.play) return keep(header, payload);
  Series& s = known->second;
  const auto in = s.incoming.find(header.number);
  if (header.play < s.play || s.complete.contains(header.number))
    ++counts_.doubled;
  else if (in == s.incoming.end())
    keep(header, payload);
  else
    place(header.series, s, header, in->second, payload);
}

void IpMulticast::place(int number, Series& s, const Header& header, Incoming& in,
                        std::span<const std::byte> payload) {
  const std::span<std::byte> home = in.message.place(header.packet);
  if (home.size() != payload.size() || header.source != in.source)
    throw SubstrateError("a multicast packet from rank " + std::to_string(header.source) +
                         " does not fit the message that rank " + std::to_string(in.source) + " should send");
  const PacketRange gap = in.message.gap_before(header.packet);
  if (!in.message.take(header.packet)) {
    ++counts_.doubled;
    return;
  }
  if (payload.data() != home.data()) std::ranges::copy(payload, home.begin());
  ++counts_.taken;
  last_arrival_ = now();
  patience_ = first_patience;
  if (gap.count != 0) ask(number, s, header.number, in, {&gap, 1});
  ++s.accounts[static_cast<std::size_t>(in.source)].received;
  grant(number, s, in.source, window_ / 2);
  if (in.message.complete())
    completed(number, s, header.number, in);
  else
    likely_ = {header.series, header.number, &s, &in};
}

void IpMulticast::completed(int series, Series& s, std::uint32_t number, Incoming& in) {
  --*in.left;
  s.complete.insert(number);
  s.incoming.erase(number);
  const auto next = s.incoming.find(number + 1);
  likely_ = next == s.incoming.end() ? Likely{} : Likely{series, number + 1, &s, &next->second};
}

/// Keeps a packet of a play or a multicast that this rank has not reached yet.
void IpMulticast::keep(const Header& header, std::span<const std::byte> payload) {
  if (early_bytes_ + payload.size() > most_early_bytes) return;
  early_bytes_ += payload.size();
  early_[{static_cast<std::uint32_t>(header.series), header.play, header.number}].push_back(
      {header, {payload.begin(), payload.end()}});
}

void IpMulticast::tell(const Control& control, Rank rank) const {
  check(MPI_Send(&control, sizeof control, MPI_BYTE, rank, 0, control_), "MPI_Send");
}

void IpMulticast::grant(int number, Series& s, Rank source, std::uint64_t unless_fewer) {
  Account& a = s.accounts[static_cast<std::size_t>(source)];
  if (a.received - a.told < std::max<std::uint64_t>(1, unless_fewer)) return;
  tell({number, s.play, 0, 0, a.received, {}}, source);
  a.told = a.received;
}

void IpMulticast::ask(int number, const Series& s, std::uint32_t message, const Incoming& in,
                      std::span<const PacketRange> missing) const {
  Control control{number, s.play, message, static_cast<std::uint32_t>(missing.size()), 0, {}};
  std::ranges::copy(missing, control.missing.begin());
  tell(control, in.source);
}

/// Asks for packets that are overdue. If the end of a message is lost, nothing comes after it that shows it.
/// Only the last packet is asked for: if it was just late, little is repeated; if more was lost, it leaves a
/// gap.
void IpMulticast::ask_for_overdue() {
  constexpr int most_messages = 16;
  int asked = 0;
  const double time = now();
  if (time - last_arrival_ < patience_) return;
  for (const auto& [number, s] : series_)
    for (const auto& [message, in] : s.incoming) {
      if (++asked > most_messages) break;
      ask(number, s, message, in, in.message.overdue(heard_.missing.size()));
    }
  last_arrival_ = time;
  patience_ = std::min(2 * patience_, last_patience);
}

void IpMulticast::hear() {
  while (awaits_credit()) {
    int done = 0;
    MPI_Status status;
    check(MPI_Test(&hearing_, &done, &status), "MPI_Test");
    if (!done) return;
    const Control control = heard_;
    check(MPI_Start(&hearing_), "MPI_Start");
    hear(control, status.MPI_SOURCE);
  }
}

void IpMulticast::hear(const Control& control, Rank rank) {
  const auto known = series_.find(control.series);
  if (known == series_.end() || known->second.play != control.play) return;
  Series& s = known->second;
  if (control.ranges == 0) {
    s.accounts[static_cast<std::size_t>(rank)].granted = control.received;
    return;
  }
  const auto found = s.outgoing.find(control.number);
  if (found == s.outgoing.end()) return;  // it was asked for before it is sent
  Outgoing& message = found->second;
  const double time = now();
  for (std::uint32_t i = 0; i < control.ranges; ++i)
    for (std::uint32_t p = control.missing[i].first, left = control.missing[i].count;
         left > 0 && p < message.next; ++p, --left) {
      const auto [last, first_time] = message.repeated_at.try_emplace(p, time);
      if (!first_time && time - last->second < repeat_interval) continue;
      last->second = time;
      if (!transmit({session_, rank_, control.series, s.play, control.number, p}, message)) return;
      ++counts_.repeated;
    }
}

}  // namespace collcast::mpi
