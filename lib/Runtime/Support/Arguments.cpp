// Parses command lines.
#include "Arguments.h"

#include <algorithm>
#include <charconv>
#include <numeric>

using namespace tw::support;

static size_t editDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t(0));
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t next = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1])});
      diagonal = row[j];
      row[j] = next;
    }
  }
  return row.back();
}

std::string_view tw::support::findSimilar(std::string_view word,
                                          const std::vector<std::string_view> &candidates) {
  std::string_view best;
  size_t bestDistance = word.size() / 3 + 2;
  for (std::string_view candidate : candidates)
    if (size_t distance = editDistance(word, candidate); distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  return best;
}

void ArgumentParser::group(std::string_view title) { groups.push_back({std::string(title), {}}); }

void ArgumentParser::add(std::string_view name, std::string_view value, std::string_view help,
                         std::function<bool(std::string_view)> set, std::string_view expected) {
  groups.back().flags.push_back(
      {std::string(name), std::string(value), std::string(help), std::move(set), expected});
}

void ArgumentParser::flag(std::string_view name, bool &target, std::string_view help) {
  add(name, "", help, [&target](std::string_view) { return target = true; }, "no value");
}

void ArgumentParser::text(std::string_view name, std::string_view value, std::string &target,
                          std::string_view help) {
  add(
      name, value, help,
      [&target](std::string_view given) {
        target = given;
        return !given.empty();
      },
      "text");
}

void ArgumentParser::list(std::string_view name, std::string_view value,
                          std::vector<std::string> &target, std::string_view help) {
  add(
      name, value, help,
      [&target](std::string_view given) {
        target.emplace_back(given);
        return !given.empty();
      },
      "text");
}

template <typename T> static bool parseNumber(std::string_view text, T &number) {
  auto end = std::from_chars(text.data(), text.data() + text.size(), number);
  return end.ec == std::errc() && end.ptr == text.data() + text.size();
}

void ArgumentParser::number(std::string_view name, std::string_view value, uint64_t &target,
                            std::string_view help) {
  add(
      name, value, help, [&target](std::string_view given) { return parseNumber(given, target); },
      "a number from 0");
}

void ArgumentParser::count(std::string_view name, std::string_view value, uint64_t &target,
                           std::string_view help) {
  add(
      name, value, help,
      [&target](std::string_view given) { return parseNumber(given, target) && target > 0; },
      "a number from 1");
}

void ArgumentParser::number(std::string_view name, std::string_view value, double &target,
                            std::string_view help) {
  add(
      name, value, help,
      [&target](std::string_view given) { return parseNumber(given, target) && target >= 0; },
      "a number from 0, such as 1e-4");
}

bool ArgumentParser::parse(int count, const char *const *arguments, std::vector<std::string> &rest,
                           std::vector<std::string> &problems) const {
  bool onlyRest = false;
  for (int i = 1; i < count; ++i) {
    std::string_view argument = arguments[i];
    if (onlyRest || argument.size() < 2 || argument[0] != '-') {
      rest.emplace_back(argument);
      continue;
    }
    if (argument == "--") {
      onlyRest = true;
      continue;
    }
    std::string_view name = argument.substr(argument.substr(0, 2) == "--" ? 2 : 1);
    size_t equals = name.find('=');
    bool hasValue = equals != name.npos;
    std::string_view value = hasValue ? name.substr(equals + 1) : "";
    name = name.substr(0, equals);
    const Flag *found = nullptr;
    std::vector<std::string_view> names;
    for (const Group &group : groups)
      for (const Flag &flag : group.flags) {
        names.push_back(flag.name);
        if (flag.name == name)
          found = &flag;
      }
    if (!found) {
      std::string problem = "unknown option '" + std::string(argument) + "'";
      if (std::string_view similar = findSimilar(name, names); !similar.empty())
        problem += "; did you mean '--" + std::string(similar) + "'?";
      problems.push_back(problem);
    } else if (hasValue == found->value.empty() || !found->set(value)) {
      problems.push_back("option '" + std::string(argument) + "': expected " +
                         (found->value.empty() ? "no value"
                                               : std::string(found->expected) + ", as in --" +
                                                     found->name + "=" + found->value));
    }
  }
  return problems.empty();
}

std::string ArgumentParser::help() const {
  constexpr size_t column = 30, width = 100;
  std::string text = "usage: " + usage + "\n\n" + summary + "\n";
  for (const Group &group : groups) {
    text += "\n" + group.title + "\n";
    for (const Flag &flag : group.flags) {
      std::string line = "  --" + flag.name + (flag.value.empty() ? "" : "=" + flag.value);
      if (line.size() + 2 > column) {
        text += line + "\n";
        line.clear();
      }
      line.resize(column, ' ');
      std::string_view help = flag.help;
      while (!help.empty()) {
        size_t room = width - column;
        size_t cut = help.size() <= room ? help.size() : help.rfind(' ', room);
        text += line + std::string(help.substr(0, cut)) + "\n";
        help.remove_prefix(std::min(cut + 1, help.size()));
        line.assign(column, ' ');
      }
    }
  }
  return text;
}
