// The timed loops as programs in the llvm dialect.
#include "LoopWriter.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace tw::host;
using namespace tw::host::measure;

namespace {

/// Writes one function for each loop.
class Writer {
public:
  Writer(ModuleOp module, const Description &machine)
      : b(module.getLoc(), module.getContext()), module(module), machine(machine),
        vector(VectorType::get(machine.traits.lanes, b.getF32Type())),
        bytes(machine.traits.lanes * 4), independent(countIndependent(machine)) {}

  void writeAll();

  std::vector<std::string> names;

private:
  using Values = SmallVector<Value>;
  /// What a step makes of the values that it carries.
  using Step = llvm::function_ref<Values(ValueRange carried, Value index)>;

  ImplicitLocOpBuilder b;
  ModuleOp module;
  const Description &machine;
  VectorType vector;
  const int64_t bytes, independent;
  // Of the loop that is written.
  Value data, mask;

  Value number(int64_t value) { return LLVM::ConstantOp::create(b, b.getI64IntegerAttr(value)); }
  Value at(Value offset) {
    return LLVM::GEPOp::create(b, data.getType(), b.getI8Type(), data,
                               ArrayRef<LLVM::GEPArg>{offset});
  }
  /// Where a loop leaves its results, and random numbers go on: behind what it reads as operands,
  /// and beside the address at the beginning of a line.
  static constexpr int64_t resultsAt = 3072 + 8;

  /// Volatile: it stays where it is, and nobody knows the value.
  Value load(Type type, Value address) {
    return LLVM::LoadOp::create(b, type, address, /*alignment=*/4, /*isVolatile=*/true);
  }
  void store(Value value, Value address) {
    LLVM::StoreOp::create(b, value, address, /*alignment=*/4, /*isVolatile=*/true);
  }
  /// An operand that nobody knows: the i-th register of the data.
  Value unknown(Type type, int64_t i) { return load(type, at(number(i * bytes))); }
  Values unknowns(Type type, int64_t count) {
    Values values;
    for (int64_t i = 0; i < count; ++i)
      values.push_back(unknown(type, i + 2));
    return values;
  }
  Value fma(Value x, Value a, Value c) { return LLVM::FMAOp::create(b, x, a, c); }

  void write(const std::string &name, llvm::function_ref<Values()> begin, Step step);

  void endBlock(Value x, Value rare);
  void writeChain();
  void writeArithmetic();
  void writeShuffles();
  void writeDots();
  void writeAccesses();
  void writeReload();
  void writeIssue();
  void writeBranch();
  void writeChases();
  void writeRandom();
};

/// name(data, steps, mask) { for (i = 0; i < steps; ++i) carried = step(carried, i); keep carried }
void Writer::write(const std::string &name, llvm::function_ref<Values()> begin, Step step) {
  names.push_back(name);
  b.setInsertionPointToEnd(module.getBody());
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  Type i64 = b.getI64Type();
  auto type =
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()), {pointer, i64, i64});
  auto function = LLVM::LLVMFuncOp::create(b, name, type);
  mlir::Block *entry = function.addEntryBlock(b);
  b.setInsertionPointToStart(entry);
  data = entry->getArgument(0);
  mask = entry->getArgument(2);
  Values initial = begin();
  Value zero = number(0), one = number(1);
  SmallVector<Type> types = {i64};
  llvm::append_range(types, ValueRange(initial).getTypes());
  SmallVector<Location> locations(types.size(), b.getLoc());
  mlir::Block *head = b.createBlock(&function.getBody(), {}, types, locations);
  b.setInsertionPointToEnd(entry);
  initial.insert(initial.begin(), zero);
  LLVM::BrOp::create(b, initial, head);

  b.setInsertionPointToEnd(head);
  Values next = step(head->getArguments().drop_front(), head->getArgument(0));
  mlir::Block *last = b.getInsertionBlock();
  Value index = LLVM::AddOp::create(b, head->getArgument(0), one);
  Value more = LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::ult, index, entry->getArgument(1));
  mlir::Block *exit = b.createBlock(&function.getBody());
  for (Value value : next)
    store(value, at(number(resultsAt)));
  LLVM::ReturnOp::create(b, ValueRange());
  b.setInsertionPointToEnd(last);
  next.insert(next.begin(), index);
  auto branch = LLVM::CondBrOp::create(b, more, head, next, exit, ValueRange());
  // Copies of a step behind each other could be joined.
  auto yes = b.getBoolAttr(true);
  branch->setAttr(branch.getLoopAnnotationAttrName(),
                  LLVM::LoopAnnotationAttr::get(b.getContext(), /*disableNonforced=*/yes, {}, {},
                                                {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}));
}

