// The list of importers.
#include "tw/Import/Importer.h"

#include "tw/Import/StableHLO/StableHLO.h"

#include <deque>

using namespace tw;

/// The later ones first.
static std::deque<Importer> &getImporters() {
  static std::deque<Importer> importers = {{".onnx", onnx::importModel},
                                           {".stablehlo.mlir", stablehlo::importModel}};
  return importers;
}

void tw::registerImporter(const Importer &importer) { getImporters().push_front(importer); }

const Importer *tw::findImporter(llvm::StringRef path) {
  for (const Importer &importer : getImporters())
    if (path.ends_with(importer.ending))
      return &importer;
  return nullptr;
}
