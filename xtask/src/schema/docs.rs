//! Our own wording for the protocol, `schema/docs/<version>/*.toml`.

use std::{collections::BTreeMap, fmt, fs, path::Path};

use anyhow::{Context as _, Result, bail, ensure};

/// The wording of one protocol version.
#[derive(Debug, Clone, Default)]
pub struct Docs {
    entries: BTreeMap<DocEntry, String>,
    domains: BTreeMap<String, String>,
}

/// The subject of a piece of wording.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum DocEntry {
    /// `[Name]` with `doc`.
    Definition(String),
    /// Definition and wire name: `[Name.fields]`.
    Field(String, String),
    /// Definition and key: `[Name.variants]`. The key is the wire value or the tag; for an arm
    /// without one, the name of the referenced definition, and for a plain JSON type the title of
    /// the arm.
    Variant(String, String),
    /// Definition, variant key and wire name, of a field written inline in a variant:
    /// `[Name.variant_fields.key]`.
    VariantField(String, String, String),
}

impl Docs {
    /// Reads every `.toml` file of `folder`. A definition stands in one file only.
    pub fn load(folder: &Path) -> Result<Self> {
        let listed = fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))?;
        let mut paths = listed.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
        paths.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
        paths.sort();
        let mut docs = Self::default();
        let mut homes = BTreeMap::new();
        for path in paths {
            let text =
                fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
            let table: toml::Table =
                text.parse().with_context(|| format!("{} is not TOML", path.display()))?;
            for (name, wording) in &table {
                if let Some(home) = homes.insert(name.clone(), path.clone()) {
                    bail!("[{name}] stands in {} and in {}; keep one", home.display(), path.display());
                }
                let domain = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
                docs.domains.insert(name.clone(), domain);
                docs.add(name, wording).with_context(|| format!("in {}", path.display()))?;
            }
        }
        Ok(docs)
    }

    /// Returns the domain of a definition: the name of the file that has its wording.
    pub fn domain(&self, name: &str) -> Option<&str> {
        self.domains.get(name).map(String::as_str)
    }

    /// The wording of a definition.
    pub fn definition(&self, name: &str) -> Option<&str> {
        self.get(&DocEntry::Definition(name.to_owned()))
    }

    /// The wording of a field, by its name on the wire.
    pub fn field(&self, name: &str, wire: &str) -> Option<&str> {
        self.get(&DocEntry::Field(name.to_owned(), wire.to_owned()))
    }

    /// The wording of a variant; [`DocEntry::Variant`] says what its key is.
    pub fn variant(&self, name: &str, key: &str) -> Option<&str> {
        self.get(&DocEntry::Variant(name.to_owned(), key.to_owned()))
    }

    /// The wording of a field that a variant writes inline.
    pub fn variant_field(&self, name: &str, variant: &str, wire: &str) -> Option<&str> {
        self.get(&DocEntry::VariantField(name.to_owned(), variant.to_owned(), wire.to_owned()))
    }

    /// Everything that has wording.
    pub fn entries(&self) -> impl Iterator<Item = &DocEntry> {
        self.entries.keys()
    }

    pub fn get(&self, entry: &DocEntry) -> Option<&str> {
        self.entries.get(entry).map(String::as_str)
    }

    fn add(&mut self, name: &str, wording: &toml::Value) -> Result<()> {
        let owned = name.to_owned();
        for (section, value) in table(wording, name)? {
            match section.as_str() {
                "doc" => self.add_text(DocEntry::Definition(owned.clone()), value)?,
                "fields" => {
                    for (wire, value) in table(value, name)? {
                        self.add_text(DocEntry::Field(owned.clone(), wire.clone()), value)?;
                    }
                }
                "variants" => {
                    for (key, value) in table(value, name)? {
                        self.add_text(DocEntry::Variant(owned.clone(), key.clone()), value)?;
                    }
                }
                "variant_fields" => {
                    for (key, fields) in table(value, name)? {
                        for (wire, value) in table(fields, name)? {
                            let entry = DocEntry::VariantField(owned.clone(), key.clone(), wire.clone());
                            self.add_text(entry, value)?;
                        }
                    }
                }
                other => bail!("[{name}] has {other:?}; known are doc, fields, variants and variant_fields"),
            }
        }
        Ok(())
    }

    fn add_text(&mut self, entry: DocEntry, value: &toml::Value) -> Result<()> {
        let text = value.as_str().with_context(|| format!("{entry} is not a string"))?.trim();
        ensure!(!text.is_empty(), "{entry} is empty; leave it out until it is written");
        self.entries.insert(entry, text.to_owned());
        Ok(())
    }
}

impl fmt::Display for DocEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Definition(name) => f.write_str(name),
            Self::Field(name, wire) => write!(f, "{name}.fields.{wire}"),
            Self::Variant(name, key) => write!(f, "{name}.variants.{key}"),
            Self::VariantField(name, variant, wire) => write!(f, "{name}.variant_fields.{variant}.{wire}"),
        }
    }
}

fn table<'a>(value: &'a toml::Value, name: &str) -> Result<&'a toml::Table> {
    value.as_table().with_context(|| format!("a part of [{name}] is not a table"))
}
