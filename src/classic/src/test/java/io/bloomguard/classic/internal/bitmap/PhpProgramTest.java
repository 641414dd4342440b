package io.bloomguard.classic.internal.bitmap;

import static io.bloomguard.guard.Membership.ABSENT;
import static io.bloomguard.guard.Membership.POSSIBLY_PRESENT;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.bloomguard.classic.internal.hash.BitOffsets;
import io.bloomguard.classic.internal.hash.ClassicHash;
import io.bloomguard.classic.internal.hash.PhpVectors;
import io.bloomguard.classic.internal.hash.StringChoice;
import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.KeyFolding;
import io.bloomguard.filter.Layout;
import io.bloomguard.guard.Membership;
import io.bloomguard.redis.EmbeddedRedis;
import io.bloomguard.redis.internal.client.RedisConnections;
import io.bloomguard.redis.internal.client.RedisEnforcement;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A PHP program and this one on the same strings: {@code mvn -Pphp verify}. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag("redis")
class PhpProgramTest {

  /** The command that runs PHP. */
  private static final String PHP = System.getProperty("bloomguard.test.php", "");

  private static final String PROGRAM = "src/classic/src/test/php/bitmap.php";

  /** So few that many keys are false positives: both sides must have the same ones. */
  private static final int BITS = 20_011;

  private final List<String> keys = new ArrayList<>();
  private EmbeddedRedis one;
  private EmbeddedRedis two;
  private RedisConnections first;
  private RedisConnections second;

  @BeforeAll
  void start() throws Exception {
    assumeFalse(PHP.isEmpty(), "runs with mvn -Pphp verify");
    assumeTrue(
        hasRedis(), "needs " + PHP + " with its redis extension: Debian's php-cli and php-redis");
    PhpVectors.all().map(vector -> vector.get("key").stringValue()).forEach(keys::add);
    PhpVectors.words(11, 1000).map(word -> new String(word, UTF_8)).forEach(keys::add);
    keys.addAll(PhpVectors.packageNames().subList(0, 3000));
    one = new EmbeddedRedis();
    two = new EmbeddedRedis();
    first = one.connections();
    second = first.to("127.0.0.1", two.port());
    assertThat(second.awaitConnected(Duration.ofSeconds(20))).isTrue();
  }

  @AfterAll
  void stop() throws Exception {
    if (two != null) {
      one.close();
      two.close();
    }
  }

  @Test
  void oneStringIsSharedUnderEveryHash() throws Exception {
    for (ClassicHash hash : ClassicHash.values()) {
      List<String> names = Stream.of(hash, ClassicHash.FNV).map(ClassicHash::toString).toList();
      BitOffsets offsets = BitOffsets.of(BITS, List.of(hash, ClassicHash.FNV));
      bothSidesAgree("shared." + hash, names, offsets, new StringChoice(1, 1), false);
    }
  }

  @Test
  void sixStringsOnTwoServersAreSharedUnderSeededHashes() throws Exception {
    bothSidesAgree("clicks", List.of(), BitOffsets.seeded(BITS, 16), new StringChoice(2, 6), true);
  }

  /** PHP adds some, Java adds others, and both say the same of all. */
  private void bothSidesAgree(
      String name, List<String> hashes, BitOffsets offsets, StringChoice choice, boolean seeded)
      throws Exception {
    SharedBitmapStore store = store(name, offsets, choice);
    List<String> ofPhp = keys.subList(0, 500);
    List<String> ofJava = keys.subList(500, 900);
    php(true, name, hashes, offsets, choice, seeded, ofPhp);
    assertThat(store.checkAll(ofPhp)).containsOnly(POSSIBLY_PRESENT);
    assertThat(store.addAll(ofJava)).isPositive();
    assertThat(php(false, name, hashes, offsets, choice, seeded, ofJava)).containsOnly(true);

    List<Boolean> asked = php(false, name, hashes, offsets, choice, seeded, keys);
    Membership[] answers = store.checkAll(keys);
    assertThat(asked)
        .isEqualTo(Arrays.stream(answers).map(POSSIBLY_PRESENT::equals).toList())
        .contains(true, false);
    assertThat(answers).containsOnly(POSSIBLY_PRESENT, ABSENT);
    assertThat(store.addAll(ofPhp)).isZero();
    assertThat(php(true, name, hashes, offsets, choice, seeded, ofJava)).containsOnly(true);
  }

  private SharedBitmapStore store(String name, BitOffsets offsets, StringChoice choice) {
    long reachable = offsets.reachable() * choice.used();
    return new SharedBitmapStore(
        new SharedBitmap(
            "shared",
            new FilterShape(Layout.CLASSIC, 900, 0.01, BITS, 0, offsets.count(), reachable),
            name,
            choice.partitions() > 1,
            offsets,
            choice,
            choice.servers() == 1 ? List.of(first) : List.of(first, second),
            false,
            true,
            false,
            KeyFolding.EXACT),
        RedisEnforcement.beside(name, first, "bloomguard"),
        null);
  }

  private List<Boolean> php(
      boolean add,
      String name,
      List<String> hashes,
      BitOffsets offsets,
      StringChoice choice,
      boolean seeded,
      List<String> some)
      throws IOException {
    Map<String, Object> job =
        Map.of(
            "add", add,
            "servers", List.of(address(one), address(two)).subList(0, choice.servers()),
            "key", name,
            "bits", BITS,
            "hashes", hashes,
            "seeds", seeded ? offsets.count() : 0,
            "partitions", choice.partitions() > 1 ? choice.partitions() : 0,
            "keys", some);
    String answer = run(JsonMapper.shared().writeValueAsString(job), PHP, PROGRAM);
    return JsonMapper.shared().readTree(answer).valueStream().map(JsonNode::booleanValue).toList();
  }

  private static List<Object> address(EmbeddedRedis redis) {
    return List.of("127.0.0.1", redis.port());
  }

  private static boolean hasRedis() {
    try {
      return run("", PHP, "-m").lines().anyMatch("redis"::equals);
    } catch (IOException e) {
      return false;
    }
  }

  private static String run(String input, String... command) throws IOException {
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    try (OutputStream in = process.getOutputStream()) {
      in.write(input.getBytes(UTF_8));
    }
    return new String(process.getInputStream().readAllBytes(), UTF_8);
  }
}
