"""What torch offers for the same programs: {name: function of the same tensors}. Each may fail, and is left out then."""
import networks


def attention(torch, q, k, v, causal=False):
    from torch.nn.attention import SDPBackend, sdpa_kernel
    from torch.nn.functional import scaled_dot_product_attention

    def with_backend(backend):
        def run():
            with sdpa_kernel(backend):
                return scaled_dot_product_attention(q, k, v, is_causal=causal, enable_gqa=k.shape[1] != q.shape[1])
        return run

    return {"flash": with_backend(SDPBackend.FLASH_ATTENTION), "cudnn": with_backend(SDPBackend.CUDNN_ATTENTION)}


def chain(torch, x, count):
    def eager():
        y = x
        for _ in range(count):
            y = torch.sin(y)
        return y

    return {"eager": eager, "graph": captured(torch, eager)}


def captured(torch, work):
    """The same work as one graph of CUDA's."""
    def replay():
        replay.graph = replay.graph or capture(torch, work)
        replay.graph.replay()

    replay.graph = None
    return replay


def capture(torch, work):
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        work()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        graph.result = work()
    return graph


def network(torch, x, flat, network, sizes):
    """As it is called, as a graph, and as a graph with the channels last, which convolutions like better."""
    def work(images_last):
        cache = {}
        image = x.contiguous(memory_format=torch.channels_last) if images_last else x
        return lambda: networks.NETWORKS[network](networks.Torch(torch, flat, image, images_last, cache), *sizes)

    found = {"eager": work(False), "graph": captured(torch, work(False))}
    if x.dim() == 4:
        found["graph, channels last"] = captured(torch, work(True))
    return found


def simple(torch, name, arrays, arguments):
    from torch.nn import functional
    one = torch.ones((), device="cuda")
    table = {
        "product": lambda a, b: torch.matmul(a, b),
        "product_nt": lambda a, b: torch.matmul(a, b.t()),
        "integer_product": lambda a, b: torch._int_mm(a, b),
        "integer_product_nt": lambda a, b: torch._int_mm(a, b.t()),
        "float8_product_nt": lambda a, b: torch._scaled_mm(a, b.t(), scale_a=one, scale_b=one, out_dtype=torch.bfloat16),
        "product_gelu": lambda a, b, c: functional.gelu(torch.addmm(c, a, b), approximate="tanh"),
        "softmax": lambda x: torch.softmax(x, -1),
        "layer_norm": lambda x, scale, shift: functional.layer_norm(x, x.shape[-1:], scale, shift, 1e-5),
        "rms_norm": lambda x, scale: functional.rms_norm(x, x.shape[-1:], scale, 1e-5),
        "sum": lambda x, axes: torch.sum(x, tuple(axes)),
        "transpose": lambda x: x.t().contiguous(),
        "relu": torch.relu, "gelu": functional.gelu, "add": torch.add,
    }
    return {"torch": lambda: table[name](*arrays, **arguments)} if name in table else {}


def find(torch, name, arrays, arguments):
    special = {"attention": attention, "chain": chain, "network": network}
    return special[name](torch, *arrays, **arguments) if name in special else simple(torch, name, arrays, arguments)
