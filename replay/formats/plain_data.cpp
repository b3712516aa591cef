// SPDX-License-Identifier: Apache-2.0
#include "replay/formats/plain_data.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <map>
#include <utility>

#include "replay/formats/bytes.hpp"
#include "replay/formats/input.hpp"
#include "support/error.hpp"

namespace collcast {
namespace {

std::int64_t whole(double number) {
  return std::abs(number) < 9e18 ? static_cast<std::int64_t>(number) : -1;
}

/// Runs a pickle: its opcodes put values on a stack, and make values of those on top.
class Unpickler {
 public:
  /// `values` owns what is made; its texts are parts of `text`.
  Unpickler(const std::string& path, std::string_view text, std::deque<PlainValue>& values)
      : path_(path), text_(text), values_(values) {}

  const PlainValue& read() {
    constexpr unsigned char stop = '.';
    const std::array<Operation, 256> all = operations();
    while (true) {
      const auto opcode = static_cast<unsigned char>(bytes(1)[0]);
      if (opcode == stop) return *pop();
      if (!all[opcode])
        refuse("the pickle has opcode " + std::to_string(opcode) + ", which is no plain data and is not run");
      all[opcode](*this);
    }
  }

 private:
  using Kind = PlainValue::Kind;
  using Operation = void (*)(Unpickler&);

  /// What opcodes do; null for those that are refused. Python's Lib/pickletools.py names them.
  static std::array<Operation, 256> operations() {
    std::array<Operation, 256> all{};
    all[0x80] = [](Unpickler& u) { u.bytes(1); };  // PROTO
    all[0x95] = [](Unpickler& u) { u.bytes(8); };  // FRAME
    all['N'] = [](Unpickler& u) { u.make(Kind::none); };
    all['}'] = [](Unpickler& u) { u.make(Kind::dict); };
    all[']'] = all[')'] = [](Unpickler& u) { u.make(Kind::list); };
    all['X'] = [](Unpickler& u) { u.text(u.little(4)); };
    all[0x8c] = [](Unpickler& u) { u.text(u.little(1)); };
    all['J'] = [](Unpickler& u) { u.integer(static_cast<std::int32_t>(u.little(4))); };
    all['K'] = [](Unpickler& u) { u.integer(static_cast<std::int64_t>(u.little(1))); };
    all['M'] = [](Unpickler& u) { u.integer(static_cast<std::int64_t>(u.little(2))); };
    all[0x8a] = [](Unpickler& u) { u.integer(u.long_integer(u.little(1))); };
    all['G'] = [](Unpickler& u) { u.real(u.big_endian_double()); };
    all[0x88] = [](Unpickler& u) { u.integer(1); };  // NEWTRUE
    all[0x89] = [](Unpickler& u) { u.integer(0); };  // NEWFALSE
    all['('] = [](Unpickler& u) { u.marks_.push_back(u.stack_.size()); };
    all['t'] = [](Unpickler& u) { u.list(u.since_mark()); };
    all[0x85] = [](Unpickler& u) { u.list(u.top(1)); };
    all[0x86] = [](Unpickler& u) { u.list(u.top(2)); };
    all[0x87] = [](Unpickler& u) { u.list(u.top(3)); };
    all['a'] = [](Unpickler& u) { u.append(Kind::list, u.top(1)); };
    all['e'] = [](Unpickler& u) { u.append(Kind::list, u.since_mark()); };
    all['s'] = [](Unpickler& u) { u.append(Kind::dict, u.top(2)); };
    all['u'] = [](Unpickler& u) { u.append(Kind::dict, u.since_mark()); };
    all['q'] = [](Unpickler& u) { u.put(u.little(1)); };
    all['r'] = [](Unpickler& u) { u.put(u.little(4)); };
    all[0x94] = [](Unpickler& u) { u.put(u.memo_.size()); };  // MEMOIZE
    all['h'] = [](Unpickler& u) { u.get(u.little(1)); };
    all['j'] = [](Unpickler& u) { u.get(u.little(4)); };
    return all;
  }

  [[noreturn]] void refuse(const std::string& what) const {
    throw InputError(path_ + ": " + what + " at byte " + std::to_string(at_));
  }
  std::string_view bytes(std::size_t n) {
    if (n > text_.size() - at_) refuse("the pickle is cut short");
    at_ += n;
    return text_.substr(at_ - n, n);
  }
  std::uint64_t little(std::size_t n) { return little_endian(bytes(n), 0, n); }
  double big_endian_double() { return std::bit_cast<double>(number_of_bytes(bytes(8).data(), 8, true)); }
  std::int64_t long_integer(std::size_t n) {
    if (n > 8) refuse("has an integer of more than 64 bits");
    std::uint64_t value = little(n);
    if (n > 0 && n < 8 && value >> (8 * n - 1)) value |= ~std::uint64_t{0} << (8 * n);
    return static_cast<std::int64_t>(value);
  }

