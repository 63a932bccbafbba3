// Prints collected errors.
#include "Problems.h"

#include <cstdio>

using namespace tw::run;

void Problems::print() {
  for (const std::string &line : lines)
    fprintf(stderr, "tensor-run: %s\n", line.c_str());
  lines.clear();
}
