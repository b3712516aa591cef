// SPDX-License-Identifier: Apache-2.0

#include "validation/measurements/formats.hpp"

namespace collcast::measurements {
namespace {

/// What the program copies: 10 million ints for a bandwidth, one for a latency.
constexpr double bandwidth_bytes = 4e7, latency_bytes = 4;

/// The matrix that is being read.
struct Matrix {
  bool rates = false, both_ways = false, peer_access = true;
  bool by_cpu = false;    ///< host's time of a launch, which is not a copy's time
  std::vector<int> gpus;  ///< GPUs of the columns
  std::vector<Measurement> rows;
  int title = 0;
};

Matrix begin(const Line& line) {
  Matrix matrix;
  matrix.title = line.number;
  matrix.rates = line.has("GB/s");
  matrix.both_ways = line.has("Bidirectional");
  matrix.peer_access = !line.has("P2P=Disabled");
  return matrix;
}

Measurement cell(const Text& text, const Line& line, const Matrix& matrix, int sender, int receiver,
                 const std::string& word) {
  const Printed value = positive(text, line.number, matrix.rates ? "GB/s" : "us", word);
  Measurement m;
  m.timing = matrix.both_ways ? Timing::both_ways_copy : Timing::copy;
  m.library = "p2pBandwidthLatencyTest";
  m.ranks = 2;
  m.nodes = 1;
  m.from = m.to = Memory::device;
  m.sender = sender;
  m.receiver = receiver;
  m.peer_access = matrix.peer_access;
  m.message = Bytes(matrix.rates ? bandwidth_bytes : latency_bytes);
  const int directions = matrix.both_ways ? 2 : 1;
  m.time = Seconds(matrix.rates ? directions * bandwidth_bytes / (value.value * 1e9) : value.value * 1e-6);
  m.rounding = value.rounding();
  m.line = line.number;
  return m;
}

void read_row(const Text& text, const Line& line, Matrix& matrix) {
  const std::vector<std::string> words = line.words();
  if (words.size() != matrix.gpus.size() + 1)
    text.reject(line.number, std::to_string(words.size() - 1) + " columns; the matrix has " +
                                 std::to_string(matrix.gpus.size()));
  const int sender = whole(text, line.number, "GPU", words[0]);
  for (std::size_t i = 0; i < matrix.gpus.size(); ++i) {
    const Measurement m = cell(text, line, matrix, sender, matrix.gpus[i], words[i + 1]);
    if (!matrix.by_cpu && sender != matrix.gpus[i]) matrix.rows.push_back(m);
  }
}

/// The line that numbers the columns: "D\D 0 1 2", "GPU 0 1 2" or "CPU 0 1 2".
bool read_header(const Text& text, const Line& line, Matrix& matrix) {
  const std::vector<std::string> words = line.words();
  if (words.size() < 2 || (words[0] != "D\\D" && words[0] != "GPU" && words[0] != "CPU")) return false;
  matrix.by_cpu = words[0] == "CPU";
  matrix.gpus.clear();
  for (std::size_t i = 1; i < words.size(); ++i)
    matrix.gpus.push_back(whole(text, line.number, "GPU", words[i]));
  return true;
}

void finish(const Text& text, Matrix& matrix, std::vector<Measurement>& all) {
  reject_duplicates(text, matrix.rows);
  if (matrix.title != 0 && matrix.gpus.empty()) text.reject(matrix.title, "a matrix without rows");
  all.insert(all.end(), matrix.rows.begin(), matrix.rows.end());
}

}  // namespace

bool looks_like_p2p(const Line& line) {
  return line.has("P2P (Peer-to-Peer) GPU Bandwidth Latency Test") ||
         (line.has("P2P=") && line.has("Matrix ("));
}

std::vector<Measurement> read_p2p(const Text& text, const FileFacts&) {
  std::vector<Measurement> all;
  Matrix matrix;
  for (const Line& line : text.lines) {
    if (line.has("P2P=") && line.has("Matrix (")) {
      finish(text, matrix, all);
      matrix = begin(line);
    } else if (matrix.title != 0 && !read_header(text, line, matrix) && line.numeric()) {
      read_row(text, line, matrix);
    }
  }
  finish(text, matrix, all);
  return all;
}

}  // namespace collcast::measurements
