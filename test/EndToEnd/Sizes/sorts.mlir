// Sorts of as many elements as a call has: by pairs and by digits, of each element type's keys, the first of them, and what lies there.
func.func @main(%x: tensor<?x?xf32, #tgraph.dims<[B, S]>> {tgraph.name = "x"}, %i: tensor<?xi8, #tgraph.dims<[S]>> {tgraph.name = "i"},
                %u: tensor<?x2xi64, #tgraph.dims<[S, 2]>> {tgraph.name = "u"}, %l: tensor<?xi32, #tgraph.dims<[T]>> {tgraph.name = "l"})
    -> (tensor<?x?xf32, #tgraph.dims<[B, S]>> {tgraph.name = "up"}, tensor<?xi64, #tgraph.dims<[S]>> {tgraph.name = "down"}, tensor<?x2xi64, #tgraph.dims<[S, 2]>> {tgraph.name = "columns"},
        tensor<?xi64, #tgraph.dims<[T]>> {tgraph.name = "many"})
    attributes {tgraph.symbols = {B = #tgraph.symbol<min = 1, max = 3, step = 1>, S = #tgraph.symbol<min = 0, max = 40, step = 1>, T = #tgraph.symbol<min = 1, max = 900, step = 1>}} {
  %0 = tgraph.arg_sort %x dim 1 first -1 : tensor<?x?xf32, #tgraph.dims<[B, S]>> -> tensor<?x?xi64, #tgraph.dims<[B, S]>>
  %1 = tgraph.gather %x, %0 {axis = 1 : i64, batch_dims = 1 : i64} : tensor<?x?xf32, #tgraph.dims<[B, S]>>, tensor<?x?xi64, #tgraph.dims<[B, S]>> -> tensor<?x?xf32, #tgraph.dims<[B, S]>>
  %2 = tgraph.arg_sort %i dim 0 descending first -1 : tensor<?xi8, #tgraph.dims<[S]>> -> tensor<?xi64, #tgraph.dims<[S]>>
  %3 = tgraph.arg_sort %u dim 0 first -1 : tensor<?x2xi64, #tgraph.dims<[S, 2]>> -> tensor<?x2xi64, #tgraph.dims<[S, 2]>>
  %4 = tgraph.arg_sort %l dim 0 descending first -1 : tensor<?xi32, #tgraph.dims<[T]>> -> tensor<?xi64, #tgraph.dims<[T]>>
  return %1, %2, %3, %4 : tensor<?x?xf32, #tgraph.dims<[B, S]>>, tensor<?xi64, #tgraph.dims<[S]>>, tensor<?x2xi64, #tgraph.dims<[S, 2]>>, tensor<?xi64, #tgraph.dims<[T]>>
}
