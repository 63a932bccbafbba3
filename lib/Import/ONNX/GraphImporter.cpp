// Imports nodes: finds their inputs and their rule, runs it, names their results.
#include "GraphImporter.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/StringSet.h"

using namespace tw;
using namespace tw::onnx;
using namespace mlir;

/// After this many errors the rest is left out: it would only repeat the first.
static constexpr unsigned maxErrors = 20;

Location GraphImporter::at(size_t number) {
  return FileLineColLoc::get(emit.ops().getContext(), fileName, static_cast<unsigned>(number),
                             number ? 1 : 0);
}

void GraphImporter::declareInitializers(const Graph &graph) {
  for (const Tensor &tensor : graph.initializers) {
    if (initializers.insert({tensor.name, &tensor}).second)
      continue;
    emit.begin(at(0), "");
    emit.error(Code::T0110) << "two initializers are named '" << tensor.name << "'";
    ++errors;
  }
}

void GraphImporter::define(llvm::StringRef name, Value value) {
  if (name.empty())
    return;
  if (initializers.contains(name) || !values.insert({name, value}).second)
    emit.error(Code::T0110) << "result '" << name << "' is already defined";
}

Value GraphImporter::takeSize(llvm::StringRef name, Value value) {
  auto range = ranges.find(name.str());
  // A loop has taken the number of rows that it collects.
  auto isTaken = [&] {
    return llvm::any_of(counted->found, [&](const auto &each) { return each.first == name; });
  };
  if (!value || range == ranges.end() || !counted || isTaken())
    return value;
  RankedTensorType type = Emitter::type(value);
  auto integer = dyn_cast<IntegerType>(type.getElementType());
  if (!integer || integer.getWidth() == 1 || type.getNumElements() != 1) {
    emit.error(Code::T0118) << "'" << name << "' is of type " << type
                            << ", expected one integer, since --dim gives it a range of values";
    return {};
  }
  if (range->second.step != 1) {
    emit.error(Code::T0118) << "the range that --dim gives the value '" << name
                            << "' has a step of " << range->second.step
                            << ", expected a range without one";
    return {};
  }
  int64_t most = range->second.max, size = counted->take(name.str(), most);
  Value given = emit.cast(emit.reshape(value, {}), emit.i64());
  (void)emit.prefix(emit.iota({most}, 0, emit.i64()), given, 0, size, /*isChecked=*/true);
  return emit.cast(emit.reshape(emit.integers({size}), type.getShape()), integer);
}

bool GraphImporter::lookUp(llvm::ArrayRef<llvm::StringRef> names,
                           llvm::SmallVectorImpl<Value> &found, bool &unknown) {
  for (llvm::StringRef name : names) {
    if (name.empty()) {
      found.push_back({});
      continue;
    }
    auto value = values.find(name);
    if (value == values.end()) {
      auto initializer = initializers.find(name);
      if (initializer == initializers.end()) {
        emit.error(Code::T0109) << "input '" << name << "' is not defined before";
        return false;
      }
      Value constant = constants.materialize(*initializer->second, emit);
      value = values.insert({name, constant}).first;
      if (!constant)
        return false;
    }
    unknown |= !value->second;
    found.push_back(value->second);
  }
  return true;
}

/// Adds what the graph's nodes read that an output follows from, those of graphs within included.
static llvm::BitVector findNeeded(const Graph &graph, llvm::StringSet<> &names) {
  llvm::BitVector needed(unsigned(graph.nodes.size()));
  for (const ValueInfo &output : graph.outputs)
    names.insert(output.name);
  for (size_t i = graph.nodes.size(); i-- > 0;) {
    const Node &node = graph.nodes[i];
    if (llvm::none_of(node.outputs, [&](llvm::StringRef name) { return names.contains(name); }))
      continue;
    needed.set(unsigned(i));
    for (llvm::StringRef name : node.inputs)
      names.insert(name);
    for (const onnx::Attribute &attribute : node.attributes)
      for (const auto &inner : attribute.graphs)
        findNeeded(*inner, names);
  }
  return needed;
}

void GraphImporter::importNodes(const Graph &graph) {
  // What nobody needs says nothing about ranges of sizes.
  llvm::StringSet<> names;
  bool leavesOut = counted && counted->hasRanges;
  llvm::BitVector needed =
      leavesOut ? findNeeded(graph, names) : llvm::BitVector(unsigned(graph.nodes.size()), true);
  for (auto [i, node] : llvm::enumerate(graph.nodes)) {
    if (!needed.test(unsigned(i)))
      continue;
    if (errors >= maxErrors) {
      emitRemark(at(0)) << "import stopped after " << errors << " errors";
      return;
    }
    importNode(node, i);
  }
}

