// SPDX-License-Identifier: Apache-2.0
// Times what rank 0 of Horovod without its cache does for each tensor of each rank (controller.cc, message.cc
// of v0.15 to v0.19): it reads the request, finds the tensor by name, and stores the request. Then it
// compares all requests for a tensor with the first. No message is sent. Usage: requests RANKS TENSORS
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <unordered_map>
#include <vector>

namespace {

struct Request {
  int rank = 0, type = 0, operation = 0, root = 0, device = 0;
  std::string name;
  std::vector<std::int64_t> shape;
};

/// One rank's list as rank 0 receives it: names one after the other.
std::string serialized(int tensors) {
  std::string all;
  for (int t = 0; t < tensors; ++t)
    all += "training/gradients/model/layer" + std::to_string(t / 3) + "/conv2d/Conv2D_grad/tuple/" +
           std::to_string(t) + '\0';
  return all;
}

std::vector<Request> parse(const std::string& wire, int rank, int tensors) {
  std::vector<Request> list;
  const char* at = wire.data();
  for (int t = 0; t < tensors; ++t) {
    Request r;
    r.rank = rank;
    r.name = at;
    r.shape = {3, 3, 256, 256};
    at += r.name.size() + 1;
    list.push_back(std::move(r));
  }
  return list;
}

/// Compares the requests in as many passes as ConstructResponse does.
int differences(const std::vector<Request>& of_tensor) {
  const Request& first = of_tensor.front();
  int found = 0;
  for (const Request& r : of_tensor) found += r.type != first.type;
  for (const Request& r : of_tensor) found += r.operation != first.operation;
  for (const Request& r : of_tensor) found += r.shape != first.shape;
  std::vector<int> devices(of_tensor.size());
  for (const Request& r : of_tensor) devices[static_cast<std::size_t>(r.rank)] = r.device;
  return found + devices.back();
}

}  // namespace

int main(int argc, char** argv) {
  const int ranks = argc > 1 ? std::atoi(argv[1]) : 6144, tensors = argc > 2 ? std::atoi(argv[2]) : 300;
  if (ranks < 1 || tensors < 1) return std::puts("usage: requests RANKS TENSORS"), 2;
  const std::string wire = serialized(tensors);
  const std::clock_t begin = std::clock();  // CPU time, as others may use the machine
  std::unordered_map<std::string, std::vector<Request>> table;
  for (int rank = 0; rank < ranks; ++rank)
    for (const Request& r : parse(wire, rank, tensors)) table[r.name].push_back(r);
  int wrong = 0;
  for (const auto& [name, requests] : table) wrong += differences(requests);
  const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  std::printf("%d ranks, %d tensors: %.2f us a request\n", ranks, tensors, 1e6 * seconds / ranks / tensors);
  return wrong;
}
