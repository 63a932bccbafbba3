// Buffers that a kernel only reads, as texel buffers.
//
// A texel is one word of 32 bits, or four where most of them are used: loads of one block whose
// addresses differ by constants share the texels they lie in.
#include "tw/Target/SPIRV/Pipeline.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVDialect.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

#include <map>
#include <set>
#include <tuple>

using namespace mlir;

namespace {

/// Words of a wide texel.
constexpr int64_t kWords = 4;

/// Elements of a word of a texel buffer; 0 if there are none. Formats of 32-bit words are those
/// that every driver has.
int64_t getWordElements(Type element) {
  bool isHeld = element.isF32() || element.isSignlessInteger(8) || element.isSignlessInteger(16) ||
                element.isSignlessInteger(32);
  return isHeld ? 32 / element.getIntOrFloatBitWidth() : 0;
}

/// An index as a sum of values times constants, and a constant.
struct Sum {
  std::map<void *, int64_t> factors;
  int64_t constant = 0;
  /// Operations that are still looked through: operands that are used again are seen again.
  unsigned budget = 256;

  void add(Value value, int64_t factor) {
    APInt number;
    if (matchPattern(value, m_ConstantInt(&number))) {
      constant += factor * number.getSExtValue();
      return;
    }
    if (budget == 0) {
      factors[value.getAsOpaquePointer()] += factor;
      return;
    }
    --budget;
    if (auto op = value.getDefiningOp<arith::AddIOp>()) {
      add(op.getLhs(), factor);
      return add(op.getRhs(), factor);
    }
    if (auto op = value.getDefiningOp<arith::SubIOp>()) {
      add(op.getLhs(), factor);
      return add(op.getRhs(), -factor);
    }
    if (auto op = value.getDefiningOp<arith::MulIOp>();
        op && matchPattern(op.getRhs(), m_ConstantInt(&number)))
      return add(op.getLhs(), factor * number.getSExtValue());
    factors[value.getAsOpaquePointer()] += factor;
  }
};

/// The powers of two that are known to divide an index, up to that of the largest texel. Looks
/// through `depth` operations.
unsigned countZeros(Value value, unsigned depth = 8) {
  constexpr unsigned most = 4;
  if (depth-- == 0)
    return 0;
  auto count = [&](Value operand) { return countZeros(operand, depth); };
  APInt number;
  if (matchPattern(value, m_ConstantInt(&number)))
    return std::min(most, number.countr_zero());
  Operation *op = value.getDefiningOp();
  if (isa_and_present<arith::AddIOp, arith::SubIOp>(op))
    return std::min(count(op->getOperand(0)), count(op->getOperand(1)));
  if (isa_and_present<arith::MulIOp>(op))
    return std::min(most, count(op->getOperand(0)) + count(op->getOperand(1)));
  if (isa_and_present<arith::SelectOp>(op))
    return std::min(count(op->getOperand(1)), count(op->getOperand(2)));
  auto argument = dyn_cast<BlockArgument>(value);
  auto loop = argument ? dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp()) : scf::ForOp();
  if (loop && value == loop.getInductionVar())
    return std::min(count(loop.getLowerBound()), count(loop.getStep()));
  return 0;
}

/// Loads of a block that lie in one wide texel if what their addresses have in common begins one.
struct Group {
  SmallVector<memref::LoadOp> loads;
  /// The place of each among the elements of the texel.
  SmallVector<int64_t> places;
  bool isAligned = true;
};

/// The loads of a buffer by the texels of `elements` that they lie in, in order.
SmallVector<Group> groupLoads(BlockArgument buffer, int64_t elements) {
  using Key = std::tuple<Block *, std::map<void *, int64_t>, int64_t>;
  std::map<Key, size_t> known;
  SmallVector<Group> groups;
  // Users are listed last first.
  SmallVector<Operation *> users(buffer.getUsers());
  llvm::sort(users, [](Operation *a, Operation *b) {
    return a->getBlock() == b->getBlock() ? a->isBeforeInBlock(b) : a->getBlock() < b->getBlock();
  });
  for (Operation *op : users) {
    auto load = cast<memref::LoadOp>(op);
    Sum sum;
    sum.add(load.getIndices()[0], 1);
    int64_t texel = llvm::divideFloorSigned(sum.constant, elements);
    auto [at, isNew] = known.try_emplace({op->getBlock(), sum.factors, texel}, groups.size());
    if (isNew)
      groups.emplace_back();
    Group &group = groups[at->second];
    group.loads.push_back(load);
    group.places.push_back(sum.constant - texel * elements);
    for (auto [value, factor] : sum.factors)
      group.isAligned &= (factor << countZeros(Value::getFromOpaquePointer(value))) % elements == 0;
  }
  return groups;
}

/// Whether wide texels are read for most of what they hold: one costs as much as about two words.
bool readsWide(ArrayRef<Group> groups, int64_t wordElements) {
  size_t words = 0;
  for (const Group &group : groups) {
    std::set<int64_t> used;
    for (int64_t place : group.places)
      used.insert(place / wordElements);
    words += used.size();
    if (!group.isAligned)
      return false;
  }
  return words > 2 * groups.size();
}

class TexelReader {
public:
  TexelReader(gpu::GPUFuncOp kernel, BlockArgument buffer)
      : kernel(kernel), buffer(buffer),
        element(cast<MemRefType>(buffer.getType()).getElementType()),
        wordElements(getWordElements(element)),
        word(element.isF32() ? element : IntegerType::get(element.getContext(), 32)),
        builder(OpBuilder::atBlockBegin(&kernel.getBody().front())) {}

