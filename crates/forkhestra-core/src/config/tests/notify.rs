use super::*;

fn config(notify: &str) -> String {
    format!(r#"{{"chains": {{}}, "notify": {notify}}}"#)
}

#[test]
fn all_receivers_are_read_with_their_settings() {
    let config = good(&config(
        r#"["terminal", {"to": "slack", "url": "https://hooks.example.com/x", "on": ["failure"]},
            {"to": "ntfy", "urlEnv": "MY_TOPIC"}]"#,
    ));
    let all = config.notify.expect("it is there").value;
    let entry = |index: usize| all[index].value.0.clone();
    assert_eq!(entry(0).to.value, NotifyTarget::Terminal);
    let slack = entry(1);
    assert_eq!(slack.url.expect("an address").value.host(), "hooks.example.com");
    assert_eq!(slack.on.expect("moments").value, NotifyTriggers(vec![NotifyTrigger::Failure]));
    assert_eq!(entry(2).url_env.expect("a name").value, VariableName("MY_TOPIC".to_owned()));
    assert_eq!(good(r#"{"chains": {}, "notify": []}"#).notify.expect("nobody").value, []);
}

#[test]
fn diagnostics_hide_possible_secrets() {
    let words = "`terminal`, `desktop`, `ntfy`, `slack`, `discord` or `webhook`";
    let table = [
        (r#""slack""#, "`notify` must be an array, found the string \"slack\"".to_owned()),
        (r#"["slak"]"#, format!("`notify[0]` must be {words}, found the string \"slak\"")),
        (r#"["https://hush"]"#, format!("`notify[0]` must be {words}, found a string")),
        (r#"[{"url": "https://h"}]"#, "missing key `notify[0].to`".to_owned()),
        (
            r#"[{"to": "slack", "url": "h/hush"}]"#,
            "`notify[0].url` must begin with https:// or http://".to_owned(),
        ),
        (
            r#"[{"to": "slack", "url": 5}]"#,
            "`notify[0].url` must be a URL, found a number".to_owned(),
        ),
        (
            r#"[{"to": "slack", "urlEnv": "https://hush"}]"#,
            "`notify[0].urlEnv` is not the name of an environment variable".to_owned(),
        ),
        (
            r#"[{"to": "slack", "urlEnv": "A", "url": "https://h"}]"#,
            "`notify[0].urlEnv` is given beside `url`".to_owned(),
        ),
        (
            r#"[{"to": "desktop", "url": "https://h"}]"#,
            "`notify[0].url` is for services".to_owned(),
        ),
        (
            r#"[{"to": "terminal", "on": []}]"#,
            "`notify[0].on` is empty, so no notification would ever be sent".to_owned(),
        ),
        (
            r#"[{"to": "terminal", "on": ["done"]}]"#,
            "`notify[0].on[0]` must be `complete`, `failure`, `limit` or `attention`, found the \
             string \"done\""
                .to_owned(),
        ),
        (
            r#"[{"to": "terminal", "when": ["complete"]}]"#,
            "unknown key `notify[0].when`".to_owned(),
        ),
    ];
    for (notify, expected) in table {
        let text = config(notify);
        check_message(&text, &expected);
        let parsed = read("chains.json", text.into_bytes());
        assert!(!format!("{:?}", parsed.diagnostics).contains("hush"), "{notify}");
    }
}

#[test]
fn an_unknown_keyword_gets_a_suggestion() {
    let parsed = read("chains.json", config(r#"["slak"]"#).into_bytes());
    assert_eq!(parsed.diagnostics[0].hints, ["did you mean `slack`?"]);
}

#[test]
fn the_nearest_file_that_says_anything_decides() {
    let layer = |kind, text: &str| {
        let parsed = read("chains.json", text.as_bytes().to_vec());
        ConfigLayer { kind, source: parsed.source, config: parsed.config.expect("a config") }
    };
    let silent = || layer(ConfigLayerKind::Project, r#"{"chains": {}}"#);
    let no_receivers = || layer(ConfigLayerKind::Project, r#"{"chains": {}, "notify": []}"#);
    let user = || layer(ConfigLayerKind::User, &config(r#"["desktop"]"#));
    let chosen = |files: Vec<ConfigLayer>| {
        let layers = ConfigLayers { files, looked_for: Vec::new() };
        layers.notifications().map(|(layer, all)| (layer.kind, all.len()))
    };
    assert_eq!(chosen(vec![silent(), user()]), Some((ConfigLayerKind::User, 1)));
    assert_eq!(chosen(vec![no_receivers(), user()]), Some((ConfigLayerKind::Project, 0)));
    assert_eq!(chosen(vec![silent()]), None);
}
