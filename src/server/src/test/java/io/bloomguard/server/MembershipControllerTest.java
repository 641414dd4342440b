package io.bloomguard.server;

import static io.bloomguard.server.RunningServer.json;
import static io.bloomguard.server.RunningServer.problem;
import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.actuate.TestFilters;
import io.bloomguard.actuate.internal.OperatedFilter;
import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.HashSecret;
import io.bloomguard.filter.KeyHash;
import io.bloomguard.filter.KeyHasher;
import io.bloomguard.filter.Layout;
import io.bloomguard.filter.Sizing;
import io.bloomguard.filter.internal.MembershipFilters;
import io.bloomguard.generation.internal.journal.JournalMemory;
import io.bloomguard.generation.internal.local.LocalGenerations;
import io.bloomguard.guard.AddFailedException;
import io.bloomguard.guard.Membership;
import io.bloomguard.guard.MembershipStore;
import io.bloomguard.guard.internal.EntryPoint;
import io.bloomguard.guard.internal.Outcome;
import io.bloomguard.guard.internal.UnknownPolicy;
import java.io.ByteArrayInputStream;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** The membership API over HTTP, with real filters. */
@ExtendWith(OutputCaptureExtension.class)
class MembershipControllerTest {

  private static final String CHECK = "/v1/filters/products/check";
  private static final String ADD = "/v1/filters/products/keys";

  private static final AtomicLong NANOS = new AtomicLong();
  private static final TestFilters FILTERS =
      new TestFilters()
          .with("products", UnknownPolicy.OPEN, null)
          .with("cold", UnknownPolicy.OPEN, sink -> sink.accept(1L))
          .guarding("full", new Failing())
          .guarding("bounded", bounded());
  private static RunningServer server;

