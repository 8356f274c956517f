pub(crate) struct Silent;

#[acp_client::client]
impl Silent {}
