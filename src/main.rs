//! The `orbitscope` command: parses its arguments and calls the library.

fn main() -> std::process::ExitCode {
    orbitscope::cli::main()
}
