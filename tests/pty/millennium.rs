// SPDX-License-Identifier: GPL-3.0-or-later
//! A Millennium board, which has no clock: the daemon as a process, a simulated board on a real pty,
//! a bus and `busctl`.

use arbiterd::sim::{Act, Pace, PtyBoard};
use arbiterd_board::Piece;
use arbiterd_millennium::simulator::{Model, Options, Simulator};
use arbiterd_millennium::wire::Cable;

use super::hall::{Daemon, Hall, Plan};
use super::play::{sq, state};
use super::witness::Witness;

pub type Board = PtyBoard<Simulator>;

fn plan() -> Plan {
    Plan { family: "millennium", ..Plan::default() }
}

pub fn plug(hall: &Hall, plan: &Plan, model: Model, cable: Cable) -> Board {
    plug_with(hall, plan, model, cable, &[])
}

/// A board with these faults from the start.
fn plug_with(hall: &Hall, plan: &Plan, model: Model, cable: Cable, faults: &[&str]) -> Board {
    let placement = plan.fen.split(' ').next().unwrap().parse().unwrap();
    let faults = faults.iter().map(|fault| fault.parse().unwrap()).collect();
    let options = Options { cable, placement, faults, ..Options::of(model) };
    let device = Simulator::new(arbiterd::time::now(), options);
    PtyBoard::plug(device, Pace::Line, Some(&hall.port())).unwrap()
}

/// A board in step, and all that is around it.
struct Game {
    daemon: Daemon,
    witness: Witness,
    board: Board,
    // Dropped last: the others use its folder.
    hall: Hall,
}

impl Game {
    async fn begin(plan: Plan, model: Model, faults: &[&str]) -> Self {
        let hall = Hall::open(&plan);
        let mut witness = Witness::listen(hall.address());
        let board = plug_with(&hall, &plan, model, Cable::Left, faults);
        let daemon = hall.start();
        state(&mut witness, "in-step").await;
        Self { daemon, witness, board, hall }
    }

    async fn carry(&mut self, piece: char, from: &str, to: &str) {
        carry(&self.board, &mut self.witness, piece, from, to).await;
    }

    /// 1. e4 e5 2. Nf3, of which a reply completes two moves; nothing else may have happened.
    async fn plays_on(mut self) {
        self.play().await;
        self.ends(&["e2", "e7", "g1"], &["e2e4", "e7e5"]);
    }

    async fn play(&mut self) {
        self.carry('P', "e2", "e4").await;
        self.carry('p', "e7", "e5").await;
        moved(&mut self.witness, "e2e4").await;
        self.carry('N', "g1", "f3").await;
        moved(&mut self.witness, "e7e5").await;
    }

    /// The same; then this register holds that, and so often any was written.
    async fn plays_on_with(mut self, address: u8, value: u8, writes: u64) {
        self.play().await;
        assert_eq!(self.register(address).await, (value, writes));
        self.ends(&["e2", "e7", "g1"], &["e2e4", "e7e5"]);
    }

    /// These squares were lifted, each once, and these moves are recorded; nothing was ruled.
    fn ends(self, lifted: &[&str], moves: &[&str]) {
        let told: Vec<&str> =
            self.witness.heard.iter().filter(|h| h.member == "Lifted").map(|h| h.text(0)).collect();
        assert_eq!(told, lifted);
        let recorded = self.witness.property(false, "Moves");
        assert_eq!(recorded, serde_json::json!(moves));
        assert!(self.witness.order(&["Ruled"]).is_empty());
        assert!(self.witness.rulings(0).is_empty());
        assert!(self.witness.property(true, "Faults").as_array().unwrap().is_empty());
        assert_eq!(self.daemon.terminate().code(), Some(0));
    }

    /// What a register holds, and how often any was written.
    async fn register(&self, address: u8) -> (u8, u64) {
        let look =
            move |device: &mut Simulator, _| (device.registers().value(address), device.registers().writes());
        self.board.ask(look).await.unwrap()
    }
}

/// Carries a piece; returns when the daemon has seen it stand.
pub async fn carry(board: &Board, witness: &mut Witness, piece: char, from: &str, to: &str) {
    lift(board, witness, from).await;
    place(board, witness, to, piece).await;
}

pub async fn lift(board: &Board, witness: &mut Witness, square: &str) {
    board.act(Act::Lift(sq(square))).unwrap();
    witness.hear(&format!("{square} lifted"), |h| h.member == "Lifted" && h.text(0) == square).await;
}

pub async fn place(board: &Board, witness: &mut Witness, square: &str, piece: char) {
    board.act(Act::Place(sq(square), Piece::from_letter(piece).unwrap())).unwrap();
    witness.hear(&format!("{square} placed"), |h| h.member == "Placed" && h.text(0) == square).await;
}

