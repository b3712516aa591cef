// SPDX-License-Identifier: Apache-2.0
#include "workloads/models/architectures.hpp"

namespace collcast::workloads {
namespace {

/// Appends the layers of transformers. Elements kept for the backward pass are those that Korthikanti et al.
/// 2022 count (34 sbh + 5 a s^2 b bytes in 16 bits per block); a dropout mask is half an element.
struct Writer {
  Model& model;
  double hidden, heads, feed_forward;
  int block = -1;
  using Cut = Layer::Cut;

  void layer(std::string name, LayerKind kind, double flops, double in, double out, double kept,
             std::vector<double> tensors = {}, Cut cut = Cut::whole) {
    model.layers.push_back(
        {std::move(name), kind, flops, 2 * flops, in, out, kept, std::move(tensors), block, cut});
  }
  std::size_t last() const { return model.layers.size() - 1; }
  /// Sets what the last layer reads, if that is not just the layer before it.
  void reads(std::vector<std::size_t> from) { model.layers.back().reads = std::move(from); }
  void linear(const std::string& name, double rows, double in, double out, double kept,
              Cut cut = Cut::whole) {
    layer(name, LayerKind::linear, 2 * rows * in * out, rows * in, rows * out, kept, {out, in * out}, cut);
  }
  void norm(const std::string& name, double rows) {
    layer(name, LayerKind::normalization, 0, rows * hidden, rows * hidden, rows * hidden, {hidden, hidden});
  }
  /// Dropout, and the sum with the shortcut from layer `around`.
  void residual(const std::string& name, double rows, std::size_t around) {
    layer(name, LayerKind::elementwise, 0, 2 * rows * hidden, rows * hidden, 1.5 * rows * hidden);
    reads({last() - 1, around});
  }
  void embedding(const std::string& name, double rows, double entries, Cut cut = Cut::whole) {
    layer(name, LayerKind::embedding, 0, rows * hidden, rows * hidden, 0, {entries * hidden}, cut);
  }

