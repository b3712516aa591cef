// SPDX-License-Identifier: Apache-2.0
#include <random>

#include "tests/replay/trace/fixture.hpp"

namespace collcast::trace::test {
namespace {

std::vector<Event> some_events() {
  std::vector<Event> events;
  for (int i = 0; i < 40; ++i) {
    Event e = message(static_cast<Op>(i % op_count), i % 3, 2, i, 1000 + i, i);
    e.send_counts = {1, 2, 3};
    e.completed = {{i, 1, 2, false}};
    e.compute = Seconds(1e-6 * i);
    events.push_back(e);
  }
  return events;
}

void mutate(Bytes& bytes, std::mt19937& random) {
  auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  for (std::size_t i = 0, n = 1 + below(4); i < n; ++i) {
    if (bytes.empty()) return;
    switch (below(4)) {
      case 0:
        bytes[below(bytes.size())] ^= static_cast<std::uint8_t>(1u << below(8));
        break;
      case 1:
        bytes[below(bytes.size())] = static_cast<std::uint8_t>(random());
        break;
      case 2:
        bytes.resize(below(bytes.size()));
        break;
      default:
        bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(below(bytes.size())), bytes[0]);
    }
  }
}

/// Whatever the bytes: events, or one InputError.
TEST(TraceFuzz, MutatedFilesAreReadOrRefused) {
  const Folder folder;
  const std::string path = folder / "t.cct";
  write_trace(path, 3,
              {message(Op::send, 1, none, 3, 8, 0), message(Op::recv, none, any, any, 8, 1),
               event(Op::barrier, world), message(Op::sendrecv, 2, 0, 9, 1000)});
  const Bytes good = read_file(path);
  std::mt19937 random(20240607);
  int refused = 0;
  for (int i = 0; i < 4000; ++i) {
    Bytes bytes = good;
    mutate(bytes, random);
    write_file(path, bytes);
    refused += !complaint([&] {
                  const Reader reader(path);
                  read_through(reader);
                }).empty();
  }
  EXPECT_GT(refused, 2000);
}

/// The same below the checksum: the decoder alone.
TEST(TraceFuzz, MutatedEventsAreDecodedOrRefused) {
  Encoder encoder;
  for (const auto& e : some_events()) encoder.put(e);
  std::mt19937 random(7);
  for (int i = 0; i < 20'000; ++i) {
    Bytes bytes = encoder.bytes();
    mutate(bytes, random);
    complaint([&] {
      Decoder decoder(bytes, "fuzz", 3);
      Event e;
      while (decoder.next(e)) continue;
    });
  }
}

TEST(TraceFuzz, MutatedGroupsAreDecodedOrRefused) {
  const Bytes good = encode_groups({world_of(50), {0, 2, 4, 6, 8}, {9, 7, 5, 1}});
  std::mt19937 random(11);
  for (int i = 0; i < 20'000; ++i) {
    Bytes bytes = good;
    mutate(bytes, random);
    complaint([&] {
      std::vector<std::vector<int>> groups;
      decode_groups({bytes, "fuzz"}, 3, 50, 1 << 20, groups);
      for (const auto& group : groups)
        for (int rank : group) ASSERT_TRUE(rank >= 0 && rank < 50);
    });
  }
}

}  // namespace
}  // namespace collcast::trace::test
