// SPDX-License-Identifier: Apache-2.0
#include "workloads/training/input.hpp"

#include "support/error.hpp"
#include "workloads/settings.hpp"
#include "workloads/training/plan.hpp"

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
  s.finish();
  const bool is_read = input.shared.value > 0 || input.local.value > 0;
  if (!is_read && input.opens == 0 && input.decode == Seconds() && input.copy.value == 0)
    throw InputError("input " + s.name() + ": needs a stage: shared, " + (input.packed ? "" : "opens, ") +
                     "local, decode or copy");
  if (s.has("sample") && !is_read)
    throw InputError("input " + s.name() + ": sample needs shared or local, which reads it");
  if (s.has("cores") && input.decode == Seconds())
    throw InputError("input " + s.name() + ": cores needs decode, what a sample takes of one");
  return input;
}

namespace {

/// On the node that reads most: ranks of the first stage read, of a mirrored replica (GEMS) those of the
/// last.
double samples_of_node(const Training& t) {
  const Plan plan(t);
  const int replicas = t.framework.replicas, mirrored = replicas / 2;
  const double of_rank =
      1.0 * t.framework.per_gpu * batch(t) / (plan.tensor * plan.spatial * plan.context * replicas);
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
  if (in.shared.value > 0) way.push_back({"shared file system", all * sample / in.shared});
  if (in.opens > 0) way.push_back({"opening files", Seconds(all / in.opens)});
  if (in.local.value > 0) way.push_back({"node's disk", of_node * sample / in.local});
  if (in.decode > Seconds()) way.push_back({"decoding", of_node / in.cores * in.decode});
  if (in.copy.value > 0) {  // of mirrored replicas (GEMS) a rank reads those that begin with it
    const int replicas = t.framework.replicas, read = replicas - replicas / 2;
    way.push_back(
        {"copy to the processor", 1.0 * t.framework.per_gpu * batch(t) * read / replicas * taken / in.copy});
  }
  return way;
}

}  // namespace collcast::workloads
