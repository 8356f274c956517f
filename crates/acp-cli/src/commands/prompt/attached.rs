//! The prompt of a run: its text, and the files and images that go with it.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use acp_client::Agent;
use acp_client::v1::{
    BlobResourceContents, ContentBlock, EmbeddedResource, EmbeddedResourceResource, ImageContent,
    TextResourceContents,
};
use acp_types::base64;
use tokio::io::AsyncReadExt;

use crate::args::prompt::PromptArgs;
use crate::outcome::Failure;

/// The most bytes of a text from stdin, of an embedded file, and of an image.
const MOST_TEXT: u64 = 16 * 1024 * 1024;
const MOST_EMBEDDED: u64 = 1024 * 1024;
const MOST_IMAGE: u64 = 20 * 1024 * 1024;

/// The parts of a prompt, read from this machine.
pub(crate) struct Prompt {
    text: String,
    files: Vec<Attached>,
    images: Vec<ImageContent>,
}

/// A file that goes with a prompt.
struct Attached {
    /// The name by which the user has added it, such as `--file notes.md`.
    name: String,
    path: PathBuf,
    /// The contents, unless they are too long to embed.
    bytes: Option<Vec<u8>>,
    /// True if the agent can read it, too: a pipe has only one reader.
    is_regular: bool,
}

impl Prompt {
    /// Reads the text and the files. Dropping the future stops it.
    pub(crate) async fn read(args: &PromptArgs) -> Result<Self, Failure> {
        // A pipe may never end, and must not hold up a signal.
        let (files, images) = (args.files.clone(), args.images.clone());
        let read = tokio::task::spawn_blocking(move || -> Result<_, String> {
            let files = files
                .iter()
                .map(|path| Attached::read(format!("--file {}", path.display()), path, File::open(path)))
                .collect::<Result<_, _>>()?;
            let images = images.iter().map(|path| image(path)).collect::<Result<_, _>>()?;
            Ok((files, images))
        });
        let (files, images): (Vec<Attached>, Vec<ImageContent>) = read.await??;
        let text = if args.text == "-" { stdin().await? } else { args.text.clone() };
        if text.is_empty() && args.text == "-" && files.is_empty() && images.is_empty() {
            return Err("stdin has no text for the prompt".into());
        }
        Ok(Self { text, files, images })
    }

    /// Reads the files of a typed text, each beside the name that the text has for it. None of them
    /// may be a pipe. Dropping the future stops it.
    pub(crate) async fn typed(text: String, files: Vec<(String, PathBuf)>) -> Result<Self, Failure> {
        let read = move || {
            let read = |(name, path): (_, PathBuf)| Attached::read(name, &path, regular(&path));
            files.into_iter().map(read).collect()
        };
        let files: Result<Vec<Attached>, String> = tokio::task::spawn_blocking(read).await?;
        Ok(Self { text, files: files?, images: Vec::new() })
    }

    /// Returns the blocks in the form that the agent takes.
    pub(crate) fn into_blocks(self, agent: &Agent, is_remote: bool) -> Result<Vec<ContentBlock>, Failure> {
        let takes = &agent.capabilities().prompt_capabilities;
        if !self.images.is_empty() && !takes.image {
            return Err("`--image`: the agent takes no images (it does not offer \
                        `promptCapabilities.image`)"
                .into());
        }
        let text = Some(self.text).filter(|text| !text.is_empty()).map(ContentBlock::text);
        let files = self.files.into_iter().map(|file| file.into_block(takes.embedded_context, is_remote));
        let files = files.collect::<Result<Vec<_>, _>>()?;
        let images = self.images.into_iter().map(ContentBlock::from);
        Ok(text.into_iter().chain(files).chain(images).collect())
    }
}

impl Attached {
    fn read(name: String, path: &Path, opened: io::Result<File>) -> Result<Self, String> {
        let problem = |problem: &dyn std::fmt::Display| format!("`{name}`: {problem}");
        let read = opened.and_then(|file| read(file, MOST_EMBEDDED));
        let (bytes, is_regular) = read.map_err(|error| problem(&error))?;
        if bytes.is_none() && !is_regular {
            return Err(problem(&format_args!("a pipe may have {MOST_EMBEDDED} bytes at most")));
        }
        let path = std::path::absolute(path).map_err(|error| problem(&error))?;
        Ok(Self { name, path, bytes, is_regular })
    }

