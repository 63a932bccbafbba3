// Reads kernels, draws their inputs, and runs them without a schedule.
#include "Trial.h"

#include "Lower.h"

#include "tw/Conversion/Passes.h"
#include "tw/Dialect/Graph/Graph.h"
#include "tw/Dialect/Kernel/Access.h"
#include "tw/Dialect/Kernel/AxisSets.h"
#include "tw/Dialect/Kernel/Finite.h"
#include "tw/Dialect/Kernel/Transforms/Passes.h"
#include "tw/Dialect/Kernel/ValueName.h"
#include "tw/Dialect/View/View.h"
#include "tw/Interpreter/Inputs.h"
#include "tw/Interpreter/Interpreter.h"
#include "tw/Pipeline/Compiler.h"
#include "tw/Schedule/Plan.h"
#include "tw/Support/SizeProducts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Pass/PassManager.h"

#include <cstring>
#include <limits>

using namespace mlir;
using namespace tw;
using namespace tw::fuzz;

/// Whether what the kernel loads says where it loads.
static bool readsAddresses(kernel::KernelOp kernel) {
  return llvm::any_of(kernel.getBody().front(), [](Operation &op) {
    auto cast = dyn_cast<arith::IndexCastOp>(op);
    return cast && cast.getType().isIndex();
  });
}

/// Bytes are of all values; integers that may be indices are small ones.
static void drawIntegers(interp::Tensor &tensor, bool addresses, Random &random) {
  auto type = dyn_cast<IntegerType>(tensor.getElementType());
  if (!type || type.getWidth() == 1)
    return;
  unsigned bytes = type.getWidth() / 8;
  if (bytes == 1) {
    for (int64_t i = 0; i < tensor.getNumElements(); ++i)
      tensor.bytes()[i] = char(random());
  } else if (addresses) {
    memset(tensor.bytes(), 0, tensor.getBytes());
    for (int64_t i = 0; i < tensor.getNumElements(); ++i)
      tensor.bytes()[i * bytes] = char(random() % 3);
  }
}

/// Whether sums of products with what is zero outside of a tensor are all that the kernel reduces.
static bool isConvolution(kernel::KernelOp kernel) {
  bool found = false;
  for (Operation &op : kernel.getBody().front()) {
    if (isa<kernel::ReduceOp, kernel::ScanOp>(op) || isa<arith::SelectOp>(op))
      return false;
    if (auto load = dyn_cast<kernel::LoadOp>(op))
      found |= load.getType().isF32() &&
               !kernel::isTotal(load.getMap(), kernel::getExtents(kernel, load.getIndices()),
                                cast<RankedTensorType>(load.getSource().getType())) &&
               llvm::any_of(load->getUsers(), llvm::IsaPred<kernel::ContractOp>);
  }
  return found;
}

/// Half of the convolutions have infinities and NaN in their operands; the others say that they
/// have none.
static void drawInfinite(Program &program, Call &call, Random &random) {
  if (random() % 2) {
    for (auto load : program.kernel.getBody().getOps<kernel::LoadOp>())
      load->setAttr(kernel::finiteAttrName, UnitAttr::get(load.getContext()));
    return;
  }
  constexpr float values[] = {std::numeric_limits<float>::infinity(),
                              -std::numeric_limits<float>::infinity(),
                              std::numeric_limits<float>::quiet_NaN()};
  for (interp::Tensor &input : call.inputs)
    if (input.getElementType().isF32() && input.getNumElements() > 0)
      for (int64_t i = 0; i < 1 + input.getNumElements() / 64; ++i)
        input.elements<float>()[random() % input.getNumElements()] = values[random() % 3];
}

