//! The code that stands for the attribute: the block as it was, and `impl Agent`.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{GenericParam, Ident, Path};

use crate::attr::{Attributes, McpTransports, PromptContent};
use crate::check::check;
use crate::classify::{Handler, Returns, Role, handlers, session_state};
use crate::operation::{Hook, Operation};
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
    check(&block, &handlers, &mut report);
    let expansion = Expansion::new(&block, &attributes, &handlers);
    let agent = if report.is_empty() { expansion.agent() } else { expansion.fallback() };
    let errors = report.into_tokens();
    quote!(#block #agent #errors)
}

/// What the pieces of the expansion are made from.
struct Expansion<'a> {
    block: &'a Block,
    attributes: &'a Attributes,
    handlers: &'a [Handler<'a>],
    /// The path of `acp_agent`.
    krate: Path,
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
        let profile = self.profile();
        let calls = self.calls();
        let notifications = self.notifications();
        self.implementation(&quote! {
            const PROFILE: #krate::Profile<'static> = #profile;

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
        let generics = self.block.generics.params.iter();
        if generics.clone().any(|parameter| matches!(parameter, GenericParam::Lifetime(_))) {
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

    /// The facts of the block.
    fn profile(&self) -> TokenStream {
        let krate = &self.krate;
        let name = or_package(self.attributes.name.as_ref(), "CARGO_PKG_NAME");
        let version = or_package(self.attributes.version.as_ref(), "CARGO_PKG_VERSION");
        let title = self.attributes.title.as_ref().map(|title| quote!(.title(#title)));
        let operations = self.operations();
        let auth_methods = self.handlers.iter().any(|handler| handler.is("auth_methods"));
        let extensions = self.extensions();
        let PromptContent { image, audio, embedded_context } = self.attributes.prompt;
        let McpTransports { http, sse } = self.attributes.mcp;
        quote! {
            #krate::Profile::new(#name, #version)
                #title
                .operations(&[#(#krate::Operation::#operations),*])
                .auth_methods(#auth_methods)
                .extensions(&[#(#extensions),*])
                .prompt(#krate::PromptContent { image: #image, audio: #audio, embedded_context: #embedded_context })
                .mcp(#krate::McpTransports { http: #http, sse: #sse })
        }
    }

    /// The variants of `Operation` that the block has. `session/new` is always answered.
    fn operations(&self) -> Vec<Ident> {
        let mut operations: Vec<_> = self
            .handlers
            .iter()
            .filter_map(|handler| match handler.role {
                Role::Operation(row) => Some(format_ident!("{}", row.marker)),
                Role::Hook(_) | Role::Extension(_) => None,
            })
            .collect();
        if !self.opens_sessions() {
            operations.push(format_ident!("NewSession"));
        }
        operations
    }

    fn opens_sessions(&self) -> bool {
        self.handlers.iter().any(|handler| handler.is("new_session"))
    }

    fn extensions(&self) -> impl Iterator<Item = TokenStream> {
        self.handlers.iter().filter_map(|handler| {
            let Role::Extension(name) = &handler.role else { return None };
            let krate = &self.krate;
            let kind = if handler.is_notification() { "notification" } else { "request" };
            let kind = Ident::new(kind, Span::call_site());
            Some(quote!(#krate::Extension::#kind(#name)))
        })
    }

    /// The arms of the match on the method of a request.
    fn calls(&self) -> Vec<TokenStream> {
        let krate = &self.krate;
        let mut arms = Vec::new();
        for handler in self.handlers.iter().filter(|handler| !handler.is_notification()) {
            let (pattern, marker) = match &handler.role {
                Role::Operation(Operation { marker, .. }) | Role::Hook(Hook { marker, .. }) => {
                    // At the function's name, so that an editor shows the operation's documentation there.
                    let marker = Ident::new(marker, handler.name().span());
                    (quote!(<#krate::op::#marker as #krate::Op>::METHOD), quote!(#krate::op::#marker))
                }
                Role::Extension(name) => (quote!(#name), quote!(#krate::op::Extension)),
            };
            let body = self.body(handler, &marker);
            arms.push(quote!(#pattern => incoming.run::<#marker, _, _>(#body),));
        }
        if !self.opens_sessions() {
            arms.push(quote! {
                <#krate::op::NewSession as #krate::Op>::METHOD =>
                    incoming.run::<#krate::op::NewSession, _, _>(|_agent, _call| async move {
                        ::core::result::Result::Ok(#krate::Opened::new(()))
                    }),
            });
        }
        arms
    }

    fn notifications(&self) -> Option<TokenStream> {
        let krate = &self.krate;
        let arms: Vec<_> = self
            .handlers
            .iter()
            .filter(|handler| handler.is_notification())
            .filter_map(|handler| {
                let Role::Extension(name) = &handler.role else { return None };
                let body = self.body(handler, &quote!(#krate::op::Extension));
                Some(quote!(#name => incoming.run(#body),))
            })
            .collect();
        (!arms.is_empty()).then(|| {
            quote! {
                fn notify(incoming: #krate::IncomingNotification<'_, Self>) -> #krate::Delivery {
                    match incoming.method() {
                        #(#arms)*
                        _ => incoming.ignore(),
                    }
                }
            }
        })
    }

    /// The closure that gets the arguments, calls the handler and converts its result.
    fn body(&self, handler: &Handler<'_>, marker: &TokenStream) -> TokenStream {
        let krate = &self.krate;
        let name = handler.name();
        let names: Vec<_> =
            (0..handler.arguments.len()).map(|index| format_ident!("argument_{index}")).collect();
        let arguments = handler.arguments.iter().zip(&names).map(|(argument, name)| {
            let ty = &*argument.ty;
            // At the argument's type, because that is what the error is about when it is the wrong one.
            quote_spanned! {at(ty)=>
                let #name = <#ty as #krate::FromCall<#marker, Self>>::from_call(&mut call)?;
            }
        });
        let call = if names.is_empty() { quote!(_call) } else { quote!(mut call) };
        let value = quote!(Self::#name(&agent #(, #names)*).await);
        let reply = match &handler.returns {
            Returns::Result { whole, value: ty, error } => {
                let value = match error {
                    Some(error) => quote_spanned! {at(error)=>
                        match #value {
                            ::core::result::Result::Ok(value) => value,
                            ::core::result::Result::Err(error) => {
                                let error = <#error as ::core::convert::Into<#krate::Error>>::into(error);
                                return ::core::result::Result::Err(error);
                            }
                        }
                    },
                    None => quote_spanned!(at(whole)=> #value?),
                };
                let ty = ty.map_or_else(|| quote!(_), ToTokens::to_token_stream);
                quote_spanned! {at(&ty)=> {
                    let value = #value;
                    <#ty as #krate::IntoReply<#marker, <Self as #krate::Agent>::Session>>::into_reply(value)
                }}
            }
            Returns::Nothing | Returns::Other(_) => value,
        };
        quote! {
            |agent, #call| async move {
                #(#arguments)*
                ::core::result::Result::Ok(#reply)
            }
        }
    }
}

fn or_package(given: Option<&syn::LitStr>, variable: &str) -> TokenStream {
    match given {
        Some(given) => given.to_token_stream(),
        None => quote!(::core::env!(#variable)),
    }
}

/// Where the type stands, but as the macro's own code: lints leave it alone.
fn at(ty: &impl Spanned) -> Span {
    Span::call_site().located_at(ty.span())
}
