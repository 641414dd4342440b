package io.bloomguard.it.aot;

import java.math.BigDecimal;

public record Price(BigDecimal amount, String currency) {}
