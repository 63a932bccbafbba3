// Descriptions of CPUs as JSON: written for any CPU, read for machines that are not this one.
#include "InstructionSet.h"

#include "tw/Support/Nesting.h"
#include "tw/Support/ReadFile.h"
#include "tw/Support/Similar.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace tw;
using namespace tw::host;

namespace {

class Reader {
public:
  Reader(Description &description, std::string &error) : description(description), error(error) {}

  bool read(StringRef text) {
    if (findDeepNesting(text))
      return fail("expected at most " + Twine(maxNesting) + " levels of nesting, found more");
    Expected<json::Value> value = json::parse(text);
    if (!value)
      return fail(toString(value.takeError()));
    const json::Object *object = value->getAsObject();
    if (!object)
      return fail("expected an object with the CPU's numbers");
    std::string cpu;
    if (!readText(*object, "cpu", "a CPU name of LLVM's", cpu))
      return false;
    if (cpu == "native" || StringRef(cpu).starts_with("@"))
      return fail("\"cpu\" is '" + cpu + "', expected a CPU name of LLVM's");
    std::vector<std::string> features;
    if (!readFeatures(*object, features) ||
        !describeNamedCpu(cpu, object->get("features") ? &features : nullptr, description, error))
      return false;
    if (object->get("target")) {
      std::string target;
      if (!readText(*object, "target", "\"host\"", target))
        return false;
      if (target != "host")
        return fail("\"target\" is '" + target + "', expected \"host\"");
    }
    return readTraits(*object);
  }

private:
  Description &description;
  std::string &error;

  bool fail(const Twine &message) {
    error = message.str();
    return false;
  }

  bool readText(const json::Object &object, StringRef key, StringRef expected, std::string &text) {
    std::optional<StringRef> value = object.getString(key);
    if (!value)
      return fail("\"" + key + "\" is missing or not a text, expected " + expected);
    text = value->str();
    return true;
  }

  bool readFeatures(const json::Object &object, std::vector<std::string> &features) {
    const json::Value *value = object.get("features");
    if (!value)
      return true;
    const json::Array *list = value->getAsArray();
    if (!list)
      return fail("\"features\" is not a list of names");
    for (const json::Value &entry : *list) {
      std::optional<StringRef> name = entry.getAsString();
      if (!name)
        return fail("\"features\" holds something that is not a name");
      features.push_back(name->str());
    }
    return true;
  }

  /// A value, or an object with it that says where it is from.
  bool readTrait(StringRef name, const json::Value &given, StringRef unit,
                 schedule::HostTraits &traits) {
    const json::Value *value = &given;
    std::string source = "file";
    if (const json::Object *object = given.getAsObject()) {
      value = object->get("value");
      if (!value)
        return fail(name + " has no \"value\"");
      if (const json::Value *said = object->get("unit"); said && said->getAsString() != unit)
        return fail(name + " is in '" + unit + "', found another unit");
      if (std::optional<StringRef> said = object->getString("source"))
        source = said->str();
    }
    description.sources[name.str()] = source;
    std::string text;
    raw_string_ostream(text) << *value;
    return schedule::setTrait(traits, name, text, error);
  }

  bool readTraits(const json::Object &object) {
    schedule::HostTraits traits = description.traits;
    SmallVector<StringRef> known = {"target", "cpu", "features"};
    llvm::StringMap<StringRef> units;
    schedule::forEachTrait(traits, [&](const schedule::Trait &trait, StringRef) {
      known.push_back(trait.name);
      units[trait.name] = trait.unit;
    });
    // In the order of the names, so that the same one of several mistakes is told.
    std::vector<StringRef> keys;
    for (const auto &entry : object)
      keys.push_back(entry.first);
    sort(keys);
    for (StringRef key : keys) {
      if (key == "target" || key == "cpu" || key == "features")
        continue;
      if (!is_contained(known, key))
        return fail("no key \"" + key + "\" in the description of a CPU" + listKnown(key, known));
      if (!readTrait(key, *object.get(key), units[key], traits))
        return false;
    }
    if (traits.lanes > description.traits.lanes)
      return fail("lanes is " + Twine(traits.lanes) + ", but registers of " + description.llvmCpu +
                  " with these features have " + Twine(description.traits.lanes));
    if (traits.registers > description.traits.registers)
      return fail("registers is " + Twine(traits.registers) + ", but " + description.llvmCpu +
                  " with these features has " + Twine(description.traits.registers));
    const schedule::HostTraits &own = description.traits;
    for (auto [name, asked, has] : {std::tuple("bf16Dot", traits.bf16Dot, own.bf16Dot),
                                    std::tuple("int8Dot", traits.int8Dot, own.int8Dot),
                                    std::tuple("int16Dot", traits.int16Dot, own.int16Dot),
                                    std::tuple("bf16Blocks", traits.bf16Blocks, own.bf16Blocks),
                                    std::tuple("int8Blocks", traits.int8Blocks, own.int8Blocks)})
      if (asked && !has)
        return fail(Twine(name) + " is true, but no code is made of such instructions for " +
                    description.llvmCpu + " with these features");
    description.traits = traits;
    return true;
  }
};

} // namespace

bool tw::host::describeFile(StringRef path, Description &description, std::string &error) {
  auto buffer = readText(path, smallTextLimit);
  if (!buffer) {
    error = toString(buffer.takeError());
    return false;
  }
  if (!Reader(description, error).read((*buffer)->getBuffer())) {
    error = path.str() + ": " + error;
    return false;
  }
  description.cpu = "@" + path.str();
  return true;
}

std::string tw::host::toJson(const Description &description) {
  std::string text;
  raw_string_ostream stream(text);
  json::OStream json(stream, 2);
  json.object([&] {
    json.attribute("target", "host");
    // LLVM has CPUs of the same name in several instruction sets.
    const InstructionSet &set = *description.set;
    bool isAny = !set.anyCpu.empty() && description.llvmCpu == set.someCpu;
    json.attribute("cpu", isAny ? StringRef(set.anyCpu) : StringRef(description.llvmCpu));
    json.attributeArray("features", [&] {
      for (const std::string &feature : description.features)
        json.value(feature);
    });
    schedule::forEachTrait(description.traits, [&](const schedule::Trait &trait, StringRef value) {
      json.attributeBegin(trait.name);
      json.rawValue([&](raw_ostream &os) {
        auto quote = [](StringRef text) { return json::Value(text); };
        os << "{\"value\": " << value << ", \"unit\": " << quote(trait.unit)
           << ", \"source\": " << quote(description.sources.at(trait.name.str())) << "}";
      });
      json.attributeEnd();
    });
  });
  return text;
}
