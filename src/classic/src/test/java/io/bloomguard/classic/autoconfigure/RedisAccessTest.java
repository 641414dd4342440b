package io.bloomguard.classic.autoconfigure;

import static io.bloomguard.guard.Membership.ABSENT;
import static io.bloomguard.guard.Membership.POSSIBLY_PRESENT;
import static io.bloomguard.guard.Membership.UNKNOWN;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.bloomguard.autoconfigure.Wiring;
import io.bloomguard.autoconfigure.internal.wiring.ConfiguredFilter;
import io.bloomguard.autoconfigure.internal.wiring.ConfiguredFilters;
import io.bloomguard.filter.HashSecret;
import io.bloomguard.generation.KeySource;
import io.bloomguard.generation.RebuildTrigger;
import io.bloomguard.generation.internal.ReplicatedStore;
import io.bloomguard.generation.internal.build.ManagedFilter;
import io.bloomguard.guard.AddFailedException;
import io.bloomguard.guard.BloomGuard;
import io.bloomguard.guard.BloomGuards;
import io.bloomguard.redis.EmbeddedRedis;
import io.bloomguard.redis.RedisKeys;
import io.bloomguard.redis.SettledHeads;
import io.bloomguard.redis.TestCertificate;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.NestedMultiOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.netty.channel.epoll.Epoll;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisSocketConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * The ways to a Redis: TLS, a user with the documented rights, IPv6 and a Unix socket; and a Redis
 * that can be read alone.
 */
@Tag("redis")
@Tag("thorough")
@Tag("long")
class RedisAccessTest {

  private static final Path OPERATIONS = Path.of("docs/operations.md");
  private static final Pattern RIGHTS = Pattern.compile("\\| user's rights \\| `([^`]+)`");
  private static final Pattern COMMAND = Pattern.compile("cmdstat_([^:]+):");
  private static final Duration LONG = Duration.ofMinutes(2);
  private static final HashSecret SECRET = HashSecret.parse("000102030405060708090a0b0c0d0e0f");

  @TempDir private Path directory;

  @Test
  void tlsWithCertificatesOfBothSides() throws Exception {
    TestCertificate own = TestCertificate.in(directory, "redis");
    int port = EmbeddedRedis.freePort();
    String bundle = "spring.ssl.bundle.pem.redis.";
    try (EmbeddedRedis redis = new EmbeddedRedis(own.redisSettings(port, true))) {
      SettledHeads.of(redis, SECRET, "items");
      application()
          .withConfiguration(AutoConfigurations.of(SslAutoConfiguration.class))
          .withPropertyValues(
              bundle + "truststore.certificate=file:" + own.certificate(),
              bundle + "keystore.certificate=file:" + own.certificate(),
              bundle + "keystore.private-key=file:" + own.key(),
              "spring.data.redis.ssl.bundle=redis",
              "spring.data.redis.host=127.0.0.1",
              "spring.data.redis.port=" + port)
          .run(RedisAccessTest::checkAddAndLoad);
      assertThat(RedisKeys.like(redis.commands(), "bloomguard:{items:0}:image:*")).hasSize(1);
    }
  }

  @Test
  void ipv6() throws Exception {
    Assumptions.assumeTrue(hasIpv6(), "needs the address ::1");
    try (EmbeddedRedis redis = new EmbeddedRedis()) {
      redis.commands().configSet("bind", "127.0.0.1 ::1");
      SettledHeads.of(redis, SECRET, "items");
      ApplicationContextRunner there =
          application().withPropertyValues("spring.data.redis.port=" + redis.port());
      there.withPropertyValues("spring.data.redis.host=::1").run(RedisAccessTest::checkAddAndLoad);
      application()
          .withPropertyValues(
              "spring.data.redis.url=redis://[::1]:" + redis.port(),
              "bloomguard.redis.key-prefix=by-url")
          .run(RedisAccessTest::checkAddAndLoad);
      there
          .withPropertyValues(
              "spring.data.redis.host=127.0.0.1",
              "bloomguard.filters.clicks.backend=redis-bitmap",
              "bloomguard.filters.clicks.expected-insertions=1000",
              "bloomguard.filters.clicks.bitmap.key=clicks",
              "bloomguard.filters.clicks.bitmap.bits=100000",
              "bloomguard.filters.clicks.bitmap.hashes=bkdr-seeded",
              "bloomguard.filters.clicks.bitmap.hash-count=4",
              "bloomguard.filters.clicks.bitmap.partitioned=true",
              "bloomguard.filters.clicks.bitmap.servers=[::1]:" + redis.port())
          .run(
              context -> {
                redis.commands().set("clicks.0".getBytes(UTF_8), new byte[0]);
                BloomGuard<Object> clicks = context.getBean(BloomGuards.class).guard("clicks");
                await().atMost(LONG).until(() -> clicks.check("a") == ABSENT);
                clicks.put("a");
                assertThat(clicks.check("a")).isEqualTo(POSSIBLY_PRESENT);
              });
    }
  }

