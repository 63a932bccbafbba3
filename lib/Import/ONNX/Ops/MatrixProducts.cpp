// Matrix products and einsum, all through `tgraph.contract`.
#include "../Quantized.h"
#include "../Registry.h"

#include "llvm/ADT/StringMap.h"

using namespace tw;
using namespace tw::onnx;

/// numpy's matmul: vectors gain a dimension, batch dimensions broadcast. A batch dimension of size
/// 1 is dropped from its operand, so that nothing is repeated.
static Value matmul(NodeImport &n, Value a, Value b) {
  Emitter &e = n.emit;
  if (!a || !b)
    return {};
  int64_t rankA = e.rank(a), rankB = e.rank(b);
  if (!rankA || !rankB) {
    n.error(Code::T0111) << "cannot multiply " << shapeText(e.shape(a)) << " and "
                         << shapeText(e.shape(b)) << ": a scalar is no matrix";
    return {};
  }
  ShapeRef shapeA = e.shape(a), shapeB = e.shape(b);
  if (shapeA.back() != shapeB[rankB == 1 ? 0 : rankB - 2]) {
    n.error(Code::T0111) << "cannot multiply " << shapeText(shapeA) << " and " << shapeText(shapeB)
                         << ": the inner sizes differ";
    return {};
  }
  ShapeRef batchA = shapeA.drop_back(std::min<int64_t>(rankA, 2));
  ShapeRef batchB = shapeB.drop_back(std::min<int64_t>(rankB, 2));
  int64_t batch = static_cast<int64_t>(std::max(batchA.size(), batchB.size()));
  if (batch > 20) {
    n.error(Code::T0103) << "a product has " << batch << " batch dimensions, expected at most 20";
    return {};
  }
  std::string lettersA, lettersB, letters;
  Shape keptA, keptB, result;
  for (int64_t i = 0; i < batch; ++i) {
    auto sizeOf = [&](ShapeRef dims) {
      int64_t at = i - (batch - static_cast<int64_t>(dims.size()));
      return at < 0 ? int64_t(1) : dims[at];
    };
    int64_t a = sizeOf(batchA), b = sizeOf(batchB);
    if (a != b && a != 1 && b != 1) {
      n.error(Code::T0111) << "cannot multiply " << shapeText(shapeA) << " and "
                           << shapeText(shapeB) << ": the batch sizes differ";
      return {};
    }
    int64_t size = a == 1 ? b : a;
    result.push_back(size);
    if (size == 1)
      continue;
    char letter = static_cast<char>('a' + i);
    letters += letter;
    if (a != 1) {
      lettersA += letter;
      keptA.push_back(a);
    }
    if (b != 1) {
      lettersB += letter;
      keptB.push_back(b);
    }
  }
  if (rankA > 1) {
    lettersA += 'y';
    letters += 'y';
    keptA.push_back(shapeA[rankA - 2]);
    result.push_back(shapeA[rankA - 2]);
  }
  lettersA += 'x';
  keptA.push_back(shapeA.back());
  lettersB += 'x';
  keptB.push_back(shapeA.back());
  if (rankB > 1) {
    lettersB += 'z';
    letters += 'z';
    keptB.push_back(shapeB.back());
    result.push_back(shapeB.back());
  }
  Value product = e.contract(lettersA + "," + lettersB + "->" + letters, e.reshape(a, keptA),
                             e.reshape(b, keptB));
  return e.reshape(product, result);
}

static void importMatMul(NodeImport &n) {
  Emitter &e = n.emit;
  Value a = n.input(0), b = n.input(1);
  // Columns of a matrix may have a scale each: the result's last dimension.
  bool columns = e.rank(b) > 1;
  int64_t rank = std::max(e.rank(a), e.rank(b)) - (e.rank(a) == 1);
  n.result(productOfSteps(n, a, b, columns ? e.rank(b) - 1 : -1, rank - 1,
                          [&](Value a, Value b) { return matmul(n, a, b); }));
}

