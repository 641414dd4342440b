package io.bloomguard.it.recipes.keysource;

public record Voucher(String code, int cents) {}
