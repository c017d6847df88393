//! Plans of projects that were moved.

use super::*;

#[test]
fn a_module_runner_inside_the_project_moves_with_it() {
    let layers = config("", "", r#"{"agent": "a", "checks": ["c.ts", "d.js"]}"#);
    let host = FakeHost::default().with_program("node").with_file("c.ts").with_file("d.js");
    let mut plan = plan(&chain("c"), &layers, &host);
    let inside = plan.steps[0].checks[1].value.runner.as_mut().expect("node runs it");
    inside.path = "/work/node_modules/.bin/node".to_owned();
    plan.relocate("/new/place");
    let runners = plan.steps[0].checks.iter().filter_map(|check| check.value.runner.as_ref());
    let paths: Vec<&str> = runners.map(|runner| runner.path.as_str()).collect();
    assert_eq!(paths, ["/opt/bin/node", "/new/place/node_modules/.bin/node"]);
}
