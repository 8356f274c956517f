//! Values with a fault, an oddity or an unknown part at one place.

use acp_json::Node;

/// Makes values that differ from `base` at one place, as JSON text. The value itself and its
/// members get all changes. Deeper places get one in eight, because they are varied in full as
/// definitions of their own.
pub(crate) fn mutations(base: &Node<'static>) -> Vec<String> {
    let mut counted = 0;
    let mut texts: Vec<String> = everywhere(base, 0, &mut |node, depth| {
        let mut changed = wrong_kinds(node);
        changed.extend(match node {
            Node::Str(_) => TEXTS.iter().map(raw).collect(),
            Node::U64(_) | Node::I64(_) | Node::F64(_) | Node::Exact(_) => NUMBERS.iter().map(raw).collect(),
            Node::Bool(value) => vec![Node::Bool(!value)],
            Node::Seq(items) => lists(items),
            Node::Map(members) => objects(members),
            Node::Null => Vec::new(),
        });
        // The count runs on from place to place, so that each kind of change has its turn.
        changed.retain(|_| {
            counted += 1;
            depth < THINNED_FROM || counted % 8 == 0
        });
        changed
    })
    .iter()
    .map(text)
    .collect();
    texts.push(text(&reversed(base)));
    texts
}

const THINNED_FROM: usize = 2;

/// Returns the JSON text of a value, with its raw tokens in place.
pub(crate) fn text(node: &Node<'_>) -> String {
    let mut text = acp_json::to_string(node);
    while let Some(start) = text.find(RAW_START) {
        let length = text[start..].find(RAW_END).expect("raw tokens are closed") + RAW_END.len();
        let index: usize =
            text[start + RAW_START.len()..start + length - RAW_END.len()].parse().expect("an index");
        let token = TEXTS.iter().chain(NUMBERS).nth(index).expect("a known token");
        text.replace_range(start..start + length, token);
    }
    text
}

/// JSON texts of strings, in spellings that our writers never use.
const TEXTS: &[&str] = &[
    r#""""#,
    r#""\u0000 \" \\ \/ \b \f \n \r \t""#,
    r#""\ud83d\ude00 \u2028 \u00e9""#,
    "\"\u{2028}\u{2029} \u{202e}rtl \u{1f600} \u{7f}\"",
    r#""\ud83d""#,
    r#""later_value""#,
];

const NUMBERS: &[&str] = &[
    "0",
    "-0",
    "-1",
    "1.0",
    "1.5",
    "1e3",
    "-2.0E1",
    "65535",
    "65536",
    "2147483647",
    "2147483648",
    "-2147483648",
    "-2147483649",
    "4294967295",
    "4294967296",
    "4294967296.0",
    "9007199254740993",
    "9007199254740994.0",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775808",
    "-9223372036854775809",
    "18446744073709551615",
    "18446744073709551616",
    "1e300",
    "1e400",
    "0.1",
    "01",
];

const RAW_START: &str = "\"raw token ";
const RAW_END: &str = ".\"";

/// A string that [`text`] replaces by the token.
fn raw(token: &&'static str) -> Node<'static> {
    let index = TEXTS.iter().chain(NUMBERS).position(|known| known == token).expect("a known token");
    Node::Str(format!("raw token {index}.").into())
}

fn wrong_kinds(node: &Node<'_>) -> Vec<Node<'static>> {
    let kinds = [
        Node::Null,
        Node::Bool(true),
        Node::U64(7),
        Node::F64(7.5),
        Node::Str("other".into()),
        Node::Seq(Vec::new()),
        Node::Seq(vec![Node::Null]),
        Node::Map(Vec::new()),
    ];
    kinds.into_iter().filter(|kind| kind != node).collect()
}

fn lists(items: &[Node<'static>]) -> Vec<Node<'static>> {
    let mut lists = Vec::new();
    for malformed in [Node::Null, Node::U64(7), Node::Str("other".into()), Node::Map(Vec::new())] {
        lists.push([std::slice::from_ref(&malformed), items].concat());
        lists.push([items, &[malformed]].concat());
    }
    lists.push([items, items].concat());
    lists.into_iter().map(Node::Seq).collect()
}

type Members = Vec<(std::borrow::Cow<'static, str>, Node<'static>)>;

fn objects(members: &Members) -> Vec<Node<'static>> {
    let unknown = || ("later_member".into(), Node::Map(vec![("text".into(), Node::Null)]));
    let mut objects = vec![
        [vec![unknown()], members.clone()].concat(),
        [members.clone(), vec![unknown()]].concat(),
        members.iter().rev().cloned().collect(),
    ];
    for (index, (name, value)) in members.iter().enumerate() {
        let mut without = members.clone();
        without.remove(index);
        objects.push(without);
        // Of a repeated name the last one counts, even if it is the malformed one.
        let malformed = (name.clone(), Node::Seq(vec![Node::Map(Vec::new())]));
        objects.push([vec![malformed.clone()], members.clone()].concat());
        objects.push([members.clone(), vec![malformed, (name.clone(), value.clone())]].concat());
        objects
            .push([members.clone(), vec![(name.clone(), Node::Seq(vec![Node::Map(Vec::new())]))]].concat());
        if name == "_meta" {
            objects.extend([8, 60].map(|depth| with(members, index, nested(depth))));
        }
    }
    objects.into_iter().map(Node::Map).collect()
}

fn with(members: &Members, index: usize, value: Node<'static>) -> Members {
    let mut members = members.clone();
    members[index].1 = value;
    members
}

fn nested(depth: usize) -> Node<'static> {
    (0..depth).fold(Node::Map(Vec::new()), |inner, _| Node::Map(vec![("a".into(), Node::Seq(vec![inner]))]))
}

fn reversed(node: &Node<'static>) -> Node<'static> {
    match node {
        Node::Map(members) => {
            Node::Map(members.iter().rev().map(|(name, node)| (name.clone(), reversed(node))).collect())
        }
        Node::Seq(items) => Node::Seq(items.iter().map(reversed).collect()),
        other => other.clone(),
    }
}

/// Returns the tree with each node, one at a time, replaced by each result of `change` at its
/// depth.
fn everywhere(
    node: &Node<'static>,
    depth: usize,
    change: &mut impl FnMut(&Node<'static>, usize) -> Vec<Node<'static>>,
) -> Vec<Node<'static>> {
    let mut changed = change(node, depth);
    match node {
        Node::Map(members) => {
            for (index, (_, value)) in members.iter().enumerate() {
                let values = everywhere(value, depth + 1, change).into_iter();
                changed.extend(values.map(|value| Node::Map(with(members, index, value))));
            }
        }
        Node::Seq(items) => {
            for (index, item) in items.iter().enumerate() {
                changed.extend(everywhere(item, depth + 1, change).into_iter().map(|item| {
                    let mut items = items.clone();
                    items[index] = item;
                    Node::Seq(items)
                }));
            }
        }
        _ => {}
    }
    changed
}