void Writer::writeChain() {
  Value c, d;
  write(
      "chain",
      [&] {
        c = unknown(b.getI64Type(), 0);
        d = unknown(b.getI64Type(), 1);
        return unknowns(b.getI64Type(), 1);
      },
      [&](ValueRange carried, Value) -> Values {
        Value x = carried[0];
        for (int64_t i = 0; i < Loops::chainCycles / 2; ++i)
          x = LLVM::XOrOp::create(b, LLVM::AddOp::create(b, x, c), d);
        return {x};
      });
}

void Writer::writeArithmetic() {
  Value c, d;
  auto begin = [&](int64_t count) {
    c = unknown(vector, 0);
    d = unknown(vector, 1);
    return unknowns(vector, count);
  };
  auto sums = [&](ValueRange carried, Value) -> Values {
    return llvm::map_to_vector(carried, [&](Value x) { return fma(x, c, d); });
  };
  write(
      "fma", [&] { return begin(independent); }, sums);
  write(
      "fmaChain", [&] { return begin(1); }, sums);
  write(
      "divide", [&] { return begin(independent); },
      [&](ValueRange carried, Value) -> Values {
        return llvm::map_to_vector(carried,
                                   [&](Value x) -> Value { return LLVM::FDivOp::create(b, c, x); });
      });
}

void Writer::writeShuffles() {
  // Lanes of two registers in turn, of each part of 16 bytes: every instruction set has that.
  SmallVector<int32_t> places;
  for (int64_t part = 0; part < vector.getNumElements(); part += 4)
    for (int64_t lane : {0, 1})
      for (int64_t of : {int64_t(0), vector.getNumElements()})
        places.push_back(int32_t(of + part + lane));
  write(
      "shuffle", [&] { return unknowns(vector, independent); },
      [&](ValueRange carried, Value) -> Values {
        Values next;
        for (size_t i = 0; i < carried.size(); ++i)
          next.push_back(LLVM::ShuffleVectorOp::create(b, carried[i],
                                                       carried[(i + 1) % carried.size()], places));
        return next;
      });
}

void Writer::writeDots() {
  auto lanes = unsigned(vector.getNumElements());
  auto groups = VectorType::get(vector.getShape(), b.getI32Type());
  for (auto [name, kind, sums] : {std::tuple("bf16Dot", DotKind::BF16, vector),
                                  std::tuple("int8Dot", DotKind::Int8, groups)}) {
    const DotProducts *dots = machine.set->findDots(kind, machine.features);
    if (!dots || dots->maxLanes < lanes)
      continue;
    PackedGroups lhs, rhs;
    write(
        name,
        [&] {
          lhs = {unknown(groups, 0), /*isUnsigned=*/kind == DotKind::Int8};
          rhs = {unknown(groups, 1)};
          return unknowns(sums, independent);
        },
        [&](ValueRange carried, Value) -> Values {
          DotEmitter emitter(b, b.getLoc(), lanes);
          return llvm::map_to_vector(carried,
                                     [&](Value x) { return dots->emit(emitter, lhs, rhs, x); });
        });
  }
}