  @Test
  void ofAServerThatRefusesWritesOnlyChecksAreAnswered() throws Exception {
    try (EmbeddedRedis redis = new EmbeddedRedis()) {
      SettledHeads.of(redis, SECRET, "items");
      application()
          .withPropertyValues(
              "bloomguard.load.timeout=1m",
              "bloomguard.mutex.lease=2m",
              "spring.data.redis.host=127.0.0.1",
              "spring.data.redis.port=" + redis.port())
          .run(
              context -> {
                BloomGuard<String> items =
                    context.getBean(BloomGuards.class).guard("items", String.class);
                ManagedFilter filter = filter(context, "items");
                await().atMost(LONG).until(() -> items.check("absent") == ABSENT);

                redis.commands().configSet("min-replicas-to-write", "1");
                assertThatThrownBy(() -> items.put("new")).isInstanceOf(AddFailedException.class);
                await().atMost(LONG).until(() -> !filter.warnings().isEmpty());
                assertThat(filter.warnings()).singleElement().asString().contains("NOREPLICAS");
                assertThat(items.checkAll(List.of("known", "absent")))
                    .containsExactly(POSSIBLY_PRESENT, ABSENT);
                assertThat(loadsOfTwoCallers(items, "known")).isEqualTo(1);

                redis.commands().configSet("min-replicas-to-write", "0");
                await().atMost(LONG).until(() -> filter.warnings().isEmpty());
                items.put("new");
                assertThat(items.check("new")).isEqualTo(POSSIBLY_PRESENT);
              });
    }
  }

  @Test
  void ofAReplicaEveryAnswerIsUnknown() throws Exception {
    try (EmbeddedRedis master = new EmbeddedRedis();
        EmbeddedRedis replica =
            new EmbeddedRedis(List.of("replicaof 127.0.0.1 " + master.port()))) {
      application()
          .withPropertyValues(
              "spring.data.redis.host=127.0.0.1", "spring.data.redis.port=" + replica.port())
          .run(
              context -> {
                BloomGuard<String> items =
                    context.getBean(BloomGuards.class).guard("items", String.class);
                assertThat(items.check("absent")).isEqualTo(UNKNOWN);
                assertThatThrownBy(() -> items.put("new")).isInstanceOf(AddFailedException.class);
                assertThat(items.get("absent", () -> "row")).isEqualTo("row");
              });
    }
  }

  /** The loads of two callers, of whom the second asks while the first one loads. */
  private static int loadsOfTwoCallers(BloomGuard<String> guard, String key) throws Exception {
    AtomicInteger loads = new AtomicInteger();
    CountDownLatch release = new CountDownLatch(1);
    Callable<String> caller =
        () ->
            guard.get(
                key,
                () -> {
                  loads.incrementAndGet();
                  release.await();
                  return "row";
                });
    FutureTask<String> first = new FutureTask<>(caller);
    FutureTask<String> second = new FutureTask<>(caller);
    new Thread(first).start();
    await().atMost(LONG).until(() -> loads.get() == 1);
    Thread waiting = new Thread(second);
    waiting.start();
    await().atMost(LONG).until(() -> loads.get() > 1 || waitsForALoad(waiting));
    release.countDown();
    assertThat(first.get()).isEqualTo("row");
    assertThat(second.get()).isEqualTo("row");
    return loads.get();
  }

  private static boolean waitsForALoad(Thread thread) {
    return Arrays.stream(thread.getStackTrace())
        .anyMatch(
            frame ->
                frame.getClassName().endsWith(".LoadStages")
                    && frame.getMethodName().equals("await"));
  }

