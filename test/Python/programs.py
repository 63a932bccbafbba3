# What the tests compile.
import tensorwright as tw

ADD = """
func.func @main(%x: tensor<4x8xf32> {tgraph.name = "x"}, %y: tensor<4x8xf32> {tgraph.name = "y"})
    -> (tensor<4x8xf32> {tgraph.name = "z"}) {
  %z = tgraph.add %x, %y : tensor<4x8xf32>
  return %z : tensor<4x8xf32>
}"""

TWO_RESULTS = """
func.func @main(%x: tensor<3xi32> {tgraph.name = "x"})
    -> (tensor<3xi32> {tgraph.name = "twice"}, tensor<3xi32> {tgraph.name = "square"}) {
  %0 = tgraph.add %x, %x : tensor<3xi32>
  %1 = tgraph.mul %x, %x : tensor<3xi32>
  return %0, %1 : tensor<3xi32>, tensor<3xi32>
}"""

_known = {}


def compiled(text, **options):
    """Compiled once for each text and options of a test program."""
    key = (text, tuple(sorted(options.items())))
    if key not in _known:
        _known[key] = tw.compile(text, **options)
    return _known[key]
