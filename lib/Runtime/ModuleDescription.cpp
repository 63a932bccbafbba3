// Describes a module as JSON.
#include "Module.h"
#include "tw/Format/Element.h"
#include "tw/Format/Metadata.h"

using namespace tw::runtime;
using namespace tw::format;
using tw::support::JsonWriter;

static std::string_view view(const flatbuffers::String *string) {
  return string ? string->string_view() : std::string_view();
}

static void describeType(JsonWriter &json, const fb::TensorType *type,
                         const fb::Function *function) {
  json.member("element", elementName(ElementType(type->element())));
  json.key("dims");
  json.beginArray();
  for (uint32_t i = 0; type->dims() && i < type->dims()->size(); ++i) {
    int64_t dim = type->dims()->Get(i);
    if (dim < 0 && function)
      json.value(view(function->symbols()->Get(uint32_t(-1 - dim))->name()));
    else
      json.value(dim);
  }
  json.endArray();
}

/// The dimensions whose elements a call counts.
static void describeCounts(JsonWriter &json, const fb::Result *result) {
  if (!result->counts())
    return;
  json.key("counted");
  json.beginArray();
  for (uint32_t d = 0; d < result->counts()->size(); ++d)
    if (result->counts()->Get(d) >= 0)
      json.value(int64_t(d));
  json.endArray();
}

/// Ranges of what a caller may choose; max -1: no bound.
static void describeSymbols(JsonWriter &json, const fb::Function *function) {
  if (!function->symbols() || function->symbols()->size() == 0)
    return;
  json.key("symbols");
  json.beginArray();
  for (const fb::Symbol *symbol : *function->symbols()) {
    if (symbol->equation() != 0)
      continue;
    json.beginObject();
    json.member("name", view(symbol->name()));
    json.member("min", symbol->min());
    json.member("max", symbol->max());
    json.member("multiple", symbol->multiple());
    json.endObject();
  }
  json.endArray();
}

static void describeFunction(JsonWriter &json, const fb::Function *function) {
  json.beginObject();
  json.member("name", view(function->name()));
  describeSymbols(json, function);
  json.key("arguments");
  json.beginArray();
  for (uint32_t i = 0; function->arguments() && i < function->arguments()->size(); ++i) {
    const fb::Argument *argument = function->arguments()->Get(i);
    json.beginObject();
    json.member("name", view(argument->name()));
    describeType(json, argument->type(), function);
    json.endObject();
  }
  json.endArray();
  json.key("results");
  json.beginArray();
  for (uint32_t i = 0; i < countVisibleResults(*function); ++i) {
    const fb::Result *result = function->results()->Get(i);
    json.beginObject();
    json.member("name", view(result->name()));
    describeType(json, result->type(), function);
    describeCounts(json, result);
    json.endObject();
  }
  json.endArray();
  json.key("programs");
  json.beginArray();
  for (const fb::Program *program : *function->programs()) {
    json.beginObject();
    json.member("target", view(program->target()));
    json.member("commands", program->code()->size());
    uint64_t arena = 0;
    for (const fb::Slot *slot : *program->slots())
      for (uint32_t i = 0; slot->slabs() && i < slot->slabs()->size(); ++i)
        arena += slot->slabs()->Get(i);
    json.member("arenaBytes", arena);
    if (const fb::Program *initializer = program->initializer())
      json.member("initializerCommands", initializer->code()->size());
    json.endObject();
  }
  json.endArray();
  json.endObject();
}

void tw::runtime::describeModule(const TwrtModule &module, JsonWriter &json) {
  const fb::Module *root = module.root;
  json.beginObject();
  json.member("producer", view(root->producer()));
  json.member("buildId", view(root->build_id()));
  json.key("sections");
  json.beginArray();
  for (uint32_t i = 0; i < module.container.sectionCount(); ++i) {
    SectionEntry entry = module.container.section(i);
    json.beginObject();
    json.member("kind", sectionName(SectionKind(entry.kind)));
    json.member("offset", entry.offset);
    json.member("bytes", entry.length);
    json.endObject();
  }
  json.endArray();
  json.key("files");
  json.beginArray();
  for (uint32_t i = 0; root->files() && i < root->files()->size(); ++i) {
    json.beginObject();
    json.member("path", view(root->files()->Get(i)->path()));
    json.member("bytes", root->files()->Get(i)->length());
    json.endObject();
  }
  json.endArray();
  json.member("constants", root->constants() ? root->constants()->size() : 0);
  json.key("kernels");
  json.beginArray();
  for (uint32_t i = 0; root->kernels() && i < root->kernels()->size(); ++i) {
    const fb::Kernel *kernel = root->kernels()->Get(i);
    json.beginObject();
    json.member("name", view(kernel->name()));
    json.member("flops", kernel->flops());
    json.member("bytes", kernel->bytes());
    json.endObject();
  }
  json.endArray();
  json.key("functions");
  json.beginArray();
  for (const fb::Function *function : *root->functions())
    describeFunction(json, function);
  json.endArray();
  json.endObject();
}
