// A program for Vulkan with a tensor of 160 MiB.
tlaunch.func @main(%x: !tlaunch.buffer<tensor<40960x1024xf32>>) results(%y: !tlaunch.buffer<tensor<4xf32>>) names ["x", "y"] target "vulkan" {
  tlaunch.return
}
