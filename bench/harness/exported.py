"""Networks of torchvision, timm and transformers with random weights, as PyTorch's exporter writes them for ONNX.

Run by the Python of the cache's `exporters`: exported.py NAME FOLDER writes the model, its inputs, the first result in f64
and what is counted; `done.json` last. Vision at the sizes the packages give, language models of a few layers.
"""
import json
import os
import sys
import warnings

PACKAGES = ["torch", "torchvision", "timm", "transformers", "onnx", "onnxscript", "numpy"]

TORCHVISION = """alexnet squeezenet1_1 shufflenet_v2_x1_0 densenet121 googlenet inception_v3 regnet_y_400mf mnasnet1_0 mobilenet_v3_small resnet18
resnext50_32x4d efficientnet_v2_s swin_v2_t maxvit_t deeplabv3_mobilenet_v3_large lraspp_mobilenet_v3_large fcn_resnet50""".split()
TIMM = """ghostnet_100 mobilevit_s mixer_b16_224 poolformer_s12 coatnet_0_rw_224 efficientformer_l1 levit_128 xcit_tiny_12_p16_224 repvgg_a0
hrnet_w18_small res2net50_26w_4s edgenext_small fastvit_t8 deit_tiny_patch16_224 cait_xxs24_224 crossvit_tiny_240 convmixer_768_32 gmlp_s16_224
pvt_v2_b0 twins_svt_small nf_resnet50 dla34 efficientvit_b1 mobileone_s0 tinynet_a lcnet_050 visformer_tiny mobilenetv4_conv_small repvit_m0_9
starnet_s1""".split()
# The class, with what its configuration has beside the defaults; `rows` words of text, or the shape of what else is read.
TEXT = dict(vocab_size=4000, num_hidden_layers=4, hidden_size=512, num_attention_heads=8, intermediate_size=2048)
TRANSFORMERS = {
    "distilbert": ("DistilBert", dict(vocab_size=4000), 64),
    "albert": ("Albert", dict(vocab_size=4000, hidden_size=512, num_attention_heads=8, intermediate_size=2048), 64),
    "roformer": ("RoFormer", TEXT, 64),
    "deberta_v2": ("DebertaV2", {**TEXT, "relative_attention": True, "pos_att_type": ["c2p", "p2c"], "max_relative_positions": 128}, 64),
    "fnet": ("FNet", dict(vocab_size=4000, num_hidden_layers=3), 64),
    "gpt_neox": ("GPTNeoX", TEXT, 64),
    "qwen2": ("Qwen2", {**TEXT, "num_key_value_heads": 2}, 64),
    "gemma": ("Gemma", {**TEXT, "num_key_value_heads": 1, "head_dim": 64}, 64),
    "clip_text": ("CLIPText", dict(vocab_size=4000), 77),
    "clip_vision": ("CLIPVision", dict(hidden_size=384, num_hidden_layers=6, num_attention_heads=6, intermediate_size=1536), (1, 3, 224, 224)),
    "segformer": ("Segformer", {}, (1, 3, 256, 256)),
    "yolos": ("Yolos", dict(hidden_size=192, num_hidden_layers=6, num_attention_heads=3, intermediate_size=768, image_size=[256, 256]), (1, 3, 256, 256)),
    "wav2vec2": ("Wav2Vec2", dict(hidden_size=384, num_hidden_layers=3, num_attention_heads=6, intermediate_size=1536), (1, 16000)),
}
NAMES = [*TORCHVISION, *TIMM, *TRANSFORMERS]


def make(torch, name):
    """The network, and what it is called on."""
    if name in TORCHVISION:
        import torchvision
        more = {} if name in torchvision.models.list_models(torchvision.models) else {"weights_backbone": None}
        size = {"inception_v3": 299}.get(name, 256 if more else 224)
        return torchvision.models.get_model(name, weights=None, **more), torch.randn(1, 3, size, size)
    if name in TIMM:
        import timm
        network = timm.create_model(name, pretrained=False)
        return network, torch.randn(1, *network.default_cfg["input_size"])
    import transformers
    kind, more, shape = TRANSFORMERS[name]
    config = getattr(transformers, kind + "Config")(**more, use_cache=False)
    network = getattr(transformers, kind + "Model")(config)
    network.set_attn_implementation("eager")
    return network, torch.randint(0, 1000, (1, shape)) if isinstance(shape, int) else torch.randn(shape)


def first(found):
    """The first result of a network, which may have several, by name or not."""
    if isinstance(found, dict):
        found = list(found.values())
    return found if not isinstance(found, (tuple, list)) else first(found[0])


def main():
    warnings.simplefilter("ignore")
    import numpy
    import torch
    from torch.utils.flop_counter import FlopCounterMode
    name, folder = sys.argv[1], sys.argv[2]
    os.makedirs(folder, exist_ok=True)
    torch.manual_seed(0)
    network, x = make(torch, name)
    for part in network.modules():
        if isinstance(part, torch.nn.modules.batchnorm._BatchNorm):
            part.running_mean.normal_(0, 0.1)
            part.running_var.uniform_(0.5, 1.5)

    class First(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.network = network

        def forward(self, x):
            return first(self.network(x))

    model, path = First().eval().requires_grad_(False), os.path.join(folder, "model.onnx")
    # The exporter of traces; the newer one for what that does not know.
    try:
        torch.onnx.export(model, (x,), path, dynamo=False, input_names=["x"], opset_version=17)
    except torch.onnx.errors.OnnxExporterError:
        torch.onnx.export(model, (x,), path, dynamo=True, input_names=["x"], external_data=False)
    numpy.save(os.path.join(folder, "x.npy"), x.numpy())
    with torch.no_grad(), FlopCounterMode(display=False) as counter:
        result = model.double()(x.double() if x.is_floating_point() else x)
    numpy.save(os.path.join(folder, "reference.npy"), result.double().numpy())
    with open(os.path.join(folder, "done.json"), "w") as file:
        json.dump({"inputs": {"x": list(x.shape)}, "elements": {"x": "f32" if x.is_floating_point() else "i64"}, "result": list(result.shape),
                   "flops": counter.get_total_flops(), "bytes": os.path.getsize(path) + x.numpy().nbytes}, file)


if __name__ == "__main__":
    main()
