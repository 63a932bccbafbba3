// wgmma: products of four subgroups whose operands lie in local memory.
//
// Source: PTX ISA 9.0, sections 9.7.15.5 (matrix descriptors and layouts without swizzling) and
// 9.7.15.7 (the instructions). Eight runs one behind the other are a core matrix. The distance of
// core matrices along the depth is the leading offset, along rows or columns the stride offset.
#include "Products.h"

#include "llvm/Support/raw_ostream.h"

using namespace tw;

uint64_t tw::ptx::describeOperand(const LocalOperand &operand) {
  constexpr int64_t together = 8 * LocalOperand::runBytes;
  auto encode = [](int64_t bytes) { return uint64_t(bytes / LocalOperand::runBytes); };
  if (operand.swizzle) {
    // Eight rows are a pattern; across, patterns lie one behind the other.
    uint64_t code = operand.swizzle == 128 ? 1 : operand.swizzle == 64 ? 2 : 3;
    uint64_t leading = operand.alongDepth ? 1 : encode(operand.step);
    return leading << 16 | encode(8 * operand.swizzle) << 32 | code << 62;
  }
  uint64_t leading = encode(operand.alongDepth ? operand.step : together);
  uint64_t stride = encode(operand.alongDepth ? together : operand.step);
  return leading << 16 | stride << 32;
}

/// One text, so that nothing comes between products that touches their registers while they run.
std::string tw::ptx::writeProducts(const MatrixUnit &unit, llvm::ArrayRef<LocalProduct> products,
                                   const LocalProductOperands &operands, OpenProducts open) {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << "{\n.reg .pred adds, begins;\n.reg .b64 lhs, rhs;\nsetp.ne.b32 adds, 1, 0;\n";
  if (!products.front().adds)
    out << "setp.ne.b32 begins, 0, 0;\n";
  out << "wgmma.fence.sync.aligned;\n";
  auto describe = [&](llvm::StringRef name, unsigned number, int64_t bytes) {
    out << "add.s64 " << name << ", $" << number << ", " << bytes / LocalOperand::runBytes << ";\n";
  };
  auto list = [&](llvm::ArrayRef<unsigned> numbers) {
    out << '{';
    llvm::interleaveComma(numbers, out, [&](unsigned number) { out << '$' << number; });
    out << "}, ";
  };
  for (const LocalProduct &product : products) {
    if (operands.lhs)
      describe("lhs", operands.lhsNumber, product.lhs);
    describe("rhs", operands.rhsNumber, product.rhs);
    out << unit.intrinsic << ' ';
    list(product.sums);
    if (operands.lhs)
      out << "lhs, ";
    else
      list(product.words);
    out << "rhs, " << (product.adds ? "adds" : "begins");
    // Signs of floats; sides of those of 16 bits.
    if (unit.results == format::ElementType::F32)
      out << ", 1, 1";
    if (!unit.readsAlongDepth && operands.lhs)
      out << ", " << int(!operands.lhs->alongDepth);
    if (!unit.readsAlongDepth)
      out << ", " << int(!operands.rhs.alongDepth);
    out << ";\n";
  }
  out << "wgmma.commit_group.sync.aligned;\n";
  if (open != OpenProducts::All)
    out << "wgmma.wait_group.sync.aligned " << int(open == OpenProducts::Alone) << ";\n";
  out << '}';
  return text;
}
