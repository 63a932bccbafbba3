tlaunch.func @condition(%c: !tlaunch.buffer<tensor<?xi1>>) results() names ["c"] target "host" {
  tlaunch.if %c : !tlaunch.buffer<tensor<?xi1>> {
  }
  tlaunch.return
}
