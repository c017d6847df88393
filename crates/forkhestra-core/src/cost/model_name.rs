//! The names of a model.

/// Prefixes that providers and routers add to the name.
const PROVIDERS: &[&str] = &[
    "amazon-bedrock/",
    "anthropic/",
    "bedrock/",
    "gemini/",
    "google-vertex-anthropic/",
    "google-vertex/",
    "google/",
    "models/",
    "openai/",
    "openrouter/",
    "vertex_ai/",
];

/// Region prefixes of Bedrock, in front of the vendor's name.
const REGIONS: &[&str] = &["", "apac.", "au.", "ca.", "eu.", "global.", "jp.", "us-gov.", "us."];

const BEDROCK_MAKER: &str = "anthropic.";

/// Names under which the price of a model may be known, the longest first.
///
/// Only parts that cannot affect the price are dropped: the provider or router, the date, the size
/// of the context window and `latest`. Nothing else is guessed.
pub(super) fn known_names(model: &str) -> Vec<&str> {
    let starts = without_prefixes(model);
    let bedrock = starts.iter().any(|name| from_bedrock(name).is_some());
    starts.into_iter().flat_map(|name| without_suffixes(name, bedrock)).collect()
}

fn without_prefixes(model: &str) -> Vec<&str> {
    let mut names = vec![model];
    let mut name = model;
    while let Some(rest) = without_prefix(name) {
        names.push(rest);
        name = rest;
    }
    names
}

fn without_prefix(name: &str) -> Option<&str> {
    let routed = PROVIDERS.iter().find_map(|provider| name.strip_prefix(provider));
    routed.or_else(|| from_bedrock(name))
}

/// The name behind Bedrock's `us.anthropic.NAME`.
fn from_bedrock(name: &str) -> Option<&str> {
    REGIONS.iter().find_map(|region| name.strip_prefix(region)?.strip_prefix(BEDROCK_MAKER))
}

fn without_suffixes(name: &str, bedrock: bool) -> Vec<&str> {
    let mut names = vec![name];
    let mut name = name;
    while let Some(rest) = without_suffix(name, bedrock) {
        names.push(rest);
        name = rest;
    }
    names
}

fn without_suffix(name: &str, bedrock: bool) -> Option<&str> {
    name.strip_suffix("[1m]")
        .or_else(|| name.strip_suffix("-latest"))
        .or_else(|| without_date(name))
        .or_else(|| without_version(name).filter(|_| bedrock))
}

/// Without `-20250929`, `@20250929` or `-2025-08-07`.
fn without_date(name: &str) -> Option<&str> {
    let plain = name.rsplit_once(['-', '@']).filter(|(_, date)| is_date(date));
    let dashed = name.len().checked_sub("-2025-08-07".len());
    let dashed =
        dashed.and_then(|at| name.split_at_checked(at)).filter(|(_, date)| is_dashed(date));
    plain.or(dashed).map(|(rest, _)| rest)
}

fn is_dashed(date: &str) -> bool {
    let bytes = date.as_bytes();
    let at_dashes = [0, 5, 8].iter().all(|&at| bytes.get(at) == Some(&b'-'));
    at_dashes && is_date(&date.replace('-', ""))
}

/// Whether this is a day of this century, as in `20250929`.
fn is_date(text: &str) -> bool {
    let digits = text.len() == 8 && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_day = || {
        let (month, day) = (&text[4..6], &text[6..]);
        text.starts_with("20") && ("01"..="12").contains(&month) && ("01"..="31").contains(&day)
    };
    digits && is_day()
}

/// Without Bedrock's `-v1` or `-v1:0`.
fn without_version(name: &str) -> Option<&str> {
    let (rest, version) = name.rsplit_once("-v")?;
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let (major, minor) = version.split_once(':').unwrap_or((version, "0"));
    (digits(major) && digits(minor)).then_some(rest)
}
