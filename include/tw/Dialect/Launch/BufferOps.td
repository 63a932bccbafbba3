// Commands of a host program.
#ifndef TW_LAUNCH_BUFFER_OPS_TD
#define TW_LAUNCH_BUFFER_OPS_TD

include "tw/Dialect/Launch/LaunchTypes.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def GetConstantOp : Launch_Op<"get_constant", [Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "the buffer of a constant of the module";
  let arguments = (ins FlatSymbolRefAttr:$constant);
  let results = (outs Launch_BufferType:$result);
  let assemblyFormat = "$constant attr-dict `:` qualified(type($result))";
}

def ReserveOp : Launch_Op<"reserve", []> {
  let summary = "a buffer in the arena of the call, or of the initializer";
  let description = [{
    Alive from the first to the last command that uses it; for as long as the program, and in no arena,
    if `tlaunch.yield` names it. `offset` is its place in the arena's slab
    number `slab` (0 when absent), in bytes, once planned.
  }];
  let arguments = (ins OptionalAttr<I64Attr>:$offset, OptionalAttr<I64Attr>:$slab);
  let results = (outs Launch_BufferType:$result);
  let assemblyFormat = "(`at` $offset^)? (`in` $slab^)? attr-dict `:` qualified(type($result))";
}

def LaunchOp : Launch_Op<"launch", [AttrSizedOperandSegments, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "runs a kernel over its whole grid";
  let description = [{
    The buffers match those of the kernel, first read, then written. Constants are not written.
    A kernel that updates a result leaves what it does not store there as it was.
    With `offsets` each of those read begins at that byte of its buffer, and may end before the buffer does.
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, Variadic<Launch_BufferType>:$reads,
                       Variadic<Launch_BufferType>:$writes, OptionalAttr<DenseI64ArrayAttr>:$offsets);
  let builders = [OpBuilder<(ins "::mlir::StringAttr":$kernel, "::mlir::ValueRange":$reads,
      "::mlir::ValueRange":$writes), [{
    build($_builder, $_state, ::mlir::FlatSymbolRefAttr::get(kernel), reads, writes,
          ::mlir::DenseI64ArrayAttr());
  }]>];
  let assemblyFormat = [{
    $kernel `reads` `(` ($reads^ `:` qualified(type($reads)))? `)` `writes` `(` ($writes^ `:` qualified(type($writes)))? `)` attr-dict
  }];
  let hasVerifier = 1;
}

def CopyOp : Launch_Op<"copy", []> {
  let summary = "copies a buffer to another one that lies in memory alike";
  let arguments = (ins Launch_BufferType:$source, Launch_BufferType:$destination);
  let assemblyFormat = "$source `to` $destination attr-dict `:` custom<CopiedTypes>(type($source), type($destination))";
  let hasVerifier = 1;
}

#endif
