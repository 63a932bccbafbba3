// Random graphs of shape arithmetic for ranges of one size or of two: at each size the program for
// all of them gives what the model gives that is imported at that size alone, or the range is
// refused.
//
// TW_SHAPES_SEED and TW_SHAPES_COUNT say from which seed on, and how many graphs there are.
#include "Encoder.h"
#include "tw/Dialect/Graph/SymbolicShape.h"
#include "tw/Import/ONNX/ONNX.h"
#include "tw/Interpreter/Inputs.h"
#include "tw/Interpreter/Interpreter.h"
#include "tw/Support/SizeProducts.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

#include "gtest/gtest.h"
#include <random>

using namespace mlir;
using namespace tw;
using namespace tw::onnx;
using namespace tw::onnx::test;

namespace {

/// The ranges: all sizes are near samples, and few are.
constexpr int64_t kFew = 12, kMany = 70;
constexpr int32_t kFloat = 1, kInteger = 7, kBool = 9;

/// One model, as bytes and as make-onnx.py takes it.
class Drawing {
public:
  Drawing(unsigned seed, int64_t most, bool hasTwo) : random(seed), most(most) {
    text = "opset 17\ninput x f32 [n]\n";
    vectors = {"x"};
    sizes = {"size_x"};
    addConstant("zero", {0});
    addConstant("one", {1});
    addConstant("all", {-1});
    sizes.push_back("one");
    emit("Shape", {"x"}, "size_x");
    if (hasTwo) {
      text += "input z f32 [m]\n";
      vectors.push_back("z");
      sizes.push_back("size_z");
      emit("Shape", {"z"}, "size_z");
      graph.message(11, info("z", kFloat, "m"));
    }
    for (int64_t left = draw(3, 9); left > 0; --left)
      addNode();
    // What was made last depends on most.
    emit("Identity", {vectors.back()}, "y");
    emit("Identity", {sizes.back()}, "k");
    emit("Cast", {bools.empty() ? "one" : bools.back()}, "b", {intAttribute("to", kInteger)},
         " : to=7");
    text += "output y f32 [?]\noutput k i64 [1]\noutput b i64 [1]\n";
    graph.bytes(2, "random")
        .message(11, info("x", kFloat, "n"))
        .message(12, info("y", kFloat, "k"))
        .message(12, valueInfo("k", kInteger, {1}))
        .message(12, valueInfo("b", kInteger, {1}));
  }

  std::string getBytes() const { return model(graph, 17).data; }
  std::string text;

private:
  std::mt19937 random;
  int64_t most;
  Message graph;
  std::vector<std::string> sizes, bools, vectors;
  int64_t next = 0;

  int64_t draw(int64_t least, int64_t most) {
    return least + int64_t(random() % uint64_t(most - least + 1));
  }
  const std::string &pick(const std::vector<std::string> &from) {
    // New ones more often.
    size_t a = random() % from.size(), b = random() % from.size();
    return from[std::max(a, b)];
  }
  std::string newName() { return "v" + std::to_string(next++); }

  static Message info(const std::string &name, int32_t element, const std::string &dim) {
    Message shape = Message().message(1, Message().bytes(2, dim));
    Message type = Message().integer(1, uint64_t(element)).message(2, shape);
    return Message().bytes(1, name).message(2, Message().message(1, type));
  }
  void emitTo(Message &to, const std::string &op, const std::vector<std::string> &inputs,
              const std::string &output, const std::vector<Message> &attributes = {},
              const std::string &written = "", const std::string &second = "") {
    Message node;
    text += "node " + op;
    for (const std::string &input : inputs) {
      node.bytes(1, input);
      text += " " + (input.empty() ? "\"\"" : input);
    }
    node.bytes(2, output).bytes(3, output).bytes(4, op);
    if (!second.empty())
      node.bytes(2, second);
    for (const Message &attribute : attributes)
      node.message(5, attribute);
    text += " -> " + output + " " + second + written + "\n";
    to.message(1, node);
  }
  void emit(const std::string &op, const std::vector<std::string> &inputs,
            const std::string &output, const std::vector<Message> &attributes = {},
            const std::string &written = "") {
    emitTo(graph, op, inputs, output, attributes, written);
  }
  void addConstant(const std::string &name, std::initializer_list<int64_t> values) {
    graph.message(5, Message()
                         .integer(1, values.size())
                         .integer(2, uint64_t(kInteger))
                         .bytes(8, name)
                         .bytes(9, rawBytes<int64_t>(values)));
    text += "init " + name + " i64 [" + std::to_string(values.size()) + "] =";
    for (int64_t value : values)
      text += " " + std::to_string(value);
    text += "\n";
  }
  std::string number(int64_t least, int64_t most) {
    std::string name = newName();
    addConstant(name, {draw(least, most)});
    return name;
  }
  std::string size() { return draw(0, 2) ? pick(sizes) : number(0, most); }

