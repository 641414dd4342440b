package io.bloomguard.it.contestants;

import java.io.Serializable;
import java.math.BigDecimal;

/** What the shop sells; caches in Redis keep it by Java's serialization. */
public record Product(String id, String name, BigDecimal price) implements Serializable {}
