//! Valid values of every definition, made from its schema.

use acp_json::Node;
use serde_json::Value as Json;

use super::shape::{
    Definitions, arms, is_any, is_nullable, is_object_union, json_type, own_properties, reference, required,
    requires, tag, tag_of,
};

/// Makes values. Objects are lists of members, so that their order and repetition can be varied.
#[derive(Clone, Copy)]
pub(crate) struct Instances<'s> {
    pub(crate) definitions: &'s Definitions,
    /// True if objects are made, too, that more than one arm of a union could accept.
    pub(crate) mixed: bool,
}

type Members = Vec<(String, Node<'static>)>;

impl<'s> Instances<'s> {
    /// Returns one value with every member for each arm of a union. Their places are varied
    /// further.
    pub(crate) fn full(self, definition: &str) -> Vec<Node<'static>> {
        let schema = &self.definitions[definition];
        match arms(schema) {
            Some(arms) if is_object_union(self.definitions, arms) => {
                let variants = arms.iter().flat_map(|arm| self.arm(arms, arm)).chain(self.mixed(arms));
                variants.map(|variant| object(self.own(schema, |_| true), variant)).collect()
            }
            Some(arms) => arms.iter().map(|arm| self.first(arm)).collect(),
            None => vec![self.first(schema)],
        }
    }

    /// Returns the values at the limits: the fewest members, each optional member left out or
    /// `null`, and every value, arm and list length wherever the schema leaves a choice.
    pub(crate) fn branches(self, schema: &'s Json) -> Vec<Node<'static>> {
        if schema.get("properties").is_none()
            && let Some(name) = reference(schema)
        {
            return self.branches(&self.definitions[name]);
        }
        if let Some(value) = schema.get("const") {
            return vec![constant(value)];
        }
        if let Some(arms) = arms(schema) {
            return self.union(schema, arms);
        }
        match json_type(schema) {
            _ if is_any(schema) => any_values(),
            Some("boolean") => vec![Node::Bool(true), Node::Bool(false)],
            Some("array") => {
                let items = self.branches(&schema["items"]);
                let mut lists: Vec<_> = items.iter().map(|item| Node::Seq(vec![item.clone()])).collect();
                lists.push(Node::Seq(items));
                lists.extend(schema.get("minItems").is_none().then(|| Node::Seq(Vec::new())));
                lists
            }
            Some("object") if schema.get("properties").is_some() => self.objects(schema, &Vec::new()),
            Some("object") => match schema.get("additionalProperties") {
                None => vec![Node::Map(Vec::new())],
                Some(members) => {
                    let values = if members == true { any_values() } else { self.branches(members) };
                    let named = values.into_iter().enumerate();
                    let members = named.map(|(index, value)| (format!("name {index}").into(), value));
                    vec![Node::Map(Vec::new()), Node::Map(members.collect())]
                }
            },
            _ => vec![self.first(schema)],
        }
    }

    /// Returns one value with every member, of the first arm wherever there is a choice.
    fn first(self, schema: &'s Json) -> Node<'static> {
        if let Some(value) = schema.get("const") {
            return constant(value);
        }
        if let Some(arms) = arms(schema) {
            let variant = match is_object_union(self.definitions, arms) {
                true => self.arm(arms, &arms[0]).remove(0),
                false => return self.first(&arms[0]),
            };
            return object(self.own(schema, |_| true), variant);
        }
        if let (Some(name), None) = (reference(schema), schema.get("properties")) {
            return self.first(&self.definitions[name]);
        }
        match json_type(schema) {
            None => any_values().remove(0),
            Some("null") => Node::Null,
            Some("boolean") => Node::Bool(true),
            Some("string") => Node::Str("text".into()),
            Some("integer") => Node::U64(1),
            Some("number") => Node::F64(0.25),
            Some("array") => Node::Seq(vec![self.first(&schema["items"])]),
            Some(_) if schema.get("properties").is_some() => object(self.own(schema, |_| true), Vec::new()),
            Some(_) => match schema.get("additionalProperties") {
                None => object(self.own(schema, |_| true), Vec::new()),
                Some(Json::Bool(true)) => any_values().remove(0),
                Some(members) => Node::Map(vec![("name".into(), self.first(members))]),
            },
        }
    }

    fn union(self, schema: &'s Json, arms: &'s [Json]) -> Vec<Node<'static>> {
        if !is_object_union(self.definitions, arms) {
            let open = arms.iter().any(|arm| arm.get("const").is_some());
            let values = arms.iter().flat_map(|arm| self.branches(arm));
            return values.chain(open.then(|| Node::Str("later_value".into()))).collect();
        }
        let variants = arms.iter().flat_map(|arm| self.arm_branches(arms, arm));
        let mut objects: Vec<_> =
            variants.map(|variant| object(self.own(schema, |_| true), variant)).collect();
        let first = self.arm(arms, &arms[0]).remove(0);
        if schema.get("properties").is_some() {
            objects.extend(self.objects(schema, &first));
        }
        objects
    }

    /// Returns objects of a schema's own members, in all their branches, beside the members of a
    /// variant.
    fn objects(self, schema: &'s Json, variant: &Members) -> Vec<Node<'static>> {
        let full = self.own(schema, |_| true);
        let mut objects = vec![self.own(schema, |name| requires(schema, name)), full.clone()];
        for (index, (name, member)) in own_properties(schema).enumerate() {
            let with = |value: Node<'static>| {
                let mut members = full.clone();
                members[index].1 = value;
                members
            };
            if !requires(schema, name) {
                objects.push(self.own(schema, |other| other != name));
                objects.extend(is_nullable(member).then(|| with(Node::Null)));
            }
            objects.extend(self.branches(member).into_iter().map(with));
            objects.extend(member.get("default").map(|default| with(constant(default))));
        }
        objects.into_iter().map(|own| object(own, variant.clone())).collect()
    }

    fn own(self, schema: &'s Json, keep: impl Fn(&str) -> bool) -> Members {
        let kept = own_properties(schema).filter(|(name, _)| keep(name));
        kept.map(|(name, member)| (name.to_owned(), self.first(member))).collect()
    }

    /// Returns all members of one arm, the tag first.
    fn arm(self, arms: &'s [Json], arm: &'s Json) -> Vec<Members> {
        let tag = self.tag_member(arms, arm);
        if arm.get("not").is_some() {
            let scopes = super::shape::arms(arm).map_or_else(
                || vec![Vec::new()],
                |scopes| scopes.iter().flat_map(|scope| self.arm(scopes, scope)).collect(),
            );
            let extra = ("later".to_owned(), any_values().remove(0));
            let typed = self.own(arm, |name| Some(name) != super::shape::tag(arms));
            return scopes
                .into_iter()
                .map(|scope| [tag.clone(), vec![extra.clone()], typed.clone(), scope].concat())
                .collect();
        }
        let payload = match reference(arm) {
            Some(name) if super::shape::arms(&self.definitions[name]).is_some() => self.full(name),
            Some(name) => vec![self.first(&self.definitions[name])],
            None => vec![object(self.own(arm, |name| Some(name) != super::shape::tag(arms)), Vec::new())],
        };
        payload.into_iter().map(|payload| [tag.clone(), members(payload)].concat()).collect()
    }

    /// Returns variants that more than one arm could accept: members of all arms, or the members of
    /// the arm without a tag beside each known tag.
    fn mixed(self, arms: &'s [Json]) -> Vec<Members> {
        if !self.mixed {
            return Vec::new();
        }
        let Some(tag) = tag(arms) else {
            let mut all = arms.iter().flat_map(|arm| self.arm(arms, arm)).flatten().collect::<Members>();
            all.sort_by(|(left, _), (right, _)| left.cmp(right));
            all.dedup_by(|(left, _), (right, _)| left == right);
            return vec![all];
        };
        let untagged = arms.iter().filter(|arm| self.tag_member(arms, arm).is_empty());
        let untagged: Vec<_> = untagged.flat_map(|arm| self.arm(arms, arm)).collect();
        let known = arms.iter().filter(|arm| tag_of(arm, tag).is_some());
        known
            .flat_map(|arm| {
                untagged.iter().map(|members| [self.tag_member(arms, arm), members.clone()].concat())
            })
            .collect()
    }

    fn arm_branches(self, arms: &'s [Json], arm: &'s Json) -> Vec<Members> {
        let Some(name) = reference(arm) else { return self.arm(arms, arm) };
        let tag = self.tag_member(arms, arm);
        let payloads = self.branches(&self.definitions[name]).into_iter();
        payloads.map(|payload| [tag.clone(), members(payload)].concat()).collect()
    }

    fn tag_member(self, arms: &'s [Json], arm: &'s Json) -> Members {
        let Some(name) = tag(arms) else { return Vec::new() };
        let value = match (tag_of(arm, name), arm.get("not")) {
            (Some(value), _) => value,
            (None, Some(_)) => "later_kind",
            (None, None) => return Vec::new(),
        };
        debug_assert!(required(arm).any(|required| required == name));
        vec![(name.to_owned(), Node::Str(value.to_owned().into()))]
    }
}

fn object(own: Members, variant: Members) -> Node<'static> {
    let members = variant.into_iter().chain(own);
    Node::Map(members.map(|(name, value)| (name.into(), value)).collect())
}

fn members(node: Node<'static>) -> Members {
    let Node::Map(members) = node else { panic!("an arm of a union of objects is not an object") };
    members.into_iter().map(|(name, value)| (name.into_owned(), value)).collect()
}

fn constant(value: &Json) -> Node<'static> {
    let text = value.to_string();
    acp_json::parse(&text).expect("a schema is JSON").into_owned()
}

fn any_values() -> Vec<Node<'static>> {
    let texts = [
        // It is small, because each place of every full value with it is varied.
        r#"{"x":0}"#,
        r#"{"z":{"a":[1,-2,0.5,{"y":null}]},"b":true,"a":"text","n":18446744073709551615}"#,
        "{}",
        r#"{"text":"like a content block","type":"text"}"#,
    ];
    texts.iter().map(|text| acp_json::parse(text).expect("JSON").into_owned()).collect()
}
