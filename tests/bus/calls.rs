// SPDX-License-Identifier: GPL-3.0-or-later
//! Calls, their answers and their errors.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex};

use arbiterd::client::{Client, ClientError};
use arbiterd::dbus::{Authorizer, Caller, Decision, DenyAll, LedgerQuery, Question};
use arbiterd::table::{Claim, Speaker};
use arbiterd_board::Colour;
use futures_util::future::BoxFuture;
use zbus::{Connection, OwnedVariant, Variant};

use crate::rig::{Claimed, PrivateBus, START, Service};

type Dict = HashMap<String, OwnedVariant>;

async fn call<B, R>(c: &Connection, path: &str, interface: &str, method: &str, body: &B) -> zbus::Result<R>
where
    B: serde::Serialize + zbus::DynamicType,
    R: serde::de::DeserializeOwned + zbus::Type,
{
    let interface = format!("org.arbiterd.Arbiter1.{interface}");
    let service = Some("org.arbiterd.Arbiter1");
    c.call_method(service, path, Some(interface.as_str()), method, body).await?.body().deserialize()
}

async fn get_rulings(c: &Connection, since: u64, options: &[(&str, Variant<'_>)]) -> zbus::Result<Vec<Dict>> {
    let options: HashMap<&str, &Variant<'_>> = options.iter().map(|(k, v)| (*k, v)).collect();
    call(c, "/org/arbiterd/Arbiter1", "Manager", "GetRulings", &(since, options)).await
}

async fn claim(c: &Connection, by: &str, what: &str, option: Option<&str>) -> zbus::Result<u64> {
    let options: HashMap<&str, Variant<'_>> = option.into_iter().map(|o| (o, Variant::from(1u32))).collect();
    call(c, "/org/arbiterd/Arbiter1/table/t_2d1", "Table", "Claim", &(by, what, options)).await
}

/// The name and the text of an error that came over the bus.
fn refused<T: std::fmt::Debug>(result: zbus::Result<T>) -> (String, String) {
    match result.expect_err("an error") {
        zbus::Error::MethodError(name, text, _) => (name.to_string(), text.unwrap_or_default()),
        zbus::Error::FDO(e) => {
            let e: &dyn zbus::DBusError = &*e;
            (e.name().to_string(), e.description().unwrap_or_default().to_owned())
        }
        e => panic!("not an error of the service: {e}"),
    }
}

const INVALID_ARGS: &str = "org.freedesktop.DBus.Error.InvalidArgs";

#[tokio::test]
async fn the_ledger_gives_rulings_as_dictionaries() {
    let private = PrivateBus::start();
    let service = Service::start(&private).await;
    let rulings = get_rulings(&private.connect().await, 6, &[]).await.unwrap();
    assert_eq!(service.asked.queries(), [LedgerQuery { since: 6, table: None, limit: 1000 }]);
    assert_eq!(rulings.len(), 3);

    let texts = |words: &[&str]| -> Variant<'static> {
        words.iter().map(|w| (*w).to_owned()).collect::<Vec<_>>().into()
    };
    let expected: Vec<(&str, Variant<'_>)> = vec![
        ("row", 7u64.into()),
        ("seq", 3u64.into()),
        ("table", "t-1".into()),
        ("revision", 5u64.into()),
        ("rulebook", "fide-2023-standard".into()),
        ("kind", "ruling.illegal-move".into()),
        ("articles", texts(&["7.5.1", "7.5.5"])),
        ("offender", "black".into()),
        ("authority", 2u32.into()),
        ("standing", 1u32.into()),
        ("certainty", 2u32.into()),
        ("evidence", vec![11u64, 12].into()),
        ("not_observable", texts(&["clock-times"])),
        ("add_white_ms", 120_000u64.into()),
        ("add_black_ms", 1_000u64.into()),
        ("take_back_increment_ms", 30_000u64.into()),
        ("result", "1-0".into()),
        ("restore", START.into()),
        ("irregular_move", "e7e4".into()),
        ("required_moves", texts(&["e7e5", "e7e6"])),
        ("free_touch", texts(&["a1", "h8"])),
        ("illegal_white", 0u32.into()),
        ("illegal_black", 2u32.into()),
        ("proposed_white_at_irregularity_ms", 10_000u64.into()),
        ("proposed_black_at_irregularity_ms", 20_000u64.into()),
        ("proposed_white_now_ms", 8_000u64.into()),
        ("proposed_black_now_ms", 19_000u64.into()),
        ("evidence_complete_us", 8_000_000u64.into()),
    ];
    for (key, value) in &expected {
        assert_eq!(rulings[0].get(*key).map(|v| &**v), Some(value), "{key}");
    }
    assert_eq!(rulings[0].len(), expected.len());
    // What is not there: no offender, nothing to restore, nothing proposed.
    assert_eq!(&*rulings[1]["offender"], &Variant::from(""));
    assert_eq!(&*rulings[1]["restore"], &Variant::from(""));
    assert_eq!(&*rulings[1]["authority"], &Variant::from(1u32));
    assert!(!rulings[1].contains_key("proposed_white_now_ms"));
}

#[tokio::test]
async fn notices_are_read_back_with_a_cursor_of_their_own() {
    let private = PrivateBus::start();
    let service = Service::start(&private).await;
    let c = private.connect().await;
    let options = HashMap::from([("table", Variant::from("t-1"))]);
    let manager = "/org/arbiterd/Arbiter1";
    let notices: Vec<Dict> = call(&c, manager, "Manager", "GetNotices", &(4u64, options)).await.unwrap();
    let query = LedgerQuery { since: 4, table: Some("t-1".to_owned()), limit: 1000 };
    assert_eq!(service.asked.queries(), [query]);
    let expected: Vec<(&str, Variant<'_>)> = vec![
        ("row", 5u64.into()),
        ("table", "t-1".into()),
        ("kind", "notice.not-ruled".into()),
        ("at_us", 70u64.into()),
        ("squares", vec!["a8".to_owned()].into()),
        ("side", "black".into()),
        ("not_covered", "both-flags".into()),
        ("evidence", vec![3u64].into()),
        ("set_up", vec!["white king and queen swapped".to_owned()].into()),
        ("set_up_words", vec!["swapped".to_owned()].into()),
        ("set_up_squares", vec!["d1 e1".to_owned()].into()),
    ];
    assert_eq!(notices.len(), 1);
    assert_eq!(notices[0].len(), expected.len());
    for (key, value) in &expected {
        assert_eq!(notices[0].get(*key).map(|v| &**v), Some(value), "{key}");
    }
    let client = Client::connect(private.bus()).await.unwrap();
    let read = client.notices(4, Some("t-1"), None).await.unwrap();
    assert_eq!((read[0].row, read[0].kind.as_str(), read[0].at), (5, "notice.not-ruled", 70));
}

/// Remembers what it was asked, and lets players speak but not the arbiter.
#[derive(Default)]
struct PlayersOnly(Mutex<Vec<(&'static str, Speaker, String)>>);

impl Authorizer for PlayersOnly {
    fn authorize<'a>(&'a self, _: &'a Caller, question: Question<'a>) -> BoxFuture<'a, Decision> {
        let Question { action, by, table } = question;
        self.0.lock().unwrap().push((action.id(), by, table.to_owned()));
        Box::pin(std::future::ready(match by {
            Speaker::Player(_) => Decision::Allowed,
            Speaker::Arbiter => Decision::Refused { reason: "you are no arbiter".to_owned() },
        }))
    }
}

#[tokio::test]
async fn speaking_as_the_arbiter_is_another_leave_than_speaking_as_a_player() {
    let private = PrivateBus::start();
    let authorizer = Arc::new(PlayersOnly::default());
    let service = Service::with(&private, authorizer.clone(), Vec::new()).await;
    let c = private.connect().await;
    assert_eq!(claim(&c, "black", "illegal-move", None).await.unwrap(), 1);
    let (name, text) = refused(claim(&c, "arbiter", "illegal-move", None).await);
    assert_eq!(name, "org.arbiterd.Arbiter1.Error.NotAuthorized");
    assert!(text.contains("org.arbiterd.arbiter1.rule"), "{text}");
    assert_eq!(service.asked.claims().len(), 1);
    let asked = [
        ("org.arbiterd.arbiter1.claim", Speaker::Player(Colour::Black), "t-1".to_owned()),
        ("org.arbiterd.arbiter1.rule", Speaker::Arbiter, "t-1".to_owned()),
    ];
    assert_eq!(*authorizer.0.lock().unwrap(), asked);
}

#[tokio::test]
async fn the_ledger_is_asked_for_what_the_options_say() {
    let private = PrivateBus::start();
    let service = Service::start(&private).await;
    let c = private.connect().await;
    let options = [("table", Variant::from("t-1")), ("limit", Variant::from(1u32))];
    let rulings = get_rulings(&c, 7, &options).await.unwrap();
    let rows: Vec<_> = rulings.iter().map(|r| (*r["row"]).try_clone().unwrap()).collect();
    assert_eq!(rows, [Variant::from(9u64)]);
    // Beyond what a journal can hold, nothing follows.
    assert_eq!(get_rulings(&c, u64::MAX, &[]).await.unwrap().len(), 0);
    let since = service.asked.queries().iter().map(|q| q.since).collect::<Vec<_>>();
    assert_eq!(since, [7, i64::MAX]);
}

#[tokio::test]
async fn wrong_options_are_named_and_nothing_is_asked() {
    let private = PrivateBus::start();
    let service = Service::start(&private).await;
    let c = private.connect().await;
    let (name, text) = refused(get_rulings(&c, 0, &[("colour", Variant::from("red"))]).await);
    assert_eq!(name, INVALID_ARGS);
    assert!(text.contains("\"colour\""), "{text}");
    let (name, text) = refused(get_rulings(&c, 0, &[("limit", Variant::from("many"))]).await);
    assert_eq!(name, INVALID_ARGS);
    assert!(text.contains("\"limit\""), "{text}");
    let (name, text) = refused(get_rulings(&c, 0, &[("limit", Variant::from(10_001u32))]).await);
    assert_eq!(name, INVALID_ARGS);
    assert!(text.contains("10000"), "{text}");
    let (name, text) = refused(get_rulings(&c, 0, &[("table", Variant::from("t-9"))]).await);
    assert_eq!(name, "org.arbiterd.Arbiter1.Error.NoSuchTable");
    assert!(text.contains("t-9") && text.contains("t-1"), "{text}");
    assert_eq!(service.asked.queries(), []);
}

#[tokio::test]
async fn a_claim_goes_to_the_daemon_with_its_sender() {
    let private = PrivateBus::start();
    let service = Service::start(&private).await;
    let c = private.connect().await;
    assert_eq!(claim(&c, "white", "illegal-move", None).await.unwrap(), 1);
    assert_eq!(claim(&c, "arbiter", "touch-move", None).await.unwrap(), 2);
    let sender = Caller {
        unique_name: c.unique_name().unwrap().to_string(),
        uid: Some(own_uid()),
        interactive: false,
    };
    let claimed =
        |fact, by, claim| Claimed { fact, table: "t-1".to_owned(), by, claim, sender: sender.clone() };
    let expected = [
        claimed(1, Speaker::Player(Colour::White), Claim::IllegalMove),
        claimed(2, Speaker::Arbiter, Claim::TouchMove),
    ];
    assert_eq!(service.asked.claims(), expected);
}

/// The user of this process, as the file system sees him.
fn own_uid() -> u32 {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata("/proc/self").unwrap().uid()
}

#[tokio::test]
async fn wrong_claims_are_named_and_never_reach_the_daemon() {
    let private = PrivateBus::start();
    let service = Service::start(&private).await;
    let c = private.connect().await;
    let (name, text) = refused(claim(&c, "green", "flag", None).await);
    assert_eq!(name, INVALID_ARGS);
    assert!(text.contains("green"), "{text}");
    let (name, text) = refused(claim(&c, "white", "win", None).await);
    assert_eq!(name, "org.arbiterd.Arbiter1.Error.UnknownClaim");
    assert!(text.contains("win"), "{text}");
    let (name, text) = refused(claim(&c, "white", "illegal-move", Some("urgent")).await);
    assert_eq!(name, INVALID_ARGS);
    assert!(text.contains("urgent"), "{text}");
    assert_eq!(service.asked.claims(), []);
}

#[tokio::test]
async fn without_an_authority_reading_is_free_and_claiming_is_refused() {
    let private = PrivateBus::start();
    let service = Service::with(&private, Arc::new(DenyAll), Vec::new()).await;
    let c = private.connect().await;
    let (name, text) = refused(claim(&c, "white", "illegal-move", None).await);
    assert_eq!(name, "org.arbiterd.Arbiter1.Error.NotAuthorized");
    assert!(text.contains("org.arbiterd.arbiter1.claim"), "{text}");
    assert_eq!(service.asked.claims(), []);
    assert_eq!(get_rulings(&c, 0, &[]).await.unwrap().len(), 3);
}

#[tokio::test]
async fn the_daemons_errors_keep_their_names() {
    let private = PrivateBus::start();
    let mut service = Service::start(&private).await;
    let c = private.connect().await;
    let (name, _) = refused(claim(&c, "white", "flag", None).await);
    assert_eq!(name, "org.arbiterd.Arbiter1.Error.NotCovered");
    service.stop_daemon().await;
    let (name, _) = refused(claim(&c, "white", "illegal-move", None).await);
    assert_eq!(name, "org.arbiterd.Arbiter1.Error.ShuttingDown");
    let (name, _) = refused(get_rulings(&c, 0, &[]).await);
    assert_eq!(name, "org.arbiterd.Arbiter1.Error.ShuttingDown");
}

#[tokio::test]
async fn every_claim_of_two_clients_gets_the_number_under_which_it_was_recorded() {
    let private = PrivateBus::start();
    let service = Service::start(&private).await;
    let (one, two) = (private.connect().await, private.connect().await);
    let calls =
        (0..100).map(|n| {
            let (c, by) = if n % 2 == 0 { (&one, "white") } else { (&two, "black") };
            async move {
                (c.unique_name().unwrap().to_string(), claim(c, by, "illegal-move", None).await.unwrap())
            }
        });
    let answers: BTreeSet<_> = futures_util::future::join_all(calls).await.into_iter().collect();
    let recorded: BTreeSet<_> =
        service.asked.claims().into_iter().map(|c| (c.sender.unique_name, c.fact)).collect();
    assert_eq!(answers.len(), 100);
    assert_eq!(answers, recorded);
}

#[tokio::test]
async fn the_typed_client_reads_what_the_service_writes() {
    let private = PrivateBus::start();
    let _service = Service::start(&private).await;
    let client = Client::connect(private.bus()).await.unwrap();
    assert_eq!(client.claim("t-1", Speaker::Player(Colour::Black), Claim::TouchMove).await.unwrap(), 1);
    let none = client.claim("t-2", Speaker::Arbiter, Claim::TouchMove).await;
    assert!(matches!(none, Err(ClientError::NoSuchTable { table }) if table == "t-2"));
    let refused = client.claim("t-1", Speaker::Arbiter, Claim::Flag).await;
    let name = "org.arbiterd.Arbiter1.Error.NotCovered";
    assert!(matches!(refused, Err(ClientError::Refused { name: n, .. }) if n == name));

    let rulings = client.rulings(0, Some("t-1"), Some(1)).await.unwrap();
    assert_eq!(rulings.len(), 1);
    let r = &rulings[0];
    assert_eq!((r.row, r.seq, r.table.as_str()), (7, 3, "t-1"));
    assert_eq!((r.authority, r.standing, r.certainty), ("proposed", "in-force", "likely"));
    assert_eq!(r.offender.as_deref(), Some("black"));
    assert_eq!(r.proposed_clock.map(|p| p.now_ms), Some([8_000, 19_000]));
    assert_eq!((r.committed_us, r.published_us), (None, None), "the ledger keeps neither");
}

#[tokio::test]
async fn a_client_without_a_service_says_that_it_does_not_run() {
    let private = PrivateBus::start();
    let client = Client::connect(private.bus()).await.unwrap();
    let answer = client.rulings(0, None, None).await;
    assert!(matches!(answer, Err(ClientError::NotRunning { .. })), "{answer:?}");
}
