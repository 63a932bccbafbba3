// Reads schedules from a file and matches them with kernels.
#include "ScheduleFile.h"

#include "tw/Schedule/Primitive.h"
#include "tw/Schedule/Record.h"
#include "tw/Support/Diagnostics.h"
#include "tw/Support/Nesting.h"
#include "tw/Support/ReadFile.h"
#include "tw/Support/Similar.h"

#include "mlir/AsmParser/AsmParser.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;

/// "matmul", and "matmul (m 64, n 128, k 32)".
static std::pair<std::string, std::string> getNames(KernelOp kernel) {
  return {kernel.getSymHint().value_or("kernel").str(), getFullName(kernel)};
}

namespace {

/// The axes that a schedule takes to be the kernel's: those that it names and does not make.
class KernelAxes : public NameSink {
public:
  explicit KernelAxes(ScheduleAttr schedule) {
    for (Attribute primitive : schedule.getPrimitives())
      getPrimitive(primitive).getNames(primitive, *this);
  }

  SmallVector<StringRef> named;

private:
  void nameAxes(ArrayRef<StringAttr> axes) override {
    for (StringAttr axis : axes)
      if (!llvm::is_contained(made, axis) && !llvm::is_contained(named, axis.getValue()))
        named.push_back(axis.getValue());
  }
  void makeAxes(ArrayRef<StringAttr> axes) override { llvm::append_range(made, axes); }

  SmallVector<StringAttr> made;
};

} // namespace

/// Where the first attribute begins: after comments and blanks.
static size_t getStart(StringRef text) {
  StringRef rest = text.ltrim();
  while (rest.starts_with("//"))
    rest = rest.split('\n').second.ltrim();
  return rest.data() - text.data();
}

/// The first bracket that nothing closes, before a closing one of another kind if there is one.
static std::optional<size_t> findOpenBracket(StringRef text) {
  constexpr StringLiteral opening = "<[({", closing = ">])}";
  SmallVector<size_t> open;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text.substr(at).starts_with("//")) {
      at = std::min(text.find('\n', at), text.size());
    } else if (text[at] == '"') {
      at = std::min(text.find('"', at + 1), text.size());
    } else if (opening.contains(text[at])) {
      open.push_back(at);
    } else if (size_t kind = closing.find(text[at]); kind != StringRef::npos) {
      if (open.empty() || text[open.back()] != opening[kind])
        break;
      open.pop_back();
    }
  }
  return open.empty() ? std::nullopt : std::optional(open.back());
}

/// Null after errors, which are those of MLIR's parser at their places in the file.
static Attribute parse(StringRef text, StringRef path, MLIRContext *context, size_t &length) {
  SmallVector<std::pair<LocationAttr, std::string>> errors;
  Attribute attribute;
  {
    ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
      LocationAttr place = diagnostic.getLocation();
      if (auto found = dyn_cast<FileLineColLoc>(place))
        place = FileLineColLoc::get(context, path, found.getLine(), found.getColumn());
      errors.push_back({place, diagnostic.str()});
    });
    attribute = parseAttribute(text, context, Type(), &length);
  }
  if (std::optional<size_t> open = findOpenBracket(text); open && !attribute) {
    StringRef before = text.take_front(*open);
    unsigned line = before.count('\n') + 1, column = before.size() - (before.rfind('\n') + 1) + 1;
    emitError(FileLineColLoc::get(context, path, line, column), Code::T0310)
        << "'" << text[*open] << "' is not closed: the schedule is cut, or a bracket is missing";
    return {};
  }
  for (auto &[place, message] : errors)
    emitError(place, Code::T0310) << message;
  return attribute;
}

FailureOr<ScheduleFile> ScheduleFile::read(StringRef path, Operation *root) {
  auto buffer = readText(path, smallTextLimit);
  if (!buffer)
    return emitError(root->getLoc(), Code::T0603) << llvm::toString(buffer.takeError());
  StringRef text = (*buffer)->getBuffer();
  constexpr StringLiteral form =
      ": expected #tkernel.schedule<[...]>, or {kernel = #tkernel.schedule<[...]>, ...}";
  StringRef first = text.drop_front(getStart(text));
  if (!first.starts_with("#") && !first.starts_with("{"))
    return emitError(root->getLoc(), Code::T0310)
           << path << form << ", found "
           << (first.empty() ? "nothing" : ("'" + first.split('\n').first + "'").str());
  if (failed(checkNesting(root->getContext(), text, path)))
    return failure();
  size_t length = 0;
  Attribute attribute = parse(text, path, root->getContext(), length);
  if (!attribute)
    return failure();
  ScheduleFile file;
  file.path = path.str();
  file.one = dyn_cast<ScheduleAttr>(attribute);
  file.several = dyn_cast<DictionaryAttr>(attribute);
  if (StringRef rest = text.drop_front(getStart(text) + length); !rest.empty())
    return emitError(root->getLoc(), Code::T0310)
           << path << ": expected nothing after the first attribute, found '"
           << rest.split('\n').first << "'; several schedules stand in braces, by kernel";
  auto isSchedule = [](NamedAttribute entry) { return isa<ScheduleAttr>(entry.getValue()); };
  if (!file.one && (!file.several || !llvm::all_of(file.several, isSchedule)))
    return emitError(root->getLoc(), Code::T0310) << path << form;
  if (!file.one && file.several.empty())
    return emitError(root->getLoc(), Code::T0310) << path << form << ", found no schedule";
  if (failed(file.checkNames(root)))
    return failure();
  return file;
}

LogicalResult ScheduleFile::checkNames(Operation *root) {
  SmallVector<std::string> names;
  unsigned kernels = 0;
  root->walk([&](KernelOp kernel) {
    auto [name, axes] = getNames(kernel);
    ++kernels;
    for (const std::string &known : {name, axes})
      if (!llvm::is_contained(names, known))
        names.push_back(known);
  });
  SmallVector<StringRef> known(names.begin(), names.end());
  if (one && kernels != 1)
    return emitError(root->getLoc(), Code::T0310)
           << path << " holds one schedule for " << kernels
           << " kernels: name them, as in {kernel = #tkernel.schedule<[...]>}"
           << listKnown("", known);
  if (!several)
    return success();
  for (NamedAttribute entry : several)
    if (!llvm::is_contained(known, entry.getName().getValue()))
      return emitError(root->getLoc(), Code::T0310)
             << path << ": the program has no kernel '" << entry.getName().getValue() << "'"
             << listKnown(entry.getName().getValue(), known);
  return success();
}

FailureOr<ScheduleAttr> ScheduleFile::find(KernelOp kernel) {
  auto [name, withAxes] = getNames(kernel);
  ScheduleAttr schedule = one;
  if (several) {
    schedule = several.getAs<ScheduleAttr>(withAxes);
    if (!schedule)
      schedule = several.getAs<ScheduleAttr>(name);
  }
  if (!schedule)
    return schedule;
  SmallVector<StringRef> axes;
  for (unsigned i = 0; i < kernel.getNumAxes(); ++i)
    axes.push_back(kernel.getAxisName(i));
  SmallVector<StringRef> named = KernelAxes(schedule).named;
  if (llvm::all_of(named, [&](StringRef axis) { return llvm::is_contained(axes, axis); }))
    return schedule;
  return emitError(kernel.getLoc(), Code::T0310)
         << path << ": the schedule is for a kernel of axes " << llvm::join(named, ", ")
         << "; kernel '" << name << "' has axes " << llvm::join(axes, ", ");
}
