package io.bloomguard.it.aot;

/** A record, whose components an expression reads. */
public record PartNumber(String series, int serial) {}
