//! Calls of a program whose results are those of a calibration; the module above says which, by `call`.

use serde_json::Value;

use super::call;

#[track_caller]
pub(super) fn output(arguments: &[&str]) -> String {
    let out = call(arguments, "2");
    let (text, errors) = (string(&out.stdout), string(&out.stderr));
    assert_eq!(out.status.code(), Some(0), "{arguments:?}\n{text}\n{errors}");
    // No progress bar where nobody watches.
    assert_eq!(errors, "");
    text
}

#[track_caller]
pub(super) fn complaint(arguments: &[&str], status: i32) -> String {
    let out = call(arguments, "2");
    let errors = string(&out.stderr);
    assert_eq!(out.status.code(), Some(status), "{arguments:?}\n{errors}");
    assert!(!errors.contains("panicked"), "{errors}");
    errors.split_whitespace().collect::<Vec<_>>().join(" ")
}

pub(super) fn string(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

#[track_caller]
pub(super) fn json(arguments: &[&str]) -> Value {
    let all: Vec<&str> = arguments.iter().copied().chain(["--format", "json"]).collect();
    valid(&output(&all))
}

#[track_caller]
pub(super) fn valid(text: &str) -> Value {
    let document: Value = serde_json::from_str(text).expect("JSON");
    let schema = include_str!("../data/schema/calibrate.schema.json");
    let schema: Value = serde_json::from_str(schema).expect("JSON");
    let schema = jsonschema::validator_for(&schema).expect("a schema");
    let errors: Vec<String> = schema.iter_errors(&document).map(|e| e.to_string()).collect();
    assert!(errors.is_empty(), "{errors:#?}");
    document
}