/// The axes so that each sum's own ones come before those that it runs over, as they are where
/// possible: without a schedule they are loops in their order.
static SmallVector<unsigned> sortAxes(kernel::KernelOp kernel) {
  kernel::AxisSets sets(kernel);
  llvm::SmallBitVector placed(kernel.getNumAxes());
  SmallVector<unsigned> order;
  auto mustWait = [&](unsigned axis) {
    return llvm::any_of(kernel.getBody().front(), [&](Operation &op) {
      auto scan = dyn_cast<kernel::ScanOp>(op);
      bool runsOver = sets.reducedBy(&op)[axis] || (scan && scan.getAxis() == kernel.getAxis(axis));
      llvm::SmallBitVector own = runsOver ? sets.of(op.getResult(0)) : placed;
      own.reset(axis);
      return own.test(placed);
    });
  };
  while (order.size() < kernel.getNumAxes()) {
    std::optional<unsigned> next;
    for (unsigned axis = kernel.getNumAxes(); axis-- > 0;)
      if (!placed[axis] && (!next || !mustWait(axis) || mustWait(*next)))
        next = axis;
    placed.set(*next);
    order.push_back(*next);
  }
  return order;
}

/// Replaces the kernel by one with its axes in that order.
static kernel::KernelOp reorderAxes(kernel::KernelOp kernel, ArrayRef<unsigned> order) {
  OpBuilder builder(kernel);
  SmallVector<kernel::Extent> extents;
  SmallVector<StringRef> names;
  for (unsigned axis : order) {
    extents.push_back(kernel.getExtent(axis));
    names.push_back(kernel.getAxisName(axis));
  }
  auto sorted = kernel::KernelOp::create(builder, kernel.getLoc(), kernel->getResultTypes(),
                                         kernel.getOperands(), extents, names);
  IRMapping mapping;
  for (auto [position, axis] : llvm::enumerate(order))
    mapping.map(kernel.getAxis(axis), sorted.getAxis(position));
  for (unsigned i = 0; i < kernel.getNumOperands(); ++i)
    mapping.map(kernel.getOperandArgument(i), sorted.getOperandArgument(i));
  builder.setInsertionPointToStart(&sorted.getBody().front());
  for (Operation &op : kernel.getBody().front())
    builder.clone(op, mapping);
  kernel->replaceAllUsesWith(sorted);
  kernel->erase();
  return sorted;
}

/// Sizes within the ranges: the most, the least, and some that are drawn, none, one and primes
/// among them. One of nothing where calls settle none; none where a range is not declared.
static std::vector<llvm::StringMap<int64_t>> drawSizes(kernel::KernelOp kernel, Random &random) {
  constexpr unsigned kCalls = 6;
  auto declared =
      kernel->getParentOfType<func::FuncOp>()->getAttrOfType<DictionaryAttr>(symbolsName);
  llvm::StringMap<graph::SymbolAttr> ranges;
  SmallVector<Dim> sizes;
  for (unsigned axis = 0; axis < kernel.getNumAxes(); ++axis)
    sizes.push_back(kernel.getSize(axis));
  for (Type type : kernel->getOperandTypes())
    llvm::append_range(sizes, view::getSizes(cast<RankedTensorType>(type)));
  kernel.getBody().walk([&](kernel::SizeOp size) { sizes.push_back(size.getDim()); });
  for (const Dim &size : sizes)
    for (auto [name, factor] : size.getTerms())
      for (StringAttr base : getBases(name)) {
        auto range = declared ? declared.getAs<graph::SymbolAttr>(base) : graph::SymbolAttr();
        if (!range)
          return {};
        ranges[base] = range;
      }
  std::vector<llvm::StringMap<int64_t>> calls(ranges.empty() ? 1 : kCalls);
  for (auto [i, call] : llvm::enumerate(calls))
    for (const auto &[name, range] : ranges) {
      int64_t steps = (range.getMax() - range.getMin()) / range.getStep(), place = steps;
      constexpr int64_t few[] = {0, 1, 2, 3, 5, 7, 11, 13, 31};
      if (i == 1)
        place = 0;
      else if (i > 1 && random() % 2)
        place = std::min(few[random() % std::size(few)], steps);
      else if (i > 1)
        place = int64_t(random() % uint64_t(steps + 1));
      call[name] = range.getMin() + place * range.getStep();
    }
  return calls;
}

