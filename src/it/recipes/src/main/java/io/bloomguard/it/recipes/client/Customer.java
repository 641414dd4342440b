package io.bloomguard.it.recipes.client;

public record Customer(long id, String name) {}
