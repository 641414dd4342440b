package io.bloomguard.autoconfigure.keyed.aggregate;

import org.springframework.data.annotation.Id;
import org.springframework.data.relational.core.mapping.Table;

/** The root of an aggregate, whose key is declared by an interface. */
@Table("orders")
public record Order(@Id Long id, String name) implements Numbered {}
