// The tgraph dialect: ops, attributes, interfaces.
#pragma once

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "tw/Dialect/Graph/ElementTypes.h"
#include "tw/Dialect/Graph/GraphTraits.h"
#include "tw/Dialect/Graph/SymbolicShape.h"

#include "tw/Dialect/Graph/GraphDialect.h.inc"
#include "tw/Dialect/Graph/GraphEnums.h.inc"

#include "tw/Dialect/Graph/GraphInterfaces.h.inc"

#define GET_ATTRDEF_CLASSES
#include "tw/Dialect/Graph/GraphAttrs.h.inc"

#include "tw/Dialect/Graph/GraphOpClasses.h.inc"
