// SPDX-License-Identifier: GPL-3.0-or-later
//! One key of a section, and its value as the type that is asked for.

use std::ops::RangeInclusive;
use std::time::Duration;

use toml::Spanned;
use toml::de::DeValue;

use super::{Context, Fault, Place, nearest};

/// A value with its place, so that what is found out later can still be told with its line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found<T> {
    /// The value.
    pub value: T,
    /// Where it stands.
    pub place: Place,
}

impl<T> Found<T> {
    /// Another value for the same place.
    pub fn map<U>(self, f: impl FnOnce(T) -> U) -> Found<U> {
        Found { value: f(self.value), place: self.place }
    }
}

/// A key that was asked for. The getters give `None` when it is not there, or when it is wrong;
/// what is wrong has then been reported.
#[derive(Debug)]
pub struct Entry<'d> {
    pub(super) context: Context<'d>,
    pub(super) value: Option<&'d Spanned<DeValue<'d>>>,
    pub(super) place: Place,
}

impl Entry<'_> {
    /// Reports it when it is not there; `expected` says what should be: `"a string"`.
    #[must_use]
    pub fn required(self, expected: &str) -> Self {
        if self.value.is_none() {
            self.report(Fault::Missing { expected: expected.to_owned() });
        }
        self
    }

    /// A string.
    pub fn string(&self) -> Option<Found<String>> {
        let text = self.get(DeValue::as_str, "a string")?;
        Some(self.found(text.to_owned()))
    }

    /// A string that `accept` takes; its error says which form is needed.
    pub fn text<T>(&self, accept: impl FnOnce(&str) -> Result<T, String>) -> Option<Found<T>> {
        let text = self.get(DeValue::as_str, "a string")?;
        match accept(text) {
            Ok(value) => Some(self.found(value)),
            Err(expected) => {
                self.report(Fault::Malformed { found: text.to_owned(), expected });
                None
            }
        }
    }

    /// True or false.
    pub fn bool(&self) -> Option<Found<bool>> {
        let value = self.get(DeValue::as_bool, "true or false")?;
        Some(self.found(value))
    }

    /// An integer within a range.
    pub fn integer(&self, range: RangeInclusive<u64>) -> Option<Found<u64>> {
        let integer = self.get(DeValue::as_integer, "an integer")?;
        match u64::from_str_radix(integer.as_str(), integer.radix()) {
            Ok(number) if range.contains(&number) => Some(self.found(number)),
            _ => {
                let (min, max) = (*range.start(), *range.end());
                self.report(Fault::OutOfRange { found: integer.to_string(), min, max });
                None
            }
        }
    }

    /// A duration in whole milliseconds, no longer than `max`.
    pub fn millis(&self, max: Duration) -> Option<Found<Duration>> {
        let max = u64::try_from(max.as_millis()).unwrap_or(u64::MAX);
        self.integer(0..=max).map(|f| f.map(Duration::from_millis))
    }

    /// A word out of a closed set.
    pub fn word<T: Copy>(&self, words: &[(&'static str, T)]) -> Option<Found<T>> {
        let text = self.get(DeValue::as_str, "a string")?;
        if let Some((_, value)) = words.iter().find(|(w, _)| *w == text) {
            return Some(self.found(*value));
        }
        let allowed: Vec<_> = words.iter().map(|(w, _)| *w).collect();
        let nearest = nearest(text, allowed.iter().copied());
        self.report(Fault::UnknownWord { found: text.to_owned(), nearest, allowed });
        None
    }

    /// A list of strings, each with its own line.
    pub fn strings(&self) -> Option<Vec<Found<String>>> {
        self.list(self.get(DeValue::as_array, "a list of strings")?.iter())
    }

    /// One string, or a list of strings.
    pub fn string_or_strings(&self) -> Option<Vec<Found<String>>> {
        match self.value?.get_ref() {
            DeValue::Array(list) => self.list(list.iter()),
            DeValue::String(text) => Some(vec![self.found(text.to_string())]),
            _ => {
                self.wrong_type("a string or a list of strings");
                None
            }
        }
    }

    /// Reports something wrong with this key.
    pub fn report(&self, what: Fault) {
        self.context.problems.borrow_mut().push(self.place.problem(what));
    }

    /// Whether the key is there, be its value right or wrong.
    pub const fn is_there(&self) -> bool {
        self.value.is_some()
    }

    /// Where it stands; the header of its table if it is not there.
    pub const fn place(&self) -> &Place {
        &self.place
    }

    pub(super) fn wrong_type(&self, expected: &'static str) {
        let found = self.value.map_or("nothing", |v| v.get_ref().type_str());
        self.report(Fault::WrongType { expected, found });
    }

    fn list<'v>(&self, items: impl Iterator<Item = &'v Spanned<DeValue<'v>>>) -> Option<Vec<Found<String>>> {
        let strings: Option<Vec<_>> = items
            .map(|item| {
                let line = self.context.line(item.span().start);
                let place = Place { line, ..self.place.clone() };
                Some(Found { value: item.get_ref().as_str()?.to_owned(), place })
            })
            .collect();
        if strings.is_none() {
            let (expected, found) = ("a list of strings", "list with something else in it");
            self.report(Fault::WrongType { expected, found });
        }
        strings
    }

    fn get<'s, T: 's>(
        &'s self,
        read: impl FnOnce(&'s DeValue<'s>) -> Option<T>,
        expected: &'static str,
    ) -> Option<T> {
        let value = read(self.value?.get_ref());
        if value.is_none() {
            self.wrong_type(expected);
        }
        value
    }

    fn found<T>(&self, value: T) -> Found<T> {
        Found { value, place: self.place.clone() }
    }
}
