// Writes and reads the DEBUG section.
#include "tw/Format/Debug_generated.h"
#include "tw/Format/Metadata.h"
#include "tw/Format/Module.h"

using namespace tw::format;

std::vector<uint8_t> tw::format::encodeDebug(const std::vector<std::string> &kernelSources) {
  flatbuffers::FlatBufferBuilder builder;
  std::vector<flatbuffers::Offset<fb::KernelSource>> kernels;
  for (const std::string &source : kernelSources) {
    auto text = builder.CreateString(source);
    kernels.push_back(fb::CreateKernelSource(builder, text));
  }
  auto vector = builder.CreateVector(kernels);
  fb::FinishDebugBuffer(builder, fb::CreateDebug(builder, vector));
  return {builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()};
}

bool tw::format::verifyDebug(std::span<const uint8_t> section, Error &error) {
  flatbuffers::Verifier verifier(section.data(), section.size(), 4,
                                 flatbuffers::uoffset_t(section.size() / 4));
  if (!fb::VerifyDebugBuffer(verifier))
    return fail(error, "DEBUG", 0, "the section is not a well-formed FlatBuffer of kind TWD1");
  return true;
}

std::optional<std::string_view> tw::format::findKernelSource(std::span<const uint8_t> section,
                                                             uint32_t kernel) {
  const fb::Debug *debug = fb::GetDebug(section.data());
  if (kernel >= debug->kernels()->size())
    return std::nullopt;
  const flatbuffers::String *text = debug->kernels()->Get(kernel)->text();
  if (text->size() == 0)
    return std::nullopt;
  return std::string_view(text->data(), text->size());
}
