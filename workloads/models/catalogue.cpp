// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>

#include "support/error.hpp"
#include "support/file_kind.hpp"
#include "support/input_file.hpp"
#include "support/suggest.hpp"
#include "support/text.hpp"
#include "workloads/models/architectures.hpp"
#include "workloads/settings.hpp"

namespace collcast::workloads {
namespace {

namespace a = architectures;

struct ModelEntry {
  std::string_view name, description;
  std::function<Model(Settings&)> make;
};

constexpr int most_layers = 10000, most_pixels = 65536;  // along a side
constexpr int most_of_text = 1 << 24;                    // tokens; elements and heads of a token

/// A model of images: its maker, and the image size of the paper. Below 75 Inception has no pixel left.
std::function<Model(Settings&)> of_images(Model (*make)(int), int image) {
  return [=](Settings& s) { return make(s.count("image", image, 75, most_pixels)); };
}
std::function<Model(Settings&)> of_depth(Model (*make)(int, int), int layers) {
  return [=](Settings& s) { return make(layers, s.count("image", 224, 32, most_pixels)); };
}

Model of_nine(Settings& s) {
  const int layers = s.count("layers", 110, 11, most_layers);
  if (layers % 9 != 2)
    throw InputError("model " + s.name() + ": layers takes 9 n + 2 like 110 or 1001, got " +
                     std::to_string(layers));
  return a::resnet_v2(layers, s.count("image", 32, 8, most_pixels));
}

constexpr int most_channels = 65536;  // deeper levels have up to 4096 times as many

Model make_unet(Settings& s) {
  a::UNet u{s.count("convs", 5, 1, most_layers), s.count("channels", 64), s.count("depth", 5),
            s.count("image", 192, 1, most_pixels)};
  if (u.depth > 12 || u.image % (1 << u.depth) != 0)
    throw InputError("model unet: image " + std::to_string(u.image) +
                     " does not halve depth=" + std::to_string(u.depth) + " times");
  if (u.channels % 2 != 0 || u.channels > most_channels)
    throw InputError("model unet: channels takes an even number up to 65536, got " +
                     std::to_string(u.channels));
  return a::unet(u);
}

Model make_amoebanet(Settings& s) {
  const int layers = s.count("layers", 18, 1, most_layers), filters = s.count("filters", 256);
  if (layers % 3 != 0 || filters % 8 != 0 || filters > most_channels)
    throw InputError("model amoebanet-d: layers divides by 3, filters by 8 and is at most 65536, got " +
                     std::to_string(layers) + " and " + std::to_string(filters));
  const int image = s.count("image", 224, 1, most_pixels);
  if (image % 32 != 0)
    throw InputError("model amoebanet-d: image divides by 32, got " + std::to_string(image));
  return a::amoebanet_d(layers, filters, image);
}

a::Transformer sizes(Settings& s, a::Transformer t) {
  t.layers = s.count("layers", t.layers, 1, most_layers);
  t.hidden = s.count("hidden", t.hidden, 1, most_of_text);
  t.heads = s.count("heads", t.heads, 1, most_of_text);
  t.sequence = s.count("sequence", t.sequence, 1, most_of_text);
  t.vocabulary = s.count("vocabulary", t.vocabulary, 1, most_of_text);
  t.feed_forward = s.count("feed-forward", t.feed_forward, 1, most_of_text);
  if (t.hidden % t.heads != 0)
    throw InputError("model " + s.name() + ": hidden " + std::to_string(t.hidden) + " does not divide by " +
                     std::to_string(t.heads) + " heads");
  return t;
}

std::function<Model(Settings&)> of_gpt(a::Transformer t) {
  return [=](Settings& s) {
    a::Transformer sized = sizes(s, t);
    sized.flash = s.flag("flash", false);
    return a::gpt(s.name(), sized);
  };
}
std::function<Model(Settings&)> of_llama(a::Transformer base) {
  return [=](Settings& s) {
    a::Transformer t = sizes(s, base);
    t.kv_heads = s.count("kv-heads", t.kv_heads ? t.kv_heads : t.heads);
    t.experts = s.count("experts", t.experts, 0, most_layers);
    t.chosen = s.count("top", t.chosen);
    if (t.heads % t.kv_heads != 0)
      throw InputError("model " + s.name() + ": " + std::to_string(t.heads) +
                       " heads do not divide by kv-heads=" + std::to_string(t.kv_heads));
    if (t.experts == 0 && s.has("top")) throw InputError("model " + s.name() + ": top needs experts");
    if (t.experts > 0 && t.chosen > t.experts)
      throw InputError("model " + s.name() + ": top=" + std::to_string(t.chosen) + " of " +
                       std::to_string(t.experts) + " experts");
    return a::llama(s.name(), t);
  };
}
std::function<Model(Settings&)> of_bert(a::Transformer t) {
  return [=](Settings& s) {
    const a::Transformer sized = sizes(s, t);
    // as in the reference data: 20 words of 128, 80 of 512
    return a::bert(s.name(), sized,
                   s.count("masked", std::max(1, sized.sequence * 20 / 128), 1, sized.sequence));
  };
}
std::function<Model(Settings&)> of_pairs(a::Transformer t) {
  return [=](Settings& s) { return a::transformer(s.name(), sizes(s, t)); };
}

const std::vector<ModelEntry>& model_entries() {
  static const std::vector<ModelEntry> all = {
      {"resnet50", "ResNet-50 v1.5 (image=224)", of_depth(a::resnet, 50)},
      {"resnet101", "ResNet-101 v1.5", of_depth(a::resnet, 101)},
      {"resnet152", "ResNet-152 v1.5", of_depth(a::resnet, 152)},
      {"resnet50-v1", "ResNet-50 as published, stride in the 1x1", of_depth(a::resnet_v1, 50)},
      {"resnet101-v1", "ResNet-101 as published", of_depth(a::resnet_v1, 101)},
      {"resnet152-v1", "ResNet-152 as published", of_depth(a::resnet_v1, 152)},
      {"resnet-v2", "ResNet v2 for small images (layers=110, image=32)", of_nine},
      {"vgg16", "VGG-16", of_images(a::vgg16, 224)},
      {"alexnet", "AlexNet, one tower", of_images(a::alexnet, 224)},
      {"inception-v3", "Inception v3 with its auxiliary head", of_images(a::inception_v3, 299)},
      {"deeplabv3plus-resnet101", "DeepLabv3+ on ResNet-101, output stride 16",
       of_images(a::deeplab_v3plus_resnet101, 513)},
      {"deeplabv3plus-xception65", "DeepLabv3+ on Xception-65, output stride 16",
       of_images(a::deeplab_v3plus_xception65, 513)},
      {"unet", "torchgpipe's U-Net (B, C): convs=5, channels=64, depth=5, image=192", make_unet},
      {"amoebanet-d", "AmoebaNet-D (L, D): layers=18, filters=256, image=224", make_amoebanet},
      {"bert-base", "BERT base, pre-training (sequence=128, masked=20)", of_bert({12, 768, 12, 128, 30522})},
      {"bert-large", "BERT large, pre-training (sequence=128, masked=20)",
       of_bert({24, 1024, 16, 128, 30522})},
      {"gpt", "GPT of any size: layers, hidden, heads, sequence, vocabulary, flash=1",
       of_gpt({12, 768, 12, 1024, 50257})},
      {"gpt2", "GPT-2, 124 M parameters", of_gpt({12, 768, 12, 1024, 50257})},
      {"gpt2-medium", "GPT-2, 355 M", of_gpt({24, 1024, 16, 1024, 50257})},
      {"gpt2-large", "GPT-2, 774 M", of_gpt({36, 1280, 20, 1024, 50257})},
      {"gpt2-xl", "GPT-2, 1.56 B", of_gpt({48, 1600, 25, 1024, 50257})},
      {"gpt3-1.3b", "GPT-3 of 1.3 B", of_gpt({24, 2048, 16, 2048, 50257})},
      {"gpt3-2.7b", "GPT-3 of 2.7 B", of_gpt({32, 2560, 32, 2048, 50257})},
      {"gpt3-6.7b", "GPT-3 of 6.7 B", of_gpt({32, 4096, 32, 2048, 50257})},
      {"gpt3-13b", "GPT-3 of 13 B", of_gpt({40, 5120, 40, 2048, 50257})},
      {"gpt3-175b", "GPT-3 of 175 B", of_gpt({96, 12288, 96, 2048, 50257})},
      {"megatron-1b", "Megatron-LM 2020, 1.16 B", of_gpt({24, 1920, 15, 1024, 50304})},
      {"megatron-2b", "Megatron-LM 2020, 2.03 B", of_gpt({30, 2304, 18, 1024, 50304})},
      {"megatron-4b", "Megatron-LM 2020, 4.24 B", of_gpt({36, 3072, 24, 1024, 50304})},
      {"megatron-8b", "Megatron-LM 2020, 8.67 B", of_gpt({42, 4096, 32, 1024, 50304})},
      {"llama", "Llama of any size: as gpt, and feed-forward, kv-heads, experts, top",
       of_llama({16, 2048, 32, 2048, 128256, 8192, 0, 8})},
      {"llama2-7b", "Llama 2, 6.7 B", of_llama({32, 4096, 32, 4096, 32000, 11008})},
      {"llama2-13b", "Llama 2, 13 B", of_llama({40, 5120, 40, 4096, 32000, 13824})},
      {"llama2-70b", "Llama 2, 69 B", of_llama({80, 8192, 64, 4096, 32000, 28672, 0, 8})},
      {"llama3-8b", "Llama 3, 8.0 B", of_llama({32, 4096, 32, 8192, 128256, 14336, 0, 8})},
      {"llama3-70b", "Llama 3, 71 B", of_llama({80, 8192, 64, 8192, 128256, 28672, 0, 8})},
      {"llama3-405b", "Llama 3.1, 406 B", of_llama({126, 16384, 128, 8192, 128256, 53248, 0, 8})},
      {"mixtral-8x7b", "Mixtral, 47 B, 2 of 8 experts take a word",
       of_llama({32, 4096, 32, 4096, 32000, 14336, 0, 8, 8, 2})},
      {"mixtral-8x22b", "Mixtral, 141 B, 2 of 8 experts take a word",
       of_llama({56, 6144, 48, 4096, 32000, 16384, 0, 8, 8, 2})},
      {"transformer-base", "Transformer base, 32 + 32 words", of_pairs({6, 512, 8, 32, 33712})},
      {"transformer-big", "Transformer big, 32 + 32 words", of_pairs({6, 1024, 16, 32, 33712})},
  };
  return all;
}

bool is_path(const std::string& text) {
  return text.ends_with(".csv") || text.find('/') != std::string::npos;
}

Model from_file(const std::string& path) {
  const std::size_t slash = path.find_last_of('/');
  return parse_model(read_file(path), path.substr(slash == std::string::npos ? 0 : slash + 1), path);
}

/// "ResNet_50" is "resnet-50": case and underscores do not matter.
std::string plain(std::string name) {
  std::ranges::replace(name, '_', '-');
  return text::lower(name);
}

}  // namespace

const std::vector<ModelName>& model_names() {
  static const std::vector<ModelName> names = [] {
    std::vector<ModelName> all;
    for (const ModelEntry& e : model_entries()) all.push_back({e.name, e.description});
    return all;
  }();
  return names;
}

Model load_model(const std::string& text) {
  if (!text.ends_with(".csv") && is_file(text))
    refuse_other_kinds(text, read_file(text), "a model's name, or its table: a file that ends in .csv");
  if (is_path(text)) return from_file(text);
  Settings settings(text, "model");
  if (is_path(settings.name()))
    throw InputError("model " + settings.name() + ": a table takes no settings, got '" + text + "'");
  const std::string wanted = plain(settings.name());
  std::vector<std::string> known;
  for (const ModelEntry& e : model_entries()) {
    known.emplace_back(e.name);
    if (e.name != wanted) continue;
    Model model = e.make(settings);
    settings.finish();
    model.name = text;
    return model;
  }
  const std::string meant = did_you_mean(wanted, known);
  throw InputError("unknown model '" + settings.name() + "'; " + (meant.empty() ? "" : meant + " ") +
                   "`collcast models` lists them, and a table is a file that ends in .csv");
}

}  // namespace collcast::workloads
