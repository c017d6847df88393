//! The level `strict`: home directory, environment, network and system calls.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::thread;

use testkit::{CommandOutput, TestEnv};

use super::sandboxed_run::{TestedLevel, doctor_says, victim};
use crate::FORKHESTRA;
use crate::support::{check_outcomes, config, git};

fn works() -> bool {
    if TestedLevel::Workspace.works() && doctor_says(&TestEnv::new(), "`strict` is possible") {
        return true;
    }
    testkit::report_skipped("the sandbox `strict` is not possible here");
    false
}

fn run_strict(env: &TestEnv, args: &[&str]) -> CommandOutput {
    let mut command = env.command(FORKHESTRA);
    command.env("FORKHESTRA_SANDBOX", "strict").env("DATABASE_URL", "db-secret");
    command.env("AWS_SECRET_ACCESS_KEY", "aws-secret").env("ANTHROPIC_API_KEY", "key-secret");
    env.output_of(command.args(args))
}

/// A server that answers every request with one line, and its port.
fn server() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let port = listener.local_addr().expect("it has one").port();
    thread::spawn(move || {
        for client in listener.incoming() {
            let Ok(mut client) = client else { return };
            let mut head = [0; 1024];
            let _ = client.read(&mut head);
            let _ = client.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nhello\n");
        }
    });
    port
}

#[test]
fn the_home_directory_is_hidden_except_for_what_work_needs() {
    if !works() {
        return;
    }
    let env = victim();
    env.write_home(".ssh/id_ed25519", "ssh-secret");
    env.write_home(".aws/credentials", "aws-file-secret");
    env.write_home(".netrc", "netrc-secret");
    env.agent(
        "attacker",
        "cat $HOME/.ssh/id_ed25519 $HOME/.aws/credentials $HOME/.netrc $HOME/.bashrc > seen; \
         echo new > new; git add new; git commit --quiet --message new; env > variables",
    );
    let output = run_strict(&env, &["attacker"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert!(output.stdout.contains("[forkhestra] Sandbox: strict (bubblewrap)"), "{output}");
    assert_eq!(env.read("seen"), "", "{output}");
    assert_eq!(git(&env, "log -1 --format='%s by %an'"), "new by Ada\n", "{output}");
    let variables = env.read("variables");
    assert!(!variables.contains("secret"), "{variables}");
    assert!(variables.contains("FORKHESTRA_RUN_ID="), "{variables}");
}

#[test]
fn variables_and_hosts_of_the_users_config_are_allowed() {
    if !works() {
        return;
    }
    let env = victim();
    let port = server();
    env.write_home(
        ".config/forkhestra/chains.json",
        format!(r#"{{"sandbox": {{"env": ["DATABASE_URL"], "hosts": ["127.0.0.1:{port}"]}}}}"#),
    );
    env.agent("attacker", &format!("env > variables; {}", tunnel(port)));
    let output = run_strict(&env, &["attacker"]);
    assert!(env.read("variables").contains("DATABASE_URL=db-secret"), "{output}");
    assert!(!env.read("variables").contains("AWS_SECRET_ACCESS_KEY"), "{output}");
    assert!(env.read("answer").contains("200 Connection established"), "{output}");
    assert!(env.read("answer").contains("hello"), "{output}");
    assert!(!output.stderr.contains("denied connections"), "{output}");
}

/// Asks the proxy for a tunnel to a port of this machine, and sends a request through it.
fn tunnel(port: u16) -> String {
    format!(
        "bash -c 'exec 3<>/dev/tcp/127.0.0.1/3128; \
         printf \"CONNECT 127.0.0.1:{port} HTTP/1.1\\r\\n\\r\\n\" >&3; \
         printf \"GET / HTTP/1.1\\r\\n\\r\\n\" >&3; cat <&3' > answer"
    )
}

#[test]
fn other_hosts_cannot_be_reached_and_are_reported() {
    if !works() {
        return;
    }
    let env = victim();
    let port = server();
    env.agent(
        "attacker",
        &format!(
            "{}; bash -c 'exec 3<>/dev/tcp/127.0.0.1/{port} && echo reached > direct'; true",
            tunnel(port)
        ),
    );
    let output = run_strict(&env, &["attacker"]);
    assert!(env.read("answer").contains("403 Forbidden"), "{output}");
    assert!(!env.read("answer").contains("hello"), "{output}");
    assert!(!env.has("direct"), "{output}");
    let expected = format!("the sandbox denied connections to 127.0.0.1:{port}");
    assert!(output.stderr.contains(&expected), "{output}");
}

#[test]
fn system_calls_are_filtered() {
    if !works() {
        return;
    }
    let env = victim();
    env.agent("attacker", "grep -E '^(Seccomp|NoNewPrivs):' /proc/self/status > status");
    let output = run_strict(&env, &["attacker"]);
    let status = env.read("status");
    assert!(
        status.contains("NoNewPrivs:\t1") && status.contains("Seccomp:\t2"),
        "{status} {output}"
    );
}

#[test]
fn exit_codes_signals_and_arguments_pass_through() {
    if !works() {
        return;
    }
    let env = victim();
    env.agent("attacker", "printf '%s\\n' \"$@\" > arguments; cat > stdin; exit 7");
    let output = run_strict(&env, &["attacker", "--", "--first", "a b", ""]);
    assert_eq!(env.read("arguments"), "--first\na b\n\n", "{output}");
    assert!(output.stdout.contains("exit 7"), "{output}");
}

#[test]
fn a_check_has_no_network_and_no_keys() {
    if !works() {
        return;
    }
    let env = victim();
    let port = server();
    env.write(
        "scripts/verify.sh",
        format!(
            "PATH=$PATH:/usr/bin:/bin\n\
             if env | grep secret; then exit 1; fi\n\
             if bash -c 'exec 3<>/dev/tcp/127.0.0.1/{port}'; then exit 2; fi\n\
             if bash -c 'exec 3<>/dev/tcp/127.0.0.1/3128'; then exit 3; fi\n\
             if test -e $HOME/.bashrc; then exit 4; fi\nexit 0\n"
        ),
    );
    config(
        &env,
        r#"{"chains": {"c": {"steps": [{"agent": "worker", "iterations": 1}],
            "checks": ["scripts/verify.sh"]}}}"#,
    );
    env.agent("worker", "echo FORKHESTRA_COMPLETE");
    let output = run_strict(&env, &["--chain", "c"]);
    assert_eq!(check_outcomes(&env), ["scripts/verify.sh passed"], "{output}");
    let bashrc = fs::read_to_string(env.home().join(".bashrc")).expect("it is there");
    assert_eq!(bashrc, "# mine\n");
}
