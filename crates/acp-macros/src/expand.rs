//! The code that stands for the attribute: the block as it was, and `impl Agent`.

use proc_macro2::TokenStream;
use quote::{ToTokens as _, quote};
use syn::Path;

use crate::attr::Attributes;
use crate::calls;
use crate::check::{check, lifetimes};
use crate::classify::{Handler, Returns, Role, handlers, session_state};
use crate::facts;
use crate::parse::Block;
use crate::report::Report;

/// Expands `#[agent]`.
pub(crate) fn agent(attributes: TokenStream, item: &TokenStream) -> TokenStream {
    let mut report = Report::default();
    let attributes = Attributes::parse(attributes, &mut report);
    let block = match syn::parse2::<Block>(item.clone()) {
        Ok(block) => block,
        Err(error) => {
            report.push(error);
            let errors = report.into_tokens();
            return quote!(#item #errors);
        }
    };
    let handlers = handlers(&block, &mut report);
    check(&block, &attributes, &handlers, &mut report);
    let expansion = Expansion::new(&block, &attributes, &handlers);
    let agent = if report.is_empty() { expansion.agent() } else { expansion.fallback() };
    let errors = report.into_tokens();
    // An editor shows what the operation does where the function's name stands.
    let block = block.to_tokens(|function| {
        handlers.iter().find(|handler| std::ptr::eq(handler.function, function)).and_then(docs)
    });
    quote!(#block #agent #errors)
}

/// What the function's documentation says besides its own.
fn docs(handler: &Handler<'_>) -> Option<String> {
    match handler.role {
        Role::Operation(operation) => Some(format!(" Handles `{}`. {}", operation.method, operation.doc)),
        Role::Hook(hook) => Some(format!(" Called during `{}`. {}", hook.method, hook.doc)),
        Role::Extension(_) | Role::Typed(_) => None,
    }
}

/// What the pieces of the expansion are made from.
pub(crate) struct Expansion<'a> {
    pub(crate) block: &'a Block,
    pub(crate) attributes: &'a Attributes,
    pub(crate) handlers: &'a [Handler<'a>],
    /// The path of `acp_agent`.
    pub(crate) krate: Path,
    /// What a session holds.
    session: TokenStream,
}

impl<'a> Expansion<'a> {
    fn new(block: &'a Block, attributes: &'a Attributes, handlers: &'a [Handler<'a>]) -> Self {
        let krate = attributes.krate.clone().unwrap_or_else(|| syn::parse_quote!(::acp_agent));
        let opening = handlers.iter().find(|handler| handler.is("new_session"));
        let session = match opening.map(|handler| &handler.returns) {
            Some(Returns::Result { value: Some(value), .. }) => session_state(value).to_token_stream(),
            _ => quote!(()),
        };
        Expansion { block, attributes, handlers, krate, session }
    }

    /// `impl Agent` for a correct block.
    fn agent(&self) -> TokenStream {
        let krate = &self.krate;
        let (profile, meta) = (facts::profile(self), facts::meta(self));
        let (store, mcp) = (facts::store(self), facts::mcp(self));
        let (calls, notifications) = (calls::calls(self), calls::notifications(self));
        self.implementation(&quote! {
            const PROFILE: #krate::Profile<'static> = #profile;

            #meta
            #store
            #mcp

            fn call(incoming: #krate::Incoming<'_, Self>) -> #krate::Called {
                match incoming.method() {
                    #(#calls)*
                    _ => incoming.refuse(),
                }
            }

            #notifications
        })
    }

    /// `impl Agent` for a block with errors, so that `serve(MyAgent, …)` is not one more.
    fn fallback(&self) -> TokenStream {
        if !lifetimes(self.block).is_empty() {
            return TokenStream::new();
        }
        let krate = &self.krate;
        self.implementation(&quote! {
            const PROFILE: #krate::Profile<'static> = #krate::Profile::new("", "");

            fn call(incoming: #krate::Incoming<'_, Self>) -> #krate::Called {
                incoming.refuse()
            }
        })
    }

    fn implementation(&self, items: &TokenStream) -> TokenStream {
        let Expansion { block, krate, session, .. } = self;
        let self_type = &block.self_type;
        let (parameters, _, clause) = block.generics.split_for_impl();
        quote! {
            impl #parameters #krate::Agent for #self_type #clause {
                type Session = #session;
                #items
            }
        }
    }

    /// Whether the block opens its sessions itself. If not, they hold nothing.
    pub(crate) fn opens_sessions(&self) -> bool {
        self.handlers.iter().any(|handler| handler.is("new_session"))
    }
}
