// Loops that run more often than their limit allows.
// RUN: not tensor-opt %s --interpret=entry=count -o /dev/null 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: not tensor-opt %s --interpret=entry=predicate -o /dev/null 2>&1 | FileCheck %s --check-prefix=PREDICATE

// COUNT: error: 'tgraph.for' op expected at most 4 iterations, found 5 [T0709]
func.func @count() -> tensor<2xi32> {
  %x = tgraph.constant dense<[1, 2]> : tensor<2xi32>
  %n = tgraph.constant dense<5> : tensor<i64>
  %0 = tgraph.for %n : tensor<i64> limit 4 carried(%a = %x : tensor<2xi32>) -> tensor<2xi32> {
    %b = tgraph.add %a, %a : tensor<2xi32>
    tgraph.yield %b : tensor<2xi32>
  }
  return %0 : tensor<2xi32>
}

// PREDICATE: error: 'tgraph.while' op expected at most 4 iterations, found a predicate that holds [T0709]
func.func @predicate() -> tensor<i1> {
  %c = tgraph.constant dense<true> : tensor<i1>
  %0 = tgraph.while (%a = %c : tensor<i1>) limit 4 {
    tgraph.yield %a : tensor<i1>
  }
  return %0 : tensor<i1>
}
