// SPDX-License-Identifier: GPL-3.0-or-later
//! A value of a wrong type, told with its key and in plain words.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

type Value<'t> = Spanned<DeValue<'t>>;

/// What is said of a value in the words of the parser's types, in words for whoever wrote it.
pub fn words(root: &DeTable<'_>, span: Range<usize>, message: &str) -> String {
    let Some((key, value)) = innermost(root, span.start) else { return message.to_owned() };
    if message.starts_with("unknown variant") {
        return format!("{key}: {message}");
    }
    let wish = message.split_once("expected ").or_else(|| message.split_once("wanted ")).map(|(_, w)| w);
    let about_types = ["invalid ", "wanted "].iter().any(|start| message.starts_with(start));
    match (wish.and_then(plainly), value.get_ref()) {
        (Some(_), DeValue::Integer(number))
            if about_types && is_too_large(number.as_str(), number.radix()) =>
        {
            format!("{key}: {number} is too large")
        }
        (Some(wish), DeValue::Integer(number)) if about_types => {
            format!("{key}: {wish} is needed here, not {number}")
        }
        (Some(wish), other) if about_types => {
            let found = other.type_str();
            let article = if found.starts_with(['a', 'i']) { "an" } else { "a" };
            format!("{key}: {wish} is needed here, not {article} {found}")
        }
        (None, _) if about_types => format!("{key}: {message}"),
        _ => message.to_owned(),
    }
}

/// No time and no count needs more digits than there are here.
fn is_too_large(digits: &str, radix: u32) -> bool {
    !digits.starts_with('-') && u64::from_str_radix(digits, radix).is_err()
}

/// What a type is called by people.
fn plainly(wish: &str) -> Option<&'static str> {
    Some(match wish {
        "u8" => "a whole number from 0 to 255",
        "u32" | "u64" | "usize" => "a whole number, 0 or more,",
        "i64" => "a whole number",
        "a boolean" => "true or false",
        "a string" | "string" | "string or table" => "a string",
        "a sequence" => "a list",
        "an array of length 2" => "a list of two numbers",
        "a map" | "map" => "a table",
        _ if wish.starts_with("struct ") => "a table",
        _ => return None,
    })
}

/// The smallest value in which this place of the text lies, and its key.
fn innermost<'t>(table: &'t DeTable<'t>, at: usize) -> Option<(&'t str, &'t Value<'t>)> {
    let each = table.iter().flat_map(|(key, value)| within(key.get_ref(), value, at));
    each.min_by_key(|(_, value)| value.span().len())
}

fn within<'t>(key: &'t str, value: &'t Value<'t>, at: usize) -> Vec<(&'t str, &'t Value<'t>)> {
    let mut found = Vec::new();
    if value.span().contains(&at) {
        found.push((key, value));
    }
    match value.get_ref() {
        DeValue::Table(table) => found.extend(innermost(table, at)),
        DeValue::Array(values) => found.extend(values.iter().flat_map(|value| within(key, value, at))),
        _ => {}
    }
    found
}