  @BeforeAll
  static void start() {
    server = new RunningServer(FILTERS, "bloomguard.filters.products.backend=local");
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @Test
  void answersInTheOrderAsked() throws Exception {
    assertThat(json(server.post(ADD, "{\"keys\":[\"a\",\"42\"]}"), 200).path("added").asInt())
        .isEqualTo(2);
    HttpResponse<String> answer = server.post(CHECK, "{\"keys\":[\"no\",\"a\",42,\"nor\",\"42\"]}");
    assertThat(json(answer, 200).toString())
        .isEqualTo(
            "{\"results\":[\"ABSENT\",\"POSSIBLY_PRESENT\",\"POSSIBLY_PRESENT\",\"ABSENT\","
                + "\"POSSIBLY_PRESENT\"]}");
  }

  @Test
  void takesNumbersAndTheirDecimalTextForTheSameKey() throws Exception {
    server.post(ADD, "{\"keys\":[-7,0,123456789012345678901234567890]}");
    assertThat(
            results(
                server.post(CHECK, "{\"keys\":[\"-7\",-0,\"123456789012345678901234567890\"]}")))
        .containsOnly("POSSIBLY_PRESENT");
  }

  @Test
  void addsAKeyOnce() throws Exception {
    assertThat(json(server.post(ADD, "{\"keys\":[\"once\"]}"), 200).path("added").asInt()).isOne();
    assertThat(json(server.post(ADD, "{\"keys\":[\"once\"]}"), 200).path("added").asInt()).isZero();
  }

  @Test
  void tellsOfEachKeyWhetherItWasNewInTheOrderAsked() throws Exception {
    server.post(ADD, "{\"keys\":[\"detail-b\"]}");
    HttpResponse<String> answer =
        server.post(
            ADD + "?detail=true",
            "{\"keys\":[\"detail-a\",\"detail-b\",77001,\"detail-a\",\"77001\"]}");
    assertThat(json(answer, 200).toString())
        .isEqualTo("{\"added\":2,\"new\":[true,false,true,false,false]}");
    assertThat(json(server.post(ADD + "?detail=true", "{\"keys\":[]}"), 200).toString())
        .isEqualTo("{\"added\":0,\"new\":[]}");
    assertThat(server.post(ADD, "{\"keys\":[\"detail-c\"]}").body()).isEqualTo("{\"added\":1}");
  }

  @ParameterizedTest
  @ValueSource(strings = {"detail=false", "detail", "detail=true&x=1", "Detail=true", "key=a"})
  void refusesEveryOtherParameterOfAnAdd(String query) throws Exception {
    assertThat(problem(server.post(ADD + "?" + query, "{\"keys\":[\"refused\"]}"), 400))
        .contains("Query parameters other than detail=true");
    assertThat(problem(server.post(CHECK + "?detail=true", "{\"keys\":[]}"), 400))
        .contains("Query parameters");
    assertThat(results(server.post(CHECK, "{\"keys\":[\"refused\"]}"))).containsExactly("ABSENT");
  }

  @Test
  void saysUnknownWhereNothingServesYet() throws Exception {
    assertThat(results(server.post("/v1/filters/cold/check", "{\"keys\":[\"a\",1]}")))
        .containsExactly("UNKNOWN", "UNKNOWN");
  }

  @Test
  void allowsAnEmptyList() throws Exception {
    assertThat(json(server.post(CHECK, "{\"keys\":[]}"), 200).path("results").isEmpty()).isTrue();
    assertThat(json(server.post(ADD, "{\"keys\":[]}"), 200).path("added").asInt()).isZero();
  }

  @Test
  void saysHowLongTheAnswerIsAndKeepsTheConnection() throws Exception {
    for (int i = 0; i < 200; i++) {
      HttpResponse<String> answer = server.post(CHECK, keys(1_000));
      assertThat(answer.headers().firstValueAsLong("Content-Length"))
          .hasValue(answer.body().length());
      assertThat(answer.headers().firstValue("Connection")).isEmpty();
    }
  }

  @Test
  void countsOneOutcomeAKeyAtTheEntryApi() throws Exception {
    long before = outcomes();
    server.post(CHECK, "{\"keys\":[\"one\",\"two\",\"three\"]}");
    assertThat(outcomes() - before).isEqualTo(3);
  }

  @Test
  void takesTenThousandKeysAndRefusesOneMore() throws Exception {
    assertThat(results(server.post(CHECK, keys(10_000)))).hasSize(10_000);
    assertThat(problem(server.post(CHECK, keys(10_001)), 413)).contains("10000");
    assertThat(problem(server.post(ADD, keys(10_001)), 413)).contains("10000");
    assertThat(results(server.post(CHECK, "{\"keys\":[\"key-0\"]}"))).containsExactly("ABSENT");
  }

  @Test
  void refusesABodyThatIsTooLongWhetherItSaysSoOrNot() throws Exception {
    byte[] body = ("{\"keys\":[" + " ".repeat(KeyBatch.MAX_BYTES)).getBytes(StandardCharsets.UTF_8);
    HttpRequest.Builder request = server.request(CHECK).header("Content-Type", "application/json");
    assertThat(problem(server.send(request.POST(BodyPublishers.ofByteArray(body)).build()), 413))
        .contains("bytes");
    HttpRequest chunked =
        request.POST(BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(body))).build();
    assertThat(problem(server.send(chunked), 413)).contains("bytes");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "``                              | JSON",
        "{                               | JSON",
        "{\"keys\":[secret]}             | JSON",
        "{\"keys\":[\"a\"]               | JSON",
        "{\"keys\":[\"a\"]}{}            | has content after",
        "[\"a\"]                         | object",
        "null                            | object",
        "{}                              | lacks the field 'keys'",
        "{\"keys\":null}                 | array",
        "{\"keys\":\"a\"}                | array",
        "{\"keys\":[\"a\"],\"keys\":[]}  | twice",
        "{\"keys\":[],\"ttl\":1}         | unknown field",
        "{\"keys\":[\"a\",null]}         | index 1",
        "{\"keys\":[\"a\",\"b\",1.5]}    | index 2",
        "{\"keys\":[1e3]}                | index 0",
        "{\"keys\":[true]}               | index 0",
        "{\"keys\":[\"a\",[\"b\"]]}      | index 1",
        "{\"keys\":[{\"a\":1}]}          | index 0",
      })
  void refusesWhatIsNoListOfKeysAndSaysWhy(String body, String why, CapturedOutput output)
      throws Exception {
    assertThat(problem(server.post(CHECK, body), 400)).contains(why).doesNotContain("secret");
    assertThat(problem(server.post(ADD, body), 400)).contains(why);
    assertThat(output).doesNotContain("secret");
  }

  @Test
  void namesTheIndexAndTheRuleOfAnInvalidKeyAndAddsNone(CapturedOutput output) throws Exception {
    String secret = "secret-" + "x".repeat(250);
    HttpResponse<String> answer =
        server.post(ADD, "{\"keys\":[\"valid-one\",\"" + secret + "\",\"valid-two\"]}");
    assertThat(problem(answer, 400)).contains("index 1", "256 bytes").doesNotContain("secret");
    assertThat(results(server.post(CHECK, "{\"keys\":[\"valid-one\",\"valid-two\"]}")))
        .containsExactly("ABSENT", "ABSENT");
    assertThat(output).doesNotContain("secret");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a\\u0000b", "a\\nb", "\\u007f", "\\ud800"})
  void refusesKeysThatBreakARule(String key) throws Exception {
    String body = "{\"keys\":[1,\"" + key + "\"]}";
    assertThat(problem(server.post(CHECK, body), 400)).contains("index 1", "A key must");
  }

  @Test
  void refusesAStringThatNoRuleAllowsWithoutReadingItAll() throws Exception {
    String body = "{\"keys\":[\"a\",\"" + "x".repeat(1_000_000) + "\"]}";
    assertThat(problem(server.post(CHECK, body), 400)).contains("index 1", "too long");
  }

  @Test
  void namesTheFiltersThereAreForOneThatIsNot() throws Exception {
    assertThat(problem(server.post("/v1/filters/nope/check", "{\"keys\":[]}"), 404))
        .contains("nope", "cold, full, products");
    assertThat(problem(server.post("/v1/filters/nope/keys", "{\"keys\":[]}"), 404))
        .contains("nope", "cold, full, products");
  }

  @Test
  void refusesQueryParameters() throws Exception {
    assertThat(problem(server.post(CHECK + "?keys=secret", "{\"keys\":[]}"), 400))
        .contains("Query parameters")
        .doesNotContain("secret");
  }

  @Test
  void answersEveryOtherRefusalWithAProblem() throws Exception {
    HttpRequest text =
        server
            .request(CHECK)
            .header("Content-Type", "text/plain")
            .POST(BodyPublishers.ofString("{\"keys\":[]}"))
            .build();
    problem(server.send(text), 415);
    problem(server.send(server.request(CHECK).POST(BodyPublishers.noBody()).build()), 415);
    problem(server.get(CHECK), 405);
    problem(server.get("/v1/nothing"), 404);
    problem(server.get("/"), 404);
  }

  @Test
  void answers503WhenAnAddCannotBeStored() throws Exception {
    assertThat(problem(server.post("/v1/filters/full/keys", "{\"keys\":[\"a\"]}"), 503))
        .contains("could not be stored");
  }

  @Test
  void answers503WithRetryAfterPastTheBoundOfTheJournalAndLosesNothing() throws Exception {
    String add = "/v1/filters/bounded/keys";
    for (int repeat = 0; repeat < 10; repeat++) {
      assertThat(server.post(add, keys(1_000)).statusCode()).isEqualTo(200);
    }

    HttpResponse<String> answer = server.post(add, keys(10_000));
    assertThat(problem(answer, 503))
        .contains("'bounded'", "40000 bytes", "bloomguard.filters.bounded.rebuild.journal-max");
    assertThat(answer.headers().firstValue("Retry-After")).hasValue("60");
    assertThat(results(server.post("/v1/filters/bounded/check", keys(1_000))))
        .containsOnly("POSSIBLY_PRESENT");

    NANOS.addAndGet(Duration.ofMinutes(11).toNanos());
    assertThat(json(server.post(add, "{\"keys\":[\"late\"]}"), 200).path("added").asInt()).isOne();
    assertThat(server.post(add, keys(1_000)).statusCode()).isEqualTo(200);
  }

  @Test
  void answersAFaultWithAProblemThatTellsNothing() throws Exception {
    HttpResponse<String> answer = server.post("/v1/filters/full/check", "{\"keys\":[\"a\"]}");
    assertThat(problem(answer, 500)).isEmpty();
    assertThat(answer.body()).doesNotContain("inner workings");
  }

  private static long outcomes() {
    OperatedFilter products = FILTERS.operated().find("products").orElseThrow();
    long sum = 0;
    for (Outcome outcome : Outcome.values()) {
      sum += products.guarded().counters().count(EntryPoint.API, outcome);
    }
    return sum;
  }

  private static String keys(int count) {
    return IntStream.range(0, count)
        .mapToObj(i -> "\"key-" + i + "\"")
        .collect(Collectors.joining(",", "{\"keys\":[", "]}"));
  }

  private static List<String> results(HttpResponse<String> answer) {
    return json(answer, 200).path("results").valueStream().map(node -> node.asString()).toList();
  }

  /** A filter that remembers some 3,000 keys. */
  private static LocalGenerations bounded() {
    FilterShape shape = Sizing.shape(Layout.BLOCKED, 20_000, 1e-6);
    KeyHasher hasher = KeyHash.SIPHASH_1_3.hasher(HashSecret.random());
    LocalGenerations store =
        new LocalGenerations(
            "bounded",
            next -> MembershipFilters.create(next, hasher),
            shape,
            Duration.ofMinutes(10),
            JournalMemory.ofAll("all", 1 << 20).ofFilter(JournalMemory.property("bounded"), 40_000),
            0,
            NANOS::get,
            null);
    store.serveEmpty(shape);
    return store;
  }

  /** A store that has gone wrong. */
  private static final class Failing implements MembershipStore {

    @Override
    public Membership check(String key) {
      throw new IllegalStateException("inner workings");
    }

    @Override
    public boolean[] addEach(List<String> keys) {
      throw new AddFailedException("out of reach", null);
    }
  }
}
