//! The tasks of this repository that need Rust: they build the two WebAssembly modules and `dist/glue.js` from the crate.
//!
//! The JavaScript half (entries, types, bundles) is in `scripts/build.mjs`, which calls this program first.

mod split;

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::thread;

use wasm_bindgen_cli_support::Bindgen;

const HELP: &str = "\
cargo xtask <task>

  build [--dev] [--names]   the crate as dist/stepglass.wasm, dist/stepglass-fast.wasm and dist/glue.js
                            --dev    quick to build, slower to run (profile wasm-dev)
                            --names  keeps the names of functions, for readable stack traces
  mark <from> <to>          a module that remembers which of its functions were called
  cut <from> <numbers> <first> <rest> [<pages>]
                            a module in two parts: the functions with these numbers, and the rest; with
                            so many pages of memory
  tables                    writes the core's tables that TypeScript reads: js/core/definition/fields.json and
                            js/core/history/events.json
  size [--json]             what the two modules weigh: raw, gzip -9, brotli 11
  ci                        everything that CI runs (the same as npm test)
";

/// The error for a user who has loaded a first part directly.
const HALF: &str = "this is the first part of the module, without the rest: load stepglass.wasm";

type Result<T> = std::result::Result<T, String>;

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let outcome = match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["build", options @ ..] => Build::parse(options).and_then(|build| build.run()),
        ["mark", from, to] => split::mark(Path::new(from), Path::new(to)),
        ["cut", from, kept, first, rest] => cut(from, kept, [first, rest], None),
        ["cut", from, kept, first, rest, pages] => match pages.parse() {
            Ok(pages) => cut(from, kept, [first, rest], Some(pages)),
            Err(error) => Err(format!("{pages}: {error}")),
        },
        // The test that compares the files also writes them.
        ["tables"] => run(cargo().args(["test", "--quiet", "--locked", "--test", "tables"]).env("STEPGLASS_WRITE_TABLES", "1")),
        ["size"] => node(&["scripts/size.mjs"]),
        ["size", "--json"] => node(&["scripts/size.mjs", "--json"]),
        ["ci"] => node(&["scripts/test.mjs"]),
        [] | ["help" | "--help" | "-h"] => {
            print!("{HELP}");
            Ok(())
        }
        other => Err(format!("unknown task `{}`\n\n{HELP}", other.join(" "))),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("xtask: {message}");
            ExitCode::FAILURE
        }
    }
}

fn cut(from: &str, kept: &str, [first, rest]: [&str; 2], pages: Option<u64>) -> Result<()> {
    split::cut(Path::new(from), &numbers(Path::new(kept))?, Path::new(first), Path::new(rest), pages)
}

struct Build {
    dev: bool,
    names: bool,
}

impl Build {
    fn parse(options: &[&str]) -> Result<Build> {
        let mut build = Build { dev: false, names: false };
        for option in options {
            match *option {
                "--dev" => build.dev = true,
                "--names" => build.names = true,
                other => return Err(format!("`build` has no option `{other}`\n\n{HELP}")),
            }
        }
        Ok(build)
    }

    /// Builds two modules from one source: one is optimized for size, for browsers, and one for speed, for hosts that do not
    /// download it. A development build is used for both.
    fn run(&self) -> Result<()> {
        // They are built in parallel: linking takes most of the time and uses one core. Cargo locks one folder per profile.
        let (small, fast) = if self.dev {
            let quick = self.module("wasm-dev")?;
            (quick.clone(), quick)
        } else {
            thread::scope(|scope| {
                let fast = scope.spawn(|| self.module("wasm-fast"));
                let small = self.module("release")?;
                let fast = fast.join().map_err(|_| "the build of the fast module has panicked".to_owned())??;
                Ok::<_, String>((small, fast))
            })?
        };
        let glue = self.bind(&small, "small")?;
        // Both modules are used with the same JavaScript.
        if self.bind(&fast, "fast")? != glue {
            return Err("the two modules have different glue".to_owned());
        }
        self.place(&glue)
    }

    /// Compiles the crate, and returns the path of the module.
    fn module(&self, profile: &str) -> Result<PathBuf> {
        run(cargo()
            .args(["build", "--locked", "--package", "stepglass", "--lib"])
            .args(["--target", "wasm32-unknown-unknown"])
            .args(["--profile", profile])
            .args(["--config", &anonymous_paths()]))?;
        Ok(target_directory().join("wasm32-unknown-unknown").join(profile).join("stepglass.wasm"))
    }

    /// Generates the glue in a separate folder, and returns its text. Files move to `dist` at the end, so that a failed build
    /// leaves the last good ones there.
    fn bind(&self, module: &Path, name: &str) -> Result<String> {
        let work = bound(name);
        Bindgen::new()
            .input_path(module)
            .out_name("glue")
            .web(true)
            .and_then(|bindgen| {
                bindgen
                    // After a trap the JavaScript side creates a new instance of the same module.
                    .reset_state_function(true)
                    .typescript(true)
                    .keep_debug(self.names)
                    .remove_name_section(!self.names)
                    .remove_producers_section(true)
                    .generate(&work)
            })
            .map_err(|error| format!("wasm-bindgen: {error:#}"))?;

        let glue = read(&work.join("glue.js"))?;
        let (glue, names) = numbered_exports(&glue);
        let module = work.join("glue_bg.wasm");
        let mut bytes = fs::read(&module).map_err(|error| format!("{}: {error}", module.display()))?;
        for (name, number) in names {
            replace(&mut bytes, name.as_bytes(), number.as_bytes());
        }
        fs::write(&module, bytes).map_err(|error| format!("{}: {error}", module.display()))?;
        Ok(glue)
    }

