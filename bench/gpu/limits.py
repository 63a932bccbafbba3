"""What the machine can do at most, measured: products by a loop of one matrix instruction, and copies."""
import ctypes

from cuda import MULTIPROCESSORS

THREADS = 256
ROUNDS = 4  # instructions in flight before a wait

# The instruction's type, columns of k, bits that random operands keep and those that are set: floats of 1 to 2, both signs, and any integers.
INSTRUCTIONS = {"bf16": ("f32.bf16.bf16", 16, 0x807f807f, 0x3f803f80, ", 1, 1, 0, 0"), "f16": ("f32.f16.f16", 16, 0x83ff83ff, 0x3c003c00, ", 1, 1, 0, 0"),
                "tf32": ("f32.tf32.tf32", 8, 0x807fffff, 0x3f800000, ", 1, 1"), "f8": ("f32.e4m3.e4m3", 32, 0x87878787, 0x38383838, ", 1, 1"),
                "i8": ("s32.s8.s8", 32, 0xffffffff, 0, "")}


def wgmma_text(element):
    """PTX of a kernel that multiplies 64 x k by k x 256 in local memory, over and over, into the same registers."""
    kind, depth, kept, ones, flags = INSTRUCTIONS[element]
    type, zero = ("s32", "0") if kind.startswith("s32") else ("f32", "0f00000000")
    sums = ", ".join(f"%f{i}" for i in range(128))
    lines = [f"wgmma.mma_async.sync.aligned.m64n256k{depth}.{kind} {{{sums}}}, %rd1, %rd2, 1{flags};"] * ROUNDS
    clear = "\n".join(f"mov.{type} %f{i}, {zero};" for i in range(128))
    total = "\n".join(f"add.{type} %f0, %f0, %f{i};" for i in range(1, 128))
    # Operands without swizzle lie in cores of 8 rows by 16 bytes; which rows they are makes no difference to the time.
    return f""".version 8.0
.target sm_90a
.address_size 64
.visible .entry peak(.param .u64 out, .param .u32 count)
.reqntid {THREADS}
{{
.reg .{type} %f<128>;
.reg .b32 %r<16>;
.reg .b64 %rd<8>;
.reg .pred %p<4>;
.shared .align 1024 .b8 operands[16384];
mov.u32 %r0, %tid.x;
mov.u32 %r1, operands;
ld.param.u32 %r7, [count];
mad.lo.s32 %r2, %r0, 2654435761, 12345;
shl.b32 %r3, %r0, 2;
add.s32 %r4, %r1, %r3;
mov.u32 %r5, 0;
fill:
mad.lo.s32 %r2, %r2, 1664525, 1013904223;
shr.u32 %r8, %r2, 8;
shl.b32 %r9, %r2, 16;
xor.b32 %r6, %r8, %r9;
and.b32 %r6, %r6, {kept};
or.b32 %r6, %r6, {ones};
st.shared.b32 [%r4], %r6;
add.s32 %r4, %r4, {4 * THREADS};
add.s32 %r5, %r5, {4 * THREADS};
setp.lt.u32 %p1, %r5, 16384;
@%p1 bra fill;
fence.proxy.async;
bar.sync 0;
{clear}
shr.u32 %r10, %r1, 4;
and.b32 %r10, %r10, 16383;
cvt.u64.u32 %rd3, %r10;
mov.b64 %rd4, {(8 << 32) | (8 << 16)};
or.b64 %rd1, %rd3, %rd4;
add.s64 %rd2, %rd1, 256;
again:
wgmma.fence.sync.aligned;
{chr(10).join(lines)}
wgmma.commit_group.sync.aligned;
wgmma.wait_group.sync.aligned 0;
sub.u32 %r7, %r7, 1;
setp.ne.u32 %p2, %r7, 0;
@%p2 bra again;
{total}
mov.u32 %r11, %ctaid.x;
mad.lo.s32 %r12, %r11, {THREADS}, %r0;
ld.param.u64 %rd5, [out];
mul.wide.u32 %rd6, %r12, 4;
add.s64 %rd5, %rd5, %rd6;
st.global.{type} [%rd5], %f0;
ret;
}}
"""


CHAINS, UNROLLED = 16, 8  # independent sums of a thread, and how often each is added to before the loop goes back


