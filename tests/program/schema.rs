//! JSON schemas of documents, derived from the types that are serialised. The calibration study has its own document and
//! shares this.

use std::fmt::Write as _;

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

/// Keywords of a schema in the order in which they are read.
const KEYWORDS: &[&str] = &[
    "$schema",
    "$ref",
    "title",
    "description",
    "type",
    "const",
    "enum",
    "not",
    "examples",
    "pattern",
    "minLength",
    "minimum",
    "exclusiveMinimum",
    "maximum",
    "exclusiveMaximum",
    "minItems",
    "maxItems",
    "required",
    "properties",
    "additionalProperties",
    "items",
    "anyOf",
    "oneOf",
    "$defs",
];

/// The schema of a document as it is written: every field is required.
pub(crate) fn of<T: JsonSchema>() -> Value {
    let generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    let mut schema = generator.into_root_schema_for::<T>().to_value();
    tidy(&mut schema);
    schema
}

/// Names parts as fields are named, describes an enumeration in one place, and drops the width of numbers in Rust.
fn tidy(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            object.values_mut().for_each(tidy);
            if object.get("format").is_some_and(Value::is_string) {
                object.remove("format");
            }
            if let Some(Value::String(said)) = object.get_mut("description") {
                *said = said.split_whitespace().collect::<Vec<_>>().join(" ");
                *said = said.replace("[`", "`").replace("`]", "`");
            }
            if let Some(Value::String(path)) = object.get_mut("$ref")
                && let Some(name) = path.strip_prefix("#/$defs/")
            {
                *path = format!("#/$defs/{}", part_name(name));
            }
            if let Some(Value::Object(parts)) = object.get_mut("$defs") {
                for (name, part) in std::mem::take(parts) {
                    let other = parts.insert(part_name(&name), part);
                    assert!(
                        other.is_none(),
                        "two parts have the name of {name}: rename one for the schema"
                    );
                }
            }
            words(object);
        }
        Value::Array(items) => items.iter_mut().for_each(tidy),
        _ => {}
    }
}

/// Alternatives that are a word each become a list of words, with the meaning of each in the description.
fn words(object: &mut Map<String, Value>) {
    let Some(Value::Array(alternatives)) = object.get("oneOf") else { return };
    let mut said = object.get("description").and_then(Value::as_str).unwrap_or_default().to_owned();
    let mut words = Vec::new();
    for alternative in alternatives {
        let Some(word) = alternative["const"].as_str() else { return };
        if let Some(meaning) = alternative["description"].as_str() {
            said = format!("{said} `{word}`: {meaning}");
        }
        words.push(Value::from(word));
    }
    object.remove("oneOf");
    object.insert("type".to_owned(), "string".into());
    object.insert("enum".to_owned(), words.into());
    object.insert("description".to_owned(), said.trim_start().into());
}

/// `CapacitySide` as `capacity_side`, `SweepRow` as `sweep`.
fn part_name(name: &str) -> String {
    let mut out = String::new();
    for letter in name.strip_suffix("Row").unwrap_or(name).chars() {
        if letter.is_uppercase() && !out.is_empty() {
            out.push('_');
        }
        out.extend(letter.to_lowercase());
    }
    out
}

/// The schema without room for fields that it does not describe; maps stay open.
#[allow(dead_code, reason = "not of the calibration study")]
pub(crate) fn closed(schema: &Value) -> Value {
    match schema {
        Value::Object(object) => {
            let mut object: Map<String, Value> =
                object.iter().map(|(key, inner)| (key.clone(), closed(inner))).collect();
            // A field may be called `properties`.
            if object.contains_key("required") && object.contains_key("properties") {
                object.entry("additionalProperties").or_insert(Value::Bool(false));
            }
            Value::Object(object)
        }
        Value::Array(items) => Value::Array(items.iter().map(closed).collect()),
        other => other.clone(),
    }
}

/// The fields of an object in the order in which they are written.
pub(crate) fn fields(schema: &Value) -> Vec<(&str, &Value)> {
    let required = schema["required"].as_array().map_or(&[][..], Vec::as_slice);
    required
        .iter()
        .filter_map(Value::as_str)
        .map(|field| (field, &schema["properties"][field]))
        .collect()
}

/// The schema as a file, its fields in the order in which they are written.
pub(crate) fn text(schema: &Value) -> String {
    let mut out = String::new();
    put(schema, 0, &mut out);
    let read = serde_json::from_str::<Value>(&out);
    assert!(read.is_ok_and(|read| read == *schema), "a field that is not always there");
    out + "\n"
}

fn put(value: &Value, indent: usize, out: &mut String) {
    match value {
        Value::Object(object) => {
            let mut keys: Vec<&String> = object.keys().collect();
            keys.sort_by_key(|key| KEYWORDS.iter().position(|known| known == key));
            let keys = keys.into_iter().map(|key| (key.as_str(), &object[key]));
            entries(keys, indent, out, |key, inner, out| match (key, inner) {
                ("properties", _) => {
                    let fields = fields(value).into_iter();
                    entries(fields, indent + 1, out, |_, inner, out| put(inner, indent + 2, out));
                }
                ("$defs", Value::Object(parts)) => {
                    let parts = parts.iter().map(|(name, part)| (name.as_str(), part));
                    entries(parts, indent + 1, out, |_, inner, out| put(inner, indent + 2, out));
                }
                _ => put(inner, indent + 1, out),
            });
        }
        Value::Array(items) if items.iter().any(Value::is_object) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                *out += if index == 0 { "\n" } else { ",\n" };
                *out += &"  ".repeat(indent + 1);
                put(item, indent + 1, out);
            }
            write!(out, "\n{}]", "  ".repeat(indent)).expect("text");
        }
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(Value::to_string).collect();
            write!(out, "[{}]", items.join(", ")).expect("text");
        }
        other => *out += &other.to_string(),
    }
}

/// An object, an entry a line.
fn entries<'a>(
    entries: impl Iterator<Item = (&'a str, &'a Value)>,
    indent: usize,
    out: &mut String,
    inner: impl Fn(&str, &Value, &mut String),
) {
    out.push('{');
    for (index, (key, value)) in entries.enumerate() {
        *out += if index == 0 { "\n" } else { ",\n" };
        write!(out, "{}{}: ", "  ".repeat(indent + 1), Value::from(key)).expect("text");
        inner(key, value, out);
    }
    write!(out, "\n{}}}", "  ".repeat(indent)).expect("text");
}
