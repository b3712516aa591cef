// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "replay/formats/bytes.hpp"
#include "replay/formats/dumpi_calls.hpp"
#include "replay/formats/dumpi_functions.hpp"
#include "replay/formats/input.hpp"
#include "support/error.hpp"

namespace collcast {
namespace {

constexpr std::string_view dumpi_magic =
    "\xff\xaa\xdd"
    "DUMPI";

using dumpi::Function, dumpi::functions;

/// The numbers after the functions: their count, two marks of functions that are not MPI's, the end of the
/// calls.
constexpr std::uint64_t enters = functions.size() + 1, leaves = enters + 1, end_of_calls = leaves + 1;

template <std::size_t n>
std::string named(std::uint64_t number, const std::array<std::string_view, n>& names) {
  return std::to_string(number) + " (" + std::string(number < n ? names[number] : "user-defined") + ")";
}

/// Reads whole numbers, the highest byte first, at places that only ascend.
class Numbers {
 public:
  explicit Numbers(const std::string& path) : input_(path) {}

  std::uint64_t at() const { return at_; }
  void bound(std::uint64_t end) { end_ = end; }  ///< nothing is read beyond the end
  bool ended() const { return at_ >= end_; }

  std::uint64_t natural(std::size_t bytes) {
    char text[8];
    take(text, bytes);
    return number_of_bytes(text, bytes, true);
  }
  std::int64_t whole() { return static_cast<std::int32_t>(natural(4)); }
  void go(std::uint64_t place) {
    if (place < at_) damaged();
    char waste[4096];
    while (at_ < place)
      take(waste, static_cast<std::size_t>(std::min<std::uint64_t>(sizeof waste, place - at_)));
  }
  void skip(std::uint64_t bytes) {
    if (bytes > end_ - at_) damaged();
    go(at_ + bytes);
  }
  /// How many elements of `bytes` bytes follow, but not more than there is room for.
  std::uint64_t count(std::size_t bytes) {
    const std::uint64_t n = natural(4);
    if (n * bytes > end_ - at_) damaged();
    return n;
  }
  [[noreturn]] void damaged() const {
    throw InputError(input_.path() + ": the DUMPI trace is damaged or cut short at byte " +
                     std::to_string(at_));
  }

 private:
  void take(char* to, std::size_t bytes) {
    if (bytes > end_ - at_) damaged();
    for (std::size_t n = 0; bytes > 0; bytes -= n, to += n, at_ += n)
      if ((n = input_.read(to, bytes)) == 0) damaged();
  }

  Input input_;
  std::uint64_t at_ = 0, end_ = std::uint64_t{1} << 62;
};

/// Where the parts of the file are; 0: the part is absent.
struct Places {
  std::uint64_t sizes = 0, header = 0, body = 0, footer = 0, file = 0;
};

/// Finds the parts. The last eight bytes are the place of the last part, the eight before them that of the
/// part before, and so on back to the magic.
Places places(const std::string& path) {
  Input input(path);
  std::string tail, piece(1 << 16, '\0');
  Places p;
  for (std::size_t n; (n = input.read(piece.data(), piece.size())) > 0; p.file += n) {
    tail.append(piece, 0, n);
    if (tail.size() > 64) tail.erase(0, tail.size() - 64);
  }
  const std::size_t magic = tail.rfind(dumpi_magic);
  const std::size_t parts = magic == std::string::npos || p.file <= 64 ? 0 : (tail.size() - magic) / 8 - 1;
  if (parts < 4 || (tail.size() - magic) % 8 != 0)
    throw InputError(path +
                     ": a DUMPI trace that is cut short: the list of its parts, at its end, is not there");
  const auto place = [&](std::size_t from_end) {
    return number_of_bytes(tail.data() + tail.size() - 8 * from_end, 8, true);
  };
  p.footer = place(2), p.body = place(3), p.header = place(4);
  if (parts == 7) p.sizes = place(7);
  if (p.body < 8 || p.header < p.body || p.header >= p.file)
    throw InputError(path + ": a DUMPI trace whose parts are not where the list at its end says");
  return p;
}

class CallStream {
 public:
  CallStream(const std::string& path, const Places& places, DumpiFacts& facts) : numbers_(path) {
    facts_behind(path, places, facts);
    numbers_.go(places.body);
    numbers_.bound(places.header);
    numbers_.whole();  // bias of the processor's clock
    wall_bias_ = numbers_.whole();
  }

  bool next() {
    while (!numbers_.ended()) {
      const std::uint64_t number = numbers_.natural(2);
      if (number == end_of_calls || (number == 0 && finalized_)) return false;
      const bool function = number == enters || number == leaves;
      if (number >= functions.size() && !function) numbers_.damaged();
      begin();
      if (function) {  // mark of a function of the application
        numbers_.skip(8);
        continue;
      }
      const Function& f = functions[number];
      call.name = f.name.starts_with("MPI") ? std::string(f.name) : "MPI_" + std::string(f.name);
      finalized_ = finalized_ || f.name == "Finalize";
      arguments(f);
      return true;
    }
    return false;
  }

  MpiCall call;

 private:
  bool since(int version, int sub, int subsub) const {
    return std::array{version_[0], version_[1], version_[2]} >= std::array{version, sub, subsub};
  }