  void addNode() {
    switch (draw(0, 11)) {
    case 0:
    case 1:
    case 2:
    case 3:
      return addSize();
    case 4:
    case 5:
    case 6:
      return addBool();
    case 7:
      return addBranch();
    default:
      vectors.push_back(addVector(graph));
      // What has been made has a size.
      if (draw(0, 1)) {
        sizes.push_back(newName());
        emit("Shape", {vectors.back()}, sizes.back());
      }
    }
  }

  void addSize() {
    static const char *const ops[] = {"Add", "Sub", "Min", "Max", "Mul", "Div", "Mod", "Where"};
    std::string op = ops[draw(0, bools.empty() ? 6 : 7)], a = size(), b = pick(sizes);
    if (op == "Mul" || op == "Div" || op == "Mod")
      a = pick(sizes), b = number(op == "Mul" ? 0 : 1, 5);
    std::vector<std::string> inputs{a, b};
    if (op == "Where")
      inputs.insert(inputs.begin(), pick(bools));
    else if (op == "Sub" && draw(0, 1))
      std::swap(inputs[0], inputs[1]);
    sizes.push_back(newName());
    emit(op, inputs, sizes.back());
  }

  void addBool() {
    static const char *const compares[] = {"Less", "Greater", "Equal", "LessOrEqual",
                                           "GreaterOrEqual"};
    static const char *const joins[] = {"And", "Or", "Xor"};
    std::string name = newName();
    if (bools.size() > 1 && draw(0, 1))
      emit(joins[draw(0, 2)], {pick(bools), pick(bools)}, name);
    else if (!bools.empty() && draw(0, 5) == 0)
      emit("Not", {pick(bools)}, name);
    else
      emit(compares[draw(0, 4)], {pick(sizes), size()}, name);
    bools.push_back(name);
  }

  /// A vector of floats, by nodes of this graph.
  std::string addVector(Message &to) {
    std::string name = newName();
    auto atLeastNone = [&] {
      std::string shape = newName();
      emitTo(to, "Max", {pick(sizes), "zero"}, shape);
      return shape;
    };
    switch (draw(0, 11)) {
    case 0:
      emitTo(to, "Slice", {pick(vectors), size(), size()}, name);
      break;
    case 1: {
      std::string begin = draw(0, 1) ? number(-most, -1) : size();
      emitTo(to, "Slice", {pick(vectors), begin, draw(0, 1) ? size() : number(-3, -1)}, name);
      break;
    }
    case 2:
      emitTo(to, "ConstantOfShape", {atLeastNone()}, name);
      break;
    case 3: {
      std::string sum = newName();
      emitTo(to, "ReduceSum", {pick(vectors)}, sum, {intAttribute("keepdims", 1)}, " : keepdims=1");
      emitTo(to, "Expand", {sum, atLeastNone()}, name);
      break;
    }
    case 4:
      emitTo(to, "Concat", {pick(vectors), pick(vectors)}, name, {intAttribute("axis", 0)},
             " : axis=0");
      break;
    case 5: {
      std::string pads = newName(), low = draw(0, 1) ? "zero" : atLeastNone();
      emitTo(to, "Concat", {low, atLeastNone()}, pads, {intAttribute("axis", 0)}, " : axis=0");
      emitTo(to, "Pad", {pick(vectors), pads}, name);
      break;
    }
    case 6:
      emitTo(to, "Tile", {pick(vectors), number(0, 3)}, name);
      break;
    case 7:
      emitTo(to, "Gather", {pick(vectors), pick(sizes)}, name);
      break;
    case 8:
      addLoop(to, name);
      break;
    case 9: {
      std::string found = newName(), row = newName();
      emitTo(to, "NonZero", {pick(vectors)}, found);
      emitTo(to, "Squeeze", {found, "zero"}, row);
      emitTo(to, "Cast", {row}, name, {intAttribute("to", kFloat)}, " : to=1");
      break;
    }
    case 10: {
      std::string end = newName(), positions = newName(), begin = newName(), step = newName();
      emitTo(to, "Squeeze", {pick(sizes)}, end);
      emitTo(to, "Squeeze", {"zero"}, begin);
      emitTo(to, "Squeeze", {"one"}, step);
      emitTo(to, "Range", {begin, end, step}, positions);
      emitTo(to, "Cast", {positions}, name, {intAttribute("to", kFloat)}, " : to=1");
      break;
    }
    default: {
      std::string number = newName();
      emitTo(to, "Cast", {pick(sizes)}, number, {intAttribute("to", kFloat)}, " : to=1");
      emitTo(to, "Add", {pick(vectors), number}, name);
      break;
    }
    }
    return name;
  }

