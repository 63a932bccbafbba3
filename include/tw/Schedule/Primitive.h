// What a primitive of a schedule is to everything but its syntax.
//
// A class for each kind, without state, in lib/Schedule/Primitives; the kinds are those of
// tw/Dialect/Kernel/Primitives.def. Nothing else tells one kind from another, but who makes lists.
#pragma once

#include "tw/Schedule/AxisHistory.h"
#include "tw/Schedule/Drawing.h"
#include "tw/Schedule/Exactness.h"
#include "tw/Schedule/PlanBuilder.h"

namespace tw::schedule {

/// Told the names in a primitive.
class NameSink {
public:
  virtual ~NameSink();
  /// Axes that the primitive works on, and those that it makes.
  virtual void nameAxes(llvm::ArrayRef<mlir::StringAttr> axes) {}
  virtual void makeAxes(llvm::ArrayRef<mlir::StringAttr> axes) {}
  /// A value that it is about, and those to which it gives names.
  virtual void nameValue(mlir::StringAttr value) {}
  virtual void makeValues(llvm::ArrayRef<mlir::StringAttr> values) {}
};

/// Where in a list primitives of a kind stand, and what they work on.
enum class Phase {
  Rewrite, ///< at the head: they change the kernel
  Parts,   ///< after those: they make a kernel in front, which the rest of the list is for
  Plan     ///< they make the plan
};

class Moves;

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

  /// The names in the primitive, those that it works on before those that it makes.
  virtual void getNames(mlir::Attribute primitive, NameSink &names) const {}
  /// Whether some of the kernel becomes a kernel of its own.
  virtual bool makesKernel(mlir::Attribute primitive) const { return getPhase() == Phase::Parts; }
  /// What stays of it in the kernel's list once the kernel was rewritten and has given others away;
  /// null for nothing.
  virtual mlir::Attribute getRest(mlir::Attribute primitive) const;

  /// What it does to sums, the primitives before it having been classified; changes `axes` as it
  /// changes those of the kernel.
  virtual Exactness classify(mlir::Attribute primitive, AxisHistory &axes) const {
    return Exactness::Exact;
  }
  /// What it does to them beside that, where this depends on primitives that follow; `axes` are
  /// those at the end of the list.
  virtual Exactness classifyAtEnd(mlir::Attribute primitive, const AxisHistory &axes,
                                  kernel::KernelOp kernel) const {
    return Exactness::Exact;
  }
  /// Where it is not exact: why, and what would be.
  virtual llvm::StringRef getExactAdvice() const { return ""; }
  /// Whether all that it does to sums shows in the loops and the tile of the plan.
  virtual bool showsInPlan() const { return false; }

  /// For kinds that few kernels admit: whether this one does in some schedule. Leaves in `drawing`
  /// what they may name there.
  virtual std::optional<bool> isAdmitted(Drawing &drawing) const { return std::nullopt; }
  /// Mostly adds a primitive to the list, at its kind's turn; where axes run, Order draws for all.
  virtual void draw(Drawing &drawing) const {}
  /// Adds one later, among what else is drawn again, in proportion to the weight.
  virtual void drawMore(Drawing &drawing) const {}
  virtual unsigned getWeight() const { return 0; }
  /// Adds the lists that differ from the one of `moves` by one decision about primitives of this
  /// kind, those that mostly are of use: what a search tries.
  virtual void move(Moves &moves) const {}
  /// What it is counted as: its keyword, and what makes it another one to lower.
  virtual std::string getCounted(mlir::Attribute primitive) const { return getKeyword().str(); }
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

/// Whether primitives of the schedule make kernels of their own.
bool makesKernels(kernel::ScheduleAttr schedule);

#define TW_PRIMITIVE(Name) const Primitive &get##Name##Primitive();
#include "tw/Dialect/Kernel/Primitives.def"

/// Stands in the file of `NamePrimitive`.
#define TW_DEFINE_PRIMITIVE(Name)                                                                  \
  const ::tw::schedule::Primitive &tw::schedule::get##Name##Primitive() {                          \
    static const Name##Primitive primitive;                                                        \
    return primitive;                                                                              \
  }

} // namespace tw::schedule
