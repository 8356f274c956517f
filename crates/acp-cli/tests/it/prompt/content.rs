//! Prompts from stdin, with files and with images.

use std::io::Write;
use std::process::{Command, Stdio};

use super::AGENT;

/// Runs with an agent of these prompt capabilities. Returns the exit code, stderr, and the prompt.
fn run(takes: &str, text: &str, options: &[&str], stdin: &[u8]) -> (Option<i32>, String, String) {
    let script = format!(
        r#"{AGENT}take; give '{{"protocolVersion":1,"agentCapabilities":{{"promptCapabilities":{takes}}}}}'
        take; give '{{"sessionId":"s1"}}'; take; printf '%s\n' "$line" >&2; give '{{"stopReason":"end_turn"}}'; take"#
    );
    let mut command = Command::new(env!("CARGO_BIN_EXE_acp"));
    command.args(["prompt", text, "--timeout", "60", "--verbose"]).args(options);
    command.args(["--", "sh", "-c", &script]);
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut acp = command.spawn().expect("acp runs");
    // An acp that refuses its arguments does not read.
    let _ = acp.stdin.take().expect("a pipe").write_all(stdin);
    let output = acp.wait_with_output().expect("it ends");
    let err = String::from_utf8(output.stderr).expect("UTF-8");
    let prompt = err.lines().find(|line| line.contains(r#""session/prompt""#)).unwrap_or_default().to_owned();
    (output.status.code(), err, prompt)
}

#[test]
fn a_dash_is_the_text_of_stdin() {
    let (code, err, prompt) = run("{}", "-", &[], "line one\nGrüße\n".as_bytes());
    assert_eq!(code, Some(0), "{err}");
    assert!(prompt.contains(r#""prompt":[{"type":"text","text":"line one\nGrüße\n"}]"#), "{prompt}");
    for (stdin, wants) in [(&b""[..], "stdin has no text"), (b"\xff", "the text on stdin is not UTF-8")] {
        let (code, err, prompt) = run("{}", "-", &[], stdin);
        assert_eq!((code, prompt.as_str()), (Some(1), ""));
        assert!(err.contains(wants), "{err}");
    }
}

#[test]
fn a_file_is_embedded_where_the_agent_takes_that_and_linked_otherwise() {
    let folder = tempfile::tempdir().expect("a folder");
    let cwd = folder.path().canonicalize().expect("it exists");
    let (notes, bytes, long) = (cwd.join("my notes.md"), cwd.join("x.bin"), cwd.join("long.txt"));
    std::fs::write(&notes, "one \"two\"\n").expect("written");
    std::fs::write(&bytes, b"\xff\x00").expect("written");
    std::fs::write(&long, vec![b'x'; 1024 * 1024 + 1]).expect("written");
    let [notes, bytes, long] = [&notes, &bytes, &long].map(|path| path.to_str().expect("UTF-8"));
    let uri = format!("file://{}", notes.replace(' ', "%20"));
    let embedded = r#"{"embeddedContext":true}"#;
    let text = format!(r#"{{"type":"resource","resource":{{"text":"one \"two\"\n","uri":"{uri}"}}}}"#);
    let link = format!(r#"{{"type":"resource_link","name":"my notes.md","uri":"{uri}"}}"#);
    for (takes, file, wants) in [
        (embedded, notes, text.as_str()),
        ("{}", notes, link.as_str()),
        (embedded, bytes, r#""blob":"/wA=""#),
        (embedded, long, r#"{"type":"resource_link","name":"long.txt""#),
    ] {
        let (code, err, prompt) = run(takes, "look", &["--file", file], b"");
        assert_eq!(code, Some(0), "{err}");
        assert!(prompt.contains(wants), "{takes} {file}: {prompt}");
    }
    let (code, err, prompt) = run(embedded, "-", &["--file", notes, "--file", bytes], b"");
    assert_eq!(code, Some(0), "no text is needed beside a file: {err}");
    assert!(
        prompt.find("my%20notes").zip(prompt.find("x.bin")).is_some_and(|(one, two)| one < two),
        "{prompt}"
    );
}

#[test]
fn a_file_that_cannot_be_sent_is_named_before_the_agent_is_started() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path().to_str().expect("UTF-8");
    for (option, path, wants) in [
        ("--file", "/no/such/file", "`--file /no/such/file`: "),
        ("--file", here, "is a directory"),
        ("--image", "/no/such/file", "`--image /no/such/file`: "),
        ("--image", "/dev/null", "`--image /dev/null`: it is not a PNG, JPEG, GIF or WebP image"),
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_acp"));
        command.args(["prompt", "look", option, path, "--", "/no/such/agent"]);
        let output = command.output().expect("acp runs");
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{err}");
        assert!(err.contains(wants) && !err.contains("/no/such/agent"), "{err}");
    }
}

#[test]
fn a_pipe_is_embedded_or_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let pipe = folder.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo runs").success());
    let path = pipe.to_str().expect("UTF-8");
    for (takes, code, wants) in [
        (r#"{"embeddedContext":true}"#, 0, r#""text":"piped""#),
        ("{}", 1, "does not offer `promptCapabilities.embeddedContext`"),
    ] {
        let (pipe, takes) = (pipe.clone(), takes.to_owned());
        let writer = std::thread::spawn(move || std::fs::write(pipe, "piped"));
        let (got, err, _) = run(&takes, "look", &["--file", path], b"");
        writer.join().expect("it ends").expect("written");
        assert_eq!(got, Some(code), "{err}");
        assert!(err.contains(wants), "{err}");
    }
}

#[test]
fn an_image_is_for_an_agent_that_takes_it() {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, bytes, kind) in [
        ("a.png", &b"\x89PNG\r\n\x1a\n.."[..], "image/png"),
        ("named.png", b"\xff\xd8\xff..", "image/jpeg"),
        ("a.gif", b"GIF89a..", "image/gif"),
        ("a.webp", b"RIFF....WEBP", "image/webp"),
    ] {
        let file = folder.path().join(name);
        std::fs::write(&file, bytes).expect("written");
        let options = ["--image", file.to_str().expect("UTF-8")];
        let (code, err, prompt) = run(r#"{"image":true}"#, "look", &options, b"");
        assert_eq!(code, Some(0), "{err}");
        assert!(
            prompt.contains(r#""type":"image","#) && prompt.contains(&format!(r#""mimeType":"{kind}""#)),
            "{prompt}"
        );
        let (code, err, prompt) = run("{}", "look", &options, b"");
        assert_eq!((code, prompt.as_str()), (Some(1), ""));
        assert!(
            err.contains("the agent takes no images") && err.contains("promptCapabilities.image"),
            "{err}"
        );
    }
}
