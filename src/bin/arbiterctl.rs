// SPDX-License-Identifier: GPL-3.0-or-later
//! `arbiterctl`: see [`arbiterd::ctl`].

fn main() -> std::process::ExitCode {
    arbiterd::ctl::main()
}
