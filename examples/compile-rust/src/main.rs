//! Compiles relu(x * x - 2) through the C API of the compiler and runs it with the runtime, in one process.
//!
//! The declarations are those of `tw-c/Compiler.h` and `twrt/twrt.h`, as far as they are used. What the compiler hands
//! out only grows at its end, so that a prefix is enough; what is handed in is whole.
use std::ffi::{c_char, c_void, CStr};
use std::process::exit;
use std::ptr::{null, null_mut};

const TEXT: &str = r#"func.func @main(%x: tensor<6xf32> {tgraph.name = "x"}) -> (tensor<6xf32> {tgraph.name = "y"}) {
  %two = tgraph.constant dense<2.0> : tensor<6xf32>
  %0 = tgraph.mul %x, %x : tensor<6xf32>
  %1 = tgraph.sub %0, %two : tensor<6xf32>
  %2 = tgraph.relu %1 : tensor<6xf32>
  return %2 : tensor<6xf32>
}
"#;

#[repr(C)]
#[derive(Clone, Copy)]
struct Bytes {
    data: *const c_void,
    size: usize,
}

// ---- tw-c/Compiler.h

#[repr(C)]
struct Diagnostic {
    size: u32,
    severity: u32,
    code: *const c_char,
    file: *const c_char,
    line: u32,
    column: u32,
    node: *const c_char,
    message: *const c_char,
}

#[repr(C)]
#[derive(Clone, Copy)]
struct Sink {
    handler: Option<extern "C" fn(*mut c_void, *const Diagnostic)>,
    user: *mut c_void,
}

#[repr(C)]
struct Input {
    size: u32,
    kind: u32,
    path: *const c_char,
    bytes: Bytes,
    import: *const c_char,
}

/// The beginning of `TwcApi`.
#[repr(C)]
struct Api {
    size: u32,
    abi: u32,
    context_create: extern "C" fn(*const c_void, *mut *mut c_void) -> u32,
    context_release: extern "C" fn(*mut c_void),
    compile: extern "C" fn(*mut c_void, *const Input, *const c_void, Sink, *mut *mut c_void) -> u32,
    blob_bytes: extern "C" fn(*const c_void) -> Bytes,
    blob_release: extern "C" fn(*mut c_void),
}

const MLIR: u32 = 1;

extern "C" {
    fn twcGetApi(abi: u32) -> *const Api;
}

// ---- twrt/twrt.h

#[repr(C)]
struct Error {
    size: u32,
    code: u32,
    driver_code: i64,
    call: [c_char; 64],
    message: [c_char; 432],
}

#[repr(C)]
#[derive(Clone, Copy)]
struct Point {
    queue: *mut c_void,
    value: u64,
}

#[repr(C)]
struct ModuleOptions {
    size: u32,
    flags: u32,
    weights_folder: *const c_char,
    open_file: *const c_void,
    user: *mut c_void,
    find_weights: *const c_void,
}

#[repr(C)]
struct Tensor {
    size: u32,
    element: u32,
    rank: u32,
    reserved: u32,
    buffer: *mut c_void,
    offset: u64,
    dims: *const i64,
    storage: *const i64,
}

const F32: u32 = 18;
/// A module holds machine code, which runs with the rights of this process: for modules that one trusts.
const ALLOW_NATIVE: u32 = 1;

type Handle = *mut c_void;

extern "C" {
    fn twrtInstanceCreate(options: *const c_void, abi: u32, instance: *mut Handle, error: *mut Error) -> u32;
    fn twrtInstanceOpenDevice(instance: Handle, uri: *const c_char, device: *mut Handle, error: *mut Error) -> u32;
    fn twrtQueueCreate(device: Handle, queue: *mut Handle, error: *mut Error) -> u32;
    fn twrtModuleFromMemory(
        instance: Handle,
        bytes: Bytes,
        options: *const ModuleOptions,
        module: *mut Handle,
        error: *mut Error,
    ) -> u32;
    fn twrtProgramCreate(
        module: Handle,
        function: *const c_char,
        devices: *const Handle,
        count: usize,
        program: *mut Handle,
        error: *mut Error,
    ) -> u32;
    fn twrtCallCreate(program: Handle, call: *mut Handle, error: *mut Error) -> u32;
    fn twrtBufferCreate(device: Handle, bytes: u64, usage: u32, buffer: *mut Handle, error: *mut Error) -> u32;
    fn twrtBufferWrite(
        queue: Handle,
        buffer: Handle,
        offset: u64,
        data: Bytes,
        point: *mut Point,
        error: *mut Error,
    ) -> u32;
    fn twrtBufferRead(
        queue: Handle,
        buffer: Handle,
        offset: u64,
        data: *mut c_void,
        bytes: usize,
        point: *mut Point,
        error: *mut Error,
    ) -> u32;
    fn twrtCallSetArgument(call: Handle, index: usize, tensor: *const Tensor, error: *mut Error) -> u32;
    fn twrtCallSubmit(
        call: Handle,
        queue: Handle,
        after: *const Point,
        count: usize,
        point: *mut Point,
        error: *mut Error,
    ) -> u32;
    fn twrtPointWait(point: Point, timeout: u64, error: *mut Error) -> u32;
    fn twrtCallGetResult(
        call: Handle,
        index: usize,
        tensor: *mut Tensor,
        dims: *mut i64,
        capacity: u32,
        error: *mut Error,
    ) -> u32;
    fn twrtCallRelease(call: Handle);
    fn twrtBufferRelease(buffer: Handle);
    fn twrtProgramRelease(program: Handle);
    fn twrtModuleRelease(module: Handle);
    fn twrtQueueRelease(queue: Handle);
    fn twrtDeviceRelease(device: Handle);
    fn twrtInstanceRelease(instance: Handle);
}