static void importGemm(NodeImport &n) {
  Emitter &e = n.emit;
  Value a = n.input(0), b = n.input(1), c = n.input(2);
  if (e.rank(a) != 2 || e.rank(b) != 2) {
    n.error(Code::T0111) << "inputs have the shapes " << shapeText(e.shape(a)) << " and "
                         << shapeText(e.shape(b)) << ", expected two matrices";
    return;
  }
  bool transA = n.integer("transA", 0), transB = n.integer("transB", 0);
  if (e.size(a, transA ? 0 : 1) != e.size(b, transB ? 1 : 0)) {
    n.error(Code::T0111) << "cannot multiply " << shapeText(e.shape(a)) << (transA ? "^T" : "")
                         << " and " << shapeText(e.shape(b)) << (transB ? "^T" : "")
                         << ": the inner sizes differ";
    return;
  }
  std::string spec = std::string(transA ? "km" : "mk") + "," + (transB ? "nk" : "kn") + "->mn";
  double alpha = n.floating("alpha", 1), beta = n.floating("beta", 1);
  Value product = productOfSteps(n, a, b, /*dimB=*/transB ? 0 : 1, /*dim=*/1,
                                 [&](Value a, Value b) { return e.contract(spec, a, b); });
  if (alpha != 1)
    product = e.mul(product, alpha);
  if (c && beta != 0) {
    c = beta == 1 ? c : e.mul(c, beta);
    product = e.add(product, e.expand(c, e.shape(product)));
  }
  n.result(product);
}

static void importMatMulInteger(NodeImport &n) {
  n.result(matmul(n, centered(n, n.input(0), n.input(2), /*row=*/true),
                  centered(n, n.input(1), n.input(3), /*row=*/false)));
}

static void importQLinearMatMul(NodeImport &n) {
  Emitter &e = n.emit;
  Value product = matmul(n, centered(n, n.input(0), n.input(2), true),
                         centered(n, n.input(3), n.input(5), false));
  Value scale = e.div(e.mul(n.input(1), n.input(4)), n.input(6));
  n.result(requantized(n, product, scale, n.input(7)));
}

namespace {

/// One operand of an einsum: a value and a letter per dimension.
struct Term {
  Value value;
  std::string letters;
};

} // namespace

/// Merges equal letters of one operand to their diagonal: the two dimensions of size n, moved last,
/// are n^2 elements of which every (n + 1)-th counts. Where a call settles n they are gathered.
static Term diagonal(NodeImport &n, Term term) {
  Emitter &e = n.emit;
  for (size_t i = 0; i < term.letters.size() && term.value; ++i) {
    size_t j = term.letters.find(term.letters[i], i + 1);
    if (j == std::string::npos)
      continue;
    int64_t rank = e.rank(term.value), size = e.size(term.value, i);
    if (e.size(term.value, j) != size) {
      n.error(Code::T0111) << "letter '" << std::string(1, term.letters[i])
                           << "' stands for the sizes " << size << " and " << e.size(term.value, j);
      return {};
    }
    Shape order;
    for (int64_t d = 0; d < rank; ++d)
      if (d != static_cast<int64_t>(i) && d != static_cast<int64_t>(j))
        order.push_back(d);
    order.append({static_cast<int64_t>(i), static_cast<int64_t>(j)});
    Value moved = e.permute(term.value, order);
    std::string letters;
    for (int64_t d : ShapeRef(order).drop_back(1))
      letters += term.letters[d];
    if (n.hasRanges()) {
      Value position = e.iota({size}, 0, e.i64());
      term.value = e.gather(moved, {position, position}, rank - 2);
    } else {
      Shape flat(e.shape(moved).drop_back(2));
      flat.push_back(size * size);
      term.value = e.sliceDim(e.reshape(moved, flat), rank - 2, 0, size, size + 1);
    }
    term.letters = letters;
    i = static_cast<size_t>(-1);
  }
  return term;
}

/// Replaces "..." by capital letters for the dimensions it covers, the last always 'Z'.
static std::optional<std::string> spellOut(NodeImport &n, std::string letters, int64_t rank) {
  size_t at = letters.find("...");
  if (at == std::string::npos)
    return letters;
  int64_t covered = rank - (static_cast<int64_t>(letters.size()) - 3);
  if (covered < 0 || covered > 20) {
    n.error(Code::T0108) << "attribute 'equation' does not fit an input of rank " << rank;
    return std::nullopt;
  }
  std::string spelled;
  for (int64_t i = 0; i < covered; ++i)
    spelled += static_cast<char>('Z' - (covered - 1 - i));
  return letters.replace(at, 3, spelled);
}

