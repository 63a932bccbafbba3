// What a load reads as a box of a tensor.
#pragma once

#include "tw/Dialect/Tile/Tile.h"

namespace tw::threads {

/// The box that a load from an operand reads, whose tile goes to memory in rows: of `rows` points
/// along the dimension `row` of the tile and `columns` along `column`. In memory a row is in parts
/// of `width` columns; the first parts of all rows come first.
struct BoxRequest {
  tile::LoadOp load;
  unsigned row, column;
  int64_t rows, columns, width;
};

/// The box, or why there is none. It may have fewer columns: then several beside each other are the
/// tile.
mlir::FailureOr<tile::BoxAttr> findBox(const BoxRequest &request, std::string &why);

} // namespace tw::threads
