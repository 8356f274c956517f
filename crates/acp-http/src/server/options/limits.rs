//! Numbers and times of a server.

use std::time::Duration;

use super::Options;
use crate::server::access::ticket::LONGEST;
use crate::wire::routes::Sizes;

/// The numbers of a server.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub(crate) message: usize,
    pub(crate) sizes: Sizes,
    pub(crate) connections: usize,
    pub(crate) connections_per_principal: usize,
    pub(crate) connections_per_address: usize,
    pub(crate) uninitialized: usize,
    pub(crate) posts: usize,
    pub(crate) sockets: usize,
    pub(crate) initialize: Duration,
    pub(crate) first_stream: Duration,
    pub(crate) idle: Duration,
    pub(crate) end: Duration,
    pub(crate) head: Duration,
    pub(crate) body: Duration,
    pub(crate) write: Duration,
    pub(crate) keep_alive: Duration,
    pub(crate) ticket: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        let sizes = Sizes { buffer: 1024 * 1024, streams: 256, unconfirmed: 16, requests: 1024, kept: 0 };
        Self {
            message: 32 * 1024 * 1024,
            sizes,
            connections: 1024,
            connections_per_principal: 64,
            connections_per_address: 16,
            uninitialized: 64,
            posts: 32,
            sockets: 4096,
            initialize: Duration::from_secs(30),
            first_stream: Duration::from_secs(30),
            idle: Duration::from_secs(60),
            end: Duration::from_secs(5),
            head: Duration::from_secs(10),
            body: Duration::from_secs(30),
            write: Duration::from_secs(30),
            keep_alive: Duration::from_secs(15),
            ticket: LONGEST,
        }
    }
}

impl Options {
    /// Sets the longest message of a client. Default 32 MiB.
    #[must_use]
    pub const fn message(mut self, bytes: usize) -> Self {
        self.limits.message = bytes;
        self
    }

    /// Sets how many bytes of a connection may wait for readers of its streams. At this number the
    /// agent waits. One message more may be there. Default 1 MiB.
    #[must_use]
    pub const fn buffer(mut self, bytes: usize) -> Self {
        self.limits.sizes.buffer = bytes;
        self
    }

    /// Sets how many bytes of events of each stream are kept after they were sent, beside the
    /// [buffer](Self::buffer). A client that has lost a stream can then go on behind the last event
    /// that it has, whose number it shows in `Last-Event-ID`. Default 0: such a client must have
    /// had all events, or opens a new connection.
    ///
    /// This is a draft of the protocol, and no client is told of it.
    #[must_use]
    pub const fn kept_events(mut self, bytes: usize) -> Self {
        self.limits.sizes.kept = bytes;
        self
    }

    /// Sets the most streams of sessions of a connection. Messages of sessions beyond it come on
    /// the connection's stream. Default 256.
    #[must_use]
    pub const fn streams(mut self, count: usize) -> Self {
        self.limits.sizes.streams = count;
        self
    }

    /// Sets the most streams of a connection that are open for sessions the agent has not named
    /// yet. Default 16.
    #[must_use]
    pub const fn unconfirmed(mut self, count: usize) -> Self {
        self.limits.sizes.unconfirmed = count;
        self
    }

    /// Sets the most requests of a client, by HTTP, that are not answered yet. Default 1,024.
    #[must_use]
    pub const fn requests(mut self, count: usize) -> Self {
        self.limits.sizes.requests = count;
        self
    }

    /// Sets the most messages of a connection, by HTTP, that are on their way to the agent. Their
    /// bodies may have twice the size of the longest [`message`](Self::message). Default 32.
    #[must_use]
    pub const fn posts(mut self, count: usize) -> Self {
        self.limits.posts = count;
        self
    }

    /// Sets the most connections, which is the most agents. Default 1,024.
    #[must_use]
    pub const fn connections(mut self, count: usize) -> Self {
        self.limits.connections = count;
        self
    }

    /// Sets the most connections of one principal. Default 64.
    #[must_use]
    pub const fn connections_per_principal(mut self, count: usize) -> Self {
        self.limits.connections_per_principal = count;
        self
    }

    /// Sets the most connections from one address. Default 16.
    #[must_use]
    pub const fn connections_per_address(mut self, count: usize) -> Self {
        self.limits.connections_per_address = count;
        self
    }

    /// Sets the most connections that are not initialized yet. Default 64.
    #[must_use]
    pub const fn uninitialized(mut self, count: usize) -> Self {
        self.limits.uninitialized = count;
        self
    }

    /// Sets the most sockets that the listener has open. Default 4,096.
    #[must_use]
    pub const fn sockets(mut self, count: usize) -> Self {
        self.limits.sockets = count;
        self
    }

    /// Sets the time for the answer to `initialize`. Default 30 seconds.
    #[must_use]
    pub const fn initialize_time(mut self, time: Duration) -> Self {
        self.limits.initialize = time;
        self
    }

    /// Sets the time in which a client must open a first stream or send something. Default 30
    /// seconds.
    #[must_use]
    pub const fn first_stream_time(mut self, time: Duration) -> Self {
        self.limits.first_stream = time;
        self
    }

    /// Sets the time for which a connection may have no stream open and no message on its way. Then
    /// its agent is ended. Default 60 seconds.
    #[must_use]
    pub const fn idle_time(mut self, time: Duration) -> Self {
        self.limits.idle = time;
        self
    }

    /// Sets the time that an agent has to end after its input has ended. Then it is aborted.
    /// Default 5 seconds.
    #[must_use]
    pub const fn end_time(mut self, time: Duration) -> Self {
        self.limits.end = time;
        self
    }

    /// Sets the time for the head of a request, with the listener. Default 10 seconds.
    #[must_use]
    pub const fn head_time(mut self, time: Duration) -> Self {
        self.limits.head = time;
        self
    }

    /// Sets the time for the body of a request. Default 30 seconds.
    #[must_use]
    pub const fn body_time(mut self, time: Duration) -> Self {
        self.limits.body = time;
        self
    }

    /// Sets the time for which a socket of the listener may take no bytes. Then it is closed.
    /// Default 30 seconds.
    #[must_use]
    pub const fn write_time(mut self, time: Duration) -> Self {
        self.limits.write = time;
        self
    }

    /// Sets the silence after which a stream gets a comment, and a WebSocket a ping. A WebSocket
    /// that does not answer two of them is dead. Default 15 seconds.
    #[must_use]
    pub const fn keep_alive(mut self, time: Duration) -> Self {
        self.limits.keep_alive = time;
        self
    }

    /// Sets the time for which a [ticket](Self::tickets) can be used. Default 60 seconds, and more
    /// counts as that.
    #[must_use]
    pub const fn ticket_time(mut self, time: Duration) -> Self {
        self.limits.ticket = time;
        self
    }
}