static void importEinsum(NodeImport &n) {
  Emitter &e = n.emit;
  std::string equation;
  for (char c : n.text("equation", ""))
    if (c != ' ')
      equation += c;
  auto [left, right] = llvm::StringRef(equation).split("->");
  llvm::SmallVector<llvm::StringRef> parts;
  left.split(parts, ',');
  if (parts.size() != n.count()) {
    n.error(Code::T0108) << "attribute 'equation' is '" << equation << "', which has "
                         << parts.size() << " operands; the node has " << n.count();
    return;
  }
  llvm::SmallVector<Term> terms;
  std::string ellipsis, all;
  for (auto [i, part] : llvm::enumerate(parts)) {
    Value value = n.input(i);
    std::optional<std::string> letters = spellOut(n, part.str(), e.rank(value));
    if (!letters)
      return;
    if (static_cast<int64_t>(letters->size()) != e.rank(value) ||
        !llvm::all_of(*letters, [](char c) { return llvm::isAlpha(c); })) {
      n.error(Code::T0108) << "attribute 'equation' is '" << equation << "', which does not fit "
                           << shapeText(e.shape(value));
      return;
    }
    if (part.contains("..."))
      for (char c : *letters)
        if (c >= 'A' && c <= 'Z' && !llvm::is_contained(ellipsis, c))
          ellipsis += c;
    all += *letters;
    terms.push_back(diagonal(n, {value, *letters}));
    if (!terms.back().value)
      return;
  }
  llvm::sort(ellipsis);
  std::string result = right.str();
  if (equation.find("->") == std::string::npos) {
    // Without an arrow: what "..." covers, then the letters that occur once, in alphabetical order.
    std::string once;
    for (char c : all)
      if (llvm::count(all, c) == 1 && !llvm::is_contained(ellipsis, c))
        once += c;
    llvm::sort(once);
    result = ellipsis + once;
  } else if (size_t at = result.find("..."); at != std::string::npos) {
    result.replace(at, 3, ellipsis);
  }
  Term sum = terms.front();
  for (size_t i = 1; i < terms.size(); ++i) {
    // Letters are kept while a later operand or the result has them.
    std::string kept, later = result;
    for (size_t j = i + 1; j < terms.size(); ++j)
      later += terms[j].letters;
    for (char c : sum.letters + terms[i].letters)
      if (llvm::is_contained(later, c) && !llvm::is_contained(kept, c))
        kept += c;
    if (i + 1 == terms.size())
      kept = result;
    sum = {
        e.contract(sum.letters + "," + terms[i].letters + "->" + kept, sum.value, terms[i].value),
        kept};
    if (!sum.value)
      return;
  }
  // One operand: sum what the result lacks, then order.
  Shape summed, order;
  std::string kept;
  for (auto [i, c] : llvm::enumerate(sum.letters)) {
    if (llvm::is_contained(result, c))
      kept += c;
    else
      summed.push_back(i);
  }
  for (char c : result) {
    if (!llvm::is_contained(kept, c)) {
      n.error(Code::T0108) << "attribute 'equation' is '" << equation
                           << "', whose result has a letter that no operand has";
      return;
    }
    order.push_back(static_cast<int64_t>(kept.find(c)));
  }
  n.result(e.permute(e.sum(sum.value, summed), order));
}

void tw::onnx::addMatrixProducts(Registry &r) {
  r.add("Einsum", 12, {1, anyNumber}, importEinsum);
  r.add("Gemm", 1, {3, 3}, importGemm);
  r.add("Gemm", 11, {2, 3}, importGemm);
  r.add("MatMul", 1, {2, 2}, importMatMul);
  r.add("MatMulInteger", 10, {2, 4}, importMatMulInteger);
  r.add("QLinearMatMul", 10, {8, 8}, importQLinearMatMul);
}
