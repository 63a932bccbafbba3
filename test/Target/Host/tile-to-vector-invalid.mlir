// RUN: tensor-opt %s --tile-to-vector=lanes=12 --verify-diagnostics

// expected-error @below {{expected lanes to be a power of two, found 12 [T0408]}}
module {
}
