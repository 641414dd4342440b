package io.bloomguard.server;

import static io.bloomguard.server.RunningServer.json;
import static io.bloomguard.server.RunningServer.problem;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.bloomguard.classic.internal.hash.PhpVectors;
import io.bloomguard.redis.EmbeddedRedis;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The server with bitmaps that PHP programs share, beside what those would have left in Redis. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag("redis")
class SharedBitmapTest {

  private static final String COMMENTS = "bloomguard.filters.comments.";
  private static final String CLICKS = "bloomguard.filters.clicks.";
  private static final int BITS = 1_000_003;

  /** Keys that JSON of the membership API takes. */
  private static final List<JsonNode> VECTORS =
      PhpVectors.all()
          .filter(v -> v.get("key").stringValue().chars().noneMatch(c -> c < ' '))
          .toList();

  private static final List<String> KEYS =
      VECTORS.stream().map(vector -> vector.get("key").stringValue()).toList();

  private EmbeddedRedis redis;
  private RunningServer server;

  @BeforeAll
  void start() {
    redis = new EmbeddedRedis();
    server =
        new RunningServer(
            "spring.data.redis.host=127.0.0.1",
            "spring.data.redis.port=" + redis.port(),
            "bloomguard.redis.command-timeout=5s",
            "bloomguard.keys.max-length=300",
            "bloomguard.hash-secret=000102030405060708090a0b0c0d0e0f",
            COMMENTS + "backend=redis-bitmap",
            COMMENTS + "bitmap.key=rptc",
            COMMENTS + "bitmap.bits=" + BITS,
            COMMENTS + "bitmap.hashes=bkdr,sdbm,js",
            CLICKS + "backend=redis-bitmap",
            CLICKS + "expected-insertions=50000",
            CLICKS + "bitmap.key=clicks",
            CLICKS + "bitmap.bits=" + BITS,
            CLICKS + "bitmap.hashes=bkdr-seeded",
            CLICKS + "bitmap.hash-count=16",
            CLICKS + "bitmap.partitioned=true",
            CLICKS + "bitmap.servers=127.0.0.1:" + redis.port(),
            CLICKS + "bitmap.create=true",
            CLICKS + "bitmap.allow-clear=true",
            "bloomguard.filters.ours.source.added-only=true");
  }

  @AfterAll
  void stop() throws Exception {
    server.close();
    redis.close();
  }

  @BeforeEach
  void empty() {
    redis.commands().flushall();
  }

  @Test
  void addsOverTheMembershipApiLeaveWhatPhpWouldLeave() throws Exception {
    redis.commands().set(bytes("rptc"), new byte[0]);
    int added = json(server.post("/v1/filters/comments/keys", keys()), 200).get("added").intValue();
    assertThat(added).isBetween(KEYS.size() - 3, KEYS.size());
    for (JsonNode vector : VECTORS) {
      for (String hash : List.of("BKDRHash", "SDBMHash", "JSHash")) {
        redis.commands().setbit(bytes("php"), vector.get(hash).longValue() % BITS, 1);
      }
    }
    assertThat(redis.commands().get(bytes("rptc"))).isEqualTo(redis.commands().get(bytes("php")));
    assertThat(check("comments")).containsOnly("POSSIBLY_PRESENT");
  }

  @Test
  void addsToPartitionsLeaveWhatPhpWouldLeave() throws Exception {
    json(server.post("/v1/filters/clicks/keys", keys()), 200);
    for (JsonNode vector : VECTORS) {
      for (JsonNode hash : vector.get("seededBKDR")) {
        redis.commands().setbit(bytes("php"), hash.longValue() % BITS, 1);
      }
    }
    assertThat(redis.commands().get(bytes("clicks.0")))
        .isEqualTo(redis.commands().get(bytes("php")));
    assertThat(check("clicks")).containsOnly("POSSIBLY_PRESENT");
  }

