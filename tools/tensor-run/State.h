// What a training keeps between runs of the tool: a file of safetensors.
#pragma once

#include "Tensors.h"

namespace tw::run {

/// Fills the inputs that share a result's memory from the file, where it is there. Names and types
/// that differ are one problem that lists all of them; so is a program without such inputs.
void readState(const std::string &path, const std::vector<Value> &values,
               std::vector<Tensor> &inputs, Problems &problems);

/// Writes what these inputs are now, under their names: the file appears whole or not at all.
void writeState(const std::string &path, const std::vector<Value> &values,
                const std::vector<Tensor> &outputs, Problems &problems);

} // namespace tw::run
