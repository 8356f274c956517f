//! The faults of a network, chosen by a seed.

use std::collections::VecDeque;
use std::time::Duration;

use acp_testkit::Dice;

/// A fault, at a byte of what goes through the network.
#[derive(Clone, Copy, Debug)]
pub(super) enum Fault {
    /// The socket is reset on both sides.
    Reset,
    /// The socket is closed on both sides, in order.
    Shut,
    /// One direction of the socket is closed in order.
    HalfShut,
    /// Nothing passes through this socket any more, and it stays open.
    Mute,
    /// Nothing passes anywhere for a time.
    Silence(Duration),
    /// All sockets are reset, and new ones for a time.
    CutAll(Duration),
}

/// The behaviour of a network.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    /// Each fault, and the byte at which it strikes. The first one comes first.
    faults: VecDeque<(u64, Fault)>,
    passed: u64,
    /// The share of pieces that are held back, in percent, and the longest time.
    held: u64,
    longest: Duration,
    /// The largest piece.
    piece: u64,
}

impl Plan {
    /// A network without faults.
    pub(super) fn sound() -> Self {
        Self { faults: VecDeque::new(), passed: 0, held: 0, longest: Duration::ZERO, piece: u64::MAX }
    }

    /// A network that only delays and halves.
    pub(super) fn slow(dice: &Dice) -> Self {
        // Many small pieces that are all held back would meet the limits of the server.
        let profiles = [(0, 0, 1), (1, 5, 7), (10, 100, 100), (10, 3_000, u64::MAX), (50, 300, u64::MAX)];
        let (held, longest, piece) = *dice.pick(&profiles);
        Self { held, longest: Duration::from_millis(longest), piece, ..Self::sound() }
    }

    /// A network with faults at any of the first `bytes` bytes.
    pub(super) fn bad(dice: &Dice, bytes: u64) -> Self {
        let mut faults: Vec<_> = (0..=dice.below(4)).map(|_| (dice.below(bytes), Fault::any(dice))).collect();
        faults.sort_by_key(|(at, _)| *at);
        Self { faults: faults.into(), ..Self::slow(dice) }
    }

    /// Lets everything through from now on.
    pub(super) fn heal(&mut self) {
        *self = Self { passed: self.passed, ..Self::sound() };
    }

    /// Returns the size of the next piece of `waiting` bytes, and the fault that strikes behind it.
    pub(super) fn next(&mut self, waiting: usize, dice: &Dice) -> (usize, Option<Fault>) {
        let mut size = waiting as u64;
        if self.piece < size {
            size = 1 + dice.below(self.piece);
        }
        let mut fault = None;
        if let Some((at, next)) = self.faults.front().copied()
            && at < self.passed + size
        {
            self.faults.pop_front();
            size = (at + 1).saturating_sub(self.passed).max(1);
            fault = Some(next);
        }
        self.passed += size;
        (usize::try_from(size).unwrap(), fault)
    }

    /// Returns the time for which a piece is held back.
    pub(super) fn delay(&self, dice: &Dice) -> Option<Duration> {
        let is_held = dice.percent(self.held);
        let longest = u64::try_from(self.longest.as_millis()).unwrap();
        is_held.then(|| Duration::from_millis(1 + dice.below(longest)))
    }
}

impl Fault {
    fn any(dice: &Dice) -> Self {
        let wait = Duration::from_millis(*dice.pick(&[0, 100, 5_000, 40_000, 100_000]));
        *dice.pick(&[
            Self::Reset,
            Self::Reset,
            Self::Shut,
            Self::HalfShut,
            Self::Mute,
            Self::Silence(wait),
            Self::CutAll(wait),
        ])
    }
}
