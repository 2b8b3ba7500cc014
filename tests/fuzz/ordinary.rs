// SPDX-License-Identifier: GPL-3.0-or-later
//! The bodies of the fuzz targets as ordinary tests: over the corpus that is kept, and over bytes
//! by chance. README.md in this folder tells how the fuzzer itself is run.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a panic is a failed test")]

mod bodies;

use std::path::Path;

use proptest::prelude::*;

#[test]
fn the_kept_corpus_is_survived() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz/corpus");
    for (name, body) in bodies::ALL {
        let files = std::fs::read_dir(corpus.join(name)).unwrap_or_else(|e| panic!("corpus of {name}: {e}"));
        let mut count = 0;
        for file in files {
            body(&std::fs::read(file.unwrap().path()).unwrap());
            count += 1;
        }
        assert!(count > 0, "the corpus of {name} is empty");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn bytes_by_chance_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        for (_, body) in bodies::ALL {
            body(&bytes);
        }
    }
}