void Writer::writeAccesses() {
  Value value, lanes;
  auto place = [&](Value index) {
    return at(LLVM::AndOp::create(b, LLVM::MulOp::create(b, index, number(Loops::accesses * bytes)),
                                  mask));
  };
  auto in = [&](Value base, int64_t i) -> Value {
    return LLVM::GEPOp::create(b, base.getType(), b.getI8Type(), base,
                               ArrayRef<LLVM::GEPArg>{int32_t(i * bytes)});
  };
  auto each = [&](llvm::function_ref<void(Value)> access) {
    return [&, access](ValueRange, Value index) -> Values {
      Value base = place(index);
      for (int64_t i = 0; i < Loops::accesses; ++i)
        access(in(base, i));
      return {};
    };
  };
  auto none = [] { return Values(); };
  auto loads = [&](Value address) { load(vector, address); };
  write("load", none, each(loads));
  write("loadApart", none, [&](ValueRange, Value index) -> Values {
    constexpr int64_t accesses = Loops::accesses / Loops::places;
    Value base =
        at(LLVM::AndOp::create(b, LLVM::MulOp::create(b, index, number(accesses * bytes)), mask));
    for (int64_t i = 0; i < accesses; ++i)
      for (int64_t place = 0; place < Loops::places; ++place)
        load(vector, in(base, i + place * Loops::placeBytes / bytes));
    return {};
  });
  auto begin = [&] {
    value = unknown(vector, 0);
    // The lanes of which a float lies above -1: those that there are.
    Value least = LLVM::ConstantOp::create(
        b, vector, DenseElementsAttr::get(vector, b.getF32FloatAttr(-1).getValue()));
    lanes = LLVM::FCmpOp::create(b, LLVM::FCmpPredicate::ogt, unknown(vector, 1), least);
    return Values();
  };
  auto stores = [&](Value address) { store(value, address); };
  write("store", begin, each(stores));
  auto masked = [&](Value address) {
    LLVM::MaskedStoreOp::create(b, value, address, lanes, b.getI32IntegerAttr(4));
  };
  write("masked", begin, each(masked));
}

void Writer::writeReload() {
  Value c, d;
  write(
      "reload",
      [&] {
        c = unknown(vector, 0);
        d = unknown(vector, 1);
        return unknowns(vector, 1);
      },
      [&](ValueRange carried, Value) -> Values {
        Value place = at(number(resultsAt + 256));
        store(carried[0], place);
        return {fma(load(vector, place), c, d)};
      });
}

void Writer::writeIssue() {
  constexpr int64_t scalars = 8, vectors = 4, loads = 4;
  static_assert(scalars + vectors + loads + 2 == Loops::mixed, "and the loop's own");
  auto bits = VectorType::get(vector.getShape(), b.getI32Type());
  Value c, e;
  write(
      "issue",
      [&] {
        c = unknown(bits, 0);
        e = unknown(b.getI64Type(), 0);
        Values values = unknowns(b.getI64Type(), scalars);
        llvm::append_range(values, unknowns(bits, vectors));
        return values;
      },
      [&](ValueRange carried, Value) -> Values {
        for (int64_t i = 0; i < loads; ++i)
          load(vector, at(number((2 + i) * bytes)));
        return llvm::map_to_vector(carried, [&](Value x) -> Value {
          return LLVM::XOrOp::create(b, x, x.getType() == bits ? c : e);
        });
      });
}

void Writer::writeBranch() {
  Type i64 = b.getI64Type();
  write(
      "branch", [&] { return Values{load(i64, at(number(resultsAt)))}; },
      [&](ValueRange carried, Value) -> Values {
        // Knuth's generator (MMIX); its top bits are as good as random.
        Value next =
            LLVM::AddOp::create(b, LLVM::MulOp::create(b, carried[0], number(6364136223846793005)),
                                number(1442695040888963407));
        Value bits = LLVM::AndOp::create(b, LLVM::LShrOp::create(b, next, number(63)), mask);
        Value taken = LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::ne, bits, number(0));
        mlir::Block *from = b.getInsertionBlock();
        mlir::Region *body = from->getParent();
        // What is done is not the same, so that no selection does.
        mlir::Block *there = b.createBlock(body), *elsewhere = b.createBlock(body),
                    *after = b.createBlock(body);
        b.setInsertionPointToEnd(from);
        LLVM::CondBrOp::create(b, taken, there, elsewhere);
        b.setInsertionPointToEnd(there);
        load(i64, at(number(64)));
        LLVM::BrOp::create(b, ValueRange(), after);
        b.setInsertionPointToEnd(elsewhere);
        store(next, at(number(resultsAt + 512)));
        LLVM::BrOp::create(b, ValueRange(), after);
        b.setInsertionPointToEnd(after);
        return {next};
      });
}

