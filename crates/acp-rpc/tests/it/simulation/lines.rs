//! The messages on their way to a side: the line, and its meaning for the model.

use acp_rpc::Id;
use testkit::Dice;

pub(crate) struct Line {
    pub(crate) text: String,
    pub(crate) means: Means,
    /// The call that it carries or answers, or `None` if a broken peer made it up.
    pub(crate) call: Option<u64>,
}

/// The meaning of a line, as far as it matters later.
#[derive(Clone)]
pub(crate) enum Means {
    Request(Id),
    Notification,
    Ignorable,
    Cancel(Id),
    BadCancel,
    Result(Id),
    Error(Id),
    /// A response of which only the id is known.
    Malformed(Id),
    /// An object with an id and nothing else.
    Bare(Id),
    Unaddressed,
    Invalid(Id),
}

impl Line {
    fn new(means: Means, call: Option<u64>, members: &str) -> Self {
        Self { text: format!(r#"{{"jsonrpc":"2.0",{members}}}"#), means, call }
    }

    pub(crate) fn request(dice: &Dice, id: i64, call: u64) -> Self {
        let members = format!(r#""id":{id},"method":"m","params":["{}"]"#, "x".repeat(dice.index(150)));
        Self::new(Means::Request(Id::Int(id)), Some(call), &members)
    }

    pub(crate) fn notification(dice: &Dice) -> Self {
        match dice.below(3) {
            0 => Self::new(Means::Ignorable, None, r#""method":"$/progress","params":[1]"#),
            _ => Self::new(Means::Notification, None, r#""method":"n","params":[1]"#),
        }
    }

    pub(crate) fn cancel(id: &Id) -> Self {
        let members = format!(r#""method":"$/cancel_request","params":{{"requestId":{id}}}"#);
        Self::new(Means::Cancel(id.clone()), None, &members)
    }

    pub(crate) fn answer(dice: &Dice, id: &Id, call: Option<u64>) -> Self {
        if dice.one_in(3) {
            return Self::error(id, call);
        }
        Self::result(id, call)
    }

    fn result(id: &Id, call: Option<u64>) -> Self {
        Self::new(addressed(Means::Result(id.clone()), id), call, &format!(r#""id":{id},"result":1"#))
    }

    pub(crate) fn error(id: &Id, call: Option<u64>) -> Self {
        let members = format!(r#""id":{id},"error":{{"code":1,"message":"m"}}"#);
        Self::new(addressed(Means::Error(id.clone()), id), call, &members)
    }

    /// Builds a line that a correct peer would not send. Its id may be in use.
    pub(crate) fn of_a_broken_peer(dice: &Dice) -> Self {
        let number = dice.below(12);
        let id = match dice.below(6) {
            0 => Id::from(number.to_string().as_str()),
            1 => Id::Null,
            _ => Id::Int(i64::try_from(number).unwrap()),
        };
        match dice.below(9) {
            0 => Self::new(Means::Request(id.clone()), None, &format!(r#""id":{id},"method":"m""#)),
            1 => Self::cancel(&id),
            2 => {
                Self::new(Means::BadCancel, None, r#""method":"$/cancel_request","params":{"requestId":[]}"#)
            }
            3 => Self::result(&id, None),
            4 => Self::error(&id, None),
            5 => {
                let both = format!(r#""id":{id},"result":1,"error":{{"code":1}}"#);
                Self::new(addressed(Means::Malformed(id.clone()), &id), None, &both)
            }
            6 => Self::new(Means::Bare(id.clone()), None, &format!(r#""id":{id}"#)),
            7 => Self::new(Means::Unaddressed, None, r#""id":0.5,"result":1"#),
            _ => Self::new(Means::Invalid(id.clone()), None, &format!(r#""id":{id},"method":7"#)),
        }
    }
}

/// A response without an id belongs to nobody.
fn addressed(means: Means, id: &Id) -> Means {
    if *id == Id::Null { Means::Unaddressed } else { means }
}
