// Enumerations of the tkernel dialect.
#ifndef TW_KERNEL_ENUMS_TD
#define TW_KERNEL_ENUMS_TD

include "mlir/IR/EnumAttr.td"

def Kernel_KeepPlace : I32EnumAttr<"KeepPlace", "where a value lives between the stages of a kernel", [
    I32EnumAttrCase<"Register", 0, "register">,
    I32EnumAttrCase<"Result", 1, "result">,
    I32EnumAttrCase<"Recompute", 2, "recompute">,
    I32EnumAttrCase<"Local", 3, "local">]> {
  let cppNamespace = "::tw::kernel";
}

def Kernel_EdgeMode : I32EnumAttr<"EdgeMode", "what happens where a split does not divide its axis", [
    I32EnumAttrCase<"Mask", 0, "mask">,
    I32EnumAttrCase<"Peel", 1, "peel">,
    I32EnumAttrCase<"Pad", 2, "pad">,
    I32EnumAttrCase<"Switch", 3, "switch">]> {
  let cppNamespace = "::tw::kernel";
}

#endif