  @Test
  void anAddToAMissingStringIsRefusedAndItsKeysAreUnknown() throws Exception {
    assertThat(check("comments")).containsOnly("UNKNOWN");
    problem(server.post("/v1/filters/comments/keys", keys()), 503);
    assertThat(redis.commands().exists(bytes("rptc"))).isZero();
    assertThat(described("comments").get("state").stringValue()).isEqualTo("DOUBTFUL");
    redis.commands().rpush(bytes("rptc"), bytes("x"));
    assertThat(check("comments")).containsOnly("UNKNOWN");
    problem(server.post("/v1/filters/comments/keys", keys()), 503);
  }

  @Test
  void operatorsSeeTheClassicLayout() throws Exception {
    json(server.post("/v1/filters/clicks/keys", keys()), 200);
    JsonNode clicks = described("clicks");
    assertThat(clicks.get("state").stringValue()).isEqualTo("READY");
    assertThat(clicks.get("backend").stringValue()).isEqualTo("redis-bitmap");
    assertThat(clicks.get("layout").stringValue()).isEqualTo("classic");
    assertThat(clicks.get("bits").longValue()).isEqualTo(BITS);
    assertThat(clicks.get("hashes").intValue()).isEqualTo(16);
    // A quarter of the string is sampled: four standard deviations.
    assertThat(clicks.get("estimatedElements").longValue())
        .isCloseTo((long) KEYS.size(), withinPercentage(25));
    assertThat(clicks.at("/falsePositiveProbability/configured").doubleValue())
        .isCloseTo(Math.pow(1 - Math.exp(-16 * 50_000.0 / BITS), 16), within(1e-7));
    JsonNode why =
        json(
            server.post(
                "/actuator/bloomfilters/clicks", "{\"action\":\"explain\",\"key\":\"user1\"}"),
            200);
    assertThat(why.get("bits")).hasSize(16);
    assertThat(why.get("membership").stringValue()).isEqualTo("POSSIBLY_PRESENT");
    assertThat(why.get("reason").stringValue()).contains("'clicks.0'");
  }

  @Test
  void whatWouldBuildItIsRefused() throws Exception {
    problem(server.post("/actuator/bloomfilters/comments", "{\"action\":\"rebuild\"}"), 409);
    problem(server.post("/actuator/bloomfilters/comments", "{\"action\":\"rollback\"}"), 409);
  }

  @Test
  void clearingNeedsTheNameAndThePermission() throws Exception {
    json(server.post("/v1/filters/clicks/keys", keys()), 200);
    String clear = "{\"action\":\"clear\",\"confirm\":\"clicks\"}";
    problem(server.post("/actuator/bloomfilters/clicks", "{\"action\":\"clear\"}"), 400);
    problem(
        server.post(
            "/actuator/bloomfilters/clicks", "{\"action\":\"clear\",\"confirm\":\"click\"}"),
        400);
    problem(server.post("/actuator/bloomfilters/comments", clear), 400);
    problem(
        server.post(
            "/actuator/bloomfilters/comments", "{\"action\":\"clear\",\"confirm\":\"comments\"}"),
        409);
    problem(
        server.post("/actuator/bloomfilters/ours", "{\"action\":\"clear\",\"confirm\":\"ours\"}"),
        409);
    assertThat(check("clicks")).containsOnly("POSSIBLY_PRESENT");

    json(server.post("/actuator/bloomfilters/clicks", clear), 202);

    assertThat(redis.commands().bitcount(bytes("clicks.0"))).isZero();
    assertThat(check("clicks")).containsOnly("ABSENT");
  }

  private static String keys() {
    return JsonMapper.shared().writeValueAsString(Map.of("keys", KEYS));
  }

  private List<String> check(String filter) throws IOException, InterruptedException {
    List<String> results = new ArrayList<>();
    json(server.post("/v1/filters/" + filter + "/check", keys()), 200)
        .get("results")
        .forEach(result -> results.add(result.stringValue()));
    return results;
  }

  private JsonNode described(String filter) throws IOException, InterruptedException {
    return json(server.get("/actuator/bloomfilters/" + filter), 200);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }
}
