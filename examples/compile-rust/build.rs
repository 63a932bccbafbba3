//! Links the libraries of the install tree that TENSORWRIGHT_PREFIX names.
use std::env;

fn main() {
    let prefix = env::var("TENSORWRIGHT_PREFIX").expect("TENSORWRIGHT_PREFIX: the folder of cmake --install");
    println!("cargo:rerun-if-env-changed=TENSORWRIGHT_PREFIX");
    println!("cargo:rustc-link-search=native={prefix}/lib");
    println!("cargo:rustc-link-lib=dylib=tensorwright");
    println!("cargo:rustc-link-lib=dylib=twrt");
    println!("cargo:rustc-link-arg=-Wl,-rpath,{prefix}/lib");
}
