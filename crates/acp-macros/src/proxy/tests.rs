//! The code of `#[proxy]`, and its messages about mistakes.

use proc_macro2::TokenStream;
use quote::quote;

use super::expand;

fn expanded(arguments: TokenStream, block: &TokenStream) -> String {
    let file = syn::parse2(expand(arguments, block)).unwrap();
    prettyplease::unparse(&file)
}

#[test]
fn each_function_is_registered() {
    let text = expanded(
        quote!(name = "mine", refuse = ["session/list", "fs/read_text_file"]),
        &quote! {
            impl Mine {
                async fn prompt(&self, request: PromptRequest, next: Next) -> Reply { next.run().await }
                async fn load_session(&self, request: LoadSessionRequest) -> Result<LoadSessionResponse, Error> { todo() }
                async fn update(&self, update: SessionNotification, pass: acp_proxy::Pass) { pass.run() }
                #[ext("_mine/x", toward = client)]
                async fn x(&self, value: Value, next: Next) -> Reply { next.run().await }
                #[raw("session/fork")]
                async fn fork(&self, params: Json, next: Next) -> Reply { next.run().await }
                fn helper(&self) {}
            }
        },
    );
    for wants in [
        "impl ::core::convert::From<Mine> for ::acp_proxy::Proxy",
        "::acp_proxy::Proxy::new(\"mine\")",
        "__vocabulary_request(::acp_proxy::Toward::Agent, \"session/prompt\"",
        "__vocabulary_serve(::acp_proxy::Toward::Agent, \"session/load\"",
        "__vocabulary_notification(::acp_proxy::Toward::Client, \"session/update\"",
        "request(::acp_proxy::Toward::Client, \"_mine/x\"",
        "raw_request(::acp_proxy::Toward::Agent, \"session/fork\"",
        "refuse(::acp_proxy::Toward::Agent, \"session/list\")",
        "refuse(::acp_proxy::Toward::Client, \"fs/read_text_file\")",
        "fn helper(&self) {}",
    ] {
        let one_line = text.split_whitespace().collect::<Vec<_>>().join(" ").replace("( ", "(");
        assert!(one_line.contains(wants), "{wants} is not in\n{text}");
    }
    assert!(!text.contains("#[ext") && !text.contains("#[raw"), "{text}");
}

/// No function of the vocabulary asks for a version.
#[test]
fn a_block_asks_for_any_version() {
    for block in [
        quote!(
            #[raw("x")]
            async fn x(&self, params: Json, next: Next) -> Reply {
                next.run().await
            }
        ),
        quote!(
            async fn prompt(&self, request: A) -> Result<B, Error> {
                todo()
            }
        ),
        quote!(
            async fn set_mode(&self, request: A) -> Result<B, Error> {
                todo()
            }
        ),
    ] {
        let text = expanded(quote!(), &quote!(impl Mine { #block }));
        assert!(!text.contains("only_v1"), "{text}");
    }
}

#[test]
fn mistakes_are_explained() {
    let function = |function: TokenStream| quote!(impl Mine { #function });
    for (arguments, block, wants) in [
        (
            quote!(),
            quote!(
                struct Mine;
            ),
            "stands on an inherent impl block: `impl MyProxy { … }`",
        ),
        (quote!(), quote!(impl Clone for Mine {}), "take the trait away"),
        (quote!(title = "x"), quote!(impl Mine {}), "takes `name = \\\"…\\\"` and `refuse"),
        (quote!(name = 7), quote!(impl Mine {}), "`name` is a text"),
        (quote!(refuse = "x"), quote!(impl Mine {}), "`refuse` is a list of methods"),
        (
            quote!(refuse = ["session/lost"]),
            quote!(impl Mine {}),
            "the protocol has no request `session/lost`",
        ),
        (
            quote!(),
            function(quote!(
                async fn promt(&self, request: P, next: Next) -> Reply {}
            )),
            "the protocol has no operation `promt`: did you mean `prompt`?",
        ),
        (
            quote!(),
            function(quote!(
                async fn something(&self, request: P, next: Next) -> Reply {}
            )),
            "say which message it handles with `#[ext",
        ),
        (
            quote!(),
            function(quote!(
                async fn update(&self, update: U, next: Next) {}
            )),
            "the handler of `session/update` takes the params, and then a `Pass`",
        ),
        (
            quote!(),
            function(quote!(
                async fn prompt(&self, request: P, pass: Pass) {}
            )),
            "the handler of `session/prompt` takes the params, and then a `Next`, or the params alone",
        ),
        (
            quote!(),
            function(quote!(
                fn prompt(&self, request: P, next: Next) {}
            )),
            "a handler is an `async fn`",
        ),
        (
            quote!(),
            function(quote!(
                async fn prompt(&mut self, request: P, next: Next) {}
            )),
            "a handler begins with `&self`",
        ),
        (
            quote!(),
            function(quote!(
                async fn prompt(&self, a: A, b: B, next: Next) {}
            )),
            "a handler takes `&self`, then the params, and then a `Next` or a `Pass`",
        ),
        (
            quote!(),
            function(quote!(
                #[ext("x")]
                async fn x(&self, a: A, next: Next) {}
            )),
            "the name of an extension method starts with `_`",
        ),
        (
            quote!(),
            function(quote!(
                #[raw("x", from = agent)]
                async fn x(&self, a: A, next: Next) {}
            )),
            "write `toward = agent` or `toward = client`",
        ),
        (
            quote!(),
            function(quote! {
                async fn prompt(&self, request: P, next: Next) {}
                #[raw("session/prompt")] async fn other(&self, request: P, next: Next) {}
            }),
            "`session/prompt` has a handler already",
        ),
    ] {
        let text = expand(arguments, &block).to_string();
        assert!(text.contains("compile_error") && text.contains(wants), "{wants} is not in\n{text}");
    }
}