    fn into_block(self, embeds: bool, is_remote: bool) -> Result<ContentBlock, Failure> {
        let uri = uri(&self.path);
        let can_link = self.is_regular && !is_remote;
        match self.bytes {
            Some(bytes) if embeds => Ok(embedded(bytes, uri)),
            _ if can_link => {
                let name = self.path.file_name().unwrap_or(self.path.as_os_str());
                Ok(ContentBlock::link(name.to_string_lossy(), uri))
            }
            contents => {
                let why = match contents {
                    Some(_) => "it does not offer `promptCapabilities.embeddedContext`",
                    None => "it is too long to go with the prompt",
                };
                Err(format!("`{}`: the agent cannot get the file: {why}", self.name).into())
            }
        }
    }
}

fn embedded(bytes: Vec<u8>, uri: String) -> ContentBlock {
    let contents = match String::from_utf8(bytes) {
        Ok(text) => EmbeddedResourceResource::Text(TextResourceContents::new(text, uri)),
        Err(other) => {
            EmbeddedResourceResource::Blob(BlobResourceContents::new(base64::encode(other.as_bytes()), uri))
        }
    };
    EmbeddedResource::new(contents).into()
}

fn image(path: &Path) -> Result<ImageContent, String> {
    let problem = |problem: &dyn std::fmt::Display| format!("`--image {}`: {problem}", path.display());
    let read = File::open(path).and_then(|file| read(file, MOST_IMAGE));
    let (bytes, _) = read.map_err(|error| problem(&error))?;
    let bytes =
        bytes.ok_or_else(|| problem(&format_args!("an image may have {MOST_IMAGE} bytes at most")))?;
    let mime_type = mime_type(&bytes).ok_or_else(|| problem(&"it is not a PNG, JPEG, GIF or WebP image"))?;
    Ok(ImageContent::new(base64::encode(&bytes), mime_type))
}

/// Tells the type of an image by its first bytes.
fn mime_type(bytes: &[u8]) -> Option<&'static str> {
    let is_webp = bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP");
    let kinds: [(&[u8], _); 4] = [
        (b"\x89PNG\r\n\x1a\n", "image/png"),
        (b"\xff\xd8\xff", "image/jpeg"),
        (b"GIF87a", "image/gif"),
        (b"GIF89a", "image/gif"),
    ];
    let known = kinds.iter().find(|(start, _)| bytes.starts_with(start)).map(|(_, kind)| *kind);
    known.or(is_webp.then_some("image/webp"))
}

/// Opens a file, and refuses anything else without waiting for it.
fn regular(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.read(true);
    // A pipe is opened at once, also without a writer.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(
        &mut options,
        rustix::fs::OFlags::NONBLOCK.bits().cast_signed(),
    );
    let file = options.open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::Error::other("it is not a file")) }
}

/// Reads a file. Returns its bytes unless they are more than `most`, and true if it is not a pipe.
fn read(file: File, most: u64) -> io::Result<(Option<Vec<u8>>, bool)> {
    let about = file.metadata()?;
    if about.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    let mut bytes = Vec::new();
    let count = file.take(most + 1).read_to_end(&mut bytes)?;
    Ok((Some(bytes).filter(|_| count as u64 <= most), about.is_file()))
}

async fn stdin() -> Result<String, Failure> {
    let mut bytes = Vec::new();
    let count = tokio::io::stdin().take(MOST_TEXT + 1).read_to_end(&mut bytes).await?;
    if count as u64 > MOST_TEXT {
        return Err(format!("the text on stdin has more than {MOST_TEXT} bytes").into());
    }
    String::from_utf8(bytes).map_err(|_| "the text on stdin is not UTF-8".into())
}

/// Returns the address of a file.
fn uri(path: &Path) -> String {
    let path = path.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/");
    let mut uri = String::from(if path.starts_with('/') { "file://" } else { "file:///" });
    for byte in path.bytes() {
        match byte {
            b'/' | b':' | b'-' | b'.' | b'_' | b'~' | b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => {
                uri.push(char::from(byte));
            }
            other => uri.push_str(&format!("%{other:02X}")),
        }
    }
    uri
}

#[cfg(all(test, unix))]
mod tests {
    use super::regular;

    #[test]
    fn a_pipe_in_the_place_of_a_file_is_refused_at_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let [file, pipe] = ["file", "pipe"].map(|name| folder.path().join(name));
        std::fs::write(&file, "x").expect("written");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().expect("it runs").success());
        assert!(regular(&file).is_ok());
        for path in [&*pipe, folder.path()] {
            assert_eq!(regular(path).expect_err("it is not a file").to_string(), "it is not a file");
        }
    }
}
