// Registers of a tile in vectors, for threads that compute with vectors.
//
// Every operation packs its operands and unpacks its results; what one unpacks and the next packs
// again folds away. So no operation has to know which registers its operands were packed with.
#include "Emitter.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tw::threads;

int64_t ThreadEmitter::getLanes(Type element, size_t count) const {
  constexpr int64_t fewest = 4;
  if (!element.isF32() && !element.isInteger(32))
    return 1;
  int64_t lanes = traits.loneVectorBytes / 4;
  while (lanes >= fewest && count % lanes != 0)
    lanes /= 2;
  return lanes >= fewest ? lanes : 1;
}

ThreadEmitter::Registers ThreadEmitter::pack(Location location, ValueRange values, int64_t lanes) {
  if (lanes == 1)
    return Registers(values);
  Registers vectors;
  for (size_t i = 0; i < values.size(); i += lanes) {
    ValueRange own = values.slice(i, lanes);
    auto type = VectorType::get({lanes}, own[0].getType());
    vectors.push_back(vector::FromElementsOp::create(builder, location, type, own));
  }
  return vectors;
}

ThreadEmitter::Registers ThreadEmitter::unpack(Location location, ValueRange vectors) {
  Registers values;
  for (Value vector : vectors) {
    auto type = dyn_cast<VectorType>(vector.getType());
    if (!type) {
      values.push_back(vector);
      continue;
    }
    for (int64_t i = 0; i < type.getNumElements(); ++i)
      values.push_back(vector::ExtractOp::create(builder, location, vector, i));
  }
  return values;
}