  @Test
  void unixSocket() throws Exception {
    Assumptions.assumeTrue(Epoll.isAvailable(), "needs epoll");
    // A socket's path has 107 bytes at most.
    Path socket = Path.of(System.getProperty("java.io.tmpdir"), "bg-" + System.nanoTime());
    try (EmbeddedRedis redis = new EmbeddedRedis(List.of("unixsocket " + socket))) {
      SettledHeads.of(redis, SECRET, "items");
      application()
          .withBean(
              RedisConnectionFactory.class,
              () -> new LettuceConnectionFactory(new RedisSocketConfiguration(socket.toString())))
          .run(RedisAccessTest::checkAddAndLoad);
      assertThat(RedisKeys.like(redis.commands(), "bloomguard:{items:0}:image:*")).hasSize(1);
    }
  }

  @Test
  void theDocumentedRightsAreEnoughAndEachIsNeeded() throws Exception {
    List<String> rights = documentedRights();
    try (EmbeddedRedis redis = new EmbeddedRedis()) {
      Server server = new Server(redis.commands());
      List<String> user =
          Stream.concat(Stream.of("SETUSER", "app", "reset", "on", ">secret"), rights.stream())
              .toList();
      server.ask(CommandType.ACL, user);
      redis.commands().configResetstat();
      everything(
          application()
              .withPropertyValues(
                  "spring.data.redis.host=127.0.0.1",
                  "spring.data.redis.port=" + redis.port(),
                  "spring.data.redis.username=app",
                  "spring.data.redis.password=secret",
                  "spring.data.redis.client-name=shop",
                  "spring.data.redis.database=1"));
      Set<String> used = server.used();
      assertThat(server.ask(CommandType.ACL, List.of("LOG"))).as("refused").isEmpty();
      for (String right : rights) {
        if (right.startsWith("+")) {
          assertThat(server.onlyBy(right, rights, used)).as("the use of " + right).isNotEmpty();
        }
      }
    }
  }

  /** The first list of the row, for a Redis that is no cluster. */
  private static List<String> documentedRights() throws IOException {
    Matcher row = RIGHTS.matcher(Files.readString(OPERATIONS));
    assertThat(row.find()).isTrue();
    List<String> rights = Arrays.asList(row.group(1).split(" "));
    assertThat(rights).contains("~bloomguard:*").hasSizeGreaterThan(5);
    return rights;
  }

