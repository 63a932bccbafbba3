// Modules and functions of the C API, on the front end.
#pragma once

#include "Context.h"

#include "tw/Frontend/Bridge.h"

struct TwcModule {
  TwcModule(TwcContext *context, tw::fe::Module module, std::shared_ptr<tw::FileResolver> files)
      : context(context), module(std::move(module)), files(std::move(files)) {
    ++context->references;
  }

  TwcContext *context;
  tw::fe::Module module;
  /// Of constants; shared with clones.
  std::shared_ptr<tw::FileResolver> files;
  /// Handles that were handed out.
  std::vector<std::unique_ptr<TwcFunction>> functions;
};

struct TwcFunction {
  TwcModule *module;
  tw::fe::Function function;
  /// Passes have run on the module since: the function is what it was no more.
  bool isGone = false;
};
