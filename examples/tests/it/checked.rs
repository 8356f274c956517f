//! The coding agent with a language model under `acp check`, whose stub stands in for the model.

use acp_client::Command;
use acp_testkit::check::{Checker, Options, Target, Verdict};
use acp_testkit::model::{ModelStub, Profile};

/// The agent runs a program without a shell, so the prompt names the tool.
const PROFILE: &str = r#"
name = "coding_agent"

[env]
OPENAI_API_KEY = "stub"
OPENAI_BASE_URL = "{url}/v1"

[prompts]
permission = '[[tool run_command {"program": "true"}]] [[text done]]'
show = ["[[plan look; change]] [[write a.txt hello]] [[read a.txt]] [[text shown]]"]
"#;

#[tokio::test]
async fn turns_with_the_stub_have_a_verdict_each_time() {
    let profile = Profile::parse(PROFILE).expect("a profile");
    let stub = ModelStub::start(&profile).await.expect("a free port");
    let folder = tempfile::tempdir().expect("a folder");
    let command = Command::new(env!("CARGO_BIN_EXE_coding_agent"));
    let command = profile.prepare(command, stub.url(), folder.path()).expect("no files");
    let prompts = profile.prompts();
    let mut options = Options::default();
    options.cwd = folder.path().to_owned();
    options.prompt.clone_from(prompts.prompt.as_ref().expect("the generic one"));
    options.endless_prompt.clone_from(&prompts.endless);
    options.permission_prompt.clone_from(&prompts.permission);
    options.more_prompts.clone_from(&prompts.show);
    // Turns that end, are cancelled, ask, run a tool, and show a plan.
    let rules = ["v1-turn-09", "v1-perm-08", "v1-cancel-05", "v1-cancel-06", "v1-cancel-11", "v1-plan-02"];
    options.only = rules.map(str::to_owned).into();
    let report = Checker::new(Target::spawn(command), options).run().await;
    for outcome in report.outcomes() {
        assert_eq!(outcome.verdict, Verdict::Pass, "{}\n{report}", outcome.rule.id);
    }
    assert_eq!(report.outcomes().len(), rules.len(), "{report}");
}
