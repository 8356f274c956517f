//! The arguments of an attribute: `#[agent(name = "…", prompt(image), …)]`, `#[client(crate = …)]`.

use proc_macro2::TokenStream;
use syn::meta::ParseNestedMeta;
use syn::parse::{Parse, ParseStream, Parser as _};
use syn::punctuated::Punctuated;
use syn::token::Paren;
use syn::{Expr, ExprLit, Lit, LitStr, Path, Token, parenthesized};

use crate::report::Report;
use crate::suggest::nearest;
use crate::target::Target;

const PROMPT_KEYS: [&str; 5] = ["image", "audio", "embedded_context", "queue", "steering"];
const MCP_KEYS: [&str; 2] = ["http", "sse"];
const AUTH_KEYS: [&str; 1] = ["required"];

/// The arguments of the attribute. Only an agent has others than `krate`.
#[derive(Debug, Default)]
pub(crate) struct Attributes {
    /// The program's name. The default is the package's name.
    pub(crate) name: Option<LitStr>,
    /// The name for people.
    pub(crate) title: Option<LitStr>,
    /// The program's version. The default is the package's version.
    pub(crate) version: Option<LitStr>,
    /// The content kinds of prompts beyond the baseline, and the treatment of a second prompt.
    pub(crate) prompt: Prompt,
    /// The transports of MCP servers beyond the baseline, for an agent that connects servers
    /// itself.
    pub(crate) mcp: McpTransports,
    /// The MCP options, if the library connects the servers.
    pub(crate) servers: Option<Given>,
    /// True with `auth(required)`.
    pub(crate) login_required: Option<Path>,
    /// True if sessions may have several directories.
    pub(crate) additional_directories: bool,
    /// The agent's own capabilities.
    pub(crate) meta: Vec<MetaEntry>,
    /// The store of the sessions.
    pub(crate) store: Option<Given>,
    /// The path of the library, if it was renamed.
    pub(crate) krate: Option<Path>,
}

/// Flags of `prompt(…)`.
#[derive(Debug, Default)]
pub(crate) struct Prompt {
    pub(crate) image: bool,
    pub(crate) audio: bool,
    pub(crate) embedded_context: bool,
    pub(crate) queue: bool,
    pub(crate) steering: bool,
}

/// Flags of `mcp(…)`.
#[derive(Debug, Default)]
pub(crate) struct McpTransports {
    pub(crate) http: bool,
    pub(crate) sse: bool,
}

/// `"vendor/name" = value`.
#[derive(Debug)]
pub(crate) struct MetaEntry {
    pub(crate) name: LitStr,
    pub(crate) value: Expr,
}

impl Parse for MetaEntry {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if !input.peek(LitStr) {
            return Err(input.error("`meta(…)` takes names and values: `meta(\"vendor.dev/name\" = true)`"));
        }
        let name = input.parse()?;
        input.parse::<Token![=]>()?;
        Ok(MetaEntry { name, value: input.parse()? })
    }
}

/// `key` or `key = …`.
#[derive(Debug)]
pub(crate) enum Given {
    /// The key has no value, so its default holds.
    Default,
    /// The key has this value.
    Value(Box<Expr>),
}

impl Attributes {
    /// Reads the arguments. Faults are reported, and the other arguments still count.
    pub(crate) fn parse(tokens: TokenStream, target: &Target, report: &mut Report) -> Self {
        let mut attributes = Attributes::default();
        let mut seen = Vec::new();
        let parser = syn::meta::parser(|meta| attributes.read(&meta, target, &mut seen, report));
        if let Err(error) = parser.parse2(tokens) {
            report.push(error);
        }
        attributes
    }

