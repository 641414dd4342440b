package io.bloomguard.it.aot;

/** A row; its cached value is JSON. */
public record Product(long id, String name, Price price) {}
