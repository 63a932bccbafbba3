// Sums of symbols as equations, and products of sizes as arithmetic of a program.
#include "SizeWriter.h"

#include "tw/Dialect/Graph/Graph.h"
#include "tw/Support/SizeProducts.h"

using namespace mlir;
using namespace tw;

unsigned KernelSizes::getScalar(const Dim &dim) {
  auto *it = llvm::find(scalars, dim);
  unsigned position = it - scalars.begin();
  if (it == scalars.end())
    scalars.push_back(dim);
  return position;
}

static bool isMadeOf(StringAttr name, StringAttr base) {
  return llvm::is_contained(getBases(name), base);
}

void SizeWriter::solve(StringAttr name, StringAttr unknown, uint32_t value) {
  if (name == unknown) {
    format::Symbol &symbol = table[free[name] = value];
    symbol.name = name.str();
    if (auto range = ranges ? ranges.getAs<graph::SymbolAttr>(name) : graph::SymbolAttr())
      std::tie(symbol.min, symbol.max, symbol.multiple) =
          std::tuple(range.getMin(), range.getMax(), range.getStep());
    return;
  }
  if (std::optional<SizeQuotient> quotient = getQuotient(name))
    return solve(quotient->numerator, unknown,
                 table.derive(format::Opcode::Mul, value, table.constant(quotient->divisor)));
  SmallVector<StringAttr, 2> factors = getFactors(name);
  for (StringAttr factor : factors)
    if (!isMadeOf(factor, unknown))
      value = table.derive(format::Opcode::FloorDiv, value, getFree(factor));
  solve(*llvm::find_if(factors, [&](StringAttr factor) { return isMadeOf(factor, unknown); }),
        unknown, value);
}

void SizeWriter::solve(const Dim &dim, StringAttr unknown, uint32_t value) {
  auto [name, factor] = *llvm::find_if(
      dim.getTerms(), [&](const Dim::Term &term) { return isMadeOf(term.first, unknown); });
  Dim rest = dim - Dim::symbol(name, factor);
  if (factor < 0)
    value = table.derive(format::Opcode::Sub, getSymbol(rest), value);
  else if (!rest.isStatic() || rest.getConstant() > 0)
    value = table.derive(format::Opcode::Sub, value, getSymbol(rest));
  else if (rest.getConstant() < 0)
    value = table.derive(format::Opcode::Add, value, table.constant(-rest.getConstant()));
  if (std::abs(factor) != 1)
    value = table.derive(format::Opcode::FloorDiv, value, table.constant(std::abs(factor)));
  solve(name, unknown, value);
}

void SizeWriter::settle(ArrayRef<RankedTensorType> arguments) {
  SmallVector<Dim> sizes;
  for (RankedTensorType type : arguments) {
    llvm::append_range(sizes, view::getSizes(type));
    llvm::append_range(sizes, view::getStorageSizes(type));
  }
  for (const auto &[size, unknown] : findSolutions(sizes, given)) {
    format::Symbol symbol;
    symbol.name = toString(size);
    if (size.getConstant() == 0 && size.getTerms().size() == 1)
      symbol.multiple = std::abs(size.getTerms().front().second);
    uint32_t value = table.add(std::move(symbol));
    solve(size, unknown, value);
    checks.emplace_back(getSymbol(size), value);
    measured.emplace_back(size, value);
  }
}

const format::Symbol *SizeWriter::findUnsettled() const {
  size_t first = list().size();
  for (auto [name, index] : free)
    if (list()[index].equation == 0 && !given.contains(name))
      first = std::min<size_t>(first, index);
  return first < list().size() ? &list()[first] : nullptr;
}

/// Those that no size has are not in the module: no argument would settle them.
uint32_t SizeWriter::getFree(StringAttr name) {
  auto [it, isNew] = free.try_emplace(name, 0);
  if (!isNew)
    return it->second;
  if (SmallVector<StringAttr, 2> factors = getFactors(name); factors.size() > 1) {
    uint32_t product = getFree(factors.front());
    for (StringAttr factor : llvm::drop_begin(factors))
      product = table.derive(format::Opcode::Mul, product, getFree(factor));
    return free[name] = product;
  }
  if (std::optional<SizeQuotient> quotient = getQuotient(name)) {
    uint32_t numerator = getSymbol(quotient->numerator);
    return free[name] =
               table.derive(format::Opcode::FloorDiv, numerator, table.constant(quotient->divisor),
                            toString(Dim::symbol(name)));
  }
  if (std::optional<SizeLeast> least = getLeast(name)) {
    uint32_t first = getSymbol(least->first);
    return free[name] = table.derive(format::Opcode::Min, first, getSymbol(least->second),
                                     toString(Dim::symbol(name)));
  }
  format::Symbol symbol;
  symbol.name = name.str();
  if (auto range = ranges ? ranges.getAs<graph::SymbolAttr>(name) : graph::SymbolAttr()) {
    symbol.min = range.getMin();
    symbol.max = range.getMax();
    symbol.multiple = range.getStep();
  }
  return free[name] = table.add(std::move(symbol));
}

/// Whether all terms are taken off a number.
static bool isConstantFirst(const Dim &dim) {
  return llvm::all_of(dim.getTerms(), [](const Dim::Term &term) { return term.second < 0; });
}