    /// Puts the modules and the glue into `dist`.
    fn place(&self, glue: &str) -> Result<()> {
        // A second reference to the module makes bundlers ship it twice; our own entries contain the only one.
        if glue.contains("new URL(") {
            return Err("the glue names the wasm file itself; the entries in js must be the only ones".to_owned());
        }
        // A first part calls this if it lacks a function (src/split.rs). The whole module never does.
        let imports = "const import0 = {\n        __proto__: null,";
        if !glue.contains(imports) {
            return Err("the glue has another form than it had: where are its imports?".to_owned());
        }
        let load = split::LOAD;
        let glue = glue.replacen(imports, &format!("{imports}\n        {load}: () => parts.load(wasm),"), 1);
        let dist = root().join("dist");
        fs::create_dir_all(&dist).map_err(|error| format!("{}: {error}", dist.display()))?;
        for (name, from, to) in [
            ("small", "glue_bg.wasm", "stepglass.wasm"),
            ("fast", "glue_bg.wasm", "stepglass-fast.wasm"),
            ("small", "glue.d.ts", "glue.d.ts"),
        ] {
            fs::copy(bound(name).join(from), dist.join(to)).map_err(|error| format!("{from} to dist/{to}: {error}"))?;
        }
        let glue = format!("{glue}export const parts = {{ load() {{ throw new Error(\"{HALF}\"); }} }};\n");
        fs::write(dist.join("glue.js"), glue).map_err(|error| format!("dist/glue.js: {error}"))
    }
}

/// Panic messages contain paths of source files; the published module must not reveal where they are on this machine.
fn anonymous_paths() -> String {
    let cargo_home = env::var_os("CARGO_HOME").map(PathBuf::from).or_else(|| env::home_dir().map(|home| home.join(".cargo")));
    let flags: Vec<String> = [cargo_home.map(|home| (home.join("registry").join("src"), "crates")), Some((root(), "stepglass"))]
        .into_iter()
        .flatten()
        .map(|(folder, name)| format!("'--remap-path-prefix={}={name}'", folder.display()))
        .collect();
    format!("target.wasm32-unknown-unknown.rustflags=[{}]", flags.join(", "))
}

/// Returns the glue with numbers, in order of appearance, instead of the hashes in its closures' names, and each such name with
/// its number: the hashes differ from build to build.
fn numbered_exports(glue: &str) -> (String, Vec<(String, String)>) {
    const BEFORE: &str = "closures_____invoke__h";
    const INDEX: &str = "shim_idx: ";
    let mut names: Vec<String> = Vec::new();
    let mut lines = Vec::new();
    for line in glue.lines() {
        let mut line = line.to_owned();
        for (at, _) in line.clone().match_indices(BEFORE) {
            let name = line.get(at..at + BEFORE.len() + 16).unwrap_or_default().to_owned();
            if !names.contains(&name) {
                names.push(name);
            }
        }
        for (number, name) in names.iter().enumerate() {
            line = line.replace(name, &format!("{BEFORE}{number:016}"));
        }
        // A comment contains the index of the closure's function in a table.
        if let Some((head, tail)) = line.split_once(INDEX) {
            line = format!("{head}{}", tail.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start_matches(", "));
        }
        lines.push(line + "\n");
    }
    let numbers = (0..names.len()).map(|number| format!("{BEFORE}{number:016}"));
    (lines.concat(), names.iter().cloned().zip(numbers).collect())
}

/// Replaces all occurrences of a text by another one of the same length.
fn replace(bytes: &mut [u8], from: &[u8], to: &[u8]) {
    let places: Vec<usize> =
        bytes.windows(from.len()).enumerate().filter(|(_, window)| *window == from).map(|(at, _)| at).collect();
    for at in places {
        if let Some(place) = bytes.get_mut(at..at + to.len()) {
            place.copy_from_slice(to);
        }
    }
}

/// Reads the numbers in a file, one per line.
fn numbers(path: &Path) -> Result<BTreeSet<usize>> {
    read(path)?.lines().map(|line| line.parse().map_err(|error| format!("{}: {line}: {error}", path.display()))).collect()
}

/// Runs a script of the repository; `xtask` is then only an alias.
fn node(arguments: &[&str]) -> Result<()> {
    run(Command::new("node").args(arguments).current_dir(root()))
}

fn cargo() -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root());
    command
}

fn run(command: &mut Command) -> Result<()> {
    let line = format!("{command:?}").replace('"', "");
    let status = command.status().map_err(|error| format!("{line}: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("{line}: {status}")) }
}

fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

/// Returns the root of the repository, which contains this package's folder.
fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_path_buf()
}

/// Returns the folder of the module with this name and its glue.
fn bound(name: &str) -> PathBuf {
    target_directory().join("bindgen").join(name)
}

fn target_directory() -> PathBuf {
    env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}