  /// As many iterations as a size says: what they carry, or what they collect.
  void addLoop(Message &to, const std::string &name) {
    std::string trips = newName(), body = newName(), other = newName();
    std::string number = newName(), goesOn = newName(), carried = newName(), next = newName(),
                as = newName(), still = newName(), own = newName();
    emitTo(to, "Squeeze", {pick(sizes)}, trips);
    Message inner;
    std::string before = text;
    text.clear();
    emitTo(inner, "Cast", {number}, as, {intAttribute("to", kFloat)}, " : to=1");
    emitTo(inner, "Add", {carried, as}, next);
    emitTo(inner, "Identity", {goesOn}, still);
    emitTo(inner, "Add", {as, as}, own);
    text = before + "graph " + body + "\ninput " + number + " i64 []\ninput " + goesOn +
           " bool []\ninput " + carried + " f32 [?]\n" + text + "output " + still +
           " bool []\noutput " + next + " f32 [?]\noutput " + own + " f32 []\nend\n";
    inner.bytes(2, body)
        .message(11, valueInfo(number, kInteger, {}))
        .message(11, valueInfo(goesOn, kBool, {}))
        .message(11, info(carried, kFloat, body))
        .message(12, valueInfo(still, kBool, {}))
        .message(12, info(next, kFloat, body))
        .message(12, valueInfo(own, kFloat, {}));
    bool collects = draw(0, 1);
    emitTo(to, "Loop", {trips, "", pick(vectors)}, collects ? other : name,
           {Message().bytes(1, "body").message(6, inner).integer(20, 5)}, " : body=&" + body,
           collects ? name : other);
  }

  void addBranch() {
    if (bools.empty())
      return addBool();
    std::vector<Message> attributes;
    std::string written = " :", condition = pick(bools);
    // A graph is written before the node, and what is in it after its name.
    for (const char *side : {"then_branch", "else_branch"}) {
      std::string name = newName(), before = text;
      Message body;
      text.clear();
      std::string result = draw(0, 3) ? addVector(body) : "";
      if (result.empty()) {
        result = newName();
        emitTo(body, "Identity", {pick(vectors)}, result);
      }
      // Constants are the model's.
      std::string inits, nodes;
      for (llvm::StringRef rest = text; !rest.empty();) {
        auto [line, behind] = rest.split('\n');
        (line.starts_with("init") ? inits : nodes) += (line + "\n").str();
        rest = behind;
      }
      text =
          before + inits + "graph " + name + "\n" + nodes + "output " + result + " f32 [?]\nend\n";
      body.bytes(2, name).message(12, info(result, kFloat, name));
      attributes.push_back(Message().bytes(1, side).message(6, body).integer(20, 5));
      written += std::string(" ") + side + "=&" + name;
    }
    vectors.push_back(newName());
    emit("If", {condition}, vectors.back(), attributes, written);
  }
};

class RandomShapes : public testing::Test {
protected:
  MLIRContext context{MLIRContext::Threading::DISABLED};
  std::string messages;
  ScopedDiagnosticHandler handler{&context, [&](Diagnostic &diagnostic) {
                                    messages += diagnostic.str() + "\n";
                                    return success();
                                  }};