def fma_text():
    """PTX of a kernel that multiplies and adds in registers; operands come from where the compiler does not see them."""
    clear = "\n".join(f"cvt.rn.f32.u32 %f{i}, %r{i % 2};" for i in range(CHAINS + 2))
    lines = "\n".join(f"fma.rn.f32 %f{i}, %f{i}, %f{CHAINS}, %f{CHAINS + 1};" for _ in range(UNROLLED) for i in range(CHAINS))
    total = "\n".join(f"add.f32 %f0, %f0, %f{i};" for i in range(1, CHAINS))
    return f""".version 8.0
.target sm_80
.address_size 64
.visible .entry peak(.param .u64 out, .param .u32 count)
.reqntid {THREADS}
{{
.reg .f32 %f<{CHAINS + 2}>;
.reg .b32 %r<8>;
.reg .b64 %rd<4>;
.reg .pred %p<2>;
mov.u32 %r0, %tid.x;
mov.u32 %r1, %ctaid.x;
ld.param.u32 %r2, [count];
{clear}
mul.f32 %f{CHAINS}, %f{CHAINS}, 0f3A000000;
again:
{lines}
sub.u32 %r2, %r2, 1;
setp.ne.u32 %p1, %r2, 0;
@%p1 bra again;
{total}
mad.lo.s32 %r3, %r1, {THREADS}, %r0;
ld.param.u64 %rd0, [out];
mul.wide.u32 %rd1, %r3, 4;
add.s64 %rd0, %rd0, %rd1;
st.global.f32 [%rd0], %f0;
ret;
}}
"""


def peak(machine, element, count):
    """Operations a second of the instruction: two groups of warps on each multiprocessor that use its unit, or eight blocks of threads."""
    cuda = machine.cuda
    text = fma_text() if element == "f32" else wgmma_text(element)
    function, blocks = cuda.kernel(text, "peak"), cuda.attribute(MULTIPROCESSORS) * (8 if element == "f32" else 1)
    buffer = machine.runtime.buffer(blocks * THREADS * 4)
    address = ctypes.c_uint64(machine.runtime.handle("twrtBufferHandle", buffer))
    timed = machine.measure(lambda: cuda.launch(function, blocks, THREADS, machine.stream, address, ctypes.c_uint32(count)), 0.2)
    machine.runtime.release_buffer(buffer)
    once = THREADS * CHAINS * UNROLLED if element == "f32" else THREADS // 128 * ROUNDS * 64 * 256 * INSTRUCTIONS[element][1]
    operations = 2 * blocks * count * once
    return {"name": f"peak_{element}", "element": element, "flops": operations, "tflops": operations / timed["ns"] / 1e3, **timed}


def copy(machine, count):
    """Bytes read and written a second by the runtime's copy between two buffers."""
    first, second = machine.runtime.buffer(count), machine.runtime.buffer(count)
    timed = machine.measure(lambda: machine.runtime.copy(second, first, count), 0.2)
    for buffer in (first, second):
        machine.runtime.release_buffer(buffer)
    return {"name": "copy", "bytes": 2 * count, "gbps": 2 * count / timed["ns"], **timed}


def torch_copy(machine, count):
    first, second = (machine.torch.ones(count // 4, device="cuda") for _ in range(2))
    timed = machine.measure(lambda: second.copy_(first), 0.2)
    return {"name": "torch_copy", "bytes": 2 * count, "gbps": 2 * count / timed["ns"], **timed}


def launch(machine):
    """An empty kernel after an empty kernel."""
    function = machine.cuda.kernel(".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry nothing()\n{\nret;\n}\n", "nothing")
    return {"name": "empty_kernel", **machine.measure(lambda: machine.cuda.launch(function, 1, 32, machine.stream), 0.1)}


def measure_all(machine, count, rounds):
    """Each limit, or why it could not be measured."""
    plan = [("copy", lambda: copy(machine, count))]
    if machine.torch:
        plan.append(("torch_copy", lambda: torch_copy(machine, count)))
    if machine.cuda:
        plan += [(f"peak_{element}", lambda element=element: peak(machine, element, rounds)) for element in [*INSTRUCTIONS, "f32"]]
        plan.append(("empty_kernel", lambda: launch(machine)))
    found = []
    for name, measure in plan:
        try:
            found.append(measure())
        except Exception as error:  # Limits are optional, whatever is wrong with one.
            found.append({"name": name, "message": str(error)})
    return found
