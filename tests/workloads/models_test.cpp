// SPDX-License-Identifier: Apache-2.0
#include "workloads/models/model.hpp"

#include <gtest/gtest.h>

#include <tuple>

#include "tests/complaint.hpp"

namespace collcast::workloads {
namespace {

using collcast::testing::complaint;

int tensors(const Model& m) {
  int n = 0;
  for (const Layer& l : m.layers) n += static_cast<int>(l.tensors.size());
  return n;
}

struct Published {
  const char* name;
  double parameters;
  double gmacs;  ///< of the forward pass; 0: none published
  int tensors;   ///< that torchvision's or Hugging Face's module has
};

/// torchvision's weights metadata (num_params, GMACs); Hugging Face; Devlin et al.; Megatron-LM's README.
TEST(Models, AgreeWithPublishedTotals) {
  for (const Published& p : {Published{"resnet50", 25557032, 4.089, 161},
                             {"resnet101", 44549160, 7.801, 314},
                             {"resnet152", 60192808, 11.514, 467},
                             {"vgg16", 138357544, 15.470, 32},
                             {"alexnet", 61100840, 0.714, 16},
                             {"inception-v3", 27161264, 0, 292},
                             {"bert-base", 110106428, 0, 206},
                             {"bert-large", 336226108, 0, 398},
                             {"gpt2", 124439808, 0, 148},
                             {"gpt2-medium", 354823168, 0, 292},
                             {"gpt2-xl", 1557611200, 0, 580},
                             {"llama2-7b", 6738415616, 0, 291},
                             {"llama2-13b", 13015864320, 0, 363},
                             {"llama2-70b", 68976648192, 0, 723},
                             {"llama3-8b", 8030261248, 0, 291},
                             {"llama3-70b", 70553706496, 0, 723},
                             {"llama3-405b", 405853388800, 0, 1137},
                             {"mixtral-8x7b", 46702792704, 0, 995},
                             {"mixtral-8x22b", 140620634112, 0, 1739}}) {
    const Model m = load_model(p.name);
    EXPECT_EQ(m.parameters(), p.parameters) << p.name;
    EXPECT_EQ(tensors(m), p.tensors) << p.name;
    if (p.gmacs > 0) {
      EXPECT_NEAR(m.flops() / 2e9, p.gmacs, 0.001 * p.gmacs) << p.name;
    }
  }
  // He et al., ECCV 2016: 1.7 M and 10.2 M
  EXPECT_NEAR(load_model("resnet-v2:layers=164").parameters() / 1e6, 1.7, 0.05);
  EXPECT_NEAR(load_model("resnet-v2:layers=1001").parameters() / 1e6, 10.2, 0.15);
  // TensorFlow DeepLab model zoo: 54.17 B multiply-adds at output stride 16
  EXPECT_NEAR(load_model("deeplabv3plus-xception65").flops() / 2e9, 54.17, 0.15);
  for (const auto& [name, billions] :
       {std::pair{"megatron-1b", 1.16}, {"megatron-2b", 2.03}, {"megatron-4b", 4.24}})
    EXPECT_NEAR(load_model(name).parameters() / 1e9, billions, 0.005) << name;
}

/// torchgpipe's tables of models under memory (benchmarks/{unet,amoebanetd}-memory), as many digits as there.
TEST(Models, AgreeWithTorchgpipesTotals) {
  for (const auto& [name, millions, digit] : {std::tuple{"unet:convs=6,channels=72", 362.2, 0.1},
                                              {"unet:convs=11,channels=128", 2210.0, 10.0},
                                              {"unet:convs=24,channels=128", 4990.0, 10.0},
                                              {"unet:convs=24,channels=160", 7800.0, 10.0},
                                              {"unet:convs=48,channels=160", 15820.0, 10.0},
                                              {"amoebanet-d:layers=18,filters=208", 81.5, 0.1},
                                              {"amoebanet-d:layers=18,filters=416", 319.0, 0.1},
                                              {"amoebanet-d:layers=18,filters=544", 542.7, 0.1},
                                              {"amoebanet-d:layers=36,filters=544", 1060.0, 10.0},
                                              {"amoebanet-d:layers=72,filters=512", 1840.0, 10.0}})
    EXPECT_NEAR(load_model(name).parameters() / 1e6, millions, digit / 2) << name;
}

/// A convolution of 3x3 from 3 to 2 channels on 4 x 4, 2 to 4 to 2 on 2 x 2 between, and from 4 to 1 and 1 to
/// 1 on 4 x 4 again.
TEST(Models, TheSmallestUNet) {
  const Model m = load_model("unet:convs=2,channels=2,depth=1,image=4");
  const double up = 9 * (3 * 2 + 2 * 2), down = 9 * (2 * 4 + 4 * 2), back = 9 * (4 * 1 + 1 * 1);
  EXPECT_EQ(m.parameters(), up + down + back + 1);
  EXPECT_EQ(m.flops(), 2 * (16 * up + 4 * down + 16 * back + 16));
}

std::vector<std::string> read_by(const Model& m, const std::string& name) {
  std::vector<std::string> names;
  for (const Layer& l : m.layers)
    if (l.name == name)
      for (const std::size_t r : l.reads) names.push_back(m.layers[r].name);
  return names;
}

TEST(Models, LayersKnowWhatTheyRead) {
  using Names = std::vector<std::string>;
  const Model unet = load_model("unet:convs=2,channels=2,depth=1,image=4");
  EXPECT_EQ(read_by(unet, "encoder.0.0.conv"), Names());
  EXPECT_EQ(read_by(unet, "bottleneck.0.conv"), Names{"encoder.0.down"});
  EXPECT_EQ(read_by(unet, "decoder.0.skip"), (Names{"decoder.0.up", "encoder.0.1.relu"}));
  const Model resnet = load_model("resnet50");
  EXPECT_EQ(read_by(resnet, "layer1.0.downsample.0"), Names{"maxpool"});
  EXPECT_EQ(read_by(resnet, "layer1.0.add"), (Names{"layer1.0.downsample.1", "layer1.0.bn3"}));
  EXPECT_EQ(read_by(resnet, "layer1.1.add"), (Names{"layer1.0.relu3", "layer1.1.bn3"}));
  const Model amoebanet = load_model("amoebanet-d:layers=3,filters=32");
  EXPECT_EQ(read_by(amoebanet, "stem3.reduce1.relu"), Names{"stem2.concat"});
  EXPECT_EQ(read_by(amoebanet, "stem3.reduce2.relu"), Names{"stem1.bn"});  // of the cell before
  EXPECT_EQ(read_by(amoebanet, "stem3.concat"), (Names{"stem3.add2", "stem3.add3", "stem3.add4"}));
  const Model pairs = load_model("transformer-base:layers=2");
  EXPECT_EQ(read_by(pairs, "encoder.1.add1"), (Names{"encoder.1.attn.out", "encoder.0.norm2"}));
  EXPECT_EQ(read_by(pairs, "decoder.1.cross.query"), Names{"decoder.1.norm1"});
  EXPECT_EQ(read_by(pairs, "decoder.1.cross.key"), Names{"encoder.1.norm2"});
  EXPECT_EQ(read_by(pairs, "decoder.0.attn.query"), Names{"embed"});
  const Model gpt = load_model("gpt:layers=2");
  EXPECT_EQ(read_by(gpt, "h.1.attn.context"), (Names{"h.1.attn.softmax", "h.1.attn.qkv"}));
  EXPECT_EQ(read_by(gpt, "h.1.add2"), (Names{"h.1.mlp.out", "h.1.add1"}));
  const Model mixtral = load_model("llama:layers=1,experts=2");
  EXPECT_EQ(read_by(mixtral, "layers.0.attn.flash"), (Names{"layers.0.attn.rotary", "layers.0.attn.v"}));
  EXPECT_EQ(read_by(mixtral, "layers.0.moe.weigh"),
            (Names{"layers.0.moe.experts.down", "layers.0.moe.router"}));
  EXPECT_EQ(read_by(load_model("inception-v3"), "Mixed_5c.branch1x1.conv").size(), 4u);
}

/// A 1x1 of stride 2 works on a quarter of the pixels.
TEST(Models, TheOriginalResNetDoesLessWork) {
  EXPECT_NEAR(load_model("resnet50-v1").flops() / 2e9, 3.858, 0.001);
}

/// 12 h^2 (1 + 13 / (12 h) + ...) parameters a block: h = 64: qkv 3 h^2 + 3 h, out h^2 + h, two of 4 h^2 + 5
/// h in all, two norms of 2 h: 12 h^2 + 13 h = 49984; embeddings (100 + 32) h = 8448; the last norm 2 h =
/// 128.
TEST(Models, GptOfAnySize) {
  const Model m = load_model("gpt:layers=3,hidden=64,heads=4,sequence=32,vocabulary=100");
  EXPECT_EQ(m.parameters(), 3 * 49984 + 8448 + 128);
  EXPECT_EQ(m.blocks, 3);
  // of a block: 24 s h^2 + 4 s^2 h; the output layer 2 s h V
  const double block = 24.0 * 32 * 64 * 64 + 4.0 * 32 * 32 * 64;
  EXPECT_EQ(m.flops(), 3 * block + 2.0 * 32 * 64 * 100);
}

/// Of each word: 4 projections of 8 x 8 (keys and values of half as many heads: 8 x 4), 2 s^2 h of attention,
/// a router of 8 x 4, and 2 of 4 experts of 3 x 8 x 16; the output 8 x 10.
TEST(Models, WordsGoThroughTheirExpertsOnly) {
  const Model m = load_model(
      "llama:layers=1,hidden=8,heads=2,kv-heads=1,sequence=4,vocabulary=10,feed-forward=16,experts=4,top=2");
  const double products = 2 * 64 + 2 * 32 + 32 + 2 * 384 + 80;
  EXPECT_EQ(m.flops(), 2 * 4 * products + 2 * 16 * 8);
  EXPECT_EQ(m.parameters(), 2 * 64 + 2 * 32 + 32 + 4 * 384 + 2 * 80 + 3 * 8);
  // "uses 13 B active parameters": without the word embedding
  EXPECT_NEAR(load_model("mixtral-8x7b:sequence=1").flops() / 2e9, 12.75, 0.01);
}

/// Korthikanti et al. 2022: 34 s h + 5 a s^2 bytes of a block in 16 bits.
TEST(Models, KeepsTheActivationsOfATransformerBlock) {
  const auto kept = [](int layers) {
    return load_model("gpt:layers=" + std::to_string(layers) + ",hidden=64,heads=4,sequence=32").kept();
  };
  EXPECT_DOUBLE_EQ(2 * (kept(2) - kept(1)), 34.0 * 32 * 64 + 5.0 * 4 * 32 * 32);
}

TEST(Models, TablesComeBackAsTheyWent) {
  for (const ModelName& known : model_names()) {
    const Model m = load_model(std::string(known.name));
    const Model back = parse_model(model_csv(m), "back", "back.csv");
    EXPECT_EQ(model_csv(back), model_csv(m)) << known.name;
    EXPECT_EQ(back.parameters(), m.parameters()) << known.name;
  }
}

/// Whatever of a step depends on them, beside their name.
TEST(Models, TablesAreWhole) {
  std::vector<std::string> all = {"gpt:layers=2,flash=1", "llama:layers=2,experts=4,top=2"};
  for (const ModelName& known : model_names()) all.emplace_back(known.name);
  const auto whole = [](const Model& m) {
    return std::tuple(m.sample, m.sample_bytes, m.height, m.blocks, m.heads, m.kv_heads, m.experts, m.tied);
  };
  for (const std::string& name : all) {
    const Model m = load_model(name);
    const Model back = parse_model(model_csv(m), "back", "back.csv");
    EXPECT_EQ(whole(back), whole(m)) << name;
    EXPECT_TRUE(back.layers == m.layers) << name;
  }
}

const std::string header =
    "name,kind,flops,backward_flops,in_elements,out_elements,kept_elements,parameters\n";

TEST(Models, ReadsATable) {
  const Model m = parse_model(header + "fc,linear,20,40,2,5,5,5+10\n", "mine", "mine.csv");
  ASSERT_EQ(m.layers.size(), 1u);
  EXPECT_EQ(m.layers[0].tensors, (std::vector<double>{5, 10}));
  EXPECT_EQ(m.layers[0].kind, LayerKind::linear);
  EXPECT_EQ(m.layers[0].block, -1);
  EXPECT_EQ(m.sample, "sample");
}

/// A column for what few layers have; an empty cell says nothing.
TEST(Models, ReadsColumnsThatTablesMayLack) {
  const Model m = parse_model("heads,block,cut,experts,reads," + header +
                                  "4,,,,,a,linear,20,40,2,5,5,6\n,0,enter,2,,b,linear,20,40,2,5,5,6+6\n,0,,,"
                                  "a+b,c,elementwise,0,0,7,5,5,0\n",
                              "mine", "mine.csv");
  EXPECT_EQ(m.heads, 4);
  EXPECT_EQ(m.kv_heads, 4);
  EXPECT_EQ(m.blocks, 1);
  EXPECT_EQ(m.experts, 2);
  EXPECT_EQ(m.layers[0].block, -1);
  EXPECT_EQ(m.layers[1].cut, Layer::Cut::enter);
  EXPECT_EQ(m.layers[2].reads, (std::vector<std::size_t>{0, 1}));
}

TEST(Models, SayWhatIsWrong) {
  const auto table = [](const std::string& text) {
    return complaint([&] { parse_model(text, "x", "x.csv"); });
  };
  EXPECT_EQ(table("name,kind,flops\n"), "x.csv:1: column 'backward_flops' is missing; the header is " +
                                            header.substr(0, header.size() - 1));
  EXPECT_EQ(table("colour," + header), "x.csv:1: unknown column 'colour'");
  EXPECT_EQ(table(header + "fc,linear,20,40,2,-5,5,5\n"), "x.csv:2: out_elements is negative: -5");
  EXPECT_EQ(table(header + "fc,linear,20,40,2,5,5,-5\n"), "x.csv:2: parameters is negative: -5");
  EXPECT_EQ(table(header + "fc,linear,20,40,2,5,5,1e308\n"), "x.csv:2: parameters is above 1e18: 1e308");
  EXPECT_EQ(table(header + "fc,linear,1e19,40,2,5,5,5\n"), "x.csv:2: flops is above 1e18: 1e19");
  EXPECT_EQ(table(header + "fc,linear,twenty,40,2,5,5,5\n"), "x.csv:2: flops 'twenty' is not a number");
  EXPECT_EQ(table(header + "fc,linear,20,40\n"), "x.csv:2: 4 cells in a table of 8 columns");
  EXPECT_EQ(table(header + "fc,lienar,20,40,2,5,5,5\n").substr(0, 40),
            "x.csv:2: unknown kind of layer 'lienar';");
  EXPECT_EQ(table(header), "x.csv: a model needs a layer");
  EXPECT_EQ(table(header + "fc,linear,20,40,2,5,5,0\n"), "x.csv: a model needs parameters to train");
  const auto spare = [&](const std::string& column, const std::string& first, const std::string& second) {
    const std::string layer = ",fc,linear,20,40,2,0,5,5\n";
    return table(column + "," + header + first + layer + second + layer);
  };
  EXPECT_EQ(spare("heads", "", "2"), "x.csv:3: heads is the model's: it stands on the first line");
  EXPECT_EQ(spare("heads", "-2", ""), "x.csv:2: heads '-2' is not a whole number from 0 to 16777216");
  EXPECT_EQ(spare("block", "0", "2"), "x.csv:3: block 2 is neither the last one nor the next, 1");
  EXPECT_EQ(spare("core", "yes", ""), "x.csv:2: unknown core 'yes'; known: 0, 1");
  EXPECT_EQ(spare("cut", "half", ""), "x.csv:2: unknown cut 'half'; known: whole, split, enter, leave");
  EXPECT_EQ(spare("experts", "2", ""), "x.csv:2: 1 tensors cannot be shared out among 2 experts");
  EXPECT_EQ(spare("reads", "", "fc+fd"), "x.csv:3: reads 'fd', which is no layer before");
  EXPECT_EQ(spare("head_elements", "64", ""), "x.csv:2: head_elements needs flops and out_elements");
  const auto name = [](const std::string& text) { return complaint([&] { load_model(text); }); };
  EXPECT_EQ(name("resnet51").substr(0, 50), "unknown model 'resnet51'; did you mean 'resnet50'?");
  EXPECT_EQ(name("none.csv"), "none.csv: cannot be read: No such file or directory");
  EXPECT_EQ(name("none.csv:image=224"),
            "model none.csv: a table takes no settings, got 'none.csv:image=224'");
  EXPECT_EQ(name("resnet50:layers=3"), "model resnet50 has no 'layers'; it takes image");
  EXPECT_EQ(name("llama:layers=1,top=4"), "model llama: top needs experts");
  EXPECT_EQ(name("gpt:hidden=10,heads=3"), "model gpt: hidden 10 does not divide by 3 heads");
  EXPECT_EQ(name("unet:image=100"), "model unet: image 100 does not halve depth=5 times");
  EXPECT_EQ(name("unet:channels=3"), "model unet: channels takes an even number up to 65536, got 3");
  EXPECT_EQ(name("amoebanet-d:layers=4"),
            "model amoebanet-d: layers divides by 3, filters by 8 and is at most 65536, got 4 and 256");
  EXPECT_EQ(name("amoebanet-d:image=100"), "model amoebanet-d: image divides by 32, got 100");
  EXPECT_EQ(name("gpt:hidden=0"), "model gpt: hidden takes a whole number from 1 to 16777216, got '0'");
  EXPECT_EQ(name("gpt:hidden=1000000000"),
            "model gpt: hidden takes a whole number from 1 to 16777216, got '1000000000'");
  EXPECT_EQ(name("resnet50:image=65537"),
            "model resnet50: image takes a whole number from 32 to 65536, got '65537'");
  EXPECT_GT(load_model("gpt:hidden=16777216,heads=1,layers=1").flops(), 0);
  EXPECT_EQ(name("gpt:layers=99999"), "model gpt: layers takes a whole number from 1 to 10000, got '99999'");
  EXPECT_EQ(name("gpt:hidden"), "model 'gpt:hidden': 'hidden' is not KEY=VALUE");
  EXPECT_EQ(name("gpt:heads=2,heads=2"), "model 'gpt:heads=2,heads=2' sets 'heads' twice");
}

}  // namespace
}  // namespace collcast::workloads
