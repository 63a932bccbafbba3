// Help by pass, from the definitions.
#include "Help.h"

#include "tw/Support/Similar.h"
#include "tw/Support/Tool.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"

using llvm::StringRef;

namespace {

/// What mlir-tblgen writes of the passes of one folder.
struct Page {
  StringRef folder, text;
};

constexpr Page pages[] = {
#include "tw/Registry/PassPages.inc"
};

struct PassPage {
  StringRef name, summary, body;
};

/// "### `-name`", "_Summary_", then the body up to the next one.
llvm::SmallVector<PassPage> split(StringRef text) {
  llvm::SmallVector<PassPage> passes;
  llvm::SmallVector<StringRef> parts;
  text.split(parts, "### `-");
  for (StringRef part : llvm::drop_begin(parts)) {
    auto [name, rest] = part.split("`\n");
    auto [summary, body] = rest.ltrim().split('\n');
    passes.push_back({name, summary.trim("_"), body.trim()});
  }
  return passes;
}

/// "Dialect/Graph/Transforms": "tgraph"; others by their folder.
std::string getTitle(StringRef folder) {
  if (!folder.consume_front("Dialect/"))
    return folder.str();
  return "t" + folder.split('/').first.lower();
}

void printEntry(llvm::raw_ostream &os, StringRef name, StringRef summary) {
  os << "  " << llvm::left_justify(name, 30) << " " << summary.split('\n').first << "\n";
}

/// Options of the tool that most calls need.
constexpr std::pair<StringRef, StringRef> groups[] = {
    {"Upstream passes used most", "canonicalize cse symbol-dce inline"},
    {"Pipelines", "pass-pipeline list-passes list-stages dump-stages target"},
    {"Input and output", "o split-input-file verify-diagnostics verify-each emit-bytecode "
                         "mlir-print-op-generic mlir-print-debuginfo"},
    {"Looking inside", "mlir-print-ir-before-all mlir-print-ir-after-all "
                       "mlir-print-ir-after-change mlir-timing "
                       "mlir-pass-pipeline-crash-reproducer"},
};

StringRef describe(StringRef name) {
  if (const mlir::PassInfo *pass = mlir::PassInfo::lookup(name))
    return pass->getPassDescription();
  auto &options = llvm::cl::getRegisteredOptions();
  auto found = options.find(name);
  return found == options.end() ? "" : found->second->HelpStr;
}

} // namespace

void printHelp(llvm::raw_ostream &os) {
  os << "Runs passes and pipelines on a program: MLIR text or bytecode.\n\n"
        "USAGE: tensor-opt [--PASS[=OPTION=VALUE ...]]... [options] <program.mlir, or - >\n";
  for (const Page &page : pages) {
    os << "\nPasses of " << getTitle(page.folder) << "\n";
    for (const PassPage &pass : split(page.text))
      printEntry(os, ("--" + pass.name).str(), pass.summary);
  }
  for (auto [title, names] : groups) {
    os << "\n" << title << "\n";
    for (StringRef name : llvm::split(names, ' '))
      printEntry(os, ((name.size() > 1 ? "--" : "-") + name).str(), describe(name));
  }
  os << "\nHelp\n";
  printEntry(os, "--help=PASS", "What a pass does, its options, an example");
  printEntry(os, "--help-hidden", "All options, those of LLVM and MLIR among them");
  printEntry(os, "--version [--json]", "Versions of Tensorwright and LLVM");
}

bool printPassHelp(StringRef name, llvm::raw_ostream &os) {
  llvm::SmallVector<StringRef> known;
  name = name.ltrim('-');
  for (const Page &page : pages)
    for (const PassPage &pass : split(page.text)) {
      known.push_back(pass.name);
      if (pass.name != name)
        continue;
      os << "--" << pass.name << " (" << getTitle(page.folder) << "): " << pass.summary << "\n\n"
         << pass.body << "\n";
      return true;
    }
  // A pass of MLIR's says its options with their defaults as a pipeline's text.
  if (const mlir::PassInfo *pass = mlir::PassInfo::lookup(name)) {
    mlir::OpPassManager manager;
    os << "--" << name << " (MLIR): " << pass->getPassDescription() << "\n\n";
    if (succeeded(
            pass->addToPipeline(manager, "", [](const llvm::Twine &) { return mlir::failure(); })))
      manager.printAsTextualPipeline(os);
    os << "\n";
    return true;
  }
  tw::fail("no pass '" + name + "'" + tw::listKnown(name, known), tw::Code::T0602);
  return false;
}
