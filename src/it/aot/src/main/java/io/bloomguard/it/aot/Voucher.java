package io.bloomguard.it.aot;

import io.bloomguard.annotation.BloomKey;
import org.springframework.data.annotation.Id;
import org.springframework.data.relational.core.mapping.Table;

/** An aggregate, whose writes add its key. */
@Table
@BloomKey(filter = "vouchers", attribute = "code")
public record Voucher(@Id Long id, String code, int amount) {}
