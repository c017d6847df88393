//! A fake Claude Code that prints the content of a file.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;

use devkit::error::Result;
use devkit::files;

use super::bench_dir::BenchDir;
use super::resource_usage::{self, ExpectedCommand};

/// The name of the fake agent in a chain.
pub(crate) const AGENT: &str = "worker";

/// The file with its output.
const STREAM: &str = "stream";

/// The permissions are those that also root may use.
const CONFIG: &str = r#"{
    "agents": { "worker": { "systemPromptText": "", "permissions": "default" } },
    "chains": {}
}"#;

/// A folder where Claude Code is a script.
pub(crate) struct FakeClaude {
    pub(crate) place: BenchDir,
}

impl FakeClaude {
    fn new() -> Result<Self> {
        let directory = BenchDir::new()?;
        files::write(&directory.file("forge/orch/chains.json"), CONFIG)?;
        directory.write_script("claude", &format!("exec cat {STREAM}"))?;
        Ok(Self { place: directory })
    }

    /// One that prints the same each time.
    pub(crate) fn saying(stream: &str) -> Result<Self> {
        let stand_in = Self::new()?;
        files::write(&stand_in.stream(), stream)?;
        Ok(stand_in)
    }

    /// One that prints what is written to a pipe, while the pipe is open.
    pub(crate) fn repeating() -> Result<(Self, File)> {
        let stand_in = Self::new()?;
        resource_usage::of(ExpectedCommand(stand_in.place.command("mkfifo", &[STREAM]), 0))?;
        let path = stand_in.stream();
        // Opening the pipe for reading and writing does not block.
        let pipe = File::options().read(true).write(true).open(&path);
        Ok((stand_in, pipe.map_err(files::failing("open", &path))?))
    }

    /// The path of the file with its output.
    pub(crate) fn stream(&self) -> PathBuf {
        self.place.file(STREAM)
    }

    /// The command of the fake agent alone.
    pub(crate) fn alone(&self) -> Command {
        self.place.command("./claude", &[])
    }

    /// A run that starts it.
    pub(crate) fn run(&self, program: &Path, arguments: &[&str]) -> Command {
        let mut command = self.place.run(program, arguments);
        command.env("CLAUDE_PATH", self.place.file("claude"));
        command
    }
}

/// A message in the format of Claude Code.
pub(crate) fn message(number: u32, text: &str) -> String {
    let line = serde_json::json!({
        "type": "assistant", "parent_tool_use_id": null,
        "session_id": "782ad446-0454-4399-9e64-5d5cbd43737e",
        "message": {
            "id": format!("msg_{number}"), "type": "message", "role": "assistant",
            "model": "claude-sonnet-5-5", "content": [{ "type": "text", "text": text }],
            "stop_reason": null, "usage": {
                "input_tokens": 1000, "output_tokens": 50,
                "cache_creation_input_tokens": 0, "cache_read_input_tokens": 4000,
            },
        },
    });
    format!("{line}\n")
}