/// A branch that is hardly ever taken: code generation moves nothing over it.
void Writer::endBlock(Value x, Value rare) {
  Value isRare = LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::eq, x, rare);
  mlir::Block *from = b.getInsertionBlock();
  mlir::Block *there = b.createBlock(from->getParent()), *after = b.createBlock(from->getParent());
  b.setInsertionPointToEnd(from);
  LLVM::CondBrOp::create(b, isRare, there, after);
  b.setInsertionPointToEnd(there);
  store(x, at(number(resultsAt + 512)));
  LLVM::BrOp::create(b, ValueRange(), after);
  b.setInsertionPointToEnd(after);
}

void Writer::writeChases() {
  Type pointer = data.getType(), i64 = b.getI64Type();
  write(
      "chase", [&] { return Values{data}; },
      [&](ValueRange carried, Value) -> Values { return {load(pointer, carried[0])}; });
  for (int64_t count : fillers) {
    Value e;
    write(
        "ahead" + std::to_string(count),
        [&] {
          Values values = unknowns(i64, 6);
          e = values.pop_back_val();
          values.push_back(data);
          values.push_back(at(mask));
          return values;
        },
        [&](ValueRange carried, Value) -> Values {
          Values next(carried);
          size_t apart = next.size() - 2;
          for (size_t chase : {apart, apart + 1}) {
            next[chase] = load(pointer, next[chase]);
            endBlock(next[0], e);
            for (int64_t i = 0; i < count; ++i) {
              Value &x = next[size_t(i) % apart];
              // Sums and exclusive ors in turn, which nobody can join.
              x = size_t(i) / apart % 2 ? Value(LLVM::XOrOp::create(b, x, e))
                                        : Value(LLVM::AddOp::create(b, x, e));
            }
            endBlock(next[0], e);
          }
          return next;
        });
  }
}

void Writer::writeRandom() {
  Type i64 = b.getI64Type();
  for (bool onPages : {false, true})
    write(
        onPages ? "pages" : "lines", [&] { return Values{load(i64, at(number(resultsAt)))}; },
        [&](ValueRange carried, Value) -> Values {
          Value next = LLVM::AddOp::create(
              b, LLVM::MulOp::create(b, carried[0], number(6364136223846793005)),
              number(1442695040888963407));
          Value random = LLVM::LShrOp::create(b, next, number(20));
          Value offset = LLVM::AndOp::create(b, random, mask);
          if (onPages) {
            // The lines of pages lie in different sets.
            Value page = LLVM::AndOp::create(b, offset, number(-4096));
            Value line =
                LLVM::AndOp::create(b, LLVM::LShrOp::create(b, page, number(6)), number(4032));
            offset = LLVM::OrOp::create(b, page, line);
          } else {
            offset = LLVM::AndOp::create(b, offset, number(-64));
          }
          load(i64, at(offset));
          return {next};
        });
}

void Writer::writeAll() {
  writeChain();
  writeArithmetic();
  writeShuffles();
  writeDots();
  writeAccesses();
  writeReload();
  writeIssue();
  writeBranch();
  writeChases();
  writeRandom();
}

} // namespace

std::vector<std::string> measure::writeLoops(ModuleOp module, const Description &machine) {
  Writer writer(module, machine);
  writer.writeAll();
  return std::move(writer.names);
}
