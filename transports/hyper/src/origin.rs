//! Where an answer comes from, for the log: what is sent after its exchange is over has nothing else to tell it by.

use pw_core::RequestHead;

use crate::kit::Kit;

/// See the module.
#[derive(Debug)]
pub(crate) struct Origin {
    request_id: Option<Box<str>>,
    method: Box<str>,
    route: &'static str,
}

impl Origin {
    /// Of the answer in a kit.
    pub(crate) fn of(kit: &Kit) -> Self {
        Self {
            request_id: kit.exchange.reply.request_id().map(Into::into),
            method: kit.head.method().into(),
            route: kit.head.route().map_or("-", |route| route.name()),
        }
    }

    /// Its content can't be had to its end.
    #[cold]
    pub(crate) fn warn(&self, error: &(dyn std::error::Error + Send + Sync)) {
        tracing::warn!(
            target: "polywire",
            request_id = self.request_id.as_deref().unwrap_or("-"),
            method = &*self.method,
            route = self.route,
            %error,
            "an answer could not be sent to its end: it is cut off"
        );
    }
}
