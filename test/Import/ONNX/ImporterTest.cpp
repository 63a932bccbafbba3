// The importer as a library: tensors in files, names of inputs, and any bytes at all.
#include "Encoder.h"
#include "tw/Dialect/Graph/Graph.h"
#include "tw/Import/ONNX/ONNX.h"
#include "tw/Support/Diagnostics.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include "gtest/gtest.h"
#include <random>

using namespace tw::onnx;
using namespace tw::onnx::test;

namespace {

class Importer : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("tw-onnx", folder));
    handler = std::make_unique<mlir::ScopedDiagnosticHandler>(
        &context, [&](mlir::Diagnostic &diagnostic) { messages.push_back(diagnostic.str()); });
  }
  void TearDown() override { llvm::sys::fs::remove_directories(folder); }

  std::string write(llvm::StringRef name, const std::string &bytes) {
    llvm::SmallString<128> path(folder);
    llvm::sys::path::append(path, name);
    std::error_code error;
    llvm::raw_fd_ostream(path, error) << bytes;
    EXPECT_FALSE(error);
    return path.str().str();
  }

  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  std::vector<std::string> messages;
  llvm::SmallString<128> folder;
  std::unique_ptr<mlir::ScopedDiagnosticHandler> handler;
};

Message tensorHeader(std::initializer_list<uint64_t> dims, int type) {
  Message message;
  for (uint64_t dim : dims)
    message.integer(1, dim);
  return message.integer(2, static_cast<uint64_t>(type)).bytes(8, "t");
}

} // namespace

TEST_F(Importer, ReadsEveryEncodingOfTensors) {
  auto read = [&](const Message &message) {
    return readTensorFile(context, write("t.pb", message.data));
  };
  Message varints;
  varints.varint(static_cast<uint64_t>(-5)).varint(7);
  auto longs = read(tensorHeader({2}, 7).bytes(7, varints.data));
  ASSERT_TRUE(llvm::succeeded(longs));
  EXPECT_EQ(llvm::to_vector(longs->getValues<int64_t>()), (llvm::SmallVector<int64_t>{-5, 7}));
  auto bytes = read(tensorHeader({2}, 2).integer(5, 200).integer(5, 3));
  ASSERT_TRUE(llvm::succeeded(bytes));
  EXPECT_EQ(llvm::to_vector(bytes->getValues<uint8_t>()), (llvm::SmallVector<uint8_t>{200, 3}));
  auto floats = read(tensorHeader({2}, 1).fixed32(4, 0.5f).fixed32(4, -2));
  ASSERT_TRUE(llvm::succeeded(floats));
  EXPECT_EQ(llvm::to_vector(floats->getValues<float>()), (llvm::SmallVector<float>{0.5f, -2}));
  auto bools = read(tensorHeader({3}, 9).bytes(9, std::string("\x01\x00\x02", 3)));
  ASSERT_TRUE(llvm::succeeded(bools));
  EXPECT_EQ(llvm::to_vector(bools->getValues<bool>()),
            (llvm::SmallVector<bool>{true, false, true}));
  auto scalar = read(tensorHeader({}, 11).bytes(9, rawBytes<double>({2.5})));
  ASSERT_TRUE(llvm::succeeded(scalar));
  EXPECT_EQ(scalar->getType().getRank(), 0);
  EXPECT_TRUE(messages.empty());
}

TEST_F(Importer, RefusesTensorsThatDoNotFit) {
  auto messageOf = [&](const Message &message) -> std::string {
    messages.clear();
    EXPECT_TRUE(llvm::failed(readTensorFile(context, write("t.pb", message.data))));
    return messages.empty() ? "" : messages.front();
  };
  EXPECT_EQ(messageOf(tensorHeader({3}, 1).bytes(9, rawBytes<float>({1, 2}))),
            "tensor 't' of type float32 expected 12 bytes, found 8 [T0115]");
  EXPECT_EQ(messageOf(tensorHeader({3}, 7).integer(7, 1)),
            "tensor 't' of type int64 expected 3 elements, found 1 [T0115]");
  EXPECT_EQ(messageOf(tensorHeader({uint64_t(1) << 40, uint64_t(1) << 40}, 1)),
            "tensor 't' has more than 2^40 elements [T0103]");
  EXPECT_EQ(messageOf(tensorHeader({static_cast<uint64_t>(-1)}, 1)),
            "tensor 't' has the dimension -1, expected 0 or more [T0115]");
  EXPECT_EQ(messageOf(tensorHeader({1}, 8)),
            "tensor 't' has the element type string, which is not supported [T0107]");
  EXPECT_EQ(messageOf(tensorHeader({1}, 99)),
            "tensor 't' has the element type type 99, which is not supported [T0107]");
  EXPECT_EQ(messageOf(tensorHeader({1}, 1).message(3, Message().integer(1, 0))),
            "tensor 't' is stored in segments [T0117]");
}

