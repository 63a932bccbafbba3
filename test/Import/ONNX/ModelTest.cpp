// The reader of ONNX's messages, on hand-assembled bytes.
#include "tw/Import/ONNX/Model.h"
#include "Encoder.h"

#include "gtest/gtest.h"
#include <random>

using namespace tw::onnx;
using namespace tw::onnx::test;

TEST(OnnxModel, ReadsGraphInPlace) {
  std::string bytes = smallModel().data;
  Model model;
  ASSERT_FALSE(readModel(bytes, model));
  EXPECT_EQ(model.irVersion, 8);
  ASSERT_TRUE(model.hasGraph);
  ASSERT_EQ(model.operatorSets.size(), 1u);
  EXPECT_EQ(model.operatorSets[0].version, 17);
  const Graph &graph = model.graph;
  EXPECT_EQ(graph.name, "small");
  ASSERT_EQ(graph.nodes.size(), 2u);
  EXPECT_EQ(graph.nodes[0].op, "MatMul");
  EXPECT_EQ(graph.nodes[0].inputs, (std::vector<llvm::StringRef>{"x", "w"}));
  ASSERT_EQ(graph.initializers.size(), 1u);
  const Tensor &weights = graph.initializers[0];
  EXPECT_EQ(weights.dims, (llvm::SmallVector<int64_t, 4>{3, 4}));
  ASSERT_TRUE(weights.raw);
  EXPECT_EQ(weights.raw->size(), 48u);
  EXPECT_GE(weights.raw->data(), bytes.data());
  EXPECT_LT(weights.raw->data(), bytes.data() + bytes.size());
  ASSERT_EQ(graph.inputs.size(), 1u);
  EXPECT_EQ(graph.inputs[0].elementType, 1);
  ASSERT_EQ(graph.inputs[0].shape.size(), 2u);
  EXPECT_EQ(graph.inputs[0].shape[1].value, 3);
}

TEST(OnnxModel, ReadsAttributesWithAndWithoutDeclaredKind) {
  Message packedInts, message;
  packedInts.varint(1).varint(static_cast<uint64_t>(-2));
  message.bytes(4, "Op")
      .message(5, Message().bytes(1, "a").integer(3, 7))
      .message(5, Message().bytes(1, "b").fixed32(2, 0.5f).integer(20, 1))
      .message(5, Message().bytes(1, "c").integer(8, 4).integer(8, 5))
      .message(5, Message().bytes(1, "d").message(8, packedInts).integer(20, 7))
      .message(5, Message().bytes(1, "e").bytes(4, "text"));
  Model model;
  std::string bytes = tw::onnx::test::model(Message().message(1, message), 17).data;
  ASSERT_FALSE(readModel(bytes, model));
  const std::vector<Attribute> &attributes = model.graph.nodes[0].attributes;
  ASSERT_EQ(attributes.size(), 5u);
  EXPECT_EQ(attributes[0].kind, Attribute::Int);
  EXPECT_EQ(attributes[0].i, 7);
  EXPECT_EQ(attributes[1].kind, Attribute::Float);
  EXPECT_EQ(attributes[1].f, 0.5f);
  EXPECT_EQ(attributes[2].ints, (std::vector<int64_t>{4, 5}));
  EXPECT_EQ(attributes[3].ints, (std::vector<int64_t>{1, -2}));
  EXPECT_EQ(attributes[4].kind, Attribute::String);
  EXPECT_EQ(attributes[4].s, "text");
}

TEST(OnnxModel, ErrorsNameTheOffset) {
  auto errorOf = [](const std::string &bytes) -> std::string {
    Model model;
    std::optional<ReadError> error = readModel(bytes, model);
    return error ? std::to_string(error->offset) + ": " + error->message : "";
  };
  EXPECT_EQ(errorOf(std::string("\x08\x80", 2)), "1: malformed integer");
  EXPECT_EQ(errorOf(std::string("\x3a\x05\x01", 3)), "2: field 7 needs 5 bytes, 1 are left");
  EXPECT_EQ(errorOf(std::string("\x03", 1)), "0: field number 0 is out of range");
  EXPECT_EQ(errorOf(std::string("\x0b", 1)),
            "0: field 1 has the wire type 3, which ONNX does not use");
  EXPECT_EQ(errorOf(std::string("\x38\x01", 2)), "0: field 7 has the wire type 0, expected 2");
  Message attribute = Message().bytes(1, "k").integer(20, 99);
  EXPECT_EQ(errorOf(model(Message().message(1, Message().message(5, attribute)), 17).data),
            "8: attribute 'k' has the unknown kind 99");
}

TEST(OnnxModel, RefusesDeepNesting) {
  Message graph;
  for (int i = 0; i < 80; ++i)
    graph = Message().message(1, Message().message(5, Message().bytes(1, "g").message(6, graph)));
  Model model;
  std::optional<ReadError> error = readModel(tw::onnx::test::model(graph, 17).data, model);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->message, "graphs nest deeper than 64");
}

TEST(OnnxModel, EveryTruncationAndMutationIsSafe) {
  std::string bytes = smallModel().data;
  unsigned rejected = 0;
  for (size_t size = 0; size < bytes.size(); ++size) {
    std::string cut = bytes.substr(0, size);
    Model model;
    rejected += readModel(cut, model).has_value();
  }
  EXPECT_GT(rejected, bytes.size() / 2);
  std::mt19937 random(7);
  for (int round = 0; round < 20000; ++round) {
    std::string mutant = bytes;
    for (unsigned edits = 1 + random() % 4; edits; --edits)
      mutant[random() % mutant.size()] = static_cast<char>(random());
    Model model;
    if (std::optional<ReadError> error = readModel(mutant, model))
      EXPECT_LE(error->offset, mutant.size());
  }
}
