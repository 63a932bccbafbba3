// Parses command lines: flags in groups, help on a screen or two, suggestions for misspelt ones.
// No LLVM.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace tw::support {

/// The candidate that is closest to `word` by edits, or empty if none is close.
std::string_view findSimilar(std::string_view word,
                             const std::vector<std::string_view> &candidates);

class ArgumentParser {
public:
  /// `usage` and `summary` head the help.
  ArgumentParser(std::string_view usage, std::string_view summary)
      : usage(usage), summary(summary) {}

  /// Starts a group of the help.
  void group(std::string_view title);

  /// Flags are written --name or --name=value. `value` names the value in the help; empty: none.
  void flag(std::string_view name, bool &target, std::string_view help);
  void text(std::string_view name, std::string_view value, std::string &target,
            std::string_view help);
  /// May be given several times.
  void list(std::string_view name, std::string_view value, std::vector<std::string> &target,
            std::string_view help);
  void number(std::string_view name, std::string_view value, uint64_t &target,
              std::string_view help);
  /// From 1; the target's 0 means that the flag is not there.
  void count(std::string_view name, std::string_view value, uint64_t &target,
             std::string_view help);
  void number(std::string_view name, std::string_view value, double &target, std::string_view help);

  /// Fills the targets; what is not a flag goes to `rest`, and so does all after "--". False with
  /// one line for each problem.
  bool parse(int count, const char *const *arguments, std::vector<std::string> &rest,
             std::vector<std::string> &problems) const;

  std::string help() const;

private:
  struct Flag {
    std::string name, value, help;
    /// False if the value is not of the flag's kind; the kind is then in `expected`.
    std::function<bool(std::string_view)> set;
    std::string_view expected;
  };
  struct Group {
    std::string title;
    std::vector<Flag> flags;
  };
  void add(std::string_view name, std::string_view value, std::string_view help,
           std::function<bool(std::string_view)> set, std::string_view expected);

  std::string usage, summary;
  std::vector<Group> groups;
};

} // namespace tw::support
