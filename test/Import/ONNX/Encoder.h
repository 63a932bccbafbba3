// Encodes protobuf messages for the tests of the ONNX reader, field by field.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>

namespace tw::onnx::test {

class Message {
public:
  Message &integer(unsigned number, uint64_t value) {
    varint(number << 3);
    varint(value);
    return *this;
  }
  Message &bytes(unsigned number, const std::string &value) {
    varint(number << 3 | 2);
    varint(value.size());
    data += value;
    return *this;
  }
  Message &message(unsigned number, const Message &value) { return bytes(number, value.data); }
  Message &fixed32(unsigned number, float value) {
    varint(number << 3 | 5);
    data.append(reinterpret_cast<const char *>(&value), 4);
    return *this;
  }
  Message &varint(uint64_t value) {
    for (; value >= 0x80; value >>= 7)
      data.push_back(static_cast<char>(value | 0x80));
    data.push_back(static_cast<char>(value));
    return *this;
  }

  std::string data;
};

template <typename T> std::string rawBytes(std::initializer_list<T> values) {
  std::string out;
  for (T value : values)
    out.append(reinterpret_cast<const char *>(&value), sizeof(T));
  return out;
}

inline Message tensorType(int32_t element, std::initializer_list<int64_t> dims) {
  Message shape;
  for (int64_t dim : dims)
    shape.message(1, Message().integer(1, static_cast<uint64_t>(dim)));
  return Message().message(1,
                           Message().integer(1, static_cast<uint64_t>(element)).message(2, shape));
}

inline Message valueInfo(const std::string &name, int32_t element,
                         std::initializer_list<int64_t> dims) {
  return Message().bytes(1, name).message(2, tensorType(element, dims));
}

inline Message node(const std::string &op, std::initializer_list<std::string> inputs,
                    std::initializer_list<std::string> outputs) {
  Message out;
  for (const std::string &input : inputs)
    out.bytes(1, input);
  for (const std::string &output : outputs)
    out.bytes(2, output);
  return out.bytes(3, "node_" + op).bytes(4, op);
}

inline Message intAttribute(const std::string &name, int64_t value) {
  return Message().bytes(1, name).integer(3, static_cast<uint64_t>(value)).integer(20, 2);
}

inline Message model(const Message &graph, uint64_t opset) {
  return Message().integer(1, 8).message(7, graph).message(8, Message().integer(2, opset));
}

/// x [2, 3] f32, w [3, 4] f32 in raw data, y = Relu(x w).
inline Message smallModel(uint64_t opset = 17) {
  Message weights;
  weights.integer(1, 3).integer(1, 4).integer(2, 1).bytes(8, "w").bytes(
      9, rawBytes<float>({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}));
  Message graph;
  graph.message(1, node("MatMul", {"x", "w"}, {"h"}))
      .message(1, node("Relu", {"h"}, {"y"}))
      .bytes(2, "small")
      .message(5, weights)
      .message(11, valueInfo("x", 1, {2, 3}))
      .message(12, valueInfo("y", 1, {2, 4}));
  return model(graph, opset);
}

} // namespace tw::onnx::test
