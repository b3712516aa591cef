// SPDX-License-Identifier: Apache-2.0
#include "workloads/playing/training_text.hpp"

#include "support/error.hpp"
#include "support/input_file.hpp"
#include "support/numbers.hpp"
#include "workloads/settings.hpp"

namespace collcast::workloads {
namespace {

/// A share from 0 to 1000.
double share(const std::string& text, const std::string& what) {
  const double value = parse_real(text, what);
  if (value < 0) throw InputError(what + " must not be negative, got " + text);
  if (value > 1000) throw InputError(what + " must be at most 1000, got " + text);
  return value;
}

/// Reads a throughput with its error: "300", "300+-5", "300+-2%".
void put_throughput(Training& t, const std::string& text) {
  const auto at = text.find("+-");
  t.throughput = above_zero(text.substr(0, at), "throughput");
  t.throughput_error = 0;
  if (at == text.npos) return;
  std::string error = text.substr(at + 2);
  const bool percent = error.ends_with('%');
  if (percent) error.pop_back();
  const double off = parse_real(error, "throughput: what it may be off by");
  t.throughput_error = percent ? off / 100 : off / *t.throughput;
  if (!(t.throughput_error >= 0 && t.throughput_error < 1))
    throw InputError("throughput may be off by less than itself, as in 300+-5 or 300+-2%, got '" + text +
                     "'");
}

/// If it is not stated how many cores decode, all cores of a node do.
void count_cores(Input& input, const Description& platform) {
  if (input.decode == Seconds() || input.cores > 0) return;
  input.cores = cores_per_node(platform);
  if (input.cores == 0)
    throw InputError("input: decode needs cores: " + platform.name() + " does not say how many a node has");
}

/// Throws InputError if `request` is set but never used: ranks send no requests for tensors in the cache.
void require_requests(const Training& t) {
  const Framework& f = t.framework;
  std::size_t tensors = 0;
  for (const Layer& l : t.model.layers) tensors += l.tensors.size();
  if (f.says_request && tensors <= static_cast<std::size_t>(f.cache))
    throw InputError("framework " + f.name + ": request needs more tensors than the cache holds: " +
                     t.model.name + " has " + std::to_string(tensors) + ", the cache " +
                     std::to_string(f.cache) + "; cache=0 asks for each");
}

}  // namespace

std::span<const TrainingSetting> training_settings() {
  using sweep::Kind;
  using Text = const std::string&;
  static constexpr TrainingSetting all[] = {
      {"model", Kind::named, &TrainingText::model,
       [](Training& t, Text text) { t.model = load_model(text); }},
      {"framework", Kind::named, &TrainingText::framework,
       [](Training& t, Text text) { t.framework = parse_framework(text); }},
      {"precision", Kind::word, &TrainingText::precision,
       [](Training& t, Text text) { t.precision = parse_precision(text); }},
      {"batch", Kind::count, &TrainingText::batch,
       [](Training& t, Text text) { t.batch = static_cast<int>(parse_count(text, "batch", 1, 1 << 24)); }},
      {"global_batch", Kind::count, &TrainingText::global_batch,
       [](Training& t, Text text) {
         t.whole_batch = static_cast<int>(parse_count(text, "global batch", 1, 1 << 30));
       }},
      {"throughput", Kind::number, &TrainingText::throughput,
       [](Training& t, Text text) { put_throughput(t, text); }},
      {"layer_times", Kind::word, &TrainingText::layer_times,
       [](Training& t, Text text) { t.layer_times = parse_layer_times(read_file(text), text); }},
      {"slowdown", Kind::number, &TrainingText::slowdown,
       [](Training& t, Text text) { t.slowdown = share(text, "slowdown"); }},
      {"noise", Kind::number, &TrainingText::noise,
       [](Training& t, Text text) { t.noise = share(text, "noise"); }},
      {"input", Kind::named, &TrainingText::input,
       [](Training& t, Text text) { t.input = parse_input(text); }},
      {"checkpoint", Kind::named, &TrainingText::checkpoint,
       [](Training& t, Text text) { t.checkpoint = parse_checkpoint(text); }}};
  return all;
}

Training described(const TrainingText& text, const Description& platform) {
  if (!text.batch.empty() && !text.global_batch.empty())
    throw InputError("batch is of a replica, global batch of all: one of them, not both");
  Training t;
  t.batch = 32;
  for (const TrainingSetting& s : training_settings())
    if (!(text.*s.text).empty()) s.put(t, text.*s.text);
  if (t.throughput && t.layer_times)
    throw InputError(
        "throughput says how long a step takes, layer times how long its layers take: one of them, "
        "not both");
  if (t.input) take_storage(*t.input, platform);
  if (t.checkpoint) take_storage(*t.checkpoint, platform);
  if (t.input) count_cores(*t.input, platform);
  require_requests(t);
  t.processor = processor(platform, t.precision);
  t.ranks_per_node = ranks_per_node(platform);
  t.adapters = adapters_of_node(platform);
  return t;
}

}  // namespace collcast::workloads
