// Runs kernels of PTX texts in the emulator, without a driver.
#pragma once

#include "PTX/Launch.h"

#include <cstdlib>
#include <cstring>
#include <functional>
#include <gtest/gtest.h>
#include <memory>

namespace tw::test {

namespace ptx = tw::emulator::ptx;

/// `body` as the kernel `f` with parameters a, b and c, and the registers %p, %h, %f, %r, %d.
inline std::string kernel(const std::string &body, const std::string &declarations = "") {
  return ".version 7.8\n.target sm_90a\n.address_size 64\n"
         ".visible .entry f(.param .u64 .ptr .global .align 16 a, .param .u64 .ptr .global .align "
         "16 b,"
         " .param .u64 .ptr .global .align 16 c) {\n"
         ".reg .pred %p<8>; .reg .b16 %h<16>; .reg .f32 %f<16>; .reg .b32 %r<64>; .reg .b64 "
         "%d<32>;\n" +
         declarations +
         "ld.param.b64 %d0, [a]; ld.param.b64 %d1, [b]; ld.param.b64 %d2, [c];\n"
         "mov.u32 %r0, %tid.x; mul.wide.u32 %d3, %r0, 4;\n"
         "add.s64 %d4, %d0, %d3; add.s64 %d5, %d1, %d3; add.s64 %d6, %d2, %d3;\n" +
         body + "\nret;\n}\n";
}

/// Device memory of a test: three buffers, the first two with values.
class Machine {
public:
  std::vector<uint32_t> a, b, c;
  uint32_t threads = 32, blocks = 1, dynamicBytes = 0;
  int64_t budget = 1'000'000'000;
  ptx::Outcome outcome;
  std::vector<ptx::Counters> counters;
  /// Makes the parameters from the addresses of a, b and c; without it they are these.
  std::function<void(std::vector<uint8_t> &, const std::vector<uint32_t *> &)> setParameters;

  explicit Machine(size_t words = 1024) : a(words), b(words), c(words, 0xcdcdcdcd) {}

  /// Parses and runs the kernel called `name`; the fault, or the parser's error.
  std::string run(const std::string &text, const char *name = "f") {
    std::string error;
    std::unique_ptr<ptx::Program> program = ptx::parse(text, error);
    if (!program)
      return error;
    // Copies that lie apart: what leaves a buffer must not come to lie in the next one.
    std::vector<uint32_t> *const buffers[] = {&a, &b, &c};
    constexpr size_t gapWords = 4096;
    size_t words = gapWords;
    for (std::vector<uint32_t> *buffer : buffers)
      words += (buffer->size() + 63) / 64 * 64 + gapWords;
    std::unique_ptr<uint32_t, decltype(&std::free)> device(
        static_cast<uint32_t *>(std::aligned_alloc(256, words * 4)), &std::free);
    emulator::Memory memory;
    std::vector<uint32_t *> copies;
    for (uint32_t *next = device.get() + gapWords; std::vector<uint32_t> * buffer : buffers) {
      size_t bytes = buffer->size() * 4;
      memcpy(next, buffer->data(), bytes);
      memory.add(reinterpret_cast<uintptr_t>(next), bytes);
      if (buffer != &c)
        memory.markWritten(reinterpret_cast<uintptr_t>(next), bytes);
      copies.push_back(next);
      next += (buffer->size() + 63) / 64 * 64 + gapWords;
    }
    ptx::Launch launch;
    launch.program = program.get();
    launch.kernel = program->kernels.at(name).get();
    launch.grid[0] = blocks;
    launch.block[0] = threads;
    launch.dynamicBytes = dynamicBytes;
    launch.memory = &memory;
    launch.budget = budget;
    counters.assign(launch.kernel->ops.size(), {});
    launch.counters = &counters;
    if (setParameters)
      setParameters(launch.parameters, copies);
    for (uint32_t *copy : setParameters ? std::vector<uint32_t *>() : copies) {
      uint64_t address = reinterpret_cast<uintptr_t>(copy);
      const uint8_t *bytes = reinterpret_cast<const uint8_t *>(&address);
      launch.parameters.insert(launch.parameters.end(), bytes, bytes + 8);
    }
    outcome = ptx::run(launch);
    for (size_t i = 0; i != copies.size(); ++i)
      memcpy(buffers[i]->data(), copies[i], buffers[i]->size() * 4);
    return outcome.fault;
  }
};

/// EXPECTs a fault whose text contains `part`.
#define EXPECT_FAULT(expression, part)                                                             \
  do {                                                                                             \
    std::string text = expression;                                                                 \
    EXPECT_NE(text.find(part), std::string::npos) << text;                                         \
  } while (false)

/// The text with the `nth` (from 0) occurrence of `from` replaced.
inline std::string edit(std::string text, const std::string &from, const std::string &to,
                        size_t nth = 0) {
  size_t at = text.find(from);
  for (; nth && at != text.npos; --nth)
    at = text.find(from, at + 1);
  EXPECT_NE(at, text.npos) << "no '" << from << "'";
  return at == text.npos ? text : text.replace(at, from.size(), to);
}

} // namespace tw::test
