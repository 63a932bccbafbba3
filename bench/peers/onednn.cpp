// Operations of oneDNN, made once and timed here. Constant weights are packed when they are made.
#include <chrono>
#include <cstdint>
#include <cstring>
#include <string>
#include <unordered_map>
#include <vector>

#include "oneapi/dnnl/dnnl.hpp"

using namespace dnnl;
using Dims = memory::dims;

namespace {
/// A sequence of primitives with the memory of their arguments.
struct Program {
  engine cpu{engine::kind::cpu, 0};
  stream queue{cpu};
  std::vector<primitive> steps;
  std::vector<std::unordered_map<int, memory>> arguments;

  void add(primitive step, std::unordered_map<int, memory> values) {
    steps.push_back(std::move(step));
    arguments.push_back(std::move(values));
  }
  void run() {
    for (size_t i = 0; i < steps.size(); ++i)
      steps[i].execute(queue, arguments[i]);
    queue.wait();
  }
  /// `from` in another layout: once now, or at each run.
  memory convert(const memory &from, const memory::desc &layout, bool once) {
    if (from.get_desc() == layout)
      return from;
    memory to(layout, cpu);
    if (once) {
      reorder(from, to).execute(queue, const_cast<memory &>(from), to);
      queue.wait();
    } else {
      add(reorder(from, to), {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}});
    }
    return to;
  }
};

memory::data_type typeOf(const char *element) {
  std::string name = element;
  return name == "bf16"  ? memory::data_type::bf16
         : name == "i8"  ? memory::data_type::s8
         : name == "ui8" ? memory::data_type::u8
         : name == "i32" ? memory::data_type::s32
                         : memory::data_type::f32;
}

Dims denseStrides(const Dims &dims) {
  Dims strides(dims.size(), 1);
  for (size_t i = dims.size() - 1; i-- > 0;)
    strides[i] = strides[i + 1] * dims[i + 1];
  return strides;
}

memory::desc plain(const Dims &dims, memory::data_type type = memory::data_type::f32) {
  return {dims, type, denseStrides(dims)};
}

/// Of an image, `last`: with its channels last in memory.
memory::desc image(const Dims &dims, bool last, memory::data_type type = memory::data_type::f32) {
  memory::format_tag tag = last ? memory::format_tag::nhwc : memory::format_tag::nchw;
  return {dims, type, tag};
}

memory::desc any(const Dims &dims, memory::data_type type = memory::data_type::f32) {
  return {dims, type, memory::format_tag::any};
}
} // namespace

static thread_local std::string message;

template <typename Build> static Program *guard(Build build) {
  auto *program = new Program;
  try {
    build(*program);
    program->run();
    return program;
  } catch (const error &failure) {
    message = failure.what();
    delete program;
    return nullptr;
  }
}

