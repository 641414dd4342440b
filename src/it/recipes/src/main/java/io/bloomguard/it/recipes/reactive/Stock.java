package io.bloomguard.it.recipes.reactive;

public record Stock(long number, int pieces) {}
