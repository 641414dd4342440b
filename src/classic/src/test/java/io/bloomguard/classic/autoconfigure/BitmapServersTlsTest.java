package io.bloomguard.classic.autoconfigure;

import static io.bloomguard.redis.EmbeddedRedis.freePort;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bloomguard.autoconfigure.Wiring;
import io.bloomguard.guard.AddFailedException;
import io.bloomguard.guard.BloomGuard;
import io.bloomguard.guard.BloomGuards;
import io.bloomguard.guard.Membership;
import io.bloomguard.redis.EmbeddedRedis;
import io.bloomguard.redis.TestCertificate;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import java.util.zip.CRC32;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/**
 * The named servers of a partitioned bitmap behind TLS, by the certificates of {@code
 * spring.data.redis.ssl}: one that they have, and one that they want of the application.
 */
@Tag("redis")
class BitmapServersTlsTest {

  private static final String CLICKS = "bloomguard.filters.clicks.";
  private static final List<String> KEYS = IntStream.range(0, 100).mapToObj(i -> "k" + i).toList();

  private static final int IMPOSTOR = 2;
  private static final byte[] STRING = "clicks.0".getBytes(UTF_8);

  @TempDir private static Path directory;
  private static TestCertificate trusted;
  private static TestCertificate stranger;
  private static final int[] PORTS = IntStream.range(0, 3).map(i -> freePort()).toArray();
  private static final EmbeddedRedis[] SERVERS = new EmbeddedRedis[PORTS.length];

  @BeforeAll
  static void start() throws Exception {
    trusted = TestCertificate.in(directory, "trusted");
    stranger = TestCertificate.in(directory, "stranger");
    for (int i = 0; i < PORTS.length; i++) {
      // It takes anybody in, so that it is for the application to turn away.
      boolean isImpostor = i == IMPOSTOR;
      TestCertificate certificate = isImpostor ? stranger : trusted;
      SERVERS[i] = new EmbeddedRedis(certificate.redisSettings(PORTS[i], !isImpostor));
    }
  }

  @AfterAll
  static void stop() throws Exception {
    for (EmbeddedRedis server : SERVERS) {
      server.close();
    }
  }

  @BeforeEach
  void emptyStrings() {
    for (EmbeddedRedis server : SERVERS) {
      server.commands().set(STRING, new byte[0]);
    }
  }

  @Test
  void keysAreReadAndWrittenOnEveryServer() {
    application(trusted, 1)
        .run(
            context -> {
              BloomGuard<Object> guard = context.getBean(BloomGuards.class).guard("clicks");
              assertThat(guard.checkAll(KEYS)).containsOnly(Membership.ABSENT);
              guard.putAll(KEYS);
              assertThat(guard.checkAll(KEYS)).containsOnly(Membership.POSSIBLY_PRESENT);
              assertThat(SERVERS[0].commands().strlen(STRING)).isPositive();
              assertThat(SERVERS[1].commands().strlen(STRING)).isPositive();
            });
  }

  @Test
  void keysOfAServerWithTheCertificateOfAnotherAreUnknown() {
    application(trusted, IMPOSTOR)
        .run(
            context -> {
              BloomGuard<Object> guard = context.getBean(BloomGuards.class).guard("clicks");
              assertThat(guard.checkAll(KEYS))
                  .containsExactlyElementsOf(
                      KEYS.stream()
                          .map(key -> isOnFirst(key) ? Membership.ABSENT : Membership.UNKNOWN)
                          .toList());
              assertThatThrownBy(() -> guard.putAll(KEYS)).isInstanceOf(AddFailedException.class);
              assertThat(SERVERS[IMPOSTOR].commands().strlen(STRING)).isZero();
            });
  }

  @Test
  void serversTurnAwayTheCertificateOfAnother() {
    application(stranger, 1)
        .run(
            context -> {
              BloomGuard<Object> guard = context.getBean(BloomGuards.class).guard("clicks");
              assertThat(guard.checkAll(KEYS)).containsOnly(Membership.UNKNOWN);
            });
  }

  /** The first of two servers. */
  private static boolean isOnFirst(String key) {
    CRC32 crc = new CRC32();
    crc.update(key.getBytes(UTF_8));
    return crc.getValue() % 2 == 0;
  }

  /**
   * An application that trusts one certificate.
   *
   * @param own what it shows the servers
   * @param second which server it has besides the first
   */
  private static ApplicationContextRunner application(TestCertificate own, int second) {
    String bundle = "spring.ssl.bundle.pem.redis.";
    return Wiring.application()
        .withConfiguration(
            AutoConfigurations.of(SslAutoConfiguration.class, DataRedisAutoConfiguration.class))
        .withPropertyValues(
            bundle + "truststore.certificate=file:" + trusted.certificate(),
            bundle + "keystore.certificate=file:" + own.certificate(),
            bundle + "keystore.private-key=file:" + own.key(),
            "spring.data.redis.ssl.bundle=redis",
            "spring.data.redis.host=127.0.0.1",
            "spring.data.redis.port=" + PORTS[0],
            "bloomguard.redis.command-timeout=5s",
            "bloomguard.hash-secret=000102030405060708090a0b0c0d0e0f",
            CLICKS + "backend=redis-bitmap",
            CLICKS + "expected-insertions=1000",
            CLICKS + "bitmap.key=clicks",
            CLICKS + "bitmap.bits=100000",
            CLICKS + "bitmap.hashes=bkdr-seeded",
            CLICKS + "bitmap.hash-count=4",
            CLICKS + "bitmap.partitioned=true",
            CLICKS + "bitmap.servers=127.0.0.1:" + PORTS[0] + ",127.0.0.1:" + PORTS[second]);
  }
}
