// SPDX-License-Identifier: Apache-2.0
#include "workloads/training/input.hpp"

#include "support/error.hpp"
#include "workloads/settings.hpp"
#include "workloads/training/training.hpp"

namespace collcast::workloads {

Input parse_input(const std::string& text) {
  Settings s(text, "input");
  if (s.name() != "packed" && s.name() != "files")
    throw InputError("unknown input '" + s.name() + "'; known: packed, files");
  Input input;
  input.packed = s.name() == "packed";
  input.sample = s.size("sample", Bytes());
  input.shared = s.rate("shared");
  if (!input.packed) input.opens = s.positive("opens");
  input.local = s.rate("local");
  input.decode = s.time("decode", Seconds());
  input.cores = s.count("cores", 1);
  input.copy = s.rate("copy");
  s.finish();
  return input;
}

std::vector<Stage> stages(const Input& in, const Training& t) {
  const double all = global_batch(t), of_node = all / ((t.ranks + t.ranks_per_node - 1) / t.ranks_per_node);
  const Bytes taken(t.model.sample_bytes), sample = in.sample == Bytes() ? taken : in.sample;
  std::vector<Stage> way;
  if (in.shared.value > 0) way.push_back({"shared file system", all * sample / in.shared});
  if (in.opens > 0) way.push_back({"opening files", Seconds(all / in.opens)});
  if (in.local.value > 0) way.push_back({"node's disk", of_node * sample / in.local});
  if (in.decode > Seconds()) way.push_back({"decoding", of_node / in.cores * in.decode});
  if (in.copy.value > 0)
    way.push_back({"copy to the processor", t.framework.per_gpu * t.batch * taken / in.copy});
  return way;
}

}  // namespace collcast::workloads
