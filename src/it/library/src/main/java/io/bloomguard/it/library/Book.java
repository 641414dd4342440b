package io.bloomguard.it.library;

/** One book. */
public record Book(long id, String title) {}
