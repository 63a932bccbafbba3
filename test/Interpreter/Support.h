// Programs from text, for the unit tests of the interpreter.
//===---------------------------------------------------------------------------------------===//
#pragma once

#include "tw/Interpreter/Interpreter.h"
#include "tw/Pipeline/Registration.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include <cmath>
#include <gtest/gtest.h>

struct InterpreterTest : ::testing::Test {
  InterpreterTest() {
    mlir::DialectRegistry registry;
    tw::registerDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  mlir::func::FuncOp parse(llvm::StringRef text) {
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    return module ? *module->getOps<mlir::func::FuncOp>().begin() : mlir::func::FuncOp();
  }

  mlir::RankedTensorType floats(llvm::ArrayRef<int64_t> shape) {
    return mlir::RankedTensorType::get(shape, mlir::Float32Type::get(&context));
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};
