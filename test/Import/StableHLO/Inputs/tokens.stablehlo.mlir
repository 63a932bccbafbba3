// Tokens through functions, barriers, branches and loops.
module {
func.func public @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %t = stablehlo.create_token : !stablehlo.token
  %u = stablehlo.after_all %t, %t : !stablehlo.token
  %n = "stablehlo.after_all"() : () -> !stablehlo.token
  %b:2 = stablehlo.optimization_barrier %x, %u : tensor<3xf32>, !stablehlo.token
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %m = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
  %c = stablehlo.compare LT, %m, %z : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %k:2 = "stablehlo.if"(%c) ({
    %y = stablehlo.add %x, %x : tensor<3xf32>
    stablehlo.return %y, %b#1 : tensor<3xf32>, !stablehlo.token
  }, {
    stablehlo.return %x, %n : tensor<3xf32>, !stablehlo.token
  }) : (tensor<i1>) -> (tensor<3xf32>, !stablehlo.token)
  %r:2 = call @square(%k#0, %k#1) : (tensor<3xf32>, !stablehlo.token) -> (tensor<3xf32>, !stablehlo.token)
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %l:3 = stablehlo.while(%i = %zero, %v = %r#0, %j = %r#1) : tensor<i32>, tensor<3xf32>, !stablehlo.token
   cond {
    %h = stablehlo.constant dense<4> : tensor<i32>
    %p = stablehlo.compare LT, %i, %h : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %next = stablehlo.add %i, %one : tensor<i32>
    %y = stablehlo.add %v, %v : tensor<3xf32>
    %after = stablehlo.after_all %j : !stablehlo.token
    stablehlo.return %next, %y, %after : tensor<i32>, tensor<3xf32>, !stablehlo.token
  }
  return %l#1 : tensor<3xf32>
}
func.func private @square(%x: tensor<3xf32>, %t: !stablehlo.token) -> (tensor<3xf32>, !stablehlo.token) {
  %y = stablehlo.multiply %x, %x : tensor<3xf32>
  return %y, %t : tensor<3xf32>, !stablehlo.token
}
}
