// fuzz: tensor-compile -o /dev/null --target=host
func.func @upstream(%x: i1) {
  return
}