uint32_t SizeWriter::getSymbol(const Dim &dim) {
  auto *known = llvm::find_if(measured, [&](const auto &each) { return each.first == dim; });
  if (known != measured.end())
    return known->second;
  // A size is not negative, nor is what comes before it: what is taken off comes last.
  std::optional<uint32_t> sum;
  for (bool isAdded : {true, false}) {
    for (auto [name, factor] : dim.getTerms()) {
      if ((factor > 0) != isAdded)
        continue;
      uint32_t term = getFree(name);
      if (std::abs(factor) != 1)
        term = table.derive(format::Opcode::Mul, term, table.constant(std::abs(factor)));
      if (sum)
        sum = table.derive(isAdded ? format::Opcode::Add : format::Opcode::Sub, *sum, term);
      else
        sum = isAdded ? term
                      : table.derive(format::Opcode::Sub, table.constant(dim.getConstant()), term);
    }
    bool isFirst = !sum;
    int64_t rest =
        isAdded ? std::max<int64_t>(dim.getConstant(), 0) : std::min<int64_t>(dim.getConstant(), 0);
    if (!isFirst && rest != 0 && !isConstantFirst(dim))
      sum = table.derive(isAdded ? format::Opcode::Add : format::Opcode::Sub, *sum,
                         table.constant(std::abs(rest)));
  }
  return sum ? *sum : table.constant(dim.getConstant());
}

std::vector<int64_t> SizeWriter::getDims(RankedTensorType type) {
  return getDims(view::getSizes(type));
}

std::vector<int64_t> SizeWriter::getStorageDims(RankedTensorType type) {
  return getDims(view::getStorageSizes(type));
}

std::vector<int64_t> SizeWriter::getDims(ArrayRef<Dim> sizes) {
  std::vector<int64_t> dims;
  for (const Dim &size : sizes)
    dims.push_back(size.isStatic() ? size.getConstant() : format::symbolicDim(getSymbol(size)));
  return dims;
}

void SizeWriter::limitToRoom(RankedTensorType type) {
  for (auto [size, room] : llvm::zip(view::getSizes(type), view::getStorageSizes(type)))
    if (size != room) {
      int64_t &max = table[getSymbol(size)].max;
      max = max < 0 ? room.getConstant() : std::min(max, room.getConstant());
    }
}

void SizeWriter::markLate(ArrayRef<RankedTensorType> signature) {
  llvm::SmallPtrSet<StringAttr, 4> fixed(reserved), late;
  for (RankedTensorType type : signature)
    for (const Dim &size : view::getStorageSizes(type))
      for (auto [name, factor] : size.getTerms())
        fixed.insert_range(getBases(name));
  for (RankedTensorType type : signature)
    for (const Dim &size : view::getSizes(type))
      for (auto [name, factor] : size.getTerms())
        for (StringAttr each : getBases(name))
          if (view::hasRoom(type) && !fixed.contains(each))
            late.insert(each);
  for (StringAttr name : late)
    table[getFree(name)].late = true;
  for (size_t i = 0; i < list().size(); ++i)
    if (format::Symbol &symbol = table[i];
        symbol.equation != 0 && symbol.equation != uint8_t(format::Opcode::Const))
      symbol.late = list()[symbol.a].late || list()[symbol.b].late;
}

format::RegisterRef SizeWriter::get(const Dim &dim, format::ProgramBuilder &program) {
  return dim.isStatic() ? program.constant(dim.getConstant()) : program.symbol(getSymbol(dim));
}

format::RegisterRef SizeWriter::isWithin(StringAttr symbol, int64_t least, int64_t most,
                                         format::ProgramBuilder &program) {
  // What is chosen by a size is not to change without planning.
  reserved.insert_range(getBases(symbol));
  format::RegisterRef value = get(Dim::symbol(symbol), program);
  if (least == most)
    return program.compare(format::Predicate::Eq, value, program.constant(most));
  format::RegisterRef isMost =
      program.compare(format::Predicate::Le, value, program.constant(most));
  if (least == 0)
    return isMost;
  format::RegisterRef isLeast =
      program.compare(format::Predicate::Ge, value, program.constant(least));
  return program.arith(format::Opcode::Min, isLeast, isMost);
}

format::RegisterRef SizeWriter::getBytes(RankedTensorType type, uint64_t elementBytes,
                                         format::ProgramBuilder &program) {
  int64_t fixed = int64_t(elementBytes);
  std::optional<format::RegisterRef> product;
  for (const Dim &size : view::getStorageSizes(type)) {
    if (size.isStatic()) {
      fixed *= size.getConstant();
      continue;
    }
    for (auto [name, factor] : size.getTerms())
      reserved.insert_range(getBases(name));
    format::RegisterRef value = get(size, program);
    product = product ? program.arith(format::Opcode::Mul, *product, value) : value;
  }
  format::RegisterRef factor = program.constant(fixed);
  return product ? program.arith(format::Opcode::Mul, *product, factor) : factor;
}

format::RegisterRef SizeWriter::getPrograms(const KernelSizes &sizes,
                                            format::ProgramBuilder &program) {
  format::RegisterRef product = program.constant(1);
  for (const auto &[size, step] : sizes.grid) {
    format::RegisterRef count = get(size, program);
    if (step != 1)
      count = program.arith(format::Opcode::CeilDiv, count, program.constant(step));
    product = program.arith(format::Opcode::Mul, product, count);
  }
  return product;
}
