//! Names of packages, and the exact versions behind them.

/// Archives that a runner would take for a file.
const ARCHIVES: [&str; 3] = [".tgz", ".tar", ".tar.gz"];
/// The words of a Python version.
const PYTHON_WORDS: [&str; 12] =
    ["a", "alpha", "b", "beta", "c", "dev", "post", "pre", "preview", "r", "rc", "rev"];

/// Returns true for `NAME@1.2.3` and `@SCOPE/NAME@1.2.3`. A version of fewer numbers stands for all
/// that begin with it. Addresses, repositories and files have other characters in their names.
pub(super) fn is_exact_of_npm(package: &str) -> bool {
    let (scope, rest) = match package.strip_prefix('@') {
        Some(scoped) => scoped.split_once('/').map_or((Some(""), ""), |(scope, rest)| (Some(scope), rest)),
        None => (None, package),
    };
    let Some((name, version)) = rest.split_once('@') else { return false };
    let is_file = |text: &str| ARCHIVES.iter().any(|archive| text.to_ascii_lowercase().ends_with(archive));
    scope.is_none_or(is_name) && is_name(name) && is_semantic(version) && !is_file(name) && !is_file(version)
}

/// Returns true for `NAME==1.2` and `NAME@1.2`, also with extras, as in `NAME[EXTRA]==1.2`.
pub(super) fn is_exact_of_python(package: &str) -> bool {
    let Some((name, version)) = package.split_once("==").or_else(|| package.split_once('@')) else {
        return false;
    };
    let (name, extras) = match name.split_once('[') {
        Some((name, extras)) => (name, extras.strip_suffix(']').unwrap_or_default()),
        None => (name, "none"),
    };
    is_name(name) && extras.split(',').all(is_name) && is_of_python(version)
}

fn is_name(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_alphanumeric())
        && name.chars().all(|char| char.is_ascii_alphanumeric() || "-._".contains(char))
}

/// Returns true for three numbers, with a pre-release and a build if there are any.
fn is_semantic(version: &str) -> bool {
    let (version, build) = version.split_once('+').unwrap_or((version, "none"));
    let (numbers, before) = version.split_once('-').unwrap_or((version, "none"));
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let is_word = |part: &str| {
        !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    let mut numbers = numbers.split('.');
    numbers.clone().count() == 3
        && numbers.all(is_number)
        && before.split('.').all(is_word)
        && build.split('.').all(is_word)
}

/// Returns true for numbers with the words that a version of Python may have. Others would be the
/// end of a file's name.
fn is_of_python(version: &str) -> bool {
    let (public, local) = version.split_once('+').unwrap_or((version, "none"));
    let release = public.split_once('!').map_or(public, |(_, release)| release);
    let epoch = public.split_once('!').map_or("0", |(epoch, _)| epoch);
    let mut words = release.split(|char: char| char.is_ascii_digit() || "._-".contains(char));
    let is_word = |word: &str| word.is_empty() || PYTHON_WORDS.contains(&&*word.to_ascii_lowercase());
    !epoch.is_empty()
        && epoch.bytes().all(|byte| byte.is_ascii_digit())
        && release.starts_with(|first: char| first.is_ascii_digit())
        && words.all(is_word)
        && is_name(local)
}

#[cfg(test)]
mod tests {
    use super::{is_exact_of_npm, is_exact_of_python};

    #[test]
    fn a_package_of_npm_is_pinned_by_three_numbers() {
        for package in [
            "robot@3.1.0",
            "@acme/robot@3.1.0",
            "robot@3.1.0-rc.1",
            "@acme/robot@2026.8.11+x",
            "ro.bot_2@3.1.0-a-b.2+c-d.e",
        ] {
            assert!(is_exact_of_npm(package), "{package}");
        }
        for package in [
            "",
            "robot",
            "@acme/robot",
            "robot@latest",
            "robot@3",
            "robot@3.1",
            "robot@^3.1.0",
            "robot@3.1.x",
            "robot@>=3.1.0",
            "robot@3.1.0 || 4.0.0",
            "robot@",
            "robot@..",
            // A tag, which may point to another version tomorrow.
            "robot@3.1.0!4",
            "robot@3.1.0_4",
            "robot@3.1.0@4.0.0",
            "@3.1.0",
            "@acme@3.1.0",
            "@/robot@3.1.0",
            "@acme/@3.1.0",
            "@acme/a/b@3.1.0",
            "https://acme.example/robot.tgz",
            "http://acme.example/robot@3.1.0",
            "github:acme/robot@3.1.0",
            "git+ssh://git@acme.example/robot@3.1.0",
            "git@acme.example:robot@3.1.0",
            "acme/robot@3.1.0",
            "acme/robot#3.1.0",
            "acme/robot#x@3.1.0",
            "robot@npm:other@3.1.0",
            "file:robot@3.1.0",
            "./robot@3.1.0",
            "..@3.1.0",
            "robot.tgz@3.1.0",
            "robot@3.1.0-x.TGZ",
            "robot@3.1.0-x.tar.gz",
            "--yes@3.1.0",
            " robot@3.1.0",
            "robot@3.1.0 ",
        ] {
            assert!(!is_exact_of_npm(package), "{package}");
        }
    }

    #[test]
    fn a_package_of_python_is_pinned_by_an_equal_version() {
        for package in [
            "robot==3",
            "robot==3.1.0",
            "robot@3.1",
            "robot[acp]==3.1.0",
            "robot[acp,web]@3.1.0",
            "robot==1!2.0",
            "robot==3.1rc1",
            "robot==3.1.post1.dev2+local.7",
        ] {
            assert!(is_exact_of_python(package), "{package}");
        }
        for package in [
            "",
            "robot",
            "robot>=3",
            "robot~=3.1",
            "robot==3.*",
            "robot===3.1",
            "robot@latest",
            "robot==",
            "robot==3,<4",
            "==3.1",
            "robot[]==3.1",
            "robot[acp==3.1",
            "robot[a]b==3.1",
            "robot==!3.1",
            "git+https://github.com/acme/robot@1.0",
            "https://acme.example/robot==1.0",
            "robot @ http://x/y@1.0",
            "robot@http://x/y@1.0",
            "robot@http://x/y==1.0",
            "robot @ 1.0",
            "./robot==1.0",
            "acme/robot==1.0",
            "@acme/robot@3.1.0",
            // A file of the current directory.
            "robot@3.1.tar.gz",
            "robot@3.1.whl",
            "--index==3.1",
        ] {
            assert!(!is_exact_of_python(package), "{package}");
        }
    }
}