  /// Reads the parts behind the calls: the version, which tells how calls are read; ignored calls; sizes of
  /// types.
  void facts_behind(const std::string& path, const Places& places, DumpiFacts& facts) {
    Numbers header(path);
    header.go(places.header);
    for (int& n : version_) n = static_cast<int>(header.natural(1));
    if (places.footer != 0) {
      Numbers footer(path);
      footer.go(places.footer);
      if (footer.natural(8) != 0xf007fee7) footer.damaged();
      footer.skip(4 * (functions.size() + 1));
      for (std::size_t i = 0; i < functions.size(); ++i)
        facts.ignored += std::max<std::int64_t>(footer.whole(), 0);
    }
    if (places.sizes == 0) return;
    Numbers sizes(path);
    sizes.bound(places.file);
    sizes.go(places.sizes);
    const auto count = static_cast<std::int64_t>(sizes.count(4));
    for (std::int64_t i = 0; i < count; ++i)
      if (const std::int64_t bytes = sizes.whole(); bytes >= 0 && bytes < 1 << 30)
        facts.type_bytes[i] = bytes;
  }

  /// Reads what stands before the arguments of every call.
  void begin() {
    mask_ = numbers_.natural(1);
    call = {};
    if (mask_ & 0x40) numbers_.skip(2);   // thread
    if (mask_ & 0x04) numbers_.skip(12);  // processor's time
    if (mask_ & 0x08) {
      call.enter = time();
      call.leave = std::max(call.enter, time());
    }
    if (mask_ & 0x80) numbers_.skip(16 * numbers_.natural(1));  // performance counters
  }
  std::int64_t time() {
    const std::int64_t seconds = static_cast<std::int64_t>(numbers_.natural(2)) + wall_bias_;
    const auto ns = static_cast<std::int64_t>(numbers_.natural(4));
    return std::clamp<std::int64_t>(seconds, 0, 8'000'000'000) * 1'000'000'000 + ns;
  }

  void arguments(const Function& f) {
    std::size_t arrays = 0;
    bool there = true;
    if (f.name == "Init" && !since(0, 6, 2)) numbers_.skip(4);
    for (std::string_view rest = f.arguments; !rest.empty();) {
      const std::string_view word = rest.substr(0, rest.find(' '));
      rest.remove_prefix(std::min(word.size() + 1, rest.size()));
      char form = word[0];
      if (form == '?') there = call.text("commrank") == call.text("root");
      if (form == '.') there = true;
      if (form == '?' || form == '.' || !there) continue;
      arrays += form == 'I' ? 1 : 0;
      if ((f.name == "Type_struct" && arrays == 2 && form == 'I' && !since(0, 6, 9)) ||
          (f.name == "Cart_get" && arrays == 3 && form == 'I' && !since(0, 6, 8)))
        form = 'i';  // DUMPI writes it so by mistake
      argument(form, word.substr(1));
    }
  }

  void argument(char form, std::string_view name) {
    const auto keep = [&](std::string text) {
      if (!name.empty()) call.arguments.emplace(name, std::move(text));
    };
    switch (form) {
      case 'i':
        return keep(std::to_string(numbers_.whole()));
      case 'r':
        return keep("[" + std::to_string(numbers_.whole()) + "]");
      case 'd':
        return keep(named(numbers_.natural(2), dumpi::type_names));
      case 'c':
        return keep(named(numbers_.natural(2), dumpi::comm_names));
      case 'I':
      case 'R':
        return keep(list(!name.empty()));
      case 's':
        if (mask_ & 0x03) numbers_.skip(numbers_.count(10) * (since(0, 6, 3) ? 14 : 10));
        return;
      case 'J':
      case 'T':
      case 'U':
        for (std::uint64_t n = numbers_.count(4); n > 0; --n)
          argument(form == 'J' ? 'I' : form == 'T' ? 't' : 'T', {});
        return;
      default:
        skip(form);
    }
  }

  std::string list(bool kept) {
    std::uint64_t n = numbers_.count(4);
    if (!kept) numbers_.skip(4 * n);
    std::string text = "[";
    for (; kept && n > 0; --n) text += std::to_string(numbers_.whole()) + (n > 1 ? ", " : "");
    return text + "]";
  }

  void skip(char form) {
    const auto bytes = [](char c) { return c == 'l' ? 8 : c == 'b' || c == 't' || c == 'B' ? 1 : 2; };
    const bool array = form == 't' || form == 'D' || form == 'H' || form == 'B';
    const auto size = static_cast<std::size_t>(bytes(form));
    numbers_.skip(size * (array ? numbers_.count(size) : 1));
  }

  Numbers numbers_;
  std::array<int, 3> version_{};
  std::int64_t wall_bias_ = 0;
  std::uint64_t mask_ = 0;
  bool finalized_ = false;
};

}  // namespace

bool is_binary_dumpi(std::string_view head) {
  return head.starts_with(dumpi_magic);
}

void read_binary_dumpi(const std::string& path, DumpiFacts& facts, const VisitCall& visit) {
  for (CallStream calls(path, places(path), facts); calls.next();) visit(calls.call);
}

}  // namespace collcast