pub async fn moved(witness: &mut Witness, uci: &str) {
    let moved = witness.hear_member("Moved").await;
    assert_eq!(moved.field("uci"), uci);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_game_without_a_clock_is_completed_reply_by_reply_whichever_way_the_board_stands() {
    for cable in [Cable::Left, Cable::Right] {
        let plan = plan();
        let hall = Hall::open(&plan);
        let mut witness = Witness::listen(hall.address());
        let board = plug(&hall, &plan, Model::Exclusive, cable);
        let daemon = hall.start();
        state(&mut witness, "in-step").await;
        carry(&board, &mut witness, 'P', "e2", "e4").await;
        carry(&board, &mut witness, 'p', "e7", "e5").await;
        moved(&mut witness, "e2e4").await;
        carry(&board, &mut witness, 'N', "g1", "f3").await;
        moved(&mut witness, "e7e5").await;

        // What only a press would show is left to the arbiter, and not rejected.
        witness.claim("white", "illegal-move").unwrap();
        let notice = witness.hear_member("NoticeGiven").await;
        assert_eq!((notice.text(1), notice.field("not_covered")), ("notice.not-ruled", &"no-clock".into()));
        assert!(witness.rulings(0).is_empty());
        assert!(witness.property(true, "Faults").as_array().unwrap().is_empty());
        assert_eq!(daemon.terminate().code(), Some(0));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_board_that_only_knows_which_squares_are_occupied_is_refused_by_name() {
    let plan = plan();
    let hall = Hall::open(&plan);
    let mut witness = Witness::listen(hall.address());
    let _board = plug(&hall, &plan, Model::EOne, Cable::Left);
    let daemon = hall.start();
    witness
        .hear("a fault", |h| {
            h.member == "PropertiesChanged" && format!("{:?}", h.args).contains("fault.not-for-arbitration")
        })
        .await;
    assert_eq!(witness.property(false, "State"), "no-board");
    assert_eq!(daemon.terminate().code(), Some(0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_another_program_left_in_the_registers_is_put_right_once() {
    let game = Game::begin(plan(), Model::Exclusive, &["register=02,07", "register=01,30"]).await;
    game.plays_on_with(2, 0x00, 2).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn over_bluetooth_the_board_is_told_to_report_on_change() {
    let plan = Plan { transport: Some("bluetooth"), ..plan() };
    let game = Game::begin(plan, Model::Exclusive, &[]).await;
    game.plays_on_with(2, 0x03, 1).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_board_without_byte_parity_is_played_on() {
    Game::begin(plan(), Model::Exclusive, &["parity=off"]).await.plays_on().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_performance_that_acknowledges_nothing_is_played_on() {
    let game = Game::begin(plan(), Model::Performance, &[]).await;
    game.plays_on_with(2, 0x00, 0).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_imitation_that_reports_on_change_whatever_its_register_says_is_played_on() {
    let game = Game::begin(plan(), Model::Chesstimation, &[]).await;
    game.plays_on_with(2, 0x00, 0).await;
}

/// Both of the hands' moves lie between two scans; the joined status shows White's alone, which was
/// never seen to stand there alone.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_status_joined_from_two_scans_is_no_move() {
    let mut game = Game::begin(plan(), Model::Exclusive, &[]).await;
    let both = |device: &mut Simulator, now| {
        device.inject(now, "splice=32".parse().unwrap());
        for (from, to, piece) in [("e7", "e5", 'p'), ("e2", "e4", 'P')] {
            device.lift(now, sq(from));
            device.place(now, sq(to), Piece::from_letter(piece).unwrap());
        }
    };
    game.board.with(both).unwrap();
    let placed = |square: &'static str| {
        move |heard: &super::witness::Heard| heard.member == "Placed" && heard.text(0) == square
    };
    game.witness.hear("e5 placed", placed("e5")).await;
    assert_eq!(game.witness.order(&["Lifted", "Placed", "Moved"]), ["Lifted", "Lifted", "Placed", "Placed"]);
    assert!(game.witness.rulings(0).is_empty());
    assert_eq!(game.daemon.terminate().code(), Some(0));
}

/// The move that was not completed yet is completed by the reply, as if the plug had never been out.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_board_that_was_unplugged_in_mid_game_goes_on_by_the_next_reply() {
    let mut game = Game::begin(plan(), Model::Exclusive, &[]).await;
    game.carry('P', "e2", "e4").await;
    game.carry('p', "e7", "e5").await;
    moved(&mut game.witness, "e2e4").await;
    let mut device = game.board.unplug().await.unwrap();
    let notice = |code: &'static str| {
        move |heard: &super::witness::Heard| heard.member == "NoticeGiven" && heard.text(1) == code
    };
    game.witness.hear("device-lost", notice("notice.device-lost")).await;
    // It has its power from the cable.
    device.power_cycle(arbiterd::time::now());
    game.board = PtyBoard::plug(device, Pace::Line, Some(&game.hall.port())).unwrap();
    game.witness.hear("device-back", notice("notice.device-back")).await;
    state(&mut game.witness, "in-step").await;
    game.carry('N', "g1", "f3").await;
    moved(&mut game.witness, "e7e5").await;
    game.ends(&["e2", "e7", "g1"], &["e2e4", "e7e5"]);
}
