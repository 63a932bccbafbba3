// Control flow of a host program: sides and loops, decided while a call runs or when it is
// prepared.
#ifndef TW_LAUNCH_CONTROL_OPS_TD
#define TW_LAUNCH_CONTROL_OPS_TD

include "tw/Dialect/Launch/LaunchTypes.td"
include "tw/Dialect/View/ViewAttrs.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

/// Commands in regions of one block, which sees the buffers around it. They give no values: what
/// they make is written into buffers that were reserved outside.
class Launch_BlockOp<string mnemonic> : Launch_Op<mnemonic, [SingleBlockImplicitTerminator<"EndOp">]> {
  let hasVerifier = 1;
  let skipDefaultBuilders = 1;
}

def IfOp : Launch_BlockOp<"if"> {
  let summary = "runs one of two sides";
  let description = [{
    `condition` is a buffer of one i1 that is read when the op is reached. Without `else` nothing runs if
    it is false.

    Example:
    ```mlir
    tlaunch.if %c : !tlaunch.buffer<tensor<i1>> {
      tlaunch.copy %x to %y : !tlaunch.buffer<tensor<4xf32>>
    } else {
      tlaunch.launch @relu reads(%x : !tlaunch.buffer<tensor<4xf32>>) writes(%y : !tlaunch.buffer<tensor<4xf32>>)
    }
    ```
  }];
  let arguments = (ins Launch_BufferType:$condition);
  let regions = (region SizedRegion<1>:$thenRegion, MaxSizedRegion<1>:$elseRegion);
  let assemblyFormat = [{
    $condition `:` qualified(type($condition)) $thenRegion (`else` $elseRegion^)? attr-dict
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$condition, "bool":$hasElse)>];
}

def WhenOp : Launch_BlockOp<"when"> {
  let summary = "runs one of two sides, which the sizes of a call choose";
  let description = [{
    The first side is for calls in which the symbol is from `least` to `most`, the second one for all others. It
    is chosen when a call is prepared: no launch knows of the other one.

    Example:
    ```mlir
    tlaunch.when "S" from 1 to 8 {
      tlaunch.launch @few reads(%x : !tlaunch.buffer<tensor<64x4xf32, #tview.sizes<[S, 4]>>>) writes(%y : !tlaunch.buffer<tensor<64x4xf32, #tview.sizes<[S, 4]>>>)
    } else {
      tlaunch.launch @many reads(%x : !tlaunch.buffer<tensor<64x4xf32, #tview.sizes<[S, 4]>>>) writes(%y : !tlaunch.buffer<tensor<64x4xf32, #tview.sizes<[S, 4]>>>)
    }
    ```
  }];
  let arguments = (ins StrAttr:$symbol, I64Attr:$least, I64Attr:$most);
  let regions = (region SizedRegion<1>:$thenRegion, SizedRegion<1>:$elseRegion);
  let assemblyFormat = "$symbol `from` $least `to` $most $thenRegion `else` $elseRegion attr-dict";
  let builders = [OpBuilder<(ins "::mlir::StringAttr":$symbol, "int64_t":$least, "int64_t":$most)>];
}

def RepeatOp : Launch_BlockOp<"repeat"> {
  let summary = "runs its body a number of times";
  let description = [{
    The number is known, or a size of the call, or is read from `amount`, a buffer of one i64, when the
    op is reached: there, one below zero is zero, and one above `limit` is an error of the call.

    Example:
    ```mlir
    tlaunch.repeat 10 {
      tlaunch.launch @step reads(%a : !tlaunch.buffer<tensor<4xf32>>) writes(%b : !tlaunch.buffer<tensor<4xf32>>)
      tlaunch.rotate %a, %b : !tlaunch.buffer<tensor<4xf32>>
    }
    tlaunch.repeat #tview.sizes<[T]> {
      %p = tlaunch.part %ys : !tlaunch.buffer<tensor<64x4xf32, #tview.sizes<[T, 4]>>> -> !tlaunch.buffer<tensor<4xf32>>
      tlaunch.copy %a to %p : !tlaunch.buffer<tensor<4xf32>>
    }
    tlaunch.repeat %n : !tlaunch.buffer<tensor<i64>> limit 4096 {
    }
    ```
  }];
  let arguments = (ins OptionalAttr<View_SizesAttr>:$count, Optional<Launch_BufferType>:$amount,
                       OptionalAttr<I64Attr>:$limit);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "custom<Count>($count, $amount, type($amount), $limit) $body attr-dict";
  let builders = [OpBuilder<(ins "const ::tw::Dim &":$count)>,
                  OpBuilder<(ins "::mlir::Value":$amount, "int64_t":$limit)>];
  let extraClassDeclaration = [{
    /// As often as it runs, where that is known or a size.
    std::optional<::tw::Dim> getIterations();
  }];
}

