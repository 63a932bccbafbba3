// Operators that are known and cannot be imported, with the reason.
#include "../Registry.h"

using namespace tw::onnx;

void tw::onnx::addRefused(Registry &r) {
  constexpr llvm::StringLiteral control = "loops and branches in tgraph",
                                sequence = "sequences of tensors", string = "tensors of strings",
                                none = "none";
  r.refuse("SequenceMap", control, "the operator on each tensor");
  for (llvm::StringRef op :
       {"SequenceAt", "SequenceConstruct", "SequenceEmpty", "SequenceErase", "SequenceInsert",
        "SequenceLength", "ConcatFromSequence", "SplitToSequence"})
    r.refuse(op, sequence, "separate tensors with Concat and Split");
  for (llvm::StringRef op : {"Optional", "OptionalGetElement", "OptionalHasElement"})
    r.refuse(op, "optional values", "the value itself");
  for (llvm::StringRef op :
       {"StringNormalizer", "StringConcat", "StringSplit", "RegexFullMatch", "TfIdfVectorizer"})
    r.refuse(op, string, "numbers prepared outside the model");
  r.refuse("Det", "a matrix factorisation", none);
  r.refuse("ImageDecoder", "an image decoder", "decoded pixels as an input");
}
