package io.bloomguard.server;

import java.math.BigDecimal;

/** A product of the demo catalogue. */
public record Product(long id, String name, BigDecimal price) {}
