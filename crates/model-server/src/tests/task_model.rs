use serde_json::{Value, json};

use super::client::{main_body, post};
use crate::{AgentClient, ModelServer, ModelTurn, ProviderFault, task_model};

const PATHS: [(AgentClient, &str); 4] = [
    (AgentClient::Claude, "/v1/messages"),
    (AgentClient::Codex, "/v1/responses"),
    (AgentClient::Gemini, "/v1beta/models/m:streamGenerateContent?alt=sse"),
    (AgentClient::Opencode, "/v1/chat/completions"),
];

/// A conversation with a role and tool results, in each protocol.
fn body(agent: AgentClient, role: &str, results: &[&str]) -> Value {
    let mut body = main_body();
    let each = |wrap: &dyn Fn(&str) -> Value| -> Vec<Value> {
        results.iter().map(|result| wrap(result)).collect()
    };
    match agent {
        AgentClient::Claude => {
            body["system"] = json!(role);
            body["messages"] = json!(each(&|text| json!({ "role": "user", "content": [
                { "type": "tool_result", "tool_use_id": "t", "content": [{ "type": "text", "text": text }] },
            ] })));
        }
        AgentClient::Codex => {
            body["instructions"] = json!(role);
            body["input"] =
                json!(each(&|text| json!({ "type": "function_call_output", "output": text })));
        }
        AgentClient::Gemini => {
            body["systemInstruction"] = json!({ "parts": [{ "text": role }] });
            body["contents"] = json!(each(&|text| json!({ "parts": [
                { "functionResponse": { "name": "x", "response": { "output": text } } },
            ] })));
        }
        AgentClient::Opencode => {
            let mut messages = vec![json!({ "role": "system", "content": role })];
            messages.extend(each(&|text| json!({ "role": "tool", "content": text })));
            body["messages"] = json!(messages);
        }
    }
    body
}

#[test]
fn results_of_tools_are_found_in_every_protocol() {
    for (agent, path) in PATHS {
        let server = ModelServer::start(vec![ModelTurn::text("x")]);
        post(&server, path, &body(agent, "You work.", &["id=TASK-001", "two"]));
        let request = &server.main_requests()[0];
        assert_eq!(request.agent(), Some(agent));
        assert_eq!(request.tool_results(), ["id=TASK-001", "two"], "{agent:?}");
    }
}

#[test]
fn the_model_plans_then_builds_one_task_each_time() {
    for (agent, path) in PATHS {
        for (role, results, expected) in [
            ("# Planner", &[][..], "forge-tasks create 'Write hello'"),
            ("# Planner", &["created"][..], "FORKHESTRA_COMPLETE"),
            ("# Builder", &[][..], "forge-tasks claim --plain"),
            ("# Builder", &["id=TASK-012\ntitle=x"][..], "forge-tasks edit TASK-012 --check-ac 1"),
            ("# Builder", &["id=TASK-012", "done"][..], "for the next iteration"),
            ("# Builder", &["all tasks are done"][..], "FORKHESTRA_COMPLETE"),
        ] {
            let server = ModelServer::start_with_responder(task_model);
            let answer = post(&server, path, &body(agent, role, results));
            assert_eq!(answer.status, 200);
            let turn = format!("{:?}", task_model(&server.main_requests()[0]));
            assert!(turn.contains(expected), "{agent:?} {role} {results:?}: {turn}");
        }
    }
}

#[test]
fn injected_turns_come_first_and_the_script_goes_on_where_it_was() {
    let server = ModelServer::start(vec![ModelTurn::text("one"), ModelTurn::text("two")]);
    let text = || post(&server, "/v1/messages", &main_body()).joined("/delta/text");
    assert_eq!(text(), "one");
    server.inject([ProviderFault::Overloaded.turn(AgentClient::Claude), ModelTurn::text("again")]);
    assert_eq!(post(&server, "/v1/messages", &main_body()).status, 529);
    assert_eq!(text(), "again");
    assert_eq!(text(), "two");
}

#[test]
fn faults_have_the_status_and_the_form_of_each_provider() {
    for (agent, path) in PATHS {
        for (fault, status) in [
            (ProviderFault::Unauthorized, 401),
            (ProviderFault::UsageLimit { resets: 1_800_000_000 }, 429),
            (ProviderFault::RateLimit, 429),
            (ProviderFault::Overloaded, if agent == AgentClient::Claude { 529 } else { 503 }),
        ] {
            let server = ModelServer::start(vec![fault.turn(agent)]);
            let answer = post(&server, path, &main_body());
            assert_eq!(answer.status, status, "{agent:?} {fault:?}");
            assert!(answer.json()["error"]["message"].is_string(), "{agent:?} {fault:?}");
        }
        let server = ModelServer::start(vec![ProviderFault::Malformed.turn(agent)]);
        let answer = post(&server, path, &main_body());
        assert_eq!((answer.status, answer.is_whole), (200, true));
        assert_eq!(answer.events(), Vec::<Value>::new(), "{}", answer.body);
        let server = ModelServer::start(vec![ProviderFault::Cut.turn(agent)]);
        assert!(!post(&server, path, &main_body()).is_whole);
    }
}
