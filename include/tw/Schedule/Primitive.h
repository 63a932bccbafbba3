// What a primitive of a schedule is to everything but its syntax.
//
// A class for each kind, without state, in lib/Schedule/Primitives; the kinds are those of
// tw/Dialect/Kernel/Primitives.def. Nothing else tells one kind from another, but who makes lists.
#pragma once

#include "tw/Schedule/PlanBuilder.h"

namespace tw::schedule {

/// Where in a list primitives of a kind stand, and what they work on.
enum class Phase {
  Rewrite, ///< at the head: they change the kernel
  Parts,   ///< after those: they make a kernel in front, which the rest of the list is for
  Plan     ///< they make the plan
};

class Primitive {
public:
  virtual ~Primitive();
  virtual llvm::StringRef getKeyword() const = 0;
  virtual mlir::TypeID getTypeID() const = 0;
  virtual Phase getPhase() const { return Phase::Plan; }

  /// Phase::Rewrite: changes the kernel. As all that fails here it says in `why` what is in the
  /// way, and what to write instead.
  virtual mlir::LogicalResult rewrite(kernel::KernelOp kernel, mlir::Attribute primitive,
                                      std::string &why) const;
  /// Phase::Parts: changes the kernel, which has no schedule, and makes the one in front, which
  /// gets the rest of the list. Where it fails, the kernel is as before.
  virtual mlir::FailureOr<kernel::KernelOp>
  makeParts(kernel::KernelOp kernel, mlir::Attribute primitive, std::string &why) const;
  /// Changes the kernel for what primitives of this kind in its schedule, which has no head any
  /// more, say together; those that are done with leave the schedule.
  virtual mlir::LogicalResult prepare(kernel::KernelOp kernel, std::string &why) const;
  /// Phase::Plan: changes the plan.
  virtual mlir::LogicalResult apply(PlanBuilder &builder, mlir::Attribute primitive) const;
  /// Completes the plan, and checks what can be said of it, once all primitives are applied; also
  /// where the schedule has none of this kind.
  virtual mlir::LogicalResult finish(kernel::KernelOp kernel, Plan &plan, std::string &why) const;
};

/// The kind whose attribute is `Attr`.
template <typename Attr> class PrimitiveOf : public Primitive {
public:
  llvm::StringRef getKeyword() const override { return Attr::getMnemonic(); }
  mlir::TypeID getTypeID() const override { return mlir::TypeID::get<Attr>(); }
};

/// All kinds, in the order of Primitives.def.
llvm::ArrayRef<const Primitive *> getPrimitives();

/// The kind of a primitive.
const Primitive &getPrimitive(mlir::Attribute primitive);

#define TW_PRIMITIVE(Name) const Primitive &get##Name##Primitive();
#include "tw/Dialect/Kernel/Primitives.def"

/// Stands in the file of `NamePrimitive`.
#define TW_DEFINE_PRIMITIVE(Name)                                                                  \
  const ::tw::schedule::Primitive &tw::schedule::get##Name##Primitive() {                          \
    static const Name##Primitive primitive;                                                        \
    return primitive;                                                                              \
  }

} // namespace tw::schedule