TEST_F(Importer, NamesInputsWithoutInitializer) {
  auto names = readInputNames(context, write("m.onnx", smallModel().data));
  ASSERT_TRUE(llvm::succeeded(names));
  EXPECT_EQ(*names, std::vector<std::string>{"x"});
}

TEST_F(Importer, RefusesWhatIsNoPlainGraph) {
  auto messageOf = [&](const Message &message) -> std::string {
    messages.clear();
    EXPECT_FALSE(importModel(context, write("m.onnx", message.data)));
    return messages.empty() ? "" : messages.front();
  };
  EXPECT_EQ(messageOf(smallModel().message(25, Message().bytes(1, "helper"))),
            "the model has 1 local functions, the first 'helper'; inline them when exporting "
            "[T0117]");
  Message sparse = Message().message(1, Message().bytes(8, "s"));
  EXPECT_EQ(messageOf(model(Message().message(15, sparse), 17)),
            "initializer 's' is sparse; store it as a dense tensor [T0117]");
  Message untyped = Message().bytes(1, "x").message(2, Message().message(4, Message()));
  EXPECT_EQ(messageOf(model(Message().message(11, untyped), 17)),
            "input 'x': the type is a sequence, expected a tensor [T0107]");
  Message shapeless =
      Message().bytes(1, "x").message(2, Message().message(1, Message().integer(1, 1)));
  EXPECT_EQ(messageOf(model(Message().message(11, shapeless), 17)),
            "input 'x': no shape is given; give it one in the model [T0116]");
}

TEST_F(Importer, MutatedModelsAreImportedOrRefused) {
  std::string bytes = smallModel().data;
  ASSERT_TRUE(importModel(context, write("m.onnx", bytes)));
  std::mt19937 random(11);
  unsigned imported = 0;
  for (int round = 0; round < 400; ++round) {
    std::string mutant = bytes;
    for (unsigned edits = 1 + random() % 3; edits; --edits)
      mutant[random() % mutant.size()] = static_cast<char>(random());
    messages.clear();
    bool ok = static_cast<bool>(importModel(context, write("m.onnx", mutant)));
    imported += ok;
    if (!ok) {
      ASSERT_FALSE(messages.empty());
      EXPECT_NE(messages.front().find(" [T0"), std::string::npos) << messages.front();
    }
  }
  EXPECT_GT(imported, 25u);
}

namespace {

Message graphAttribute(const std::string &name, const Message &graph) {
  return Message().bytes(1, name).message(6, graph).integer(20, 5);
}

/// A branch that gives `op` of x.
Message branch(const std::string &op) {
  return Message().message(1, node(op, {"x"}, {"r"})).message(12, valueInfo("r", 1, {2}));
}

} // namespace

