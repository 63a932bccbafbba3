// Writes a sample module for the lit tests: write-sample
// affine|derived|dynamic|control|targets|elsewhere|external|sizes|choice|cache|loops FILE.
#include "SampleModules.h"

#include <cstdio>
#include <cstring>

int main(int count, char **arguments) {
  std::vector<uint8_t> module;
  if (count == 3 && strcmp(arguments[1], "affine") == 0)
    module = tw::test::makeAffineModule();
  else if (count == 3 && strcmp(arguments[1], "derived") == 0)
    module = tw::test::makeDerivedModule();
  else if (count == 3 && strcmp(arguments[1], "dynamic") == 0)
    module = tw::test::makeDynamicModule();
  else if (count == 3 && strcmp(arguments[1], "control") == 0)
    module = tw::test::makeControlModule();
  else if (count == 3 && strcmp(arguments[1], "targets") == 0)
    module = tw::test::makeManyTargetsModule();
  else if (count == 3 && strcmp(arguments[1], "elsewhere") == 0)
    module = tw::test::makeManyTargetsModule(/*host=*/false);
  else if (count == 3 && strcmp(arguments[1], "external") == 0)
    module = tw::test::makeExternalModule("weights.bin", std::vector<uint8_t>(256), 4);
  else if (count == 3 && strcmp(arguments[1], "sizes") == 0)
    module = tw::test::assemble(tw::test::makeSizesMetadata());
  else if (count == 3 && strcmp(arguments[1], "choice") == 0)
    module = tw::test::assemble(tw::test::makeChoiceMetadata());
  else if (count == 3 && strcmp(arguments[1], "cache") == 0)
    module = tw::test::assemble(tw::test::makeCacheMetadata());
  else if (count == 3 && strcmp(arguments[1], "loops") == 0)
    module = tw::test::assemble(tw::test::makeLoopsMetadata());
  else
    return 2;
  FILE *file = fopen(arguments[2], "wb");
  if (!file || fwrite(module.data(), 1, module.size(), file) != module.size())
    return 1;
  return fclose(file) == 0 ? 0 : 1;
}
