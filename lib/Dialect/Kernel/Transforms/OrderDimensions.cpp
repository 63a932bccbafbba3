// The pass kernel-order-dimensions: what products sum lies together in memory.
//
//   load %x[%n, %c, %p + %r - 1, %q + %s - 1]        load %x[%n, %p + %r - 1, %q + %s - 1, %c]
//   load %w[%o, %c, %r, %s]                      ->  load %w[%o, %r, %s, %c]
//   contract over (%c, %r, %s)                       contract over (%c, %r, %s)
//
// Kernels name elements by maps, so the order of a tensor's dimensions is that of its type and of
// the results of its maps.
#include "tw/Dialect/Kernel/Access.h"
#include "tw/Dialect/Kernel/AxisSets.h"
#include "tw/Dialect/Kernel/Blocks.h"
#include "tw/Dialect/Kernel/Transforms/Orders.h"
#include "tw/Dialect/Kernel/Transforms/Passes.h"

#include "tw/Dialect/Graph/Graph.h"
#include "tw/Support/Diagnostics.h"

#include "mlir/AsmParser/AsmParser.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace tw {
#define GEN_PASS_DEF_KERNELORDERDIMENSIONSPASS
#include "tw/Dialect/Kernel/Transforms/Passes.h.inc"
} // namespace tw

using namespace mlir;
using namespace tw;
using namespace tw::kernel;

namespace {

using Order = DimensionOrder;

/// What a dimension of an operand is to the product that reads it.
enum class Role {
  Summed, ///< the coordinate is an axis that is summed
  Free,   ///< it comes from axes of this operand alone that are kept
  Window, ///< from both
  Other
};

/// A load that a product multiplies, and the roles of the tensor's dimensions.
struct Operand {
  mutable LoadOp load;
  SmallVector<Role> roles;

  Value getAxis(unsigned dim) const {
    auto expr = dyn_cast<AffineDimExpr>(load.getMap().getMap().getResult(dim));
    return expr ? load.getIndices()[expr.getPosition()] : Value();
  }
};

/// The loads that a factor of a product comes from, through operations of single points.
SmallVector<LoadOp> findLoads(Value factor) {
  SmallVector<LoadOp> loads;
  llvm::SetVector<Operation *> found;
  auto add = [&](Value value) {
    if (Operation *op = value.getDefiningOp())
      found.insert(op);
  };
  add(factor);
  for (size_t next = 0; next < found.size(); ++next) {
    if (auto load = dyn_cast<LoadOp>(found[next]))
      loads.push_back(load);
    else if (!isa<ReduceOp, ContractOp, ScanOp>(found[next]))
      llvm::for_each(found[next]->getOperands(), add);
  }
  return loads;
}

Role getRole(AffineExpr expr, LoadOp load, const llvm::SmallBitVector &summed,
             const llvm::SmallBitVector &shared) {
  bool sums = false, keeps = false, others = false;
  expr.walk([&](AffineExpr part) {
    auto dim = dyn_cast<AffineDimExpr>(part);
    if (!dim)
      return;
    Value index = load.getIndices()[dim.getPosition()];
    if (!isAxis(index)) {
      others = true;
      return;
    }
    unsigned axis = cast<BlockArgument>(index).getArgNumber();
    sums |= summed.test(axis);
    keeps |= !summed.test(axis) && !shared.test(axis);
    others |= !summed.test(axis) && shared.test(axis);
  });
  if (others || (!sums && !keeps))
    return Role::Other;
  if (sums && keeps)
    return Role::Window;
  return keeps ? Role::Free : isa<AffineDimExpr>(expr) ? Role::Summed : Role::Other;
}

/// A product that units may take.
struct Product {
  KernelOp kernel;
  double points = 1;
  /// Of bytes, which units read best where what is summed lies innermost, or there alone.
  bool isOfBytes = false;
  /// By threads, which copy operands in sectors as they lie: only a constant may lie better.
  bool isByThreads = false;
  SmallVector<Operand> sides[2];

