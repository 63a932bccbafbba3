// Reading config.json and the headers of safetensors files: a length, then JSON with a range of
// bytes for each tensor. Elements are never read here; the compiler and the runtime map them.
#include "Checkpoint.h"

#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace llvm;

static Error fail(const Twine &text) { return createStringError(text); }

Expected<Checkpoint> Checkpoint::open(const std::string &folder) {
  Checkpoint checkpoint;
  checkpoint.folder = folder;
  if (Error error = checkpoint.readConfig())
    return error;
  std::error_code code;
  std::vector<std::string> files;
  for (sys::fs::directory_iterator it(folder, code), end; !code && it != end; it.increment(code))
    if (sys::path::extension(it->path()) == ".safetensors")
      files.push_back(sys::path::filename(it->path()).str());
  if (code || files.empty())
    return fail("no *.safetensors in " + folder);
  for (const std::string &file : files)
    if (Error error = checkpoint.readHeader(file))
      return error;
  return checkpoint;
}

Error Checkpoint::readConfig() {
  auto text = MemoryBuffer::getFile(folder + "/config.json");
  if (!text)
    return fail(folder + "/config.json: " + text.getError().message());
  Expected<json::Value> parsed = json::parse((*text)->getBuffer());
  if (!parsed)
    return parsed.takeError();
  const json::Object *object = parsed->getAsObject();
  if (!object)
    return fail("config.json: expected an object");
  std::string missing;
  auto number = [&](StringRef key, int64_t &to) {
    if (auto value = object->getInteger(key))
      to = *value;
    else
      missing += (missing.empty() ? "" : ", ") + key.str();
  };
  config.architecture = object->getString("model_type").value_or("").str();
  if (config.architecture != "llama" && config.architecture != "mistral" &&
      config.architecture != "phi3")
    return fail("config.json: expected model_type llama, mistral or phi3, found '" +
                config.architecture + "'");
  number("hidden_size", config.width);
  number("num_hidden_layers", config.layers);
  number("num_attention_heads", config.heads);
  number("intermediate_size", config.inner);
  number("vocab_size", config.vocabulary);
  number("max_position_embeddings", config.positions);
  if (!missing.empty())
    return fail("config.json: expected numbers for " + missing);
  config.groups = object->getInteger("num_key_value_heads").value_or(config.heads);
  if (config.heads <= 0 || config.groups <= 0 || config.heads % config.groups)
    return fail("config.json: expected heads to be a multiple of those of keys and values, found " +
                Twine(config.heads) + " and " + Twine(config.groups));
  config.headSize = object->getInteger("head_dim").value_or(config.width / config.heads);
  config.epsilon = object->getNumber("rms_norm_eps").value_or(config.epsilon);
  config.ropeBase = object->getNumber("rope_theta").value_or(config.ropeBase);
  config.tiesEmbeddings = object->getBoolean("tie_word_embeddings").value_or(false);
  if (const json::Value *scaling = object->get("rope_scaling"); scaling && !scaling->getAsNull())
    return fail("config.json: rope_scaling is not supported");
  if (object->getNumber("partial_rotary_factor").value_or(1) != 1)
    return fail("config.json: partial_rotary_factor is not supported");
  if (auto stop = object->getInteger("eos_token_id"))
    config.stops.push_back(*stop);
  else if (const json::Array *stops = object->getArray("eos_token_id"))
    for (const json::Value &each : *stops)
      if (auto token = each.getAsInteger())
        config.stops.push_back(*token);
  return Error::success();
}

Error Checkpoint::readHeader(const std::string &file) {
  std::string path = folder + "/" + file;
  auto start = MemoryBuffer::getFileSlice(path, 8, 0);
  uint64_t bytes = 0;
  if (!start || sys::fs::file_size(path, bytes) || (*start)->getBufferSize() != 8)
    return fail(path + " cannot be read");
  uint64_t length = support::endian::read64le((*start)->getBufferStart());
  if (bytes < 8 || length > bytes - 8 || length > (uint64_t(1) << 30))
    return fail(path + ": expected a header of at most " + Twine(bytes) + " bytes, found " +
                Twine(length));
  auto header = MemoryBuffer::getFileSlice(path, length, 8);
  if (!header)
    return fail(path + ": " + header.getError().message());
  Expected<json::Value> parsed = json::parse((*header)->getBuffer());
  if (!parsed)
    return parsed.takeError();
  const json::Object *object = parsed->getAsObject();
  if (!object)
    return fail(path + ": expected the header to be an object");
  for (const auto &[name, value] : *object) {
    if (StringRef(name) == "__metadata__")
      continue;
    const json::Object *entry = value.getAsObject();
    const json::Array *shape = entry ? entry->getArray("shape") : nullptr;
    const json::Array *range = entry ? entry->getArray("data_offsets") : nullptr;
    if (!shape || !range || range->size() != 2)
      return fail(path + ": expected a shape and two data_offsets for '" + name.str() + "'");
    uint64_t begin = (*range)[0].getAsUINT64().value_or(~0ull),
             end = (*range)[1].getAsUINT64().value_or(0);
    if (begin > end || end > bytes - 8 - length)
      return fail(path + ": '" + name.str() + "' ends beyond the file");
    StoredTensor &tensor = tensors[name.str()];
    tensor = {
        file, entry->getString("dtype").value_or("").str(), {}, 8 + length + begin, end - begin};
    for (const json::Value &dim : *shape)
      tensor.shape.push_back(dim.getAsInteger().value_or(-1));
  }
  return Error::success();
}

Expected<StoredTensor> Checkpoint::find(StringRef name) const {
  auto it = tensors.find(name);
  if (it == tensors.end())
    return fail("the checkpoint has no tensor '" + name + "'");
  return it->second;
}
