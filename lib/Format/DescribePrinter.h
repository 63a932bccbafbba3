// Formatting helpers of the module description.
#pragma once

#include "tw/Format/Module.h"

#include <string>

namespace tw::format {

/// printf that appends to `text`.
[[gnu::format(printf, 2, 3)]] void append(std::string &text, const char *format, ...);

/// Appends with control characters escaped.
void appendName(std::string &text, std::string_view name);

/// Appends "f32[1, 8]", with symbols by name where there is a `function`, else as scalars: s0, s1.
void appendType(std::string &text, const fb::TensorType *type, const fb::Function *function);

/// Appends name, equation and range of a function's symbol, on a line.
void describeSymbol(std::string &text, const fb::Function *function, const fb::Symbol *symbol);

/// Appends " // node at file:1:2" where the location says so.
void appendLocation(std::string &text, const fb::Module *module, uint32_t location);

/// Appends slots, arena, checks, the initializer and, if asked for, the commands of a program.
void describeProgram(std::string &text, const fb::Module *module, const fb::Function *function,
                     const fb::Program *program, bool commands);

} // namespace tw::format
