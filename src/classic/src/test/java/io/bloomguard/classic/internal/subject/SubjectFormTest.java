package io.bloomguard.classic.internal.subject;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.KeyFolding;
import io.bloomguard.filter.Layout;
import io.bloomguard.filter.internal.Fingerprint;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

class SubjectFormTest {

  /** The form that is in Redis wherever a filter by subject is. */
  @Test
  void frontStaysAsItIs() {
    FilterShape shape = new FilterShape(Layout.BLOCKED, 100, 0.001, 2048, 8, 9);
    Fingerprint fingerprint =
        new Fingerprint("order-items", shape, "siphash-1-3", "0a1b2c3d", 1, 0, KeyFolding.EXACT);
    assertThat(HexFormat.of().formatHex(new SubjectForm("bloomguard", fingerprint).front(5)))
        .isEqualTo("c8ef8786f694adb2424c4f4f4d5342311e29831a16f302810000000000000005");
  }
}
