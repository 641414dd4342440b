package io.bloomguard.it.workshop.model;

import jakarta.persistence.Embeddable;
import java.io.Serializable;

/** A part in a depot. */
@Embeddable
public record StockId(String depot, String part) implements Serializable {}