void GraphImporter::checkArity(NodeImport &n, const Rule &rule) {
  auto range = [](Arity arity) {
    std::string text = std::to_string(arity.least);
    if (arity.most == anyNumber)
      return text + " or more";
    return arity.most == arity.least ? text : text + " to " + std::to_string(arity.most);
  };
  size_t in = n.node.inputs.size(), out = n.node.outputs.size();
  if (in < rule.inputs.least || in > rule.inputs.most)
    n.error(Code::T0104) << "expected " << range(rule.inputs) << " inputs, found " << in;
  else if (out < rule.outputs.least || out > rule.outputs.most)
    n.error(Code::T0104) << "expected " << range(rule.outputs) << " outputs, found " << out;
  for (size_t i = 0; i < std::min<size_t>(rule.inputs.least, in); ++i)
    if (!n.has(i))
      n.error(Code::T0104) << "input " << i << " is missing";
}

void GraphImporter::checkAttributes(NodeImport &n) {
  llvm::StringSet<> names;
  for (const Attribute &attribute : n.node.attributes) {
    if (!names.insert(attribute.name).second)
      n.error(Code::T0108) << "attribute '" << attribute.name << "' is given twice";
    if (!attribute.reference.empty())
      n.error(Code::T0108) << "attribute '" << attribute.name << "' stands for the attribute '"
                           << attribute.reference
                           << "' of a function, and the node is in none; give it a value";
    // The first version of the format had no kinds.
    if (!attribute.isDeclared && irVersion > 1)
      n.error(Code::T0108) << "attribute '" << attribute.name
                           << "' has no kind, expected one of AttributeType";
  }
}

Value GraphImporter::findSame(Value value) {
  Value same = found.lookup(value);
  Region *here = emit.ops().getInsertionBlock()->getParent();
  return same && same.getParentRegion()->isAncestor(here) ? same : Value();
}

void GraphImporter::importNode(const Node &node, size_t index) {
  std::string name = node.name.empty() ? "node " + std::to_string(index) : node.name.str();
  Location loc = NameLoc::get(emit.ops().getStringAttr(name), at(index + 1));
  std::string subject = displaySubject(node, index);
  emit.begin(loc, subject);

  SmallVector<Value> inputs;
  bool unknown = false, ok = lookUp(node.inputs, inputs, unknown);
  NodeImport n(node, opset, emit, inputs, constants, report, counted);
  const Rule *rule = nullptr;
  bool known = false;
  if (!node.domain.empty() && node.domain != "ai.onnx") {
    n.unsupported("", "an importer for the domain '" + node.domain + "'",
                  "operators of the default domain");
  } else if (!(rule = Registry::instance().find(node.op, opset))) {
    if (int64_t first = Registry::instance().firstVersion(node.op))
      n.unsupported("",
                    "operator set " + llvm::Twine(first) + ", the model has " + llvm::Twine(opset),
                    "a newer operator set");
    else
      n.unsupported("", "an operator of this name in ONNX", "another operator");
  } else if (!rule->import && !rule->isControl) {
    n.unsupported("", rule->needed, rule->nearest);
  } else if (ok && !unknown) {
    checkArity(n, *rule);
    checkAttributes(n);
    known = !n.failed();
    if (known && rule->isControl)
      known = importControl(n);
    else if (Value same = node.op == "NonZero" ? findSame(inputs[0]) : Value(); same && known)
      n.result(same);
    else if (known)
      rule->import(n);
    if (node.op == "Equal" && known)
      n.notesDifference();
    if (node.op == "NonZero" && known && !n.failed())
      found[inputs[0]] = n.allResults()[0];
    for (size_t i = 0; i < node.outputs.size() && known && !n.failed(); ++i)
      if (!n.allResults()[i] && n.wants(i))
        n.unsupported("output " + llvm::Twine(i), "this output to be computed",
                      "the operator without this output");
  }
  for (size_t i = 0; i < node.outputs.size() && known && !n.failed() && !ranges.empty(); ++i)
    n.result(i, takeSize(node.outputs[i], n.allResults()[i]));
  known &= !n.failed();
  if (known)
    n.notesResults();
  for (auto [i, output] : llvm::enumerate(node.outputs))
    define(output, known ? n.allResults()[i] : Value());
  errors += emit.failed();
}