  Product(KernelOp kernel, ContractOp contract, const AxisSets &sets) : kernel(kernel) {
    llvm::SmallBitVector summed = sets.reducedBy(contract), shared = sets.of(contract.getLhs());
    llvm::SmallBitVector all = shared;
    all |= sets.of(contract.getRhs());
    shared &= sets.of(contract.getRhs());
    points = double(sets.points(all));
    isOfBytes = contract.getLhs().getType().getIntOrFloatBitWidth() == 8;
    Value factors[] = {contract.getLhs(), contract.getRhs()};
    for (auto [factor, side] : llvm::zip_equal(factors, sides)) {
      for (LoadOp load : findLoads(factor)) {
        Operand &operand = side.emplace_back(Operand{load, {}});
        for (AffineExpr expr : load.getMap().getMap().getResults())
          operand.roles.push_back(getRole(expr, load, summed, shared));
      }
    }
  }
};

/// The dimension that lies innermost where units read the operand best: a summed one. That it is
/// not there matters if rows along it are windows, if kept dimensions lie on both sides of it, or
/// of bytes.
std::optional<unsigned> findWish(const Operand &operand, bool isOfBytes) {
  ArrayRef<Role> roles = operand.roles;
  auto type = cast<RankedTensorType>(operand.load.getSource().getType());
  if (roles.empty())
    return std::nullopt;
  if (roles.back() == Role::Summed)
    return roles.size() - 1;
  std::optional<unsigned> wish;
  for (unsigned i = 0; i < roles.size(); ++i)
    if (roles[i] == Role::Summed && (!wish || type.getDimSize(i) >= type.getDimSize(*wish)))
      wish = i;
  if (!wish)
    return std::nullopt;
  auto isKept = [&](unsigned i) { return roles[i] == Role::Free && type.getDimSize(i) > 1; };
  bool before = false, behind = false;
  for (unsigned i = 0; i < roles.size(); ++i)
    (i < *wish ? before : behind) |= isKept(i);
  bool matters = isOfBytes || llvm::is_contained(roles, Role::Window) || (before && behind);
  return matters ? wish : std::nullopt;
}

/// A kernel that makes `value` in another order.
Value createOrdered(Value value, const Order &order) {
  OpBuilder builder(value.getContext());
  builder.setInsertionPointAfterValue(value);
  RankedTensorType type = getPlainType(value);
  SmallVector<Extent> extents;
  SmallVector<std::string> names;
  for (int64_t size : type.getShape()) {
    extents.push_back(Extent(size, size));
    names.push_back(std::string(1, char('i' + names.size() % 16)));
  }
  SmallVector<StringRef> references(names.begin(), names.end());
  auto kernel =
      KernelOp::create(builder, value.getLoc(), permute(type, order), value, extents, references);
  kernel.setSymHint("order");
  builder.setInsertionPointToStart(&kernel.getBody().front());
  SmallVector<Value> axes(kernel.getAxes());
  AffineMap identity = builder.getMultiDimIdentityMap(unsigned(type.getRank()));
  Value element = createLoad(builder, value.getLoc(), kernel, kernel.getOperandArgument(0),
                             view::MapAttr::get(identity), axes);
  StoreOp::create(builder, value.getLoc(), element, ValueRange(axes), int64_t(0),
                  permute(identity, order));
  return kernel.getResult(0);
}

/// By tensor and dimension, the points of products that would have it innermost.
using Wishes = llvm::MapVector<Value, SmallVector<double>>;

/// The axes that a coordinate depends on, but for those that are reduced.
llvm::SmallBitVector getKeptAxes(KernelOp kernel, AffineExpr expr, ValueRange indices,
                                 const llvm::SmallBitVector &stored) {
  llvm::SmallBitVector axes(kernel.getNumAxes());
  expr.walk([&](AffineExpr part) {
    if (auto dim = dyn_cast<AffineDimExpr>(part))
      if (auto axis = dyn_cast<BlockArgument>(indices[dim.getPosition()]))
        axes.set(axis.getArgNumber());
  });
  axes &= stored;
  return axes;
}

/// What a kernel without products reads point by point, or in windows, would best be in the order
/// of its result.
void passOn(KernelOp kernel, Wishes &wishes) {
  for (auto store : kernel.getBody().getOps<StoreOp>()) {
    auto wish = wishes.find(kernel.getResult(store.getResultNumber()));
    if (wish == wishes.end())
      continue;
    SmallVector<double> ofResult = wish->second;
    llvm::SmallBitVector stored(kernel.getNumAxes());
    for (Value index : store.getIndices())
      if (auto axis = dyn_cast<BlockArgument>(index))
        stored.set(axis.getArgNumber());
    for (auto load : kernel.getBody().getOps<LoadOp>()) {
      unsigned number = cast<BlockArgument>(load.getSource()).getArgNumber();
      Value tensor = kernel->getOperand(number - kernel.getNumAxes());
      AffineMap from = load.getMap().getMap(), to = store.getMap();
      if (!mayReorder(tensor) || !getPlainType(tensor) || from.getNumResults() != ofResult.size() ||
          !llvm::all_of(llvm::zip_equal(from.getResults(), to.getResults()), [&](auto pair) {
            auto [read, written] = pair;
            return getKeptAxes(kernel, read, load.getIndices(), stored) ==
                   getKeptAxes(kernel, written, store.getIndices(), stored);
          }))
        continue;
      SmallVector<double> &ofTensor = wishes[tensor];
      ofTensor.resize(ofResult.size());
      for (auto [sum, more] : llvm::zip_equal(ofTensor, ofResult))
        sum += more;
    }
  }
}

struct Orderer {
  /// Types of factors that units multiply, and that threads do.
  SmallVector<Type> elements, ofThreads;
  llvm::DenseMap<std::pair<Value, Attribute>, Value> constants;

