package io.bloomguard.it.workshop.data;

/** What a visitor may know of a part. */
public record PartPrice(String number, String label, int cents) {}