/// By a size, which is a constant at each of the sizes that the model is imported at.
TEST_F(Importer, KeepsBranchesBySizesThatAreTakenSeldom) {
  Message choose = node("If", {"c"}, {"y"});
  choose.message(5, graphAttribute("then_branch", branch("Relu")))
      .message(5, graphAttribute("else_branch", branch("Neg")));
  char asked = 1;
  auto import = [&](const char *first, std::vector<std::string> names) {
    Message graph, one = Message().integer(2, 7).bytes(8, "one").bytes(9, std::string(1, asked) +
                                                                              std::string(7, 0));
    graph.message(1, node(first, {"z"}, {names.front()}));
    for (size_t i = 1; i < names.size(); ++i)
      graph.message(1, node("Size", {names[i - 1]}, {names[i]}));
    graph.message(1, node("Equal", {names.back(), "one"}, {"c"}))
        .message(1, choose)
        .message(5, one)
        .message(11, valueInfo("x", 1, {2}))
        .message(11, valueInfo("z", 1, {100}))
        .message(12, valueInfo("y", 1, {2}));
    std::string text;
    llvm::raw_string_ostream os(text);
    if (auto module = importModel(context, write("m.onnx", model(graph, 17).data)))
      module->print(os);
    return text;
  };
  std::string known = import("Size", {"n"});
  EXPECT_NE(known.find("tgraph.neg"), std::string::npos) << known;
  EXPECT_EQ(known.find("tgraph.if"), std::string::npos) << known;
  // Both sides are in the program where one of them is taken at some size.
  for (char size : {1, 50}) {
    asked = size;
    std::string found = import("NonZero", {"i", "n"});
    EXPECT_NE(found.find("tgraph.if"), std::string::npos) << found;
  }
  EXPECT_EQ(messages.size(), 0u);
}

TEST_F(Importer, KeepsBranches) {
  Message choose = node("If", {"c"}, {"y"});
  choose.message(5, graphAttribute("then_branch", branch("Relu")))
      .message(5, graphAttribute("else_branch", branch("Neg")));
  auto import = [&](const Message &condition, unsigned field) {
    Message graph;
    graph.message(1, choose)
        .message(11, valueInfo("x", 1, {2}))
        .message(field, condition)
        .message(12, valueInfo("y", 1, {2}));
    std::string text;
    llvm::raw_string_ostream os(text);
    if (auto module = importModel(context, write("m.onnx", model(graph, 17).data)))
      module->print(os);
    return text;
  };
  std::string both = import(valueInfo("c", 9, {}), 11);
  EXPECT_NE(both.find("tgraph.if"), std::string::npos);
  EXPECT_NE(both.find("tgraph.neg"), std::string::npos);
  EXPECT_NE(both.find("tgraph.relu"), std::string::npos);
  Message constant = Message().integer(2, 9).bytes(8, "c").bytes(9, std::string("\0", 1));
  std::string one = import(constant, 5);
  EXPECT_NE(one.find("tgraph.neg"), std::string::npos);
  EXPECT_EQ(one.find("tgraph.relu"), std::string::npos);
  EXPECT_TRUE(messages.empty());
}

namespace {

/// A body that takes a number, a condition and `v` of two elements, and gives `again`, `next` and,
/// if it is to be collected, `next` again.
Message loopBody(const std::vector<Message> &nodes, bool collects, int64_t elements = 2) {
  Message body;
  for (const Message &each : nodes)
    body.message(1, each);
  body.message(11, valueInfo("i", 7, {}))
      .message(11, valueInfo("go", 9, {}))
      .message(11, valueInfo("v", 1, {2}))
      .message(12, valueInfo("again", 9, {}))
      .message(12, valueInfo("next", 1, {elements}));
  return collects ? body.message(12, valueInfo("next", 1, {elements})) : body;
}

/// Of "n" trips: a constant, or an argument if it is below 0.
Message loopModel(int64_t trips, const Message &body, bool collects, int64_t elements = 2) {
  Message loop = collects ? node("Loop", {"n", "", "x"}, {"last", "all"})
                          : node("Loop", {"n", "", "x"}, {"last"});
  Message graph;
  graph.message(1, loop.message(5, graphAttribute("body", body)))
      .message(11, valueInfo("x", 1, {2}))
      .message(12, valueInfo("last", 1, {elements}));
  if (trips < 0)
    graph.message(11, valueInfo("n", 7, {}));
  else
    graph.message(5, Message().integer(2, 7).bytes(8, "n").bytes(9, rawBytes<int64_t>({trips})));
  return collects ? graph.message(12, valueInfo("all", 1, {3, 2})) : graph;
}

unsigned count(mlir::ModuleOp module, llvm::StringRef name) {
  unsigned ops = 0;
  module.walk([&](mlir::Operation *op) { ops += op->getName().getStringRef() == name; });
  return ops;
}

std::vector<Message> addAndGoOn() {
  return {node("Add", {"v", "x"}, {"next"}), node("Identity", {"go"}, {"again"})};
}

} // namespace

