package io.bloomguard.it.r2dbc;

/** A row of the table {@code orders}. */
public record Order(long id, String item) {}
