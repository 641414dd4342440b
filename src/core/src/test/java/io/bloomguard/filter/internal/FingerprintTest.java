package io.bloomguard.filter.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.HashSecret;
import io.bloomguard.filter.KeyFolding;
import io.bloomguard.filter.Layout;
import io.bloomguard.filter.SipHash;
import io.bloomguard.filter.Sizing;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FingerprintTest {

  private static final String TEXT =
      "format=2;canonical=1;filter=order-items;layout=BLOCKED;n=100;p=0.001;m=2048;block=8;k=9"
          + ";hash=siphash-1-3;secret=0a1b2c3d;partitions=4;partition=3";

  private final FilterShape shape = new FilterShape(Layout.BLOCKED, 100, 0.001, 2048, 8, 9);
  private final Fingerprint fingerprint =
      new Fingerprint("order-items", shape, "siphash-1-3", "0a1b2c3d", 4, 3, KeyFolding.EXACT);

  @Test
  void theTextIsAFormat() {
    assertThat(fingerprint.text()).isEqualTo(TEXT);
    assertThat(fingerprint.digest()).isEqualTo(-5244524677356279179L);
  }

  @Test
  void howKeysAreFoldedIsNamedOnlyWhereTheyAre() {
    Fingerprint exact =
        new Fingerprint("order-items", shape, "siphash-1-3", "0a1b2c3d", 4, 3, KeyFolding.EXACT);
    assertThat(exact.text()).isEqualTo(TEXT);
    assertThat(exact).isEqualTo(fingerprint);
    Fingerprint folded =
        new Fingerprint(
            "order-items",
            shape,
            "siphash-1-3",
            "0a1b2c3d",
            4,
            3,
            KeyFolding.parse("lower.trailing.nfc"));
    assertThat(folded.text()).isEqualTo(TEXT + ";keys=lower.trailing.nfc");
    assertThat(Fingerprint.parse(folded.text())).isEqualTo(folded);
    assertThat(Fingerprint.difference(folded.text(), TEXT))
        .isEqualTo("keys is lower.trailing.nfc, expected (none)");
    assertThat(Fingerprint.difference(TEXT, folded.text()))
        .isEqualTo("keys is (none), expected lower.trailing.nfc");
    for (String keys : List.of("", "exact.none.none", "lower", "lower.trailing.nfd")) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> Fingerprint.parse(TEXT + ";keys=" + keys));
    }
  }

  /** Without one it is what images had from before there were salts. */
  @Test
  void aSaltIsNamedWithTheHash() {
    Fingerprint salted = fingerprint.withSalt(0xab12L);
    assertThat(salted.text())
        .isEqualTo(TEXT.replace(";hash=siphash-1-3", ";hash=siphash-1-3:000000000000ab12"));
    assertThat(salted.hash()).isEqualTo("siphash-1-3");
    assertThat(Fingerprint.parse(salted.text())).isEqualTo(salted);
    assertThat(salted.digest()).isNotEqualTo(fingerprint.digest());
    assertThat(salted.withSalt(0)).isEqualTo(fingerprint);
    assertThat(Fingerprint.parse(fingerprint.withSalt(-1).text()).salt()).isEqualTo(-1);
    for (String salt : List.of("", "ab12", "000000000000AB12", "0000000000000000", "x")) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> Fingerprint.parse(TEXT.replace("1-3;", "1-3:" + salt + ";")));
    }
  }

  @Test
  void parseIsTheInverseOfText() {
    assertThat(Fingerprint.parse(TEXT)).isEqualTo(fingerprint);
    Fingerprint guava =
        Fingerprint.of(
            "x", Sizing.shape(Layout.GUAVA, 3, 1e-7), SipHash.oneThree(HashSecret.random()), 1, 0);
    assertThat(guava.hash()).isEqualTo("murmur3");
    assertThat(guava.secretId()).isEmpty();
    assertThat(Fingerprint.parse(guava.text())).isEqualTo(guava);
  }

  @Test
  void everyFieldIsPartOfTextAndDigest() {
    List<Fingerprint> all =
        List.of(
            fingerprint,
            new Fingerprint("items", shape, "siphash-1-3", "0a1b2c3d", 4, 3, KeyFolding.EXACT),
            new Fingerprint(
                "order-items", shape, "siphash-2-4", "0a1b2c3d", 4, 3, KeyFolding.EXACT),
            new Fingerprint(
                "order-items", shape, "siphash-1-3", "0a1b2c3e", 4, 3, KeyFolding.EXACT),
            new Fingerprint(
                "order-items", shape, "siphash-1-3", "0a1b2c3d", 5, 3, KeyFolding.EXACT),
            new Fingerprint(
                "order-items", shape, "siphash-1-3", "0a1b2c3d", 4, 2, KeyFolding.EXACT),
            fingerprint.withSalt(1),
            with(new FilterShape(Layout.GUAVA, 100, 0.001, 2048, 0, 9)),
            with(new FilterShape(Layout.BLOCKED, 101, 0.001, 2048, 8, 9)),
            with(new FilterShape(Layout.BLOCKED, 100, 0.002, 2048, 8, 9)),
            with(new FilterShape(Layout.BLOCKED, 100, 0.001, 4096, 8, 9)),
            with(new FilterShape(Layout.BLOCKED, 100, 0.001, 2048, 4, 9)),
            with(new FilterShape(Layout.BLOCKED, 100, 0.001, 2048, 8, 8)));
    assertThat(all).extracting(Fingerprint::text).doesNotHaveDuplicates();
    assertThat(all).extracting(Fingerprint::digest).doesNotHaveDuplicates();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "format=2",
        "format=1;canonical=1;filter=a;layout=BLOCKED;n=1;p=0.5;m=64;block=1;k=1;hash=h;secret=;partitions=1;partition=0",
        "format=2;canonical=2;filter=a;layout=BLOCKED;n=1;p=0.5;m=64;block=1;k=1;hash=h;secret=;partitions=1;partition=0",
        "format=2;canonical=1;filter=a;layout=OTHER;n=1;p=0.5;m=64;block=1;k=1;hash=h;secret=;partitions=1;partition=0",
        "format=2;canonical=1;filter=a;layout=BLOCKED;n=1;p=.5;m=64;block=1;k=1;hash=h;secret=;partitions=1;partition=0",
        "format=2;canonical=1;filter=a;layout=BLOCKED;n=1;p=0.5;m=63;block=1;k=1;hash=h;secret=;partitions=1;partition=0",
        "format=2;canonical=1;filter=a;layout=BLOCKED;n=1;p=0.5;m=64;block=1;k=1;hash=h;secret=;partitions=1;partition=1",
        "format=2;canonical=1;filter=a;layout=BLOCKED;n=1;p=0.5;m=64;block=1;k=1;hash=h;secret=;partitions=1;partition=0;more=1"
      })
  void whatIsNotAFingerprintOfThisVersionIsRefused(String text) {
    assertThatIllegalArgumentException().isThrownBy(() -> Fingerprint.parse(text));
  }

  @Test
  void partsThatWouldMakeTheTextAmbiguousAreRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Fingerprint("a;b=c", shape, "h", "", 1, 0, KeyFolding.EXACT));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Fingerprint("", shape, "h", "", 1, 0, KeyFolding.EXACT));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Fingerprint("a", shape, "h", "\n", 1, 0, KeyFolding.EXACT));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Fingerprint("a", shape, "h:1", "", 1, 0, KeyFolding.EXACT))
        .withMessageContaining("no colon");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Fingerprint("a", shape, "h", "", 0, 0, KeyFolding.EXACT))
        .withMessageContaining("at least 1");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Fingerprint("a", shape, "h", "", 2, 2, KeyFolding.EXACT))
        .withMessageContaining("0 to 1");
  }

  private static Fingerprint with(FilterShape shape) {
    return new Fingerprint("order-items", shape, "siphash-1-3", "0a1b2c3d", 4, 3, KeyFolding.EXACT);
  }
}