extern "C" {
const char *lastMessage() { return message.c_str(); }

void runProgram(Program *program, int64_t count, int64_t *nanoseconds) {
  for (int64_t i = 0; i < count; ++i) {
    auto begin = std::chrono::steady_clock::now();
    program->run();
    nanoseconds[i] = (std::chrono::steady_clock::now() - begin).count();
  }
}

void freeProgram(Program *program) { delete program; }

Program *makeProduct(int64_t batch, int64_t m, int64_t n, int64_t k, int turnA, int turnB,
                     int constant, const char *typeA, const char *typeB, const char *typeC, void *a,
                     void *b, void *c) {
  return guard([&](Program &p) {
    Dims da = {m, k}, db = {k, n}, dc = {m, n}, sa, sb;
    sa = turnA ? Dims{1, m} : Dims{k, 1};
    sb = turnB ? Dims{1, k} : Dims{n, 1};
    if (batch > 1) {
      for (Dims *dims : {&da, &db, &dc})
        dims->insert(dims->begin(), batch);
      sa.insert(sa.begin(), m * k);
      sb.insert(sb.begin(), k * n);
    }
    memory x({da, typeOf(typeA), sa}, p.cpu, a), y({db, typeOf(typeB), sb}, p.cpu, b);
    memory z(plain(dc, typeOf(typeC)), p.cpu, c);
    memory::desc weights = constant ? any(db, typeOf(typeB)) : y.get_desc();
    matmul::primitive_desc made({x.get_desc(), weights, z.get_desc()}, p.cpu);
    y = p.convert(y, made.weights_desc(), true);
    p.add(matmul(made), {{DNNL_ARG_SRC, x}, {DNNL_ARG_WEIGHTS, y}, {DNNL_ARG_DST, z}});
  });
}

/// NCHW in and out, or NHWC with `last`; `layouts` 0 keeps that inside, 1 lets the library choose and converts.
Program *makeConvolution(int64_t n, int64_t c, int64_t f, int64_t h, int64_t w, int64_t p_,
                         int64_t q, int64_t r, int64_t stride, int64_t pad, int64_t depthwise,
                         int64_t last, const char *element, int64_t layouts, void *a, void *b,
                         void *out) {
  return guard([&](Program &p) {
    Dims da = {n, c, h, w}, dc = {n, f, p_, q};
    Dims db = depthwise ? Dims{c, 1, 1, r, r} : Dims{f, c, r, r};
    Dims high = {(p_ - 1) * stride + r - h - pad, (q - 1) * stride + r - w - pad};
    memory::data_type type = typeOf(element);
    memory x(image(da, last, type), p.cpu, a), y(plain(db, type), p.cpu, b);
    memory z(image(dc, last, type), p.cpu, out);
    convolution_forward::primitive_desc made({prop_kind::forward_inference,
                                              algorithm::convolution_direct,
                                              layouts ? any(da, type) : x.get_desc(),
                                              any(db, type),
                                              layouts ? any(dc, type) : z.get_desc(),
                                              {stride, stride},
                                              {pad, pad},
                                              high},
                                             p.cpu);
    y = p.convert(y, made.weights_desc(), true);
    x = p.convert(x, made.src_desc(), false);
    memory inner = made.dst_desc() == z.get_desc() ? z : memory(made.dst_desc(), p.cpu);
    p.add(convolution_forward(made),
          {{DNNL_ARG_SRC, x}, {DNNL_ARG_WEIGHTS, y}, {DNNL_ARG_DST, inner}});
    if (inner != z)
      p.add(reorder(inner, z), {{DNNL_ARG_FROM, inner}, {DNNL_ARG_TO, z}});
  });
}

Program *makePool(int64_t n, int64_t c, int64_t h, int64_t w, int64_t p_, int64_t q, int64_t last,
                  void *a, void *out) {
  return guard([&](Program &p) {
    memory x(image({n, c, h, w}, last), p.cpu, a), z(image({n, c, p_, q}, last), p.cpu, out);
    Dims high = {(p_ - 1) * 2 + 2 - h, (q - 1) * 2 + 2 - w};
    pooling_forward::primitive_desc made({prop_kind::forward_inference,
                                          algorithm::pooling_max,
                                          x.get_desc(),
                                          z.get_desc(),
                                          {2, 2},
                                          {3, 3},
                                          {1, 1},
                                          high},
                                         p.cpu);
    p.add(pooling_forward(made), {{DNNL_ARG_SRC, x}, {DNNL_ARG_DST, z}});
  });
}

Program *makeSoftmax(int64_t i, int64_t j, void *a, void *out) {
  return guard([&](Program &p) {
    memory x(plain({i, j}), p.cpu, a), z(plain({i, j}), p.cpu, out);
    softmax_forward::primitive_desc made({prop_kind::forward_inference, x.get_desc(), 1}, p.cpu);
    p.add(softmax_forward(made), {{DNNL_ARG_SRC, x}, {DNNL_ARG_DST, z}});
  });
}

Program *makeLayerNorm(int64_t i, int64_t j, void *a, void *scale, void *shift, void *out) {
  return guard([&](Program &p) {
    memory x(plain({i, j}), p.cpu, a), z(plain({i, j}), p.cpu, out);
    memory g(plain({j}), p.cpu, scale), b(plain({j}), p.cpu, shift);
    layer_normalization_forward::primitive_desc made(
        {prop_kind::forward_inference, x.get_desc(), 1e-5f,
         normalization_flags::use_scale | normalization_flags::use_shift},
        p.cpu);
    p.add(layer_normalization_forward(made),
          {{DNNL_ARG_SRC, x}, {DNNL_ARG_DST, z}, {DNNL_ARG_SCALE, g}, {DNNL_ARG_SHIFT, b}});
  });
}

Program *makeGelu(int64_t i, void *a, void *out) {
  return guard([&](Program &p) {
    memory x(plain({i}), p.cpu, a), z(plain({i}), p.cpu, out);
    eltwise_forward::primitive_desc made(
        {prop_kind::forward_inference, algorithm::eltwise_gelu_erf, x.get_desc(), 0.f}, p.cpu);
    p.add(eltwise_forward(made), {{DNNL_ARG_SRC, x}, {DNNL_ARG_DST, z}});
  });
}

Program *makeSum(int64_t i, int64_t j, int axis, void *a, void *out) {
  return guard([&](Program &p) {
    memory x(plain({i, j}), p.cpu, a);
    memory z(plain(axis == 0 ? Dims{1, j} : Dims{i, 1}), p.cpu, out);
    reduction::primitive_desc made({algorithm::reduction_sum, x.get_desc(), z.get_desc(), 0.f, 0.f},
                                   p.cpu);
    p.add(reduction(made), {{DNNL_ARG_SRC, x}, {DNNL_ARG_DST, z}});
  });
}

Program *makeBiasRelu(int64_t n, int64_t c, int64_t h, int64_t w, void *a, void *bias, void *out) {
  return guard([&](Program &p) {
    memory x(plain({n, c, h, w}), p.cpu, a), z(plain({n, c, h, w}), p.cpu, out);
    memory b(plain({1, c, 1, 1}), p.cpu, bias);
    post_ops after;
    after.append_eltwise(1.f, algorithm::eltwise_relu, 0.f, 0.f);
    primitive_attr attributes;
    attributes.set_post_ops(after);
    binary::primitive_desc made({algorithm::binary_add, x.get_desc(), b.get_desc(), z.get_desc()},
                                attributes, p.cpu);
    p.add(binary(made), {{DNNL_ARG_SRC_0, x}, {DNNL_ARG_SRC_1, b}, {DNNL_ARG_DST, z}});
  });
}

Program *makeTranspose(int64_t i, int64_t j, void *a, void *out) {
  return guard([&](Program &p) {
    memory x(plain({i, j}), p.cpu, a);
    memory z({{i, j}, memory::data_type::f32, Dims{1, i}}, p.cpu, out);
    p.add(reorder(x, z), {{DNNL_ARG_FROM, x}, {DNNL_ARG_TO, z}});
  });
}
}