  static bool isTaken(ContractOp contract, ArrayRef<Type> types) {
    Type sum = contract.getResult().getType();
    return (sum.isF32() || sum.isInteger(32)) &&
           llvm::is_contained(types, contract.getLhs().getType()) &&
           llvm::is_contained(types, contract.getRhs().getType());
  }

  SmallVector<Product> findProducts(ArrayRef<KernelOp> kernels) const {
    SmallVector<Product> products;
    for (KernelOp kernel : kernels) {
      std::optional<AxisSets> sets;
      for (auto contract : kernel.getBody().getOps<ContractOp>()) {
        bool isByUnits = isTaken(contract, elements);
        if (kernel.getSchedule() || (!isByUnits && !isTaken(contract, ofThreads)))
          continue;
        if (!sets)
          sets.emplace(kernel);
        products.emplace_back(kernel, contract, *sets);
        products.back().isByThreads = !isByUnits;
      }
    }
    return products;
  }

  void orderResults(ArrayRef<KernelOp> kernels) const;
  void orderConstants(Product &product);
};

Value getRead(const Product &product, LoadOp load) {
  unsigned number = cast<BlockArgument>(load.getSource()).getArgNumber();
  return product.kernel->getOperand(number - KernelOp(product.kernel).getNumAxes());
}

/// Each result gets the innermost dimension that most of its products would have.
void Orderer::orderResults(ArrayRef<KernelOp> kernels) const {
  Wishes wishes;
  for (const Product &product : findProducts(kernels))
    for (const auto &side : product.isByThreads ? ArrayRef<SmallVector<Operand>>() : product.sides)
      for (const Operand &operand : side) {
        Value tensor = getRead(product, operand.load);
        std::optional<unsigned> wish = findWish(operand, product.isOfBytes);
        if (!wish || !mayReorder(tensor) || !getPlainType(tensor))
          continue;
        SmallVector<double> &ofTensor = wishes[tensor];
        ofTensor.resize(operand.roles.size());
        ofTensor[*wish] += product.points;
      }
  for (KernelOp kernel : llvm::reverse(kernels))
    if (!kernel.getSchedule() && kernel.getBody().getOps<ContractOp>().empty())
      passOn(kernel, wishes);
  for (auto &[tensor, ofTensor] : wishes) {
    unsigned inner = llvm::max_element(ofTensor) - ofTensor.begin();
    if (inner + 1 == ofTensor.size())
      continue;
    Order order;
    for (unsigned i = 0; i < ofTensor.size(); ++i)
      if (i != inner)
        order.push_back(i);
    order.push_back(inner);
    reorder(tensor, order);
  }
}

/// A constant has, of the dimensions that are summed, the one last that the other factor has
/// innermost; of bytes that one is the last of all. Threads copy as well along what is kept.
void Orderer::orderConstants(Product &product) {
  for (unsigned side : {0, 1})
    for (const Operand &weights : product.sides[side]) {
      Value tensor = getRead(product, weights.load);
      const auto &others = product.sides[1 - side];
      if (!tensor.getDefiningOp<graph::ConstantOp>() || !getPlainType(tensor) ||
          others.size() != 1 || others[0].roles.empty() || others[0].roles.back() != Role::Summed ||
          (product.isByThreads && weights.roles.back() != Role::Summed))
        continue;
      Value inner = others[0].getAxis(others[0].roles.size() - 1);
      std::optional<unsigned> from, to;
      for (unsigned i = 0; i < weights.roles.size(); ++i)
        if (weights.roles[i] == Role::Summed) {
          to = i;
          if (weights.getAxis(i) == inner)
            from = i;
        }
      if (product.isOfBytes)
        to = weights.roles.size() - 1;
      if (!from || *from == *to)
        continue;
      Order order;
      for (unsigned i = 0; i < weights.roles.size(); ++i) {
        if (i != *from)
          order.push_back(i);
        if (i == *to)
          order.push_back(*from);
      }
      KernelOp kernel = product.kernel;
      unsigned number =
          cast<BlockArgument>(weights.load.getSource()).getArgNumber() - kernel.getNumAxes();
      bool onlyLoads = llvm::all_of(kernel.getOperandArgument(number).getUsers(),
                                    [](Operation *user) { return isa<LoadOp>(user); });
      if (!onlyLoads)
        continue;
      SmallVector<int64_t> key(order.begin(), order.end());
      Value &ordered = constants[{tensor, DenseI64ArrayAttr::get(tensor.getContext(), key)}];
      if (!ordered)
        ordered = createOrdered(tensor, order);
      kernel->setOperand(number, ordered);
      reorderReads(kernel, number, cast<RankedTensorType>(ordered.getType()), order);
    }
}

struct KernelOrderDimensionsPass
    : tw::impl::KernelOrderDimensionsPassBase<KernelOrderDimensionsPass> {
  using KernelOrderDimensionsPassBase::KernelOrderDimensionsPassBase;

  void runOnOperation() override {
    Orderer orderer;
    if (failed(parse(elements, "elements", orderer.elements)) ||
        failed(parse(constants, "constants", orderer.ofThreads)))
      return signalPassFailure();
    SmallVector<KernelOp> kernels;
    for (Block *block : getProgramBlocks(getOperation()))
      llvm::append_range(kernels, block->getOps<KernelOp>());
    orderer.orderResults(kernels);
    for (Product &product : orderer.findProducts(kernels))
      orderer.orderConstants(product);
  }

  LogicalResult parse(ArrayRef<std::string> names, StringRef option, SmallVectorImpl<Type> &types) {
    for (const std::string &name : names) {
      types.push_back(parseType(name, &getContext()));
      if (!types.back())
        return tw::emitError(getOperation().getLoc(), Code::T0602)
               << "kernel-order-dimensions: expected types as " << option << ", found '" << name
               << "'";
    }
    return success();
  }
};

} // namespace
