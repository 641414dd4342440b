package io.bloomguard.it.recipes.webflux;

public record Article(long number, String name) {}
