package io.bloomguard.it.recipes.jdbc;

import io.bloomguard.annotation.BloomKey;
import org.springframework.data.annotation.Id;
import org.springframework.data.relational.core.mapping.Table;

@Table
@BloomKey(filter = "products") // its id
public record Product(@Id Long id, String name) {}