def WhileOp : Launch_BlockOp<"while"> {
  let summary = "runs its body as long as a condition holds";
  let description = [{
    `condition` is a buffer of one i1 that is read before each iteration. One that still holds after
    `limit` iterations is an error of the call.

    Example:
    ```mlir
    tlaunch.while %c : !tlaunch.buffer<tensor<i1>> limit 4096 {
      tlaunch.launch @step reads(%a : !tlaunch.buffer<tensor<4xf32>>) writes(%b, %c : !tlaunch.buffer<tensor<4xf32>>, !tlaunch.buffer<tensor<i1>>)
      tlaunch.rotate %a, %b : !tlaunch.buffer<tensor<4xf32>>
    }
    ```
  }];
  let arguments = (ins Launch_BufferType:$condition, I64Attr:$limit);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$condition `:` qualified(type($condition)) `limit` $limit $body attr-dict";
  let builders = [OpBuilder<(ins "::mlir::Value":$condition, "int64_t":$limit)>];
}

def RotateOp : Launch_Op<"rotate", [ParentOneOf<["RepeatOp", "WhileOp"]>, AllTypesMatch<["first", "second"]>]> {
  let summary = "two buffers swap their memory from the next iteration on";
  let description = [{
    The last commands of a loop's body, of which there may be several, in order. From the next iteration
    on, and behind the loop, the name `first` stands for the memory that `second` stood for, and the other
    way round. So what an iteration writes to `second` the next one reads as `first`, which behind the
    loop is what the last one made, however often it ran. Both are reserved in one block, outside of the
    loop.
  }];
  let arguments = (ins Launch_BufferType:$first, Launch_BufferType:$second);
  let assemblyFormat = "$first `,` $second attr-dict `:` qualified(type($first))";
  let hasVerifier = 1;
}

def PartOp : Launch_Op<"part"> {
  let summary = "the part of a buffer that is this iteration's";
  let description = [{
    The part number i along the first dimension in iteration i, from 0 on, of the innermost loop around it;
    with `reverse` counted from the last one on. It has no memory of its own: it is read and written in
    place. The loop runs at most as often as there are parts, by its number, its size or its limit.

    Example:
    ```mlir
    %x = tlaunch.part %xs : !tlaunch.buffer<tensor<10x4xf32>> -> !tlaunch.buffer<tensor<4xf32>>
    %y = tlaunch.part reverse %ys : !tlaunch.buffer<tensor<10x4xf32>> -> !tlaunch.buffer<tensor<4xf32>>
    ```
  }];
  let arguments = (ins UnitAttr:$reverse, Launch_BufferType:$whole);
  let results = (outs Launch_BufferType:$result);
  let assemblyFormat = [{
    (`reverse` $reverse^)? $whole attr-dict `:` qualified(type($whole)) `->` qualified(type($result))
  }];
  let hasVerifier = 1;
}

def EndOp : Launch_Op<"end", [Pure, Terminator, ParentOneOf<["IfOp", "WhenOp", "RepeatOp", "WhileOp"]>]> {
  let summary = "ends a side or a body; not written";
  let assemblyFormat = "attr-dict";
}

#endif
