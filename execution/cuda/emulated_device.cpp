// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <deque>
#include <functional>

#include "execution/cuda/shared_pages.hpp"

namespace collcast::cuda {
namespace {

class EmulatedQueue final : public Queue {
 public:
  void copy(std::byte* to, const std::byte* from, std::size_t bytes) override {
    if (bytes != 0) work_.emplace_back([=] { std::memmove(to, from, bytes); });
  }
  void reduce(std::byte* to, const std::byte* from, std::size_t count, Element element,
              Operation op) override {
    if (count == 0) return;
    work_.emplace_back([=] {
      with_type(element, [=](auto sample) {
        using T = decltype(sample);
        auto* out = reinterpret_cast<T*>(to);
        const auto* in = reinterpret_cast<const T*>(from);
        for (std::size_t i = 0; i < count; ++i) out[i] = apply(op, out[i], in[i]);
      });
    });
  }
  bool idle() override {
    if (work_.empty()) return true;
    work_.front()();
    work_.pop_front();
    return work_.empty();
  }

 private:
  std::deque<std::function<void()>> work_;
};

class EmulatedDevice final : public Device {
 public:
  std::string name() const override { return "a GPU emulated in host memory"; }
  std::unique_ptr<Queue> queue() override { return std::make_unique<EmulatedQueue>(); }
  std::byte* allocate(Memory, std::size_t bytes) override { return pages_.allocate(bytes); }
  void release(Memory, std::byte* begin) noexcept override { pages_.release(begin); }
  Handle share(const std::byte* at) override { return pages_.share(at); }
  std::byte* open(const Handle& handle) override { return pages_.open(handle); }

 private:
  SharedPages pages_;
};

}  // namespace

std::unique_ptr<Device> emulated_device() {
  return std::make_unique<EmulatedDevice>();
}

}  // namespace collcast::cuda
