// fuzz: tensor-compile -o /dev/null --target=host,opencl
func.func @dynamic(%x: tensor<?xi32>) -> tensor<4xi32> {
  %a = tview.view %x through <affine_map<(d0) -> ((d0 * 2) floordiv 2)>, else 3 : i32> : tensor<?xi32> -> tensor<4xi32>
  %b = tview.view %a through <affine_map<(d0) -> (d0 + 1)>, else 4 : i32> : tensor<4xi32> -> tensor<4xi32>
  return %b : tensor<4xi32>
}
