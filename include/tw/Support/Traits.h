// Structs of a machine's numbers, whose fields have names: as text for pass options, and as values
// of a file.
#pragma once

#include "tw/Support/Similar.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <cmath>
#include <cstdint>
#include <string>
#include <variant>

namespace tw {

/// A field: its name and what its number counts.
struct Trait {
  llvm::StringLiteral name, unit;
};

/// A value as text, and back; false if the text is none. Numbers are positive and finite, integers
/// small enough for products of two to fit.
std::string printTrait(bool value);
std::string printTrait(int64_t value);
std::string printTrait(double value);
bool parseTrait(llvm::StringRef text, bool &value);
bool parseTrait(llvm::StringRef text, int64_t &value);
bool parseTrait(llvm::StringRef text, double &value);
/// What a value of the type is: "a positive number".
llvm::StringRef describeTrait(bool);
llvm::StringRef describeTrait(int64_t);
llvm::StringRef describeTrait(double);

/// Calls `set` with each name and value of "NAME=VALUE,NAME=VALUE", until it returns false.
bool forEachSetting(llvm::StringRef text, std::string &error,
                    llvm::function_ref<bool(llvm::StringRef name, llvm::StringRef value)> set);

/// The fields of `Traits`, in the order of the struct.
template <typename Traits> struct TraitTable {
  struct Field {
    Trait trait;
    std::variant<int64_t Traits::*, double Traits::*, bool Traits::*> member;
    /// What values it has beside those of its type, where these are fewer.
    bool (*admits)(int64_t) = nullptr;
    llvm::StringLiteral expected = "";
  };
  /// "a CPU", for errors.
  llvm::StringLiteral what;
  llvm::ArrayRef<Field> fields;

  void forEach(const Traits &traits,
               llvm::function_ref<void(const Trait &trait, llvm::StringRef value)> take) const {
    for (const Field &field : fields)
      std::visit([&](auto member) { take(field.trait, printTrait(traits.*member)); }, field.member);
  }

  const Field *find(llvm::StringRef name) const {
    auto *field = llvm::find_if(fields, [&](const Field &each) { return each.trait.name == name; });
    return field == fields.end() ? nullptr : field;
  }

  /// Sets the field of that name. False if there is no such field, or it cannot have the value;
  /// then `error` says what is expected.
  bool set(Traits &traits, llvm::StringRef name, llvm::StringRef value, std::string &error) const {
    const Field *field = find(name);
    if (!field) {
      llvm::SmallVector<llvm::StringRef> known;
      for (const Field &each : fields)
        known.push_back(each.trait.name);
      error = what.str() + " has no trait '" + name.str() + "'" + listKnown(name, known);
      return false;
    }
    return std::visit(
        [&](auto member) {
          auto parsed = traits.*member;
          bool good =
              parseTrait(value, parsed) && (!field->admits || field->admits(int64_t(parsed)));
          if (good)
            traits.*member = parsed;
          else
            error =
                name.str() + " is '" + value.str() + "', expected " +
                (field->admits ? llvm::StringRef(field->expected) : describeTrait(parsed)).str();
          return good;
        },
        field->member);
  }

  /// All fields as "lanes=16,registers=32,...", but for those that are 0: nobody knows them.
  std::string print(const Traits &traits) const {
    std::string text;
    forEach(traits, [&](const Trait &trait, llvm::StringRef value) {
      if (value != "0")
        text += (text.empty() ? "" : ",") + trait.name.str() + "=" + value.str();
    });
    return text;
  }

  /// Sets the fields that the text names; the others stay.
  bool parse(llvm::StringRef text, Traits &traits, std::string &error) const {
    return forEachSetting(text, error, [&](llvm::StringRef name, llvm::StringRef value) {
      return set(traits, name, value, error);
    });
  }
};

} // namespace tw
