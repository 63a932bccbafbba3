// Texts of errors, and printing them.
#include "Problems.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

using namespace tw::run;

const char *tw::run::nameOf(Severity severity) {
  return severity == Severity::Error ? "error" : severity == Severity::Warning ? "warning" : "note";
}

std::string Problem::text() const {
  std::string text;
  if (!file.empty()) {
    text = file;
    if (line)
      text += ":" + std::to_string(line) + ":" + std::to_string(column);
    text += ": ";
  }
  // The importer's messages begin with the node.
  if (std::string subject = "node '" + node + "'"; !node.empty() && !message.starts_with(subject))
    text += subject + ": ";
  text += message;
  if (!remedy.empty())
    text += (message.ends_with("?") ? " " : ". ") + remedy;
  if (!code.empty())
    text += " [" + code + "]";
  text += "\n";
  return text + excerpt;
}

static constexpr char separator = '\x1f';

std::string Problem::pack() const {
  std::string packed(1, char('0' + char(severity)));
  for (const std::string &member :
       {code, file, std::to_string(line), std::to_string(column), node, remedy, excerpt, message})
    (packed += separator) += member;
  return packed;
}

Problem Problem::unpack(const std::string &text) {
  std::string members[9];
  size_t at = 0;
  for (size_t i = 0; i + 1 < std::size(members); ++i) {
    size_t end = std::min(text.find(separator, at), text.size());
    members[i] = text.substr(at, end - at);
    at = std::min(end + 1, text.size());
  }
  Problem problem;
  problem.severity = Severity(members[0].empty() ? 0 : (members[0][0] - '0') % 3);
  problem.code = members[1];
  problem.file = members[2];
  problem.line = uint32_t(strtoul(members[3].c_str(), nullptr, 10));
  problem.column = uint32_t(strtoul(members[4].c_str(), nullptr, 10));
  problem.node = members[5];
  problem.remedy = members[6];
  problem.excerpt = members[7];
  problem.message = text.substr(at);
  return problem;
}

void Problems::add(Problem problem) {
  bool isNote = problem.severity == Severity::Note;
  if (!isNote && std::find(problems.begin(), problems.end(), problem) != problems.end())
    return;
  errors += problem.severity == Severity::Error;
  problems.push_back(std::move(problem));
}

void Problems::print() {
  static const bool colored = isatty(STDERR_FILENO) && !getenv("NO_COLOR");
  for (; told < problems.size(); ++told) {
    const Problem &problem = problems[told];
    const char *color = !colored                                ? ""
                        : problem.severity == Severity::Error   ? "\x1b[1;31m"
                        : problem.severity == Severity::Warning ? "\x1b[1;35m"
                                                                : "\x1b[1;36m";
    fprintf(stderr, "tensor-run: %s%s:%s %s", color, nameOf(problem.severity),
            colored ? "\x1b[0m" : "", problem.text().c_str());
  }
}
