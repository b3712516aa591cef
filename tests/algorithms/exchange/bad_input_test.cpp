// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <fstream>

#include "algorithms/catalogue.hpp"
#include "algorithms/exchange/msccl.hpp"
#include "support/error.hpp"
#include "tests/algorithms/exchange/replaced.hpp"
#include "tests/folder.hpp"

namespace collcast {
namespace {

using testing::replaced;

/// What the reader says of the text; empty if it takes it.
std::string msccl_complaint(const std::string& text) {
  try {
    parse_msccl(text, "x.xml");
    return "";
  } catch (const InputError& e) {
    return e.what();
  }
}

std::string step(int s, const std::string& type, const std::string& source, const std::string& target,
                 const std::string& after = R"(depid="-1" deps="-1")", int count = 1) {
  auto where = [](const std::string& name, const std::string& at) {
    return " " + name + "buf=\"" + at.substr(0, 1) + "\" " + name + "off=\"" + at.substr(1) + "\"";
  };
  return "<step s=\"" + std::to_string(s) + "\" type=\"" + type + "\"" + where("src", source) +
         where("dst", target) + " cnt=\"" + std::to_string(count) + "\" " + after + " hasdep=\"0\"/>\n";
}
std::string block(int id, int send, int receive, const std::string& steps) {
  return "<tb id=\"" + std::to_string(id) + "\" send=\"" + std::to_string(send) + "\" recv=\"" +
         std::to_string(receive) + "\" chan=\"0\">\n" + steps + "</tb>\n";
}
std::string gpu(int id, const std::string& blocks) {
  return "<gpu id=\"" + std::to_string(id) + "\" i_chunks=\"1\" o_chunks=\"0\" s_chunks=\"1\">\n" + blocks +
         "</gpu>\n";
}
std::string algo(const std::string& gpus, const std::string& coll = "allreduce") {
  return "<algo name=\"test\" proto=\"LL\" nchannels=\"1\" ngpus=\"2\" coll=\"" + coll +
         "\" inplace=\"1\">\n" + gpus + "</algo>\n";
}

/// Rank 1 sends to rank 0, which adds and sends the sum back.
const std::string there = block(0, 1, 1, step(0, "rrcs", "i0", "i0"));
const std::string back = block(0, 0, 0, step(0, "s", "i0", "i0") + step(1, "r", "i0", "i0"));
const std::string good = algo(gpu(0, there) + gpu(1, back));

TEST(MscclReader, TakesAGoodFile) {
  const ImportedAlgorithm a = parse_msccl(good, "x.xml");
  EXPECT_FALSE(a.wrong);
  EXPECT_EQ(a.algorithm.name, "test");
  const Schedule schedule = a.algorithm.schedule({});
  EXPECT_EQ(schedule.steps, 2);
  EXPECT_EQ(traffic(schedule).messages, 2);
}

struct Bad {
  std::string text, says;
};

TEST(MscclReader, SaysWhatIsWrongAndWhere) {
  const Bad cases[] = {
      {"", "x.xml:1: malformed XML"},
      {"<algo\n<", "malformed XML"},
      {"<algo name=\"a\">\n<gpu>\n</algo>", "x.xml:3: malformed XML: Start-end tags mismatch"},
      {"<other/>", "x.xml:1: no <algo> element"},
      {replaced(good, " coll=\"allreduce\"", ""), "x.xml:1: <algo> lacks the attribute 'coll'"},
      {replaced(good, "\"allreduce\"", "\"custom\""), "x.xml:1: collective 'custom' has no definition"},
      {replaced(good, "\"allreduce\"", "\"alltoallv\""), "collective 'alltoallv' has no definition"},
      {replaced(good, "ngpus=\"2\"", "ngpus=\"3\""), "gpu 2 of ngpus=\"3\" is missing"},
      {replaced(good, "ngpus=\"2\"", "ngpus=\"0\""), "ngpus=\"0\" is not a whole number from 1"},
      {replaced(good, "gpu id=\"1\"", "gpu id=\"0\""), "x.xml:7: gpu 0 appears twice"},
      {replaced(good, "gpu id=\"1\"", "gpu id=\"2\""), "x.xml:7: id=\"2\" is not a whole number from 0 to 1"},
      {replaced(good, "send=\"1\"", "send=\"9\""), "x.xml:3: gpu 0: send=\"9\" is not a whole number"},
      {replaced(good, "send=\"1\"", "send=\"0\""), "x.xml:3: gpu 0: thread block 0 has its own gpu as peer"},
      {replaced(good, "send=\"1\"", "send=\"-1\""), "gpu 0, thread block 0, step 0: sends, but"},
      {replaced(good, "recv=\"1\"", "recv=\"-1\""), "step 0: receives, but"},
      {replaced(good, "recv=\"1\"", ""), "lacks the attribute 'recv'"},
      {replaced(good, "type=\"rrcs\"", "type=\"xyz\""),
       "x.xml:4: gpu 0, thread block 0, step 0: unknown type \"xyz\""},
      {replaced(good, "srcbuf=\"i\"", "srcbuf=\"q\""), "unknown buffer \"q\"; accepted: i, o, s"},
      {replaced(good, "srcoff=\"0\"", "srcoff=\"1\""),
       "x.xml:4: gpu 0, thread block 0, step 0: offset 1 is outside buffer i of 1"},
      {replaced(good, "srcoff=\"0\"", "srcoff=\"-1\""), "srcoff=\"-1\" is not a whole number"},
      {replaced(good, "srcbuf=\"i\"", "srcbuf=\"s\""), "reads s[0], where nothing has been put"},
      {replaced(good, "cnt=\"1\"", "cnt=\"0\""), "cnt=\"0\" is not a whole number from 1"},
      {replaced(good, "cnt=\"1\"", "cnt=\"2\""), "takes 2 chunks, but the message of line 9 has 1"},
      {replaced(good, "step s=\"1\"", "step s=\"3\""), "s=\"3\" is out of order"},
      {replaced(good, "i_chunks=\"1\"", "i_chunks=\"99999999999\""), "i_chunks=\"99999999999\" is not"},
      {replaced(good, "depid=\"-1\"", "depid=\"7\""),
       "x.xml:4: gpu 0, thread block 0, step 0: waits for step -1 of thread block 7, which does not exist"},
      {replaced(good, "depid=\"-1\" deps=\"-1\"", "depid=\"0\" deps=\"0\""),
       "x.xml:4: gpu 0, thread block 0, step 0: dependency cycle: gpu 0, thread block 0, step 0 waits for "
       "the first"},
      {algo(gpu(0, block(0, -1, 1, step(0, "rrc", "i0", "i0"))) + gpu(1, "")),
       "x.xml:4: gpu 0, thread block 0, step 0: deadlock: waits for a message from gpu 1 on channel 0 that "
       "is never sent"},
      {algo(gpu(0, block(0, 1, -1, step(0, "s", "i0", "i0"))) + gpu(1, "")),
       "x.xml:4: deadlock: gpu 0 sends a message on channel 0 that gpu 1 never receives"},
      {algo(gpu(0, block(0, 1, 1, step(0, "r", "i0", "i0") + step(1, "s", "i0", "i0"))) +
            gpu(1, block(0, 0, 0, step(0, "r", "i0", "i0") + step(1, "s", "i0", "i0")))),
       "deadlock: gpu 1, thread block 0, step 0 waits for gpu 0, thread block 0, step 0 waits for the first"},
      {algo(gpu(0, there + there)), "gpu 0: thread block 0 appears twice"},
      {replaced(good, "\"allreduce\"", "\"allgather\""), "do not divide among 2 ranks in this allgather"},
      {replaced(good, "\"allreduce\"", "\"broadcast\""), "reads i[0], where nothing has been put"},
      {replaced(good, "inplace=\"1\"", "inplace=\"0\""),
       "out of place, this allreduce has 1 input and 1 output chunks"},
      {replaced(good, "inplace=\"1\"", "inplace=\"2\""), "inplace=\"2\" is not"},
      {replaced(good, "<step s=\"1\"", "<op step=\"1\""),
       "x.xml:10: gpu 1: <tb> holds <step> elements only, not 'op'"},
  };
  for (const Bad& c : cases) {
    const std::string said = msccl_complaint(c.text);
    EXPECT_NE(said.find(c.says), std::string::npos) << "said: " << said << "\nwanted: " << c.says;
    EXPECT_EQ(said.find('\n'), std::string::npos) << said;
  }
}

TEST(MscclReader, RefusesWhatASingleCopyOfABlockCannotSay) {
  // Rank 1 keeps rank 0's value in scratch, sends it back, and adds it to its own all the same.
  const std::string text = algo(
      gpu(0,
          block(0, 1, 1, step(0, "s", "i0", "i0") + step(1, "r", "i0", "s0") + step(2, "rrc", "i0", "i0"))) +
      gpu(1,
          block(0, 0, 0, step(0, "rcs", "i0", "s0") + step(1, "s", "i0", "i0") + step(2, "re", "s0", "i0"))));
  EXPECT_NE(msccl_complaint(text).find("gpu 1 uses two versions of block 0 at once"), std::string::npos)
      << msccl_complaint(text);
}

TEST(MscclReader, GivesACounterexampleWhereTheDefinitionBreaks) {
  const auto copied = parse_msccl(replaced(good, "rrcs", "rcs"), "x.xml");
  ASSERT_TRUE(copied.wrong);
  EXPECT_EQ(copied.wrong->words(), "block 0 of rank 0 lacks the contribution of rank 0");
  const auto lost = parse_msccl(algo(gpu(0, "") + gpu(1, "")), "x.xml");
  ASSERT_TRUE(lost.wrong);
  EXPECT_EQ(lost.wrong->rank, 0);
  EXPECT_EQ(lost.refusal().rfind("allreduce test on 2 ranks does not hold: ", 0), 0u) << lost.refusal();
}

TEST(MscclReader, OlderFilesDoNotSayThatTheyAreInPlace) {
  EXPECT_FALSE(parse_msccl(replaced(good, " inplace=\"1\"", ""), "x.xml").wrong);
}

TEST(MscclReader, WhatIsAskedForMustBeWhatTheFileHolds) {
  const ImportedAlgorithm a = parse_msccl(good, "x.xml");
  EXPECT_NO_THROW(require(a, "", {}));
  EXPECT_NO_THROW(require(a, "allreduce", 0));
  EXPECT_THROW(require(a, "allgather", {}), InputError);
  EXPECT_THROW(require(a, "", 1), InputError);
  EXPECT_THROW(check(a.algorithm, {.ranks = 3}), InputError);
}

TEST(MscclReader, MissingAndDamagedFiles) {
  EXPECT_THROW(read_algorithm("/nowhere/at/all.xml"), InputError);
  const std::string path = scratch("damaged.xml.gz");
  std::ofstream(path, std::ios::binary) << "\x1f\x8b\x08 and then nothing that zlib knows";
  EXPECT_THROW(read_algorithm(path), InputError);
}

}  // namespace
}  // namespace collcast
