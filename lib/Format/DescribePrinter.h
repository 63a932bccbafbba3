// Formatting helpers of the module description.
#pragma once

#include "tw/Format/Module.h"

#include <string>

namespace tw::format {

/// printf that appends to `text`.
[[gnu::format(printf, 2, 3)]] void append(std::string &text, const char *format, ...);

/// Appends with control characters escaped.
void appendName(std::string &text, std::string_view name);

/// Appends "f32[1, 8]", with symbols by name where `function` has them.
void appendType(std::string &text, const fb::TensorType *type, const fb::Function *function);

/// Appends slots, arena, the initializer and, if asked for, the commands of a program.
void describeProgram(std::string &text, const fb::Module *module, const fb::Program *program,
                     bool commands);

} // namespace tw::format
