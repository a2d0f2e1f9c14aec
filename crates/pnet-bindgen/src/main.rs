//! `pnet-bindgen MODULE.wasm FOLDER`: what the wasm-bindgen command does, in the version of `Cargo.lock`.
//!
//! The browser's module, its JavaScript and the types of that go into the folder.

use std::process::ExitCode;

use wasm_bindgen_cli_support::Bindgen;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [module, folder] = &arguments[..] else {
        eprintln!("usage: pnet-bindgen MODULE.wasm FOLDER");
        return ExitCode::from(2);
    };
    let mut command = Bindgen::new();
    command.input_path(module).remove_name_section(true).remove_producers_section(true);
    match command.web(true).and_then(|command| command.generate(folder)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("pnet-bindgen: {error:#}");
            ExitCode::FAILURE
        }
    }
}
