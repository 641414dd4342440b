package io.bloomguard.classic.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.bloomguard.autoconfigure.SettingsMetadataTest;
import io.bloomguard.autoconfigure.Wiring;
import io.bloomguard.autoconfigure.internal.properties.BitmapProperties;
import io.bloomguard.autoconfigure.internal.properties.Missing;
import io.bloomguard.classic.internal.hash.ClassicHash;
import io.bloomguard.classic.internal.hash.StringChoice;
import io.bloomguard.filter.FilterShape;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** The settings of the backend redis-bitmap: what is refused, and what follows from them. */
class BitmapSettingsTest {

  private static final String CLICKS = "bloomguard.filters.clicks.";
  private static final long GIB = 8L << 30;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "bitmap.key=| bitmap.key is not set, but the backend 'redis-bitmap' shares a string",
        "bitmap.hashes=| bitmap.hashes is not set, but must be one or more of js, pjw, elf, bkdr,",
        "bitmap.hashes=bkdr,md5| bitmap.hashes has 'md5', but must be one or more of js, pjw,",
        "bitmap.hashes=bkdr,rs| bitmap.hashes has 'rs'",
        "bitmap.hashes=bkdr,bkdr-seeded| bitmap.hashes has 'bkdr-seeded', but must be",
        "bitmap.hashes=bkdr-seeded| bitmap.hash-count is not set, but must be 1 to 16",
        "bitmap.hash-count=3| bitmap.hash-count is 3, but is for the hash 'bkdr-seeded' alone",
        "bitmap.bits=0| bitmap.bits is 0, but must be at least 1",
        "bitmap.bits=4294967297| bitmap.bits is 4294967297, but a string of Redis has at most",
        "bitmap.servers=one:6379,,two:6379| bitmap.servers has the part '', which is no host:port",
        "bitmap.servers=one| bitmap.servers has the part 'one', which is no host:port",
        "bitmap.servers=one:70000| bitmap.servers has the part 'one:70000'",
        "source.bean=keys| source is set, but a filter of the backend 'redis-bitmap' is filled by",
        "hash=siphash-2-4| hash is set, but the backend 'redis-bitmap' has the hashes of"
            + " bitmap.hashes",
        "rebuild.at-fill=0.4| rebuild.at-fill is set, but a filter of the backend 'redis-bitmap'"
            + " is",
        "layout=guava| layout is 'guava', but the backend 'redis-bitmap' has the layout 'classic'",
        "layout=counting| layout is 'counting', but the backend 'redis-bitmap' has the layout",
        "backend=local| bitmap is set, but the filter's backend is 'local'",
        "backend=redis| bitmap is set, but the filter's backend is 'redis'",
        "replica.enabled=true| replica.enabled is true, but the filter's backend is 'redis-bitmap'",
        "warm-up.snapshot=f| warm-up.snapshot is 'f', but the backend 'redis-bitmap' keeps",
        "rebuild.cron=0 0 3 * * *| but the filter has no source to rebuild from",
        "per-subject.ttl=7d| per-subject is set, but the filter's backend is 'redis-bitmap'",
        "window.length=10m| window.count is not set, but must be 2 to 48",
        "rotate-at-fill=0.5| rotate-at-fill is set, but"
            + " bloomguard.filters.clicks.bitmap.allow-clear is",
        "expected-insertions=0| expected insertions is 0, but must be at least 1"
      })
  void whatMakesNoSenseIsRefused(String property, String why) {
    FailureAnalysis failure = Wiring.failure(application().withPropertyValues(CLICKS + property));
    assertThat(failure.getDescription() + failure.getCause()).contains(why);
    assertThat(failure.getAction()).isNotBlank();
  }

  @Test
  void seededHashesAreOneToSixteen() {
    for (String count : List.of("0", "17")) {
      FailureAnalysis failure =
          Wiring.failure(
              application()
                  .withPropertyValues(
                      CLICKS + "bitmap.hashes=bkdr-seeded", CLICKS + "bitmap.hash-count=" + count));
      assertThat(failure.getDescription()).contains("is " + count + ", but must be 1 to 16");
    }
  }

  @Test
  void theClassicLayoutIsNoneOfTheOtherBackends() {
    FailureAnalysis failure =
        Wiring.failure(
            Wiring.application().withPropertyValues("bloomguard.filters.items.layout=classic"));
    assertThat(failure.getDescription()).contains("layout is 'classic', which the backend 'local'");
  }

  /** As published: half full at 992 million keys. */
  @Test
  void oneStringOfTheLongestLengthHoldsAThousandMillionKeysBadly() {
    FilterShape shape = plain(List.of("bkdr", "sdbm", "js")).shape(1L << 30);
    assertThat(shape.falsePositiveProbability()).isCloseTo(0.147, within(0.0005));
    assertThat(shape.designFillRatio()).isCloseTo(0.528, within(0.0005));
    assertThat(shape.sizeBytes()).isEqualTo(1L << 29);
    assertThat(shape.estimateElements(1L << 31)).isBetween(992_000_000L, 993_000_000L);
  }

  /** Each string of the write-up's example can be half full at most. */
  @Test
  void hashesBelowTwoToThe31LeaveHalfOfTheStringsEmpty() {
    SharedBits clicks = seeded(50_000_000_000L, List.of());
    FilterShape shape = clicks.shape(1_000_000_000);
    assertThat(clicks.choice()).isEqualTo(new StringChoice(1, 12));
    assertThat(shape.bits()).isEqualTo(50_000_000_000L);
    assertThat(shape.reachable()).isEqualTo(3 * GIB);
    assertThat(shape.sizeBytes() / (double) (1 << 30)).isCloseTo(5.82, within(0.005));
    assertThat(shape.falsePositiveProbability()).isCloseTo(4.4e-6, within(0.05e-6));
    double believed = Math.pow(1 - Math.exp(-16.0 / 50), 16);
    assertThat(believed).isCloseTo(1e-9, within(0.2e-9));
  }

  @Test
  void twoServersHaveSixOfTwelveStrings() {
    SharedBits clicks = seeded(50_000_000_000L, List.of("one:6379", "two:6380"));
    assertThat(clicks.choice()).isEqualTo(new StringChoice(2, 6));
    assertThat(clicks.shape(1_000_000_000).reachable()).isEqualTo(GIB + GIB / 2);
  }

  @Test
  void serversAreHostsAndPorts() {
    assertThat(bitmap(1, List.of("bkdr"), null, List.of("one:6379", "[::1]:6380")).serverList())
        .containsExactly(
            new BitmapProperties.Server("one", 6379), new BitmapProperties.Server("::1", 6380));
  }

  /** Of a million keys, a bitmap of a PHP shop would be overfull in its normal state. */
  @Test
  void aSharedBitmapIsByDefaultMadeForTheKeysThatSetHalfOfItsBits() {
    SharedBits comments = plain(List.of("bkdr", "sdbm", "js"));
    assertThat(comments.halfFull()).isBetween(992_000_000L, 993_000_000L);
    assertThat(comments.shape(comments.halfFull()).falsePositiveProbability())
        .isCloseTo(0.125, within(0.001));
  }

  @Test
  void probabilitiesStayWithinTheirBounds() {
    assertThat(plain(List.of("js")).shape(Long.MAX_VALUE / 1000).falsePositiveProbability())
        .isLessThan(1);
    assertThat(seeded(50_000_000_000L, List.of()).shape(1).falsePositiveProbability()).isPositive();
  }

  @Test
  void theHashesHaveTheirNamesInTheMetadata() {
    List<String> names = new ArrayList<>();
    Stream.of(ClassicHash.values()).map(ClassicHash::toString).forEach(names::add);
    names.add("bkdr-seeded");
    assertThat(SettingsMetadataTest.hints().get("bloomguard.filters[*].bitmap.hashes"))
        .extracting(value -> value.get("value"))
        .containsExactlyElementsOf(names);
  }

  private static SharedBits plain(List<String> hashes) {
    return SharedBits.of("comments", bitmap(1L << 32, hashes, null, List.of()));
  }

  private static SharedBits seeded(long bits, List<String> servers) {
    return SharedBits.of("clicks", bitmap(bits, List.of("bkdr-seeded"), 16, servers));
  }

  private static BitmapProperties bitmap(
      long bits, List<String> hashes, @Nullable Integer hashCount, List<String> servers) {
    return new BitmapProperties(
        "rptc", bits, hashes, hashCount, hashCount != null, servers, Missing.UNKNOWN, false, false);
  }

  private static ApplicationContextRunner application() {
    return Wiring.application()
        .withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class))
        .withPropertyValues(
            "bloomguard.hash-secret=000102030405060708090a0b0c0d0e0f",
            CLICKS + "backend=redis-bitmap",
            CLICKS + "bitmap.key=clicks",
            CLICKS + "bitmap.hashes=bkdr,sdbm,js");
  }
}