  private static boolean hasIpv6() {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName("::1"))) {
      return socket.isBound();
    } catch (IOException e) {
      return false;
    }
  }

  private static ApplicationContextRunner application() {
    return Wiring.application()
        .withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class))
        .withBean("keys", KeySource.class, () -> sink -> sink.accept("known"))
        .withPropertyValues(
            "bloomguard.hash-secret=000102030405060708090a0b0c0d0e0f",
            "bloomguard.redis.command-timeout=5s",
            "bloomguard.filters.items.backend=redis",
            "bloomguard.filters.items.expected-insertions=1000",
            "bloomguard.filters.items.source.bean=keys");
  }

  private static void checkAddAndLoad(ApplicationContext context) {
    BloomGuard<String> items = context.getBean(BloomGuards.class).guard("items", String.class);
    await().atMost(LONG).until(() -> items.check("absent") == ABSENT);
    assertThat(items.checkAll(List.of("known", "new"))).containsExactly(POSSIBLY_PRESENT, ABSENT);
    items.put("new");
    assertThat(items.check("new")).isEqualTo(POSSIBLY_PRESENT);
    assertThat(items.get("known", () -> "row")).isEqualTo("row");
    assertThat(items.get("known", () -> "another")).as("kept").isEqualTo("row");
    assertThat(items.get("new", () -> null)).isNull();
    assertThat(items.get("new", () -> "another")).as("a null entry").isNull();
  }

  /** Two applications that do all that there is to do on one master. */
  private static void everything(ApplicationContextRunner application) {
    Held source = new Held();
    ApplicationContextRunner whole =
        application
            .withBean("held", KeySource.class, () -> source)
            .withPropertyValues(
                "bloomguard.filters.held.backend=redis",
                "bloomguard.filters.held.source.bean=held",
                "bloomguard.filters.copied.backend=redis",
                "bloomguard.filters.copied.source.bean=keys",
                "bloomguard.filters.copied.replica.enabled=true",
                "bloomguard.filters.codes.backend=redis",
                "bloomguard.filters.codes.layout=counting",
                "bloomguard.filters.codes.source.added-only=true",
                "bloomguard.filters.clicks.backend=redis",
                "bloomguard.filters.clicks.window.length=5m",
                "bloomguard.filters.clicks.window.count=3",
                "bloomguard.filters.seen.backend=redis",
                "bloomguard.filters.seen.expected-insertions=1000",
                "bloomguard.filters.seen.per-subject.ttl=1d");
    whole.run(
        here -> {
          checkAddAndLoad(here);
          BloomGuards guards = here.getBean(BloomGuards.class);
          for (String filter : List.of("copied", "codes", "clicks")) {
            BloomGuard<Object> guard = guards.guard(filter);
            await().atMost(LONG).until(() -> guard.check("absent") != UNKNOWN);
            guard.put("new");
            assertThat(guard.check("new")).as(filter).isEqualTo(POSSIBLY_PRESENT);
          }
          guards.guard("codes").evict("new");
          assertThat(guards.guard("codes").check("new")).isEqualTo(ABSENT);
          guards.guard("seen", "subject").put("new");
          assertThat(guards.guard("seen", "subject").check("new")).isEqualTo(POSSIBLY_PRESENT);
          ManagedFilter copied = filter(here, "copied");
          await()
              .atMost(LONG)
              .until(
                  () ->
                      copied.store() instanceof ReplicatedStore replicated
                          && replicated.replicaLagSeconds() < 30);

          ManagedFilter items = filter(here, "items");
          long generation = items.status().generation();
          items.requestRebuild(RebuildTrigger.REQUEST);
          await().atMost(LONG).until(() -> items.status().generation() > generation);
          await().atMost(LONG).until(() -> !items.rebuilds().running().running());
          assertThat(items.rollback()).isTrue();
          assertThat(guards.guard("items").check("new")).isEqualTo(POSSIBLY_PRESENT);

          ManagedFilter held = filter(here, "held");
          await().atMost(LONG).until(() -> held.lastSuccess().isPresent());
          source.hold();
          held.requestRebuild(RebuildTrigger.REQUEST);
          await().atMost(LONG).until(() -> source.readings.get() > 1);
          whole.run(
              there ->
                  await().atMost(LONG).until(() -> filter(there, "held").cancelRebuildAnywhere()));
          await().atMost(LONG).until(() -> !held.rebuilds().running().running());
        });
  }

  private static ManagedFilter filter(ApplicationContext context, String name) {
    return context.getBean(ConfiguredFilters.class).all().stream()
        .map(ConfiguredFilter::managed)
        .filter(filter -> filter.name().equals(name))
        .findAny()
        .orElseThrow();
  }

  /** A source that may be told to yield nothing for a while. */
  private static final class Held implements KeySource {

    private final AtomicInteger readings = new AtomicInteger();
    private volatile CountDownLatch gate = new CountDownLatch(0);

    void hold() {
      gate = new CountDownLatch(1);
    }

    @Override
    public void forEach(KeySink sink) throws Exception {
      readings.incrementAndGet();
      gate.await();
      sink.accept("known");
    }
  }

  /** An operator's questions to a server, which count as commands of its own. */
  private record Server(RedisCommands<byte[], byte[]> commands) {

    private static final Set<String> OWN = Set.of("acl", "config");

    List<String> ask(CommandType command, List<String> words) {
      CommandArgs<byte[], byte[]> args = new CommandArgs<>(ByteArrayCodec.INSTANCE);
      words.forEach(args::add);
      return commands
          .dispatch(command, new NestedMultiOutput<>(ByteArrayCodec.INSTANCE), args)
          .stream()
          .map(part -> part instanceof byte[] text ? new String(text, UTF_8) : part.toString())
          .toList();
    }

    /** The commands since the last reset, such as {@code xinfo|stream}. */
    Set<String> used() {
      return COMMAND
          .matcher(commands.info("commandstats"))
          .results()
          .map(command -> command.group(1))
          .filter(command -> !OWN.contains(command.split("\\|")[0]))
          .collect(Collectors.toCollection(TreeSet::new));
    }

    /** The commands among those used that one right alone allows. */
    Set<String> onlyBy(String right, List<String> rights, Set<String> used) {
      Set<String> only = new TreeSet<>(used);
      only.retainAll(allowed(right));
      for (String other : rights) {
        if (other.startsWith("+") && !other.equals(right)) {
          only.removeAll(allowed(other));
        }
      }
      return only;
    }

    private Set<String> allowed(String right) {
      return right.startsWith("+@")
          ? Set.copyOf(ask(CommandType.ACL, List.of("CAT", right.substring(2))))
          : Set.of(right.substring(1));
    }
  }
}
