//! Parsing of the impl block: signatures are parsed, bodies stay tokens.

use proc_macro2::{Group, TokenStream, TokenTree};
use quote::quote;
use syn::parse::discouraged::Speculative as _;
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, Generics, Ident, Signature, Token, Type, Visibility, braced};

use crate::target::Target;

/// The attributes of functions that the macro takes away.
const OWN: [&str; 3] = ["ext", "on", "command"];

/// An inherent impl block.
#[derive(Debug)]
pub(crate) struct Block {
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) impl_token: Token![impl],
    pub(crate) generics: Generics,
    /// The trait of `impl Trait for Type`, which the attribute refuses.
    pub(crate) of_trait: Option<Type>,
    pub(crate) self_type: Type,
    pub(crate) members: Vec<Member>,
}

impl Block {
    /// The functions of the block.
    pub(crate) fn functions(&self) -> impl Iterator<Item = &Function> {
        self.members.iter().filter_map(Member::as_function)
    }

    /// The functions whose name an earlier function has.
    pub(crate) fn duplicates(&self) -> impl Iterator<Item = &Function> {
        self.functions().filter(|function| self.is_duplicate(function))
    }

    fn is_duplicate(&self, function: &Function) -> bool {
        let first = self.functions().find(|other| other.name() == function.name());
        first.is_some_and(|first| !std::ptr::eq(first, function))
    }
}

/// Something in the block.
#[derive(Debug)]
pub(crate) enum Member {
    Function(Box<Function>),
    /// Another item, token for token.
    Other(TokenStream),
}

/// A function of the block.
#[derive(Debug)]
pub(crate) struct Function {
    /// Its attributes, without the macro's own.
    pub(crate) attributes: Vec<Attribute>,
    /// `#[ext(…)]`, `#[on(…)]`, `#[command(…)]`. All of them are kept, so that a second one can be
    /// refused.
    pub(crate) methods: Vec<Attribute>,
    pub(crate) visibility: Visibility,
    pub(crate) signature: Signature,
    pub(crate) body: Group,
}

impl Member {
    fn as_function(&self) -> Option<&Function> {
        match self {
            Member::Function(function) => Some(function),
            Member::Other(_) => None,
        }
    }
}

impl Function {
    pub(crate) fn name(&self) -> &Ident {
        &self.signature.ident
    }
}

impl Block {
    /// Reads the block that the attribute stands on.
    pub(crate) fn parse(input: ParseStream<'_>, target: &Target) -> syn::Result<Self> {
        let attributes = input.call(Attribute::parse_outer)?;
        if !input.peek(Token![impl]) {
            let Target { attribute, example, .. } = target;
            return Err(input.error(format_args!(
                "`#[{attribute}]` stands on an inherent impl block: `impl {example} {{ … }}`"
            )));
        }
        let impl_token = input.parse()?;
        let mut generics = if has_generics(input) { input.parse()? } else { Generics::default() };
        let mut self_type: Type = input.parse()?;
        let mut of_trait = None;
        if input.parse::<Option<Token![for]>>()?.is_some() {
            of_trait = Some(std::mem::replace(&mut self_type, input.parse()?));
        }
        generics.where_clause = input.parse()?;
        let content;
        braced!(content in input);
        let mut members = Vec::new();
        while !content.is_empty() {
            members.push(content.parse()?);
        }
        Ok(Block { attributes, impl_token, generics, of_trait, self_type, members })
    }
}

/// Returns true if `<` opens generics, and not a qualified path such as `<T as Trait>::Type`.
fn has_generics(input: ParseStream<'_>) -> bool {
    let fork = input.fork();
    fork.peek(Token![<]) && fork.parse::<Generics>().is_ok()
}

impl Parse for Member {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let ahead = input.fork();
        match ahead.parse::<Function>() {
            Ok(function) => {
                input.advance_to(&ahead);
                Ok(Member::Function(Box::new(function)))
            }
            Err(error) if is_function(input) => Err(error),
            Err(_) => other(input),
        }
    }
}

impl Parse for Function {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let (methods, attributes) = input
            .call(Attribute::parse_outer)?
            .into_iter()
            .partition(|attribute| OWN.iter().any(|own| attribute.path().is_ident(own)));
        Ok(Function {
            attributes,
            methods,
            visibility: input.parse()?,
            signature: input.parse()?,
            body: input.parse()?,
        })
    }
}

/// Returns true if the next item has a `fn` before its first `=`, `;` or braces.
fn is_function(input: ParseStream<'_>) -> bool {
    let ahead = input.fork();
    while let Ok(token) = ahead.parse::<TokenTree>() {
        match token {
            TokenTree::Ident(ident) if ident == "fn" => return true,
            TokenTree::Punct(punct) if matches!(punct.as_char(), '=' | ';') => return false,
            TokenTree::Group(group) if group.delimiter() == proc_macro2::Delimiter::Brace => return false,
            _ => {}
        }
    }
    false
}

/// Reads an item that is not a function, up to its `;` or its braces.
fn other(input: ParseStream<'_>) -> syn::Result<Member> {
    let mut tokens = TokenStream::new();
    while !input.is_empty() {
        let token: TokenTree = input.parse()?;
        let last = match &token {
            TokenTree::Punct(punct) => punct.as_char() == ';',
            // The value of a constant may have braces in it. Other items end with their braces.
            TokenTree::Group(group) => {
                group.delimiter() == proc_macro2::Delimiter::Brace && !input.peek(Token![;])
            }
            _ => false,
        };
        tokens.extend([token]);
        if last {
            break;
        }
    }
    Ok(Member::Other(tokens))
}

impl Block {
    /// Returns the block as it was, with `docs` added to the documentation of its functions.
    pub(crate) fn to_tokens(&self, docs: impl Fn(&Function) -> Option<String>) -> TokenStream {
        let Block { attributes, impl_token, generics, of_trait, self_type, members } = self;
        let (parameters, _, clause) = generics.split_for_impl();
        let of_trait = of_trait.as_ref().map(|path| quote!(#path for));
        // A second function of a name has been reported. rustc would report it again, in other
        // words.
        let members =
            members.iter().filter(|member| !member.as_function().is_some_and(|it| self.is_duplicate(it)));
        let members = members.map(|member| match member {
            Member::Function(function) => function.to_tokens(docs(function).as_deref()),
            Member::Other(other) => other.clone(),
        });
        quote! { #(#attributes)* #impl_token #parameters #of_trait #self_type #clause { #(#members)* } }
    }
}

impl Function {
    fn to_tokens(&self, docs: Option<&str>) -> TokenStream {
        let Function { attributes, methods: _, visibility, signature, body } = self;
        let has_docs = attributes.iter().any(|attribute| attribute.path().is_ident("doc"));
        let docs = docs.map(|docs| {
            let paragraph = has_docs.then(|| quote!(#[doc = ""]));
            quote!(#paragraph #[doc = #docs])
        });
        quote!(#(#attributes)* #docs #visibility #signature #body)
    }
}