  PlainValue& make(Kind kind) {
    PlainValue& v = values_.emplace_back();
    v.kind = kind;
    stack_.push_back(&v);
    return v;
  }
  void text(std::uint64_t n) { make(Kind::text).text = bytes(n); }
  void list(std::vector<const PlainValue*> items) { make(Kind::list).items = std::move(items); }
  void number(double n, std::int64_t integer) {
    PlainValue& v = make(Kind::number);
    v.number = n, v.integer = integer;
  }
  void real(double n) { number(n, whole(n)); }
  void integer(std::int64_t n) { number(static_cast<double>(n), n); }

  PlainValue* pop() {
    if (stack_.empty() || (!marks_.empty() && stack_.size() <= marks_.back()))
      refuse("the pickle takes what it did not put");
    PlainValue* v = stack_.back();
    stack_.pop_back();
    return v;
  }
  /// Takes the last `n` values, which stay in their order.
  std::vector<const PlainValue*> top(std::size_t n) {
    std::vector<const PlainValue*> all(n);
    for (std::size_t i = n; i-- > 0;) all[i] = pop();
    return all;
  }
  std::vector<const PlainValue*> since_mark() {
    if (marks_.empty()) refuse("the pickle has no mark");
    std::vector<const PlainValue*> all(stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back()),
                                       stack_.end());
    stack_.resize(marks_.back());
    marks_.pop_back();
    return all;
  }
  void append(Kind kind, const std::vector<const PlainValue*>& items) {
    PlainValue* to = pop();
    if (to->kind != kind || (kind == Kind::dict && items.size() % 2))
      refuse("the pickle fills what is no such container");
    to->items.insert(to->items.end(), items.begin(), items.end());
    stack_.push_back(to);
  }

  void get(std::uint64_t slot) {
    const auto found = memo_.find(slot);
    if (found == memo_.end()) refuse("the pickle takes what it did not keep");
    stack_.push_back(found->second);
  }
  void put(std::uint64_t slot) {
    PlainValue* v = pop();
    stack_.push_back(v);
    memo_[slot] = v;
  }

  const std::string& path_;
  std::string_view text_;
  std::deque<PlainValue>& values_;
  std::size_t at_ = 0;
  std::vector<PlainValue*> stack_;
  std::vector<std::size_t> marks_;
  std::map<std::uint64_t, PlainValue*> memo_;
};

/// The same data from JSON; `values` owns them.
const PlainValue* value_of(const JsonValue& json, std::deque<PlainValue>& values) {
  using Kind = PlainValue::Kind;
  PlainValue& v = values.emplace_back();
  if (const auto number = json.number()) {
    v.kind = Kind::number, v.number = *number;
    v.integer = json.integer().value_or(whole(*number));
  } else if (json.is_array()) {
    v.kind = Kind::list;
    for (const JsonValue& item : json.items()) v.items.push_back(value_of(item, values));
  } else if (json.is_object()) {
    v.kind = Kind::dict;
    json.members([&](std::string_view key, const JsonValue& member) {
      PlainValue& name = values.emplace_back();
      name.kind = Kind::text, name.text = key;
      v.items.push_back(&name);
      v.items.push_back(value_of(member, values));
    });
  } else if (!json.text().empty()) {
    v.kind = Kind::text, v.text = json.text();
  }
  return &v;
}

}  // namespace

const PlainValue* PlainValue::find(std::string_view key) const {
  for (std::size_t i = 0; kind == Kind::dict && i + 1 < items.size(); i += 2)
    if (items[i]->text == key) return items[i + 1];
  return nullptr;
}

double PlainValue::number_of(std::string_view key, double otherwise) const {
  const PlainValue* v = find(key);
  return v && v->kind == Kind::number ? v->number : otherwise;
}

std::int64_t PlainValue::ns_of(std::string_view key) const {
  const PlainValue* v = find(key);
  return v && v->kind == Kind::number ? std::max<std::int64_t>(v->integer, -1) : -1;
}

std::string_view PlainValue::text_of(std::string_view key) const {
  const PlainValue* v = find(key);
  return v ? v->text : std::string_view{};
}

bool is_pickle(std::string_view head) {
  if (head.size() < 3 || head[0] != '\x80' || head[1] < 2 || head[1] > 5) return false;
  const std::size_t at = head[2] == '\x95' ? 11 : 2;
  return at < head.size() && (head[at] == '}' || head[at] == ']');
}

PlainData::PlainData(const std::string& path) {
  constexpr std::size_t most_bytes = std::size_t{1} << 28;
  if (is_pickle(head_of(path, 16))) {
    pickle_ = text_of(path, most_bytes);
    top_ = &Unpickler(path, pickle_, values_).read();
  } else {
    top_ = value_of(read_json(path, json_), values_);
  }
}

}  // namespace collcast