  OwningOpRef<ModuleOp> import(const std::string &bytes, std::optional<int64_t> size,
                               std::optional<int64_t> second, int64_t most = 0) {
    ImportOptions options;
    if (size)
      options.symbols["n"] = *size;
    else
      options.dims["n"] = {0, most, 1, -1};
    if (second && size)
      options.symbols["m"] = *second;
    else if (second)
      options.dims["m"] = {0, *second, 1, -1};
    FileResolver files = FileResolver::around("none/model.onnx");
    messages.clear();
    return importBytes(context, bytes, "model.onnx", files, options);
  }

  std::optional<SmallVector<interp::Tensor>> run(ModuleOp module) {
    auto function = module.lookupSymbol<func::FuncOp>("main");
    SmallVector<interp::Tensor> inputs;
    for (auto [i, type] : llvm::enumerate(function.getArgumentTypes()))
      inputs.push_back(
          interp::makeInput(cast<RankedTensorType>(type), 1, unsigned(i), /*integers=*/true));
    auto results = interp::evaluate(function, inputs);
    return succeeded(results) ? std::optional(*results) : std::nullopt;
  }

  /// Nothing, or what is wrong.
  std::string check(ModuleOp all, const std::string &bytes, int64_t size,
                    std::optional<int64_t> second) {
    OwningOpRef<ModuleOp> one = import(bytes, size, second);
    auto expected = one ? run(*one) : std::nullopt;
    if (!expected)
      return "";
    OwningOpRef<ModuleOp> settled = all.clone();
    graph::changeSizes(*settled, [&](const graph::Dim &dim) {
      auto sizeOf = [&](StringAttr name) {
        return name == "n" ? std::optional(size) : name == "m" ? second : std::nullopt;
      };
      return substitute(dim, sizeOf).value_or(dim);
    });
    auto found = run(*settled);
    if (!found) {
      std::string text;
      llvm::raw_string_ostream(text) << "fails: " << messages << *settled;
      return text;
    }
    std::string wrong;
    for (auto [i, own, other] : llvm::enumerate(*found, *expected)) {
      llvm::raw_string_ostream os(wrong);
      if (own.getType() != other.getType())
        os << "result " << i << " is " << own.getType() << ", expected " << other.getType() << "\n";
      else if (std::memcmp(own.bytes(), other.bytes(), size_t(own.getBytes())) != 0)
        os << "result " << i << " has other numbers, " << own.toAttr() << ", expected "
           << other.toAttr() << "\n";
    }
    return wrong;
  }
};

unsigned getNumber(const char *name, unsigned fallback) {
  const char *text = std::getenv(name);
  return text ? unsigned(std::strtoul(text, nullptr, 10)) : fallback;
}

} // namespace

TEST_F(RandomShapes, AreThoseOfEachSize) {
  unsigned first = getNumber("TW_SHAPES_SEED", 1), count = getNumber("TW_SHAPES_COUNT", 120);
  unsigned refused = 0, failures = 0;
  for (unsigned seed = first; seed < first + count && failures < 5; ++seed) {
    bool hasTwo = seed % 3 == 0;
    int64_t most = seed % 2 && !hasTwo ? kMany : kFew;
    Drawing drawing(seed, most, hasTwo);
    std::string bytes = drawing.getBytes();
    OwningOpRef<ModuleOp> all =
        import(bytes, std::nullopt, hasTwo ? std::optional(kFew) : std::nullopt, most);
    if (!all) {
      ++refused;
      // What is refused says why.
      EXPECT_TRUE(messages.find("[T01") != std::string::npos ||
                  messages.find("[T02") != std::string::npos)
          << "seed " << seed << "\n"
          << messages;
      if (std::getenv("TW_SHAPES_VERBOSE"))
        llvm::errs() << "seed " << seed << ": " << messages;
      continue;
    }
    std::string wrong;
    for (int64_t size = 0; size <= most && wrong.empty(); ++size)
      for (int64_t second = 0; second <= (hasTwo ? kFew : 0) && wrong.empty(); ++second) {
        wrong = check(*all, bytes, size, hasTwo ? std::optional(second) : std::nullopt);
        if (!wrong.empty())
          ADD_FAILURE() << "seed " << seed << ", n = " << size << " of " << most
                        << ", m = " << second << ": " << wrong << drawing.text;
      }
    failures += !wrong.empty();
  }
  llvm::outs() << "seeds " << first << " to " << first + count - 1 << ": " << refused
               << " refused\n";
  EXPECT_LT(refused, count);
}