  /// Self-attention, with queries, keys and values in one product.
  void attend_fused(const std::string& name, double rows, bool flash) {
    linear(name + ".qkv", rows, hidden, 3 * hidden, 3 * rows * hidden, Cut::enter);
    if (!flash) return look(name, rows, last(), last(), last());
    flash_attention(name + ".flash", rows, hidden);
    linear(name + ".out", rows, hidden, hidden, 0, Cut::leave);
  }
  /// Attention of the tokens of layer `words` to as many tokens of layer `at`.
  void attend(const std::string& name, double rows, std::size_t words, std::size_t at) {
    linear(name + ".query", rows, hidden, hidden, rows * hidden, Cut::enter);
    reads({words});
    linear(name + ".key", rows, hidden, hidden, rows * hidden, Cut::split);
    reads({at});
    linear(name + ".value", rows, hidden, hidden, rows * hidden, Cut::split);
    reads({at});
    look(name, rows, last() - 2, last() - 1, last());
  }
  void look(const std::string& name, double rows, std::size_t query, std::size_t key, std::size_t value) {
    const double scores = heads * rows * rows, flops = 2 * rows * rows * hidden;
    const std::size_t first = model.layers.size();
    layer(name + ".scores", LayerKind::attention, flops, 2 * rows * hidden, scores, 0, {}, Cut::split);
    reads({query, key});
    layer(name + ".softmax", LayerKind::elementwise, 0, scores, scores, 2.5 * scores, {},
          Cut::split);  // with dropout
    layer(name + ".context", LayerKind::attention, flops, scores + rows * hidden, rows * hidden,
          rows * hidden, {}, Cut::split);
    reads({last() - 1, value});
    for (std::size_t i = first; i < model.layers.size(); ++i) model.layers[i].core = true;
    linear(name + ".out", rows, hidden, hidden, 0, Cut::leave);
  }
  void feed(const std::string& name, double rows) {
    linear(name + ".in", rows, hidden, feed_forward, rows * feed_forward, Cut::enter);
    layer(name + ".activation", LayerKind::elementwise, 0, rows * feed_forward, rows * feed_forward,
          rows * feed_forward, {}, Cut::split);
    linear(name + ".out", rows, feed_forward, hidden, 0, Cut::leave);
  }
  void rms_norm(const std::string& name, double rows) {
    layer(name, LayerKind::normalization, 0, rows * hidden, rows * hidden, rows * hidden, {hidden});
  }
  /// The sum with the shortcut from layer `around`.
  void sum(const std::string& name, double rows, std::size_t around) {
    layer(name, LayerKind::elementwise, 0, 2 * rows * hidden, rows * hidden, rows * hidden);
    reads({last() - 1, around});
  }
  /// A linear layer without a bias.
  void product(const std::string& name, double rows, double in, double out, double kept, Cut cut) {
    layer(name, LayerKind::linear, 2 * rows * in * out, rows * in, rows * out, kept, {in * out}, cut);
  }
  /// Attention of tokens to those before them, in one kernel: half of the scores, which the backward pass
  /// computes again (Dao et al. 2022: 2 products forward, 5 backward).
  void flash_attention(const std::string& name, double rows, double kv) {
    const double flops = 2 * rows * rows * hidden;
    layer(name, LayerKind::attention, flops, rows * (hidden + 2 * kv), rows * hidden, rows * hidden, {},
          Cut::split);
    model.layers.back().backward_flops = 2.5 * flops;
    model.layers.back().head = hidden / heads;
  }
  void attend_grouped(const std::string& name, double rows, double kv) {
    const std::size_t words = last(), q = words + 1, k = q + 1, v = k + 1;
    product(name + ".q", rows, hidden, hidden, rows * hidden, Cut::enter);
    for (const char* what : {".k", ".v"}) {
      product(name + what, rows, hidden, kv, rows * kv, Cut::split);
      reads({words});
      model.layers.back().parts = model.kv_heads;
    }
    const double turned = rows * (hidden + kv);
    layer(name + ".rotary", LayerKind::elementwise, 0, turned, turned, 0, {}, Cut::split);
    reads({q, k});
    flash_attention(name + ".flash", rows, kv);
    reads({last() - 1, v});
    product(name + ".out", rows, hidden, hidden, 0, Cut::leave);
  }
  void feed_gated(const std::string& name, double rows) {
    const double inner = rows * feed_forward;
    const std::size_t words = last();
    product(name + ".gate", rows, hidden, feed_forward, inner, Cut::enter);
    product(name + ".up", rows, hidden, feed_forward, inner, Cut::split);
    reads({words});
    layer(name + ".activation", LayerKind::elementwise, 0, 2 * inner, inner, inner, {}, Cut::split);
    reads({last() - 2, last() - 1});
    product(name + ".down", rows, feed_forward, hidden, 0, Cut::leave);
  }
  /// A router, then for each token the gated networks of the `chosen` experts.
  void feed_experts(const std::string& name, double rows, int experts, int chosen) {
    const std::size_t words = last(), router = words + 1;
    product(name + ".router", rows, hidden, experts, rows * experts, Cut::whole);
    const double routed = chosen * rows;
    layer(name + ".permute", LayerKind::elementwise, 0, rows * hidden, routed * hidden, routed * hidden);
    reads({words, router});
    const std::size_t first = model.layers.size();
    feed_gated(name + ".experts", routed);
    for (std::size_t i = first; i < model.layers.size(); ++i) {
      Layer& l = model.layers[i];
      l.experts = experts;
      if (!l.tensors.empty()) l.tensors.assign(static_cast<std::size_t>(experts), l.tensors[0]);
    }
    model.layers[first].route = Layer::Route::dispatch;
    model.layers.back().route = Layer::Route::combine;
    layer(name + ".weigh", LayerKind::elementwise, 0, routed * hidden, rows * hidden, routed * hidden);
    reads({last() - 1, router});
  }
  /// A block of an encoder: attention and two linear layers, each added and then normalised.
  void encoder(const std::string& name, double sequence) {
    ++block;
    attend_and_add(name + ".attn", sequence, last(), last(), name, 1);
    feed_and_add(name, sequence, 2);
  }
  void attend_and_add(const std::string& attention, double sequence, std::size_t words, std::size_t at,
                      const std::string& name, int number) {
    attend(attention, sequence, words, at);
    residual(name + ".add" + std::to_string(number), sequence, words);
    norm(name + ".norm" + std::to_string(number), sequence);
  }
  void feed_and_add(const std::string& name, double sequence, int number) {
    const std::size_t words = last();
    feed(name + ".mlp", sequence);
    residual(name + ".add" + std::to_string(number), sequence, words);
    norm(name + ".norm" + std::to_string(number), sequence);
  }
  /// The word embedding used again: its gradient counts with the embedding's.
  void tied(const std::string& name, double rows, double vocabulary, std::vector<double> tensors) {
    layer(name, LayerKind::linear, 2 * rows * hidden * vocabulary, rows * hidden, rows * vocabulary,
          rows * vocabulary, std::move(tensors), Cut::enter);
    model.layers.back().logits = true;
  }
};

Writer writer(Model& model, const architectures::Transformer& t) {
  return {model, 1.0 * t.hidden, 1.0 * t.heads, t.feed_forward ? t.feed_forward : 4.0 * t.hidden};
}

Model text_model(std::string name, const architectures::Transformer& t, std::string source) {
  Model model;
  model.name = std::move(name);
  model.sample = "sequence of " + std::to_string(t.sequence);
  model.source = std::move(source);
  model.sample_bytes = 8.0 * t.sequence;  // 64-bit token numbers
  model.blocks = t.layers;
  model.heads = t.heads;
  model.kv_heads = t.kv_heads ? t.kv_heads : t.heads;
  model.tied = 1.0 * t.vocabulary * t.hidden;
  return model;
}

}  // namespace

Model architectures::gpt(std::string name, const Transformer& t) {
  Model model = text_model(std::move(name), t, "Radford et al. 2019; Brown et al. 2020");
  Writer w = writer(model, t);
  const double s = t.sequence;
  w.embedding("wte", s, t.vocabulary, Layer::Cut::leave);
  w.embedding("wpe", s, t.positions ? t.positions : t.sequence);
  for (int i = 0; i < t.layers; ++i) {
    ++w.block;
    const std::string h = "h." + std::to_string(i);
    const std::size_t words = w.last();
    w.norm(h + ".ln_1", s);
    w.attend_fused(h + ".attn", s, t.flash);
    w.residual(h + ".add1", s, words);
    const std::size_t attended = w.last();
    w.norm(h + ".ln_2", s);
    w.feed(h + ".mlp", s);
    w.residual(h + ".add2", s, attended);
  }
  w.block = -1;
  w.norm("ln_f", s);
  w.tied("lm_head", s, t.vocabulary, {});
  return model;
}

Model architectures::llama(std::string name, const Transformer& t) {
  Model model = text_model(std::move(name), t, "Touvron et al. 2023; Jiang et al. 2024");
  model.tied = 0;
  model.experts = t.experts;
  Writer w = writer(model, t);
  const double s = t.sequence, kv = w.hidden * model.kv_heads / t.heads;
  w.embedding("embed", s, t.vocabulary, Layer::Cut::leave);
  for (int i = 0; i < t.layers; ++i) {
    ++w.block;
    const std::string b = "layers." + std::to_string(i);
    const std::size_t words = w.last();
    w.rms_norm(b + ".norm1", s);
    w.attend_grouped(b + ".attn", s, kv);
    w.sum(b + ".add1", s, words);
    const std::size_t attended = w.last();
    w.rms_norm(b + ".norm2", s);
    t.experts ? w.feed_experts(b + ".moe", s, t.experts, t.chosen) : w.feed_gated(b + ".mlp", s);
    w.sum(b + ".add2", s, attended);
  }
  w.block = -1;
  w.rms_norm("norm", s);
  w.product("lm_head", s, w.hidden, t.vocabulary, s * t.vocabulary, Layer::Cut::enter);
  model.layers.back().logits = true;
  return model;
}

Model architectures::bert(std::string name, const Transformer& t, int masked) {
  Model model = text_model(std::move(name), t, "Devlin et al. 2018: pre-training");
  Writer w = writer(model, t);
  const double s = t.sequence, m = masked;
  w.embedding("embeddings.word", s, t.vocabulary, Layer::Cut::leave);
  w.embedding("embeddings.position", s, t.positions ? t.positions : 512);
  w.embedding("embeddings.token_type", s, 2);
  w.norm("embeddings.norm", s);
  for (int i = 0; i < t.layers; ++i) w.encoder("encoder." + std::to_string(i), s);
  w.block = -1;
  const std::size_t words = w.last();
  w.linear("pooler", 1, t.hidden, t.hidden, t.hidden);
  w.linear("cls.transform", m, t.hidden, t.hidden, m * t.hidden);
  w.reads({words});
  w.norm("cls.norm", m);
  w.tied("cls.decoder", m, t.vocabulary, {1.0 * t.vocabulary});
  w.linear("cls.next_sentence", 1, t.hidden, 2, 2);
  w.reads({words + 1});
  return model;
}

Model architectures::transformer(std::string name, const Transformer& t) {
  Model model = text_model(std::move(name), t, "Vaswani et al. 2017; one shared embedding");
  model.sample = "pair of sentences of " + std::to_string(t.sequence);
  model.blocks = 2 * t.layers;
  Writer w = writer(model, t);
  const double s = t.sequence;
  w.embedding("embed", 2 * s, t.vocabulary, Layer::Cut::leave);
  const std::size_t embedded = w.last();
  for (int i = 0; i < t.layers; ++i) w.encoder("encoder." + std::to_string(i), s);
  const std::size_t encoded = w.last();
  for (int i = 0; i < t.layers; ++i) {
    ++w.block;
    const std::string d = "decoder." + std::to_string(i);
    const std::size_t words = i == 0 ? embedded : w.last();
    w.attend_and_add(d + ".attn", s, words, words, d, 1);
    w.attend_and_add(d + ".cross", s, w.last(), encoded, d, 2);
    w.feed_and_add(d, s, 3);
  }
  w.block = -1;
  w.tied("output", s, t.vocabulary, {});
  return model;
}

}  // namespace collcast::workloads
