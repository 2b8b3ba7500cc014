// SPDX-License-Identifier: GPL-3.0-or-later
//! The interface files under `data/dbus/interfaces` are the introspection of the running service.
//!
//! After a change of an interface, write them again and read the difference before committing it:
//!
//! ```text
//! cargo test --test bus -- --ignored write_the_interface_files
//! ```

use std::path::PathBuf;

use zbus::fdo::IntrospectableProxy;

use crate::rig::{PrivateBus, Service};

const INTERFACES: [(&str, &str); 4] = [
    ("Manager", "/org/arbiterd/Arbiter1"),
    ("Board", "/org/arbiterd/Arbiter1/board/hall_2d1"),
    ("Table", "/org/arbiterd/Arbiter1/table/t_2d1"),
    ("Clock", "/org/arbiterd/Arbiter1/table/t_2d1"),
];

const HEADER: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: GPL-3.0-or-later -->
<!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">
<node>
"#;

fn file(interface: &str) -> PathBuf {
    let name = format!("data/dbus/interfaces/org.arbiterd.Arbiter1.{interface}.xml");
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// The file of an interface, as the running service would write it.
async fn written(private: &PrivateBus, interface: &str, path: &str) -> String {
    let client = private.connect().await;
    let proxy = IntrospectableProxy::builder(&client).destination("org.arbiterd.Arbiter1");
    let xml = proxy.path(path.to_owned()).build().await.unwrap().introspect().await.unwrap();
    let begin = format!("<interface name=\"org.arbiterd.Arbiter1.{interface}\">");
    let lines = xml.lines().skip_while(|l| l.trim() != begin);
    let mut block: Vec<&str> = lines.take_while(|l| l.trim() != "</interface>").map(str::trim_end).collect();
    assert!(!block.is_empty(), "no {interface} in {xml}");
    block.push("  </interface>");
    format!("{HEADER}{}\n</node>\n", block.join("\n"))
}

#[tokio::test]
async fn the_interface_files_are_what_the_service_tells_of_itself() {
    let private = PrivateBus::start();
    let _service = Service::start(&private).await;
    for (interface, path) in INTERFACES {
        let kept = std::fs::read_to_string(file(interface)).expect("the interface file");
        let told = written(&private, interface, path).await;
        assert!(kept == told, "{interface} differs; the service tells:\n{told}");
    }
}

#[tokio::test]
#[ignore = "writes into data/dbus/interfaces; see the head of this file"]
async fn write_the_interface_files() {
    let private = PrivateBus::start();
    let _service = Service::start(&private).await;
    for (interface, path) in INTERFACES {
        std::fs::write(file(interface), written(&private, interface, path).await).unwrap();
        assert!(file(interface).exists());
    }
}

#[tokio::test]
async fn arguments_are_named_and_properties_say_how_they_change() {
    let private = PrivateBus::start();
    let _service = Service::start(&private).await;
    let manager = written(&private, "Manager", INTERFACES[0].1).await;
    assert!(manager.contains(r#"<arg name="rulings" type="aa{sv}" direction="out"/>"#), "{manager}");
    let table = written(&private, "Table", INTERFACES[2].1).await;
    assert!(table.contains(r#"<arg name="fact" type="t" direction="out"/>"#), "{table}");
    for (property, how) in [("Moves", "invalidates"), ("Board", "const"), ("Rulebook", "const")] {
        let (_, rest) = table.split_once(&format!("<property name=\"{property}\"")).expect(property);
        let (own, _) = rest.split_once("</property>").expect(property);
        assert!(own.contains(&format!("value=\"{how}\"")), "{own}");
    }
    let nameless = r#"<arg type="#;
    assert!(!manager.contains(nameless) && !table.contains(nameless));
}
