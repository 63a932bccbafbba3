// Collects a refusal and finds the node that it is about in the model.
#include "Refusal.h"

#include "tw/Import/ONNX/Model.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Regex.h"

using tw::onnx::Node;

void Report::handle(void *user, const TwcDiagnostic *diagnostic) {
  auto &report = *static_cast<Report *>(user);
  if (diagnostic->severity == TWC_NOTE) {
    if (!report.message.empty() && !report.closed)
      report.notes += (report.notes.empty() ? "" : "; ") + std::string(diagnostic->message);
    return;
  }
  report.closed = !report.message.empty();
  if (report.closed || diagnostic->severity != TWC_ERROR)
    return;
  report.code = diagnostic->code;
  report.node = diagnostic->node;
  report.message = diagnostic->message;
  report.remedy = diagnostic->remedy;
}

/// The node's index: by number ("node 3"), by name, by an input of the node, else 0.
static size_t findNode(const std::vector<Node> &nodes, const std::string &text) {
  llvm::SmallVector<llvm::StringRef> found;
  size_t index = 0;
  if (llvm::Regex("node ([0-9]+)").match(text, &found) && !found[1].getAsInteger(10, index) &&
      index < nodes.size())
    return index;
  bool hasInput = llvm::Regex("input '([^']*)'").match(text, &found);
  for (auto [i, node] : llvm::enumerate(nodes))
    if ((!node.name.empty() && llvm::StringRef(text).contains("'" + node.name.str() + "'")) ||
        (hasInput && llvm::is_contained(node.inputs, found[1])))
      return i;
  return 0;
}

llvm::json::Object refusal(const Report &report, const std::string &path) {
  llvm::json::Object object{{"result", "diagnostic"}, {"message", report.message}};
  object["code"] = report.code;
  object["need"] = !report.notes.empty()    ? report.notes
                   : !report.remedy.empty() ? report.remedy
                                            : report.message;
  auto file = llvm::MemoryBuffer::getFile(path);
  tw::onnx::Model model;
  if (file && !tw::onnx::readModel((*file)->getBuffer(), model) && !model.graph.nodes.empty()) {
    size_t index = findNode(model.graph.nodes, report.node + " '" + report.node + "' " +
                                                   report.message + report.notes);
    const Node &node = model.graph.nodes[index];
    object["node"] = node.name.empty() ? "node " + std::to_string(index) : node.name.str();
    object["op"] = node.op;
  }
  for (const char *key : {"code", "message", "node", "op"})
    if (object.getString(key).value_or("").empty()) {
      object["result"] = "mismatch";
      object["message"] = std::string("refused without ") + key + ": '" + report.message + "'";
      break;
    }
  return object;
}
