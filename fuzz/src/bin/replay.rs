//! Feeds files to a target, without libFuzzer: `replay <target> <file or folder>...`.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use forkhestra_fuzz::Target;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let Some(target) = arguments.next().and_then(|name| forkhestra_fuzz::target(&name)) else {
        eprintln!("usage: replay <target> <file or folder>...");
        return ExitCode::from(2);
    };
    for path in arguments {
        match replay(target, Path::new(&path)) {
            Ok(count) => println!("{path}: {count} inputs replayed"),
            Err(error) => {
                eprintln!("error: {path}: {error}");
                return ExitCode::FAILURE;
            }
        }
    }
    ExitCode::SUCCESS
}

fn replay(target: Target, path: &Path) -> io::Result<usize> {
    let files = files(path)?;
    for file in &files {
        let data = fs::read(file)?;
        // Before the call: when it panics, this is how one knows what broke it.
        println!("{}", file.display());
        target(&data);
    }
    Ok(files.len())
}

fn files(path: &Path) -> io::Result<Vec<PathBuf>> {
    if path.is_file() {
        return Ok(vec![path.to_path_buf()]);
    }
    let mut files =
        fs::read_dir(path)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<PathBuf>>>()?;
    files.sort();
    Ok(files)
}