/// Draws what the call is given, and computes what it gives; why not, if something is in the way.
static std::string addCall(Program &program, Call call, Random &random) {
  OwningOpRef<ModuleOp> module = program.module->clone();
  if (!call.sizes.empty()) {
    SettleSizesPassOptions options;
    for (const auto &[name, size] : call.sizes)
      options.sizes.push_back((name + "=" + Twine(size)).str());
    PassManager passes(module->getContext());
    passes.addPass(createSettleSizesPass(options));
    Collector collector(module->getContext());
    if (failed(passes.run(*module)))
      return collector.text;
  }
  kernel::KernelOp kernel;
  module->walk([&](kernel::KernelOp op) { kernel = op; });
  bool addresses = readsAddresses(kernel);
  for (Type type : kernel->getOperandTypes()) {
    auto tensor = cast<RankedTensorType>(type);
    if (!interp::Tensor::isSupported(tensor))
      return "the interpreter does not take its types";
    call.inputs.push_back(interp::makeInput(tensor, random(), call.inputs.size(), true));
    drawIntegers(call.inputs.back(), addresses, random);
  }
  if (call.sizes.empty() && isConvolution(program.kernel))
    drawInfinite(program, call, random);
  Collector collector(kernel.getContext());
  auto reference = interp::evaluate(kernel, call.inputs);
  if (failed(reference))
    return collector.text;
  call.reference.assign(reference->begin(), reference->end());
  program.calls.push_back(std::move(call));
  return "";
}

static bool addProgram(kernel::KernelOp kernel, const std::string &name, const Settings &settings,
                       Random &random, std::vector<Program> &programs) {
  auto leaveOut = [&](const Twine &why) {
    llvm::outs() << "left out: " << name << ": " << why << "\n";
    return true;
  };
  Program program;
  program.name = name;
  program.own = kernel.getScheduleAttr();
  program.module = ModuleOp::create(kernel.getLoc());
  isolate(*program.module, kernel, {}, "program");
  // As the compiler does before it schedules.
  PassManager passes(kernel.getContext());
  passes.addNestedPass<func::FuncOp>(createKernelCanonicalizePass());
  if (failed(passes.run(*program.module)))
    return leaveOut("cannot be simplified");
  program.module->walk([&](kernel::KernelOp op) { program.kernel = op; });
  int64_t points = 1;
  for (int64_t extent : program.kernel.getExtents())
    points *= extent;
  if (program.kernel.getNumAxes() == 0 || points > settings.mostPoints)
    return leaveOut(Twine(points) + " points over " + Twine(program.kernel.getNumAxes()) + " axes");
  std::string why;
  if (!schedule::isLegal(program.kernel, kernel::ScheduleAttr::get(kernel.getContext(), {}), why))
    program.kernel = reorderAxes(program.kernel, sortAxes(program.kernel));
  // Each of two reductions may keep what the other one reduces.
  if (!schedule::isLegal(program.kernel, kernel::ScheduleAttr::get(kernel.getContext(), {}), why))
    return leaveOut("has no legal order of loops");
  unsigned number = 0;
  for (Operation &op : program.kernel.getBody().front())
    if (op.getNumResults() == 1 && !kernel::getValueName(&op))
      kernel::setValueName(&op, StringAttr::get(op.getContext(), "v" + std::to_string(number++)));
  std::vector<llvm::StringMap<int64_t>> calls = drawSizes(program.kernel, random);
  bool isOpen = calls.empty() || !calls.front().empty();
  if (isOpen && (calls.empty() || settings.strategies))
    return leaveOut(calls.empty() ? "a size that a call settles has no range"
                                  : "strategies propose for kernels of fixed sizes here");
  for (llvm::StringMap<int64_t> &sizes : calls) {
    Call call;
    call.sizes = std::move(sizes);
    if (std::string why = addCall(program, std::move(call), random); !why.empty())
      return leaveOut(why);
  }
  std::vector<Trial> plain(1);
  runTrials(program, plain, settings, random);
  if (!plain[0].wrong.empty()) {
    llvm::errs() << name << ": without a schedule: " << plain[0].wrong << "\n";
    return false;
  }
  programs.push_back(std::move(program));
  return true;
}

bool fuzz::readPrograms(const std::string &path, MLIRContext &context, const Settings &settings,
                        Random &random, std::vector<Program> &programs) {
  OwningOpRef<ModuleOp> module = readProgram(&context, path);
  if (!module)
    return false;
  bool good = true;
  module->walk([&](kernel::KernelOp kernel) {
    good &= addProgram(kernel, path, settings, random, programs);
  });
  return good;
}
