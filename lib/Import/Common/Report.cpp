// The report of what cannot be imported.
#include "Report.h"

using namespace tw;
using namespace tw::importer;

void Report::add(mlir::Location location, llvm::StringRef op, const llvm::Twine &form,
                 const llvm::Twine &needed, const llvm::Twine &nearest, llvm::StringRef node) {
  std::string key = (op + "\n" + form).str();
  auto [found, isNew] = entries.insert(
      {key, Entry{location, op.str(), form.str(), needed.str(), nearest.str(), node.str(), 0}});
  ++found->second.count;
}

llvm::LogicalResult Report::emit(mlir::Location model, llvm::StringRef what) const {
  unsigned total = 0;
  for (const auto &[key, entry] : entries)
    total += entry.count;
  CodedDiagnostic diagnostic = emitError(model, Code::T0106);
  diagnostic << "cannot import " << total << " " << what << (total == 1 ? ": " : "s: ");
  llvm::interleave(
      entries, [&](const auto &item) { diagnostic << item.second.op; },
      [&] { diagnostic << ", "; });
  for (const auto &[key, entry] : entries) {
    mlir::Diagnostic &note = diagnostic.attachNote(entry.location);
    note << entry.op << (entry.form.empty() ? "" : " with ") << entry.form << ": " << entry.count
         << " " << what << (entry.count == 1 ? ", first " : "s, first ") << entry.first
         << "; needs " << entry.needed << "; nearest supported form: " << entry.nearest;
  }
  return diagnostic;
}
