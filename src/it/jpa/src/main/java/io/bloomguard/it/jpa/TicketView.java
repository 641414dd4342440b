package io.bloomguard.it.jpa;

/** What a page shows of a ticket: a value that cannot change, which callers may share. */
public record TicketView(long id, String title) {}
