//! The first list of a watch, and every later one that replaces it.
//!
//! Owns both ways to get it: streamed by the watch itself, or in pages. What comes in is kept aside until it is whole.

use espejote_core::{ObjectText, ParseObjectError, TypeOfItems};
use tokio::time::timeout;

use super::{
    event::{Event, Page},
    failure::WatchError,
    lines::Lines,
    task::Task,
};
use crate::{
    cache::Staged,
    client::{Accept, ApiError, Call, ListOptions, Query, Resource},
};

/// A first list could not be streamed.
pub(super) enum StreamError {
    /// The server cannot do it; pages are to be read instead.
    Unsupported,
    /// It may work another time.
    Failed(WatchError),
}

impl Task {
    /// Reads the list as the first part of a watch, and gives the watch, whose next event follows.
    pub(super) async fn stream_list(&mut self, resource: &Resource) -> Result<Lines, StreamError> {
        let failed = |error| StreamError::Failed(WatchError::List(error));
        let mut lines = match self.open_watch(resource, None).await {
            Ok(lines) => lines,
            Err(error) if refuses_initial_events(&error) => return Err(StreamError::Unsupported),
            Err(error) => return Err(failed(error)),
        };
        let mut staged = Vec::new();
        loop {
            let next = timeout(self.settings.initial_pause, lines.next()).await;
            // No end of the list: some servers send none.
            let Ok(line) = next else {
                return Err(StreamError::Unsupported);
            };
            let Some(line) = line.map_err(failed)? else {
                return Err(StreamError::Failed(WatchError::ClosedEarly));
            };
            match self.event(&line) {
                None => {}
                Some(Event::Applied(object)) => {
                    staged.extend(self.read(object, None).and_then(|text| self.stage(&text)));
                }
                Some(Event::Deleted(object)) => {
                    staged.extend(
                        self.read(object, None)
                            .and_then(|text| self.stage_deletion(&text)),
                    );
                }
                Some(Event::Error(error)) => return Err(failed(error)),
                Some(Event::Bookmark(bookmark)) if bookmark.initial_events_end => {
                    self.listed(staged, bookmark.version)
                        .map_err(StreamError::Failed)?;
                    return Ok(lines);
                }
                Some(Event::Bookmark(_)) => {}
            }
        }
    }

    /// Reads the list in pages, consistent and as of one resource version.
    pub(super) async fn list_pages(&mut self, resource: &Resource) -> Result<(), WatchError> {
        let mut staged = Vec::new();
        let mut continue_token = None;
        loop {
            let options = self.list_options(continue_token);
            let namespace = self.key.namespace.as_deref();
            let body = self
                .client
                .list(resource, namespace, &options, Accept::Whole)
                .await;
            let body = body.map_err(WatchError::List)?;
            let page = Page::parse(&body).map_err(WatchError::List)?;
            let item_of = TypeOfItems {
                api_version: &resource.api_version,
                kind: &resource.kind,
            };
            for item in page.items {
                staged.extend(self.read(item, Some(item_of)).and_then(|text| self.stage(&text)));
            }
            continue_token = page.continue_token;
            if continue_token.is_none() {
                return self.listed(staged, page.version);
            }
        }
    }

    /// Opens a watch from a version, or one that begins with all objects.
    pub(super) async fn open_watch(
        &self,
        resource: &Resource,
        version: Option<&str>,
    ) -> Result<Lines, ApiError> {
        let selector = Some(self.key.label_selector.as_str()).filter(|selector| !selector.is_empty());
        let mut query = Query::default()
            .with("watch", "1")
            .with("allowWatchBookmarks", "true")
            .with(
                "timeoutSeconds",
                &self.server_timeout(version.is_none()).as_secs().to_string(),
            )
            .with_some("labelSelector", selector)
            .with_some("fieldSelector", self.key.field_selector().as_deref());
        query = match version {
            Some(version) => query.with("resourceVersion", version),
            None => query
                .with("sendInitialEvents", "true")
                .with("resourceVersionMatch", "NotOlderThan"),
        };
        let path = query.after(&resource.collection_path(self.key.namespace.as_deref())?);
        let body = self.client.open(&Call::get(path)).await?;
        Ok(Lines::new(body, self.settings.max_line_bytes))
    }

    fn list_options(&self, continue_token: Option<String>) -> ListOptions {
        ListOptions {
            label_selector: Some(self.key.label_selector.clone()).filter(|selector| !selector.is_empty()),
            field_selector: self.key.field_selector(),
            limit: Some(self.settings.page_size),
            continue_token,
            resource_version: None,
        }
    }

    /// The event on a line. One that cannot be read is reported and left out, so that it does not stop the others.
    pub(super) fn event<'a>(&self, line: &'a [u8]) -> Option<Event<'a>> {
        match Event::parse(line) {
            Ok(event) => Some(event),
            Err(error) => {
                self.store.skipped();
                tracing::warn!(watch = %self.key, %error, "skipped a watch event");
                None
            }
        }
    }

    /// The text of an object, if it can be read.
    pub(super) fn read<'a>(
        &self,
        object: &'a str,
        item_of: Option<TypeOfItems<'_>>,
    ) -> Option<ObjectText<'a>> {
        self.readable(ObjectText::read(object, item_of, self.key.projection()))
    }

    /// The object, if it is wanted.
    pub(super) fn stage(&self, text: &ObjectText<'_>) -> Option<Staged> {
        let name = self.readable(text.name().map_err(Into::into))?;
        let wanted = self
            .key
            .wants(&name)
            .then(|| self.interner.intern(text, self.key.projection()));
        self.readable(wanted.transpose())?.map(Staged::Applied)
    }

    /// The name of a deleted object, if it is wanted.
    pub(super) fn stage_deletion(&self, text: &ObjectText<'_>) -> Option<Staged> {
        let name = self.readable(text.name().map_err(Into::into))?.into_owned();
        let namespace = self.readable(text.namespace().map_err(Into::into))?.into_owned();
        self.key
            .wants(&name)
            .then_some(Staged::Deleted { namespace, name })
    }

    /// The list is whole.
    fn listed(&mut self, staged: Vec<Staged>, version: String) -> Result<(), WatchError> {
        self.check_account()?;
        self.version = Some(version);
        self.store.replace(staged);
        Ok(())
    }

    fn readable<T>(&self, read: Result<T, ParseObjectError>) -> Option<T> {
        read.inspect_err(|error| {
            self.store.skipped();
            tracing::warn!(watch = %self.key, %error, "skipped an object");
        })
        .ok()
    }
}

/// 422 comes from API servers that know the parameter and may not use it, 400 from aggregated ones that do not.
fn refuses_initial_events(error: &ApiError) -> bool {
    matches!(error.code(), Some(400 | 422))
}
