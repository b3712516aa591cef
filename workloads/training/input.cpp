// SPDX-License-Identifier: Apache-2.0
#include "workloads/training/input.hpp"

#include <algorithm>

#include "support/error.hpp"
#include "support/text.hpp"
#include "workloads/settings.hpp"
#include "workloads/training/plan.hpp"
#include "workloads/training/storage.hpp"

namespace collcast::workloads {

Input parse_input(const std::string& text) {
  Settings s(text, "input");
  if (s.name() != "packed" && s.name() != "files")
    throw InputError("unknown input '" + s.name() + "'; known: packed, files");
  Input input;
  input.packed = s.name() == "packed";
  input.sample = s.size("sample", Bytes(), Bytes(1));
  input.shared = s.rate("shared");
  if (!input.packed) input.opens = s.positive("opens");
  input.local = s.rate("local");
  input.decode = s.time("decode", Seconds());
  input.cores = s.count("cores", 0);
  input.copy = s.rate("copy");
  input.target = s.rate("target");
  input.stripes = s.count("stripes", 1);
  input.from = s.word("from", "");
  input.stage = s.word("stage", "");
  input.dataset = s.size("dataset", Bytes(), Bytes(1));
  input.whole = s.flag("whole", false);
  s.finish();
  const bool is_read = input.shared.value > 0 || input.local.value > 0 || !input.from.empty();
  if (!is_read && input.opens == 0 && input.decode == Seconds() && input.copy.value == 0)
    throw InputError("input " + s.name() + ": needs a stage: from, shared, " +
                     (input.packed ? "" : "opens, ") + "local, decode or copy");
  if (s.has("sample") && !is_read)
    throw InputError("input " + s.name() + ": sample needs from, shared or local, which reads it");
  const auto need = [&](const char* key, bool held, const char* what) {
    if (s.has(key) && !held) throw InputError("input " + s.name() + ": " + key + " needs " + what);
  };
  const bool named = !input.from.empty(), staged = !input.stage.empty();
  need("stripes", named || input.target.value > 0, "target, what one stripe reads in GB/s, or from");
  need("target", is_read, "from, shared or local, which is striped");
  need("stage", named && input.dataset > Bytes(), "from=NAME, where samples are first, and dataset=SIZE");
  need("dataset", staged, "stage=NAME, where all samples are copied to");
  need("whole", staged, "stage=NAME, where each node has them");
  need("from", input.shared.value == 0 && input.local.value == 0,
       "no shared or local: it says how fast it is");
  if (s.has("cores") && input.decode == Seconds())
    throw InputError("input " + s.name() + ": cores needs decode, what a sample takes of one");
  return input;
}

void take_storage(Input& input, const Description& platform) {
  if (input.from.empty()) return;
  const Storage from = storage(platform, input.from, "input");
  const bool staged = !input.stage.empty();
  if (staged) {
    const Storage to = storage(platform, input.stage, "input");
    if (to.shared)
      throw InputError("input: stage takes what each node has, not " + to.name + ", which all nodes share");
    input.source = from.read, input.source_shared = from.shared;
    input.into = to.write, input.room = to.capacity;
    input.local = to.read;
    input.least = to.least, input.most = to.most;
    return;
  }
  (from.shared ? input.shared : input.local) = from.read;
  input.least = from.least, input.most = from.most;
  if (!input.packed && input.opens == 0) input.opens = from.opens;
  if (input.target.value == 0) input.target = from.target;
  if (input.stripes > 1 && input.target.value == 0)
    throw InputError("input: stripes needs target: the platform does not say what one of " + from.name +
                     " reads");
}

Seconds staging(const Input& in, const Training& t) {
  if (in.stage.empty()) return {};
  const double nodes = (t.ranks + t.ranks_per_node - 1) / t.ranks_per_node;
  const Bytes of_node = in.whole ? in.dataset : in.dataset / nodes;
  if (in.room > Bytes() && of_node > in.room)
    throw InputError("input: " + text::bytes(of_node.value) + " for each of " +
                     text::counted(static_cast<std::int64_t>(nodes), "node") + " do not fit into the " +
                     text::bytes(in.room.value) + " of " + in.stage);
  const Bytes read = in.source_shared ? nodes * of_node : of_node;
  return std::max({over(read, in.source), over(of_node, in.into),
                   in.source_shared ? over(of_node, t.adapters.rate) : Seconds()});
}

namespace {

/// Samples of the node that reads most. Ranks of the first stage read; for a mirrored replica (GEMS), those
/// of the last.
double samples_of_node(const Training& t) {
  const Plan plan(t);
  const int replicas = t.framework.replicas, mirrored = replicas / 2;
  const double of_rank =
      1.0 * t.framework.processes_per_gpu * batch(t) / (plan.tensor * plan.spatial * plan.context * replicas);
  return plan.fullest_node([&](Plan::Place p) {
    const int read = (p.stage == 0 ? replicas - mirrored : 0) + (p.stage + 1 == plan.pipeline ? mirrored : 0);
    return read * of_rank;
  });
}

}  // namespace

std::vector<Stage> stages(const Input& in, const Training& t) {
  const double all = global_batch(t), of_node = samples_of_node(t);
  const Bytes taken(t.model.sample_bytes), sample = in.sample == Bytes() ? taken : in.sample;
  std::vector<Stage> way;
  const std::string named = in.stage.empty() ? in.from : in.stage;
  const auto called = [&](const char* otherwise) { return named.empty() ? otherwise : named; };
  if (in.shared.value > 0) way.push_back({called("shared file system"), all * sample / in.shared});
  if (in.shared.value > 0 && t.adapters.rate.value > 0)
    way.push_back({through_adapters, of_node * sample / t.adapters.rate});
  if (in.target.value > 0 && in.stage.empty())
    way.push_back({"a file's stripes",
                   1.0 * t.framework.processes_per_gpu * batch(t) * sample / (in.stripes * in.target)});
  if (in.opens > 0) way.push_back({"opening files", Seconds(all / in.opens)});
  if (in.local.value > 0) way.push_back({called("node's disk"), of_node * sample / in.local});
  if (in.decode > Seconds()) way.push_back({"decoding", of_node / in.cores * in.decode});
  if (in.copy.value > 0) {  // with mirrored replicas (GEMS), a rank reads for those that begin at it
    const int replicas = t.framework.replicas, read = replicas - replicas / 2;
    way.push_back({"copy to the processor",
                   1.0 * t.framework.processes_per_gpu * batch(t) * read / replicas * taken / in.copy});
  }
  return way;
}

}  // namespace collcast::workloads