    fn read(
        &mut self,
        meta: &ParseNestedMeta<'_>,
        target: &Target,
        seen: &mut Vec<String>,
        report: &mut Report,
    ) -> syn::Result<()> {
        // `crate` is a keyword, but `Path::get_ident` takes it as an identifier.
        let key = meta.path.get_ident().map(ToString::to_string).unwrap_or_default();
        if seen.contains(&key) {
            report.error(&meta.path, format_args!("`{key}` is given twice"));
        }
        match key.as_str() {
            other if !target.keys.contains(&other) => {
                let place = format!("the `{}` attribute", target.attribute);
                report.error(&meta.path, unknown(&place, other, target.keys));
                skip_value(meta)?;
            }
            "name" => self.name = text(meta, &key, report)?,
            "title" => self.title = text(meta, &key, report)?,
            "version" => self.version = text(meta, &key, report)?,
            "crate" => self.krate = Some(meta.value()?.call(Path::parse_mod_style)?),
            "prompt" => {
                let Prompt { image, audio, embedded_context, queue, steering } = &mut self.prompt;
                let all = [image, audio, embedded_context, queue, steering];
                flags(meta, &key, &PROMPT_KEYS, all, report)?;
            }
            "mcp" if !meta.input.peek(Paren) => {
                self.servers = Some(given(meta)?);
                if !cfg!(feature = "mcp") {
                    report.error(
                        &meta.path,
                        "`mcp` needs the feature `mcp` of `acp-agent`: an agent that connects MCP servers itself \
                         lists their transports beyond stdio, `mcp(http, sse)`",
                    );
                }
            }
            "mcp" => {
                let McpTransports { http, sse } = &mut self.mcp;
                flags(meta, &key, &MCP_KEYS, [http, sse], report)?;
            }
            "auth" => {
                let mut required = false;
                flags(meta, &key, &AUTH_KEYS, [&mut required], report)?;
                self.login_required = required.then(|| meta.path.clone());
            }
            "additional_directories" => self.additional_directories = true,
            "meta" => {
                let entries;
                parenthesized!(entries in meta.input);
                self.meta.extend(Punctuated::<MetaEntry, Token![,]>::parse_terminated(&entries)?);
            }
            // The last of the keys: `store`.
            _ => {
                self.store = Some(given(meta)?);
                if !cfg!(feature = "store") {
                    report.error(&meta.path, "`store` needs the feature `store` of `acp-agent`");
                }
            }
        }
        seen.push(key);
        Ok(())
    }
}

fn given(meta: &ParseNestedMeta<'_>) -> syn::Result<Given> {
    let value = meta.input.peek(Token![=]).then(|| meta.value()?.parse()).transpose()?;
    Ok(value.map_or(Given::Default, Given::Value))
}

/// Reads `key = "…"`. Another value is reported, and the other arguments still count.
fn text(meta: &ParseNestedMeta<'_>, key: &str, report: &mut Report) -> syn::Result<Option<LitStr>> {
    match meta.value()?.parse()? {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Ok(Some(text)),
        other => {
            report.error(
                other,
                format_args!("`{key}` is a string literal: `{key} = \"…\"`. A `Router` takes any string"),
            );
            Ok(None)
        }
    }
}

/// Reads `key(flag, flag)`, where `flags` stand in the order of `names`.
fn flags<const N: usize>(
    meta: &ParseNestedMeta<'_>,
    key: &str,
    names: &[&str; N],
    flags: [&mut bool; N],
    report: &mut Report,
) -> syn::Result<()> {
    let mut flags: Vec<_> = names.iter().zip(flags).collect();
    meta.parse_nested_meta(|inner| {
        let written = inner.path.get_ident().map(ToString::to_string).unwrap_or_default();
        match flags.iter_mut().find(|(name, _)| **name == written) {
            Some((_, flag)) => **flag = true,
            None => {
                report.error(&inner.path, unknown(&format!("`{key}(…)`"), &written, names));
                skip_value(&inner)?;
            }
        }
        Ok(())
    })
}

/// Returns the message about a name that is none of these.
pub(crate) fn unknown(place: &str, written: &str, names: &[&str]) -> String {
    match nearest(written, names.iter().copied()) {
        Some(name) => format!("{place} has no `{written}`: did you mean `{name}`?"),
        None => format!("{place} has no `{written}`: it knows {}", quoted(names)),
    }
}

fn quoted(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// Passes over the value of an unknown key, so that the keys after it are still read.
fn skip_value(meta: &ParseNestedMeta<'_>) -> syn::Result<()> {
    if meta.input.peek(Token![=]) {
        meta.value()?.parse::<Expr>()?;
    } else if meta.input.peek(syn::token::Paren) {
        meta.input.parse::<proc_macro2::Group>()?;
    }
    Ok(())
}
