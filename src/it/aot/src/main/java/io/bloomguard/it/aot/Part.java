package io.bloomguard.it.aot;

import java.util.List;

/** A value that no handler answers with: only the cache writes it as JSON. */
public record Part(String name, List<String> fits) {}