/// Prints what the compiler has to say, with its place in the text.
extern "C" fn tell(_user: *mut c_void, diagnostic: *const Diagnostic) {
    unsafe {
        let d = &*diagnostic;
        let (message, code) = (CStr::from_ptr(d.message), CStr::from_ptr(d.code));
        eprintln!("compile-rust: {}:{}: {} [{}]", d.line, d.column, message.to_string_lossy(), code.to_string_lossy());
    }
}

/// Runs the module, whose bytes live until it is released.
unsafe fn run(bytes: Bytes, x: &[f32; 6]) -> [f32; 6] {
    let mut error =
        Error { size: std::mem::size_of::<Error>() as u32, code: 0, driver_code: 0, call: [0; 64], message: [0; 432] };
    let e: *mut Error = &mut error;
    let check = |code: u32| {
        if code != 0 {
            eprintln!("compile-rust: error: {}", CStr::from_ptr((*e).message.as_ptr()).to_string_lossy());
            exit(1);
        }
    };
    let (mut instance, mut device, mut queue) = (null_mut(), null_mut(), null_mut());
    check(twrtInstanceCreate(null(), 0, &mut instance, e));
    check(twrtInstanceOpenDevice(instance, c"host".as_ptr(), &mut device, e));
    check(twrtQueueCreate(device, &mut queue, e));
    let options = ModuleOptions {
        size: std::mem::size_of::<ModuleOptions>() as u32,
        flags: ALLOW_NATIVE,
        weights_folder: null(),
        open_file: null(),
        user: null_mut(),
        find_weights: null(),
    };
    let (mut module, mut program, mut call, mut buffer) = (null_mut(), null_mut(), null_mut(), null_mut());
    check(twrtModuleFromMemory(instance, bytes, &options, &mut module, e));
    check(twrtProgramCreate(module, null(), &device, 1, &mut program, e));
    check(twrtCallCreate(program, &mut call, e));

    let data = Bytes { data: x.as_ptr().cast(), size: std::mem::size_of_val(x) };
    check(twrtBufferCreate(device, data.size as u64, 0, &mut buffer, e));
    // Without a point to wait for later, the write is done when this returns.
    check(twrtBufferWrite(queue, buffer, 0, data, null_mut(), e));
    let dims = [x.len() as i64];
    let size = std::mem::size_of::<Tensor>() as u32;
    let mut tensor =
        Tensor { size, element: F32, rank: 1, reserved: 0, buffer, offset: 0, dims: dims.as_ptr(), storage: null() };
    check(twrtCallSetArgument(call, 0, &tensor, e));
    let mut done = Point { queue: null_mut(), value: 0 };
    check(twrtCallSubmit(call, queue, null(), 0, &mut done, e));
    check(twrtPointWait(done, u64::MAX, e));

    let (mut shape, mut y) = ([0i64; 1], [0f32; 6]);
    check(twrtCallGetResult(call, 0, &mut tensor, shape.as_mut_ptr(), 1, e));
    assert_eq!((tensor.element, shape), (F32, dims));
    check(twrtBufferRead(queue, tensor.buffer, tensor.offset, y.as_mut_ptr().cast(), data.size, null_mut(), e));
    // In any order: an object keeps alive what it was made from.
    twrtCallRelease(call);
    twrtBufferRelease(buffer);
    twrtProgramRelease(program);
    twrtModuleRelease(module);
    twrtQueueRelease(queue);
    twrtDeviceRelease(device);
    twrtInstanceRelease(instance);
    y
}

fn main() {
    // A program of your own as a file, else the one above; it takes and returns f32[6].
    let text = std::env::args().nth(1).map_or(TEXT.to_string(), |path| std::fs::read_to_string(path).expect("a file"));
    unsafe {
        let api = twcGetApi(0).as_ref().expect("a compiler of this ABI");
        let mut context = null_mut();
        assert_eq!((api.context_create)(null(), &mut context), 0);
        let input = Input {
            size: std::mem::size_of::<Input>() as u32,
            kind: MLIR,
            path: null(),
            bytes: Bytes { data: text.as_ptr().cast(), size: text.len() },
            import: null(),
        };
        let mut module = null_mut();
        if (api.compile)(context, &input, null(), Sink { handler: Some(tell), user: null_mut() }, &mut module) != 0 {
            exit(1);
        }
        let y = run((api.blob_bytes)(module), &[-2.0, -1.0, 0.0, 1.0, 2.0, 3.0]);
        println!("relu(x * x - 2) = {y:?}");
        (api.blob_release)(module);
        (api.context_release)(context);
    }
}
