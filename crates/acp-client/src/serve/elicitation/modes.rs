//! The handlers of `elicitation/create`, one for each mode.

use std::pin::Pin;
use std::sync::Arc;

use acp_types::Map;
use acp_types::v1::{
    CreateElicitationRequest, CreateElicitationResponse, ElicitationAcceptAction, ElicitationAction,
    ElicitationContentValue, ElicitationMode,
};

use crate::serve::elicitation::pages::Pages;
use crate::serve::elicitation::question::{FormElicitation, UrlElicitation};
use crate::{Context, ElicitationAnswer, RpcError};

type Values = Map<ElicitationContentValue>;
type Boxed<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// The modes of elicitation that an agent may use.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Modes {
    pub(crate) form: bool,
    pub(crate) url: bool,
}

/// The handlers of `elicitation/create`, by mode.
#[derive(Clone, Default)]
pub(crate) struct Elicits {
    pub(super) form: Option<Handler<FormElicitation, Values>>,
    pub(super) url: Option<Handler<UrlElicitation, ()>>,
    pub(crate) pages: Arc<Pages>,
}

type Handler<Q, A> = Arc<dyn Fn(Q, Context) -> Boxed<ElicitationAnswer<A>> + Send + Sync>;

impl Elicits {
    pub(super) async fn ask(
        self: Arc<Self>,
        request: CreateElicitationRequest,
        context: Context,
    ) -> Result<CreateElicitationResponse, RpcError> {
        let CreateElicitationRequest { message, meta, mode, .. } = request;
        let action = match (mode, &self.form, &self.url) {
            (ElicitationMode::Form(form), Some(handler), _) => {
                let (schema, scope) = (form.requested_schema, form.scope);
                fill_in(handler, FormElicitation { message, schema, scope, meta }, context).await
            }
            (ElicitationMode::Url(page), _, Some(handler)) => {
                let (url, id, scope) = (page.url, page.elicitation_id, page.scope);
                let page = UrlElicitation { message, url, id: id.clone(), scope, meta };
                let answer = handler(page, context).await;
                if matches!(answer, ElicitationAnswer::Accept(())) {
                    self.pages.add(id);
                }
                action(answer, |()| ElicitationAcceptAction::new())
            }
            // Rule v1-eli-01.
            (mode, ..) => {
                return Err(RpcError::invalid_params(format!(
                    "`mode`: this client does not offer `{}`",
                    mode.tag()
                )));
            }
        };
        Ok(CreateElicitationResponse::new(action))
    }
}

async fn fill_in(
    handler: &Handler<FormElicitation, Values>,
    form: FormElicitation,
    context: Context,
) -> ElicitationAction {
    let answer = handler(form.clone(), context.clone()).await;
    let answer = action(answer, |values| ElicitationAcceptAction::new().content(values));
    allowed(&form, answer, &context)
}

/// Returns the answer, with its values as the form asks for them. If the form does not allow them,
/// the question counts as closed instead.
pub(super) fn allowed(
    form: &FormElicitation,
    answer: ElicitationAction,
    context: &Context,
) -> ElicitationAction {
    let ElicitationAction::Accept(mut accepted) = answer else { return answer };
    let given = accepted.content.take();
    let are_given = given.is_some();
    match form.schema.check(given.unwrap_or_default()) {
        Ok(values) => {
            accepted.content = Some(values).filter(|values| are_given || !values.is_empty());
            ElicitationAction::Accept(accepted)
        }
        Err(error) => {
            context.note(format!(
                "a form handler gave values that the form does not allow ({error}): answered `cancel`"
            ));
            ElicitationAction::Cancel
        }
    }
}

fn action<T>(
    answer: ElicitationAnswer<T>,
    accept: impl FnOnce(T) -> ElicitationAcceptAction,
) -> ElicitationAction {
    match answer {
        ElicitationAnswer::Accept(value) => accept(value).into(),
        ElicitationAnswer::Decline => ElicitationAction::Decline,
        ElicitationAnswer::Cancel => ElicitationAction::Cancel,
    }
}