TEST_F(Importer, KeepsLoops) {
  auto module = importModel(
      context, write("m.onnx", model(loopModel(3, loopBody(addAndGoOn(), true), true), 17).data));
  ASSERT_TRUE(module) << (messages.empty() ? "" : messages.front());
  EXPECT_EQ(count(*module, "tgraph.for"), 1u);
  EXPECT_EQ(count(*module, "tgraph.add"), 1u);
  module->walk([](tw::graph::ForOp loop) {
    EXPECT_EQ(loop.getKnownIterations(), 3);
    EXPECT_EQ(loop->getNumResults(), 2u);
  });
}

TEST_F(Importer, CountsByArgument) {
  auto module = importModel(
      context,
      write("m.onnx", model(loopModel(-1, loopBody(addAndGoOn(), false), false), 17).data));
  ASSERT_TRUE(module) << (messages.empty() ? "" : messages.front());
  module->walk([](tw::graph::ForOp loop) { EXPECT_TRUE(loop.getAmount()); });
  EXPECT_EQ(count(*module, "tgraph.for"), 1u);
  // How many rows there would be is not known.
  auto collecting = importModel(
      context, write("m.onnx", model(loopModel(-1, loopBody(addAndGoOn(), true), true), 17).data));
  EXPECT_FALSE(collecting);
  ASSERT_FALSE(messages.empty());
}

TEST_F(Importer, EndsLoopsByData) {
  std::vector<Message> nodes{
      node("Add", {"v", "x"}, {"next"}),
      node("ReduceSum", {"next"}, {"sum"}).message(5, intAttribute("keepdims", 0)),
      node("Exp", {"sum"}, {"more"}), node("Less", {"sum", "more"}, {"again"})};
  auto module = importModel(
      context, write("m.onnx", model(loopModel(7, loopBody(nodes, false), false), 17).data));
  ASSERT_TRUE(module) << (messages.empty() ? "" : messages.front());
  EXPECT_EQ(count(*module, "tgraph.while"), 1u);
  EXPECT_EQ(count(*module, "tgraph.for"), 0u);
}

// What a condition ends at once collects nothing, of a type that is known.
TEST_F(Importer, RunsNoIterations) {
  std::vector<Message> nodes{
      node("Add", {"v", "x"}, {"next"}),
      node("ReduceSum", {"next"}, {"sum"}).message(5, intAttribute("keepdims", 0)),
      node("Exp", {"sum"}, {"more"}), node("Less", {"sum", "more"}, {"again"})};
  Message loop = node("Loop", {"n", "no", "x"}, {"last", "all"});
  Message graph;
  graph.message(1, loop.message(5, graphAttribute("body", loopBody(nodes, true))))
      .message(11, valueInfo("x", 1, {2}))
      .message(11, valueInfo("n", 7, {}))
      .message(5, Message().integer(2, 9).bytes(8, "no").bytes(9, std::string("\0", 1)))
      .message(12, valueInfo("last", 1, {2}))
      .message(12, valueInfo("all", 1, {0, 2}));
  auto module = importModel(context, write("m.onnx", model(graph, 17).data));
  ASSERT_TRUE(module) << (messages.empty() ? "" : messages.front());
  EXPECT_TRUE(messages.empty());
}

// A value that grows has another type in each iteration.
TEST_F(Importer, UnrollsLoopsThatGrow) {
  std::vector<Message> nodes{
      node("Concat", {"v", "x"}, {"next"}).message(5, intAttribute("axis", 0)),
      node("Identity", {"go"}, {"again"})};
  auto module = importModel(
      context, write("m.onnx", model(loopModel(3, loopBody(nodes, false, 4), false, 8), 17).data));
  ASSERT_TRUE(module) << (messages.empty() ? "" : messages.front());
  EXPECT_EQ(count(*module, "tgraph.concat"), 3u);
  EXPECT_EQ(count(*module, "tgraph.for"), 0u);
  EXPECT_TRUE(messages.empty());
}