  void run() {
    int64_t wide = kWords * wordElements;
    SmallVector<Group> groups = groupLoads(buffer, wide);
    // A buffer ends with a texel.
    bool isWhole = cast<MemRefType>(buffer.getType()).getNumElements() % wide == 0;
    bool isWide = isWhole && readsWide(groups, wordElements);
    spirv::GlobalVariableOp variable = declare(isWide);
    Location location = kernel.getLoc();
    texels = spirv::LoadOp::create(builder, location,
                                   spirv::AddressOfOp::create(builder, location, variable));
    for (const Group &group : groups) {
      if (isWide)
        readWide(group);
      else
        for (memref::LoadOp load : group.loads)
          readWord(load);
    }
  }

private:
  /// A variable at the binding of the buffer.
  spirv::GlobalVariableOp declare(bool isWide) {
    using Format = spirv::ImageFormat;
    Format format = word.isF32() ? (isWide ? Format::Rgba32f : Format::R32f)
                                 : (isWide ? Format::Rgba32ui : Format::R32ui);
    auto image = spirv::ImageType::get(word, spirv::Dim::Buffer, spirv::ImageDepthInfo::NoDepth,
                                       spirv::ImageArrayedInfo::NonArrayed,
                                       spirv::ImageSamplingInfo::SingleSampled,
                                       spirv::ImageSamplerUseInfo::NoSampler, format);
    auto type = spirv::PointerType::get(image, spirv::StorageClass::UniformConstant);
    unsigned binding = buffer.getArgNumber();
    OpBuilder before(kernel);
    auto variable = spirv::GlobalVariableOp::create(
        before, kernel.getLoc(), type, (kernel.getName() + "_texels_" + Twine(binding)).str(),
        /*descriptorSet=*/0, binding);
    variable->setAttr(spirv::SPIRVDialect::getAttributeName(spirv::Decoration::NonWritable),
                      builder.getUnitAttr());
    return variable;
  }

  /// The texel of so many elements in which the element at `index` lies.
  Value readTexel(Value index, int64_t elements) {
    if (elements != 1)
      index =
          arith::ShRSIOp::create(builder, location, index, makeConstant(llvm::Log2_64(elements)));
    return spirv::ImageReadOp::create(builder, location, VectorType::get(kWords, word), texels,
                                      index, spirv::ImageOperandsAttr(), ValueRange());
  }

  Value takeWord(Value texel, int64_t place) {
    return spirv::CompositeExtractOp::create(builder, location, texel,
                                             ArrayRef<int32_t>{int32_t(place)});
  }

  void moveTo(memref::LoadOp load) {
    builder.setInsertionPoint(load);
    location = load.getLoc();
  }

  void replace(memref::LoadOp load, Value value) {
    load.replaceAllUsesWith(value);
    load.erase();
  }

  Value makeIndex(memref::LoadOp load) {
    return arith::IndexCastOp::create(builder, location, builder.getI32Type(),
                                      load.getIndices()[0]);
  }

  /// memref.load %x[%i] -> the first component of texel %i, or a part of it.
  void readWord(memref::LoadOp load) {
    moveTo(load);
    Value index = makeIndex(load);
    Value value = takeWord(readTexel(index, wordElements), 0);
    if (wordElements != 1) {
      Value place = arith::AndIOp::create(builder, location, index, makeConstant(wordElements - 1));
      value = takeElement(
          value, arith::MulIOp::create(builder, location, place, makeConstant(32 / wordElements)));
    }
    replace(load, value);
  }

  /// One texel where the first load stands, of which each load takes its element.
  void readWide(const Group &group) {
    moveTo(group.loads.front());
    Value texel = readTexel(makeIndex(group.loads.front()), kWords * wordElements);
    for (auto [load, place] : llvm::zip_equal(group.loads, group.places)) {
      moveTo(load);
      Value value = takeWord(texel, place / wordElements);
      if (wordElements != 1)
        value = takeElement(value, makeConstant(place % wordElements * (32 / wordElements)));
      replace(load, value);
    }
  }

  Value takeElement(Value word, Value shift) {
    Value moved = arith::ShRUIOp::create(builder, location, word, shift);
    return arith::TruncIOp::create(builder, location, element, moved);
  }

  Value makeConstant(int64_t value) {
    return arith::ConstantOp::create(builder, location, builder.getI32IntegerAttr(value));
  }

  gpu::GPUFuncOp kernel;
  BlockArgument buffer;
  Type element;
  int64_t wordElements;
  Type word;
  OpBuilder builder;
  Location location = UnknownLoc::get(kernel.getContext());
  Value texels;
};

/// Whether the kernel has the buffer for nothing but to load elements that texels hold.
bool isReadAsTexels(BlockArgument argument) {
  auto buffer = dyn_cast<MemRefType>(argument.getType());
  return buffer && buffer.getRank() == 1 && buffer.getLayout().isIdentity() &&
         getWordElements(buffer.getElementType()) != 0 && !argument.use_empty() &&
         llvm::all_of(argument.getUsers(), [](Operation *op) { return isa<memref::LoadOp>(op); });
}

} // namespace

LogicalResult tw::spv::readAsTexels(gpu::GPUFuncOp kernel) {
  llvm::BitVector read(kernel.getNumArguments());
  for (BlockArgument argument : kernel.getBody().front().getArguments())
    if (isReadAsTexels(argument)) {
      TexelReader(kernel, argument).run();
      read.set(argument.getArgNumber());
    }
  return kernel.eraseArguments(read);
}
