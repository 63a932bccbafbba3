// What tensor-opt says of itself.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

/// Our passes by place, then the options that are used most.
void printHelp(llvm::raw_ostream &os);

/// A pass: what it does, its options, an example. False, with the reason on standard error, if
/// there is none of that name.
bool printPassHelp(llvm::StringRef name, llvm::raw_ostream &os);
