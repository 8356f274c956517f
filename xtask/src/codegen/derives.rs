//! Which traits a type has because of what it is made of.

use std::cell::RefCell;
use std::collections::BTreeMap;

use super::ir::{Definition, Kind, Presence, Schema, Type};

/// Answers for the definitions of one schema.
#[derive(Debug)]
pub struct Derives<'s> {
    definitions: BTreeMap<&'s str, &'s Definition>,
    /// Definitions that are being looked at: a type in itself does not decide about itself.
    open: RefCell<Vec<String>>,
}

impl<'s> Derives<'s> {
    #[must_use]
    pub fn new(schema: &'s Schema) -> Self {
        let definitions =
            schema.definitions.iter().map(|definition| (definition.name.as_str(), definition)).collect();
        Derives { definitions, open: RefCell::default() }
    }

    /// Returns true if the definition's type has a `Default`.
    #[must_use]
    pub fn defaults(&self, definition: &Definition) -> bool {
        match &definition.kind {
            Kind::Object(object) => {
                let is_required =
                    |presence: &Presence| matches!(presence, Presence::Required | Presence::RequiredNullable);
                object.union.is_none() && !object.fields.iter().any(|field| is_required(&field.presence))
            }
            Kind::StringEnum(values) => values.default.is_some(),
            _ => false,
        }
    }

    /// Returns true if two values of the type are always equal or not: no floats, no free JSON.
    #[must_use]
    pub fn has_eq(&self, ty: &Type) -> bool {
        match ty {
            Type::F64 | Type::Any | Type::Meta => false,
            Type::List(item) | Type::Map(item) => self.has_eq(item),
            Type::Ref(name) => {
                if self.open.borrow().contains(name) {
                    return true;
                }
                self.definitions
                    .get(name.as_str())
                    .is_some_and(|definition| self.definition_has_eq(definition))
            }
            _ => true,
        }
    }

    /// Returns true if two values of the definition's type are always equal or not.
    #[must_use]
    pub fn definition_has_eq(&self, definition: &Definition) -> bool {
        self.open.borrow_mut().push(definition.name.clone());
        let eq = self.content_has_eq(&definition.kind);
        self.open.borrow_mut().pop();
        eq
    }

    fn content_has_eq(&self, kind: &Kind) -> bool {
        match kind {
            Kind::Object(object) => {
                let is_closed = object.union.is_none() && !object.others;
                is_closed && object.fields.iter().all(|field| self.has_eq(&field.ty))
            }
            Kind::Newtype(ty) => self.has_eq(ty),
            Kind::StringEnum(_) | Kind::IntegerEnum { .. } => true,
            Kind::Tagged(_) => false,
            Kind::Untagged(union) => {
                union.arms.iter().all(|arm| arm.ty.as_ref().is_none_or(|ty| self.has_eq(ty)))
            }
        }
    }
}
