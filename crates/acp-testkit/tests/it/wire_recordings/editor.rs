//! A client that serves every method with fixed answers.

use acp_client::v1::{
    CreateElicitationRequest, CreateElicitationResponse, CreateTerminalRequest, KillTerminalRequest,
    ReadTextFileRequest, ReleaseTerminalRequest, RequestPermissionRequest, RequestPermissionResponse,
    TerminalExitStatus, TerminalId, TerminalOutputRequest, TerminalOutputResponse,
    WaitForTerminalExitRequest, WriteTextFileRequest,
};
use acp_client::{Error, Result, RpcError, Value, client};

pub(super) struct Editor;

#[client]
impl Editor {
    async fn request_permission(
        &self,
        request: RequestPermissionRequest,
    ) -> Result<RequestPermissionResponse> {
        let outcome = match request.tool_call.title.as_deref() {
            Some("allowed") => r#"{"outcome":"selected","optionId":"allow-once","_meta":{"why":1}}"#,
            Some("strange") => r#"{"outcome":"selected","optionId":"never-offered"}"#,
            Some("broken") => return Err("the window is gone".into()),
            _ => r#"{"outcome":"cancelled"}"#,
        };
        Ok(RequestPermissionResponse::new(
            acp_json::from_str::<acp_client::v1::RequestPermissionOutcome>(outcome).unwrap(),
        ))
    }

    async fn read_text_file(&self, file: ReadTextFileRequest) -> std::io::Result<String> {
        if file.path == "/none" {
            return Err(std::io::ErrorKind::NotFound.into());
        }
        Ok(format!("line {:?} of {:?}\n\u{1f980}", file.line, file.limit))
    }

    async fn write_text_file(&self, file: WriteTextFileRequest) -> Result<(), RpcError> {
        if file.content.is_empty() {
            return Err(RpcError::invalid_params("`content`: nothing to write"));
        }
        Ok(())
    }

    async fn create_terminal(&self, request: CreateTerminalRequest) -> Result<TerminalId> {
        Ok(TerminalId::from(format!("terminal of {}", request.command)))
    }

    async fn terminal_output(&self, _request: TerminalOutputRequest) -> Result<TerminalOutputResponse> {
        Ok(TerminalOutputResponse::new("all\tfine\n", true))
    }

    async fn wait_for_terminal_exit(
        &self,
        _request: WaitForTerminalExitRequest,
    ) -> Result<TerminalExitStatus> {
        Ok(TerminalExitStatus::new().exit_code(3_u32))
    }

    async fn kill_terminal(&self, _request: KillTerminalRequest) -> Result<()> {
        Ok(())
    }

    async fn release_terminal(&self, _request: ReleaseTerminalRequest) -> Result<()> {
        Ok(())
    }

    async fn elicit(&self, request: CreateElicitationRequest) -> Result<CreateElicitationResponse> {
        let answer = match request.message.as_str() {
            "Which?" => r#"{"action":"accept","content":{"name":"Ada","age":36}}"#,
            "Nothing?" => r#"{"action":"cancel"}"#,
            "Open?" => r#"{"action":"accept"}"#,
            _ => r#"{"action":"decline"}"#,
        };
        Ok(acp_json::from_str(answer).unwrap())
    }

    #[ext("_editor/selection")]
    async fn selection(&self, params: Value) -> Result<Value, Error> {
        Ok(params)
    }
}
