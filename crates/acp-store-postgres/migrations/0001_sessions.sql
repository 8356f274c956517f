-- A session: facts about it, the lease of the process that writes it, and the number of its changes.
create table acp_session (
    principal text not null,
    session text not null,
    -- The facts as JSON. `text` keeps them as they are, and takes every character of a title.
    info text not null,
    -- The working directory, in the form in which two are compared.
    folder text not null,
    updated timestamptz not null,
    -- The number of changes so far.
    seq bigint not null,
    -- The batches with the last record of each kind of state, as JSON.
    state_at text not null,
    -- The log that writes the session, and the number of its fences.
    holder text,
    epoch bigint not null,
    lease_until timestamptz,
    primary key (principal, session)
);

create index acp_session_updated on acp_session (principal, updated, session);

-- Records of a session, several in a row. `seq` is the change that has added them.
create table acp_batch (
    principal text not null,
    session text not null,
    seq bigint not null,
    records bytea not null,
    primary key (principal, session, seq)
);
