//! Prices of models.

use super::*;

fn with_price(members: &str) -> String {
    format!(r#"{{"chains": {{}}, "prices": {{"m-1": {{{members}}}}}}}"#)
}

/// The price of the only model: input, output and the three of caches.
fn price(members: &str) -> [String; 5] {
    let config = good(&with_price(members));
    let prices = config.prices.expect("there are prices");
    let price = prices.value.get("m-1").expect("the model is there").1.price();
    [price.input, price.output, price.cache_read, price.cache_write, price.cache_write_1h]
        .map(|rate| rate.to_string())
}

#[test]
fn missing_cache_prices_default_to_the_input_or_cache_write_price() {
    let table = [
        (r#""input": 3, "output": 15"#, "$3.00 $15.00 $3.00 $3.00 $3.00"),
        (r#""input": 3, "output": 15, "cacheRead": 0.3"#, "$3.00 $15.00 $0.30 $3.00 $3.00"),
        (r#""input": 3, "output": 15, "cacheWrite": 3.75"#, "$3.00 $15.00 $3.00 $3.75 $3.75"),
        (r#""input": 3, "output": 15, "cacheWrite1h": 6"#, "$3.00 $15.00 $3.00 $3.00 $6.00"),
        (r#""input": 0, "output": 1e1"#, "$0.00 $10.00 $0.00 $0.00 $0.00"),
    ];
    for (members, expected) in table {
        assert_eq!(price(members).join(" "), expected, "{members}");
    }
}

#[test]
fn an_invalid_price_is_an_error() {
    let table = [
        (r#""input": 3"#, "missing key `prices.m-1.output`"),
        (r#""input": 3, "output": -1"#, "`prices.m-1.output` must not be negative"),
        (r#""input": 3, "output": 10001"#, "`prices.m-1.output` is more than any model costs"),
        (r#""input": 3, "output": 1e400"#, "`prices.m-1.output` is more than any model costs"),
        (r#""input": 3, "output": 0.12345678"#, "`prices.m-1.output` has more than six decimals"),
        (
            r#""input": 3, "output": "15""#,
            "`prices.m-1.output` must be a number of US dollars such as 2.50, found the string \"15\"",
        ),
    ];
    for (members, expected) in table {
        check_message(&with_price(members), expected);
    }
    check_message(
        r#"{"chains": {}, "prices": {"": {"input": 1, "output": 2}}}"#,
        "a key of `prices` must be a name, found an empty string",
    );
}

#[test]
fn a_price_per_token_is_a_warning_that_names_the_unit() {
    let text = with_price(r#""input": 0.000003, "output": 15"#);
    check_message(&text, "`prices.m-1.input` is less than any model costs");
    let parsed = read("c", text.into_bytes());
    assert!(parsed.config.is_some());
    assert_eq!(parsed.diagnostics[0].hints, ["prices are in US dollars per million tokens"]);
}

#[test]
fn a_mistyped_key_of_a_price_is_suggested() {
    let text = with_price(r#""input": 3, "output": 15, "cachedRead": 1"#);
    check_message(&text, "unknown key `prices.m-1.cachedRead`");
    assert_eq!(read("c", text.into_bytes()).diagnostics[0].hints, ["did you mean `cacheRead`?"]);
}
