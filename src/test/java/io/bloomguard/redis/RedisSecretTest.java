package io.bloomguard.redis;

import static io.bloomguard.guard.Membership.ABSENT;
import static io.bloomguard.guard.Membership.POSSIBLY_PRESENT;
import static io.bloomguard.guard.Membership.UNKNOWN;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.bloomguard.filter.KeyHash;
import io.bloomguard.generation.FilterState;
import io.bloomguard.generation.GenerationStore.Build;
import io.bloomguard.generation.StoreUnavailableException;
import io.bloomguard.guard.AddFailedException;
import io.bloomguard.redis.client.RedisConnections;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** A hash secret that is shared through Redis, when Redis loses what it holds. */
@ExtendWith(OutputCaptureExtension.class)
class RedisSecretTest extends RedisTestBase {

  /** A process that is gone is waited for, but not for long. */
  private static final Limits QUICK = AT_ONCE.withLifetime(Duration.ofSeconds(2));

  @Test
  void aProcessThatStartsAfterALossHashesAsTheOneThatLivedThroughIt() {
    RedisSecret of1 = secret(first);
    RedisGenerations a = sharing(first, of1);
    build(a, SHAPE, List.of("a", "b"));

    redis.commands().flushall();
    a.addAll(List.of("c"));
    RedisSecret of2 = secret(second);
    RedisGenerations b = sharing(second, of2);
    build(b, SHAPE, List.of("a", "b"));

    assertThat(of2.value()).isEqualTo(of1.value());
    assertThat(b.checkAll(List.of("a", "b", "c"))).containsOnly(POSSIBLY_PRESENT);
    assertThat(b.check("never")).isEqualTo(ABSENT);
    b.addAll(List.of("d"));
    List<String> added = List.of("c", "d");
    // What the process adds again after the loss goes on a thread of its own.
    await()
        .atMost(Duration.ofSeconds(30))
        .until(
            () -> {
              a.maintain();
              return answered(a, added, POSSIBLY_PRESENT).equals(added);
            });
  }

  @Test
  void maintenanceAndABuildPutTheSecretBack() {
    RedisSecret of1 = secret(first);
    RedisGenerations a = sharing(first, of1);
    redis.commands().flushall();
    a.maintain();
    assertThat(secret(second).value()).isEqualTo(of1.value());

    redis.commands().flushall();
    a.beginBuild(SHAPE).close();
    assertThat(secret(second).value()).isEqualTo(of1.value());
  }

  @Test
  void aProcessThatCameTooLateToPutItBackIsUnknownAndSaysWhatToDo(CapturedOutput output) {
    RedisGenerations a = sharing(first, secret(first));
    build(a, SHAPE, List.of("a"));
    redis.commands().flushall();
    RedisGenerations b = sharing(second, secret(second));

    for (boolean made : new boolean[] {false, true}) {
      if (made) {
        build(b, SHAPE, List.of("a"));
      }
      assertThat(a.checkAll(List.of("a", "never"))).containsOnly(UNKNOWN);
      assertThatThrownBy(() -> a.addAll(List.of("c")))
          .isInstanceOf(AddFailedException.class)
          .hasMessageContaining("bloomguard.hash-secret");
      assertThatThrownBy(() -> a.beginBuild(SHAPE))
          .isInstanceOf(StoreUnavailableException.class)
          .hasMessageContaining("bloomguard.hash-secret");
      assertThatThrownBy(() -> a.serveEmpty(SHAPE)).isInstanceOf(StoreUnavailableException.class);
      assertThat(a.status().state()).isEqualTo(FilterState.DOUBTFUL);
      a.maintain();
    }

    assertThat(b.checkAll(List.of("a", "never"))).containsExactly(POSSIBLY_PRESENT, ABSENT);
    assertThat(output.getOut().split("holds another hash secret than this process", -1)).hasSize(2);
    assertThat(output).contains("restart this process");
  }

  /** The view of a head without images is the same for every secret, but for the secret itself. */
  @Test
  void anAddNeverReachesAHeadOfAnotherSecretThatReplacedTheOneKnown() {
    RedisGenerations a = sharing(first, secret(first));
    a.addAll(List.of("early"));
    redis.commands().flushall();
    RedisGenerations b = sharing(second, secret(second));
    b.addAll(List.of("other"));

    assertThatThrownBy(() -> a.addAll(List.of("c"))).isInstanceOf(AddFailedException.class);
    assertThatThrownBy(a::rollback).isInstanceOf(StoreUnavailableException.class);
    build(b, SHAPE, List.of());
    assertThat(b.checkAll(List.of("other", "c"))).containsExactly(POSSIBLY_PRESENT, ABSENT);
  }

  @Test
  void aJournalOfAnotherSecretIsNotReplayed() {
    RedisGenerations a = sharing(first, secret(first));
    build(a, SHAPE, List.of());
    a.addAll(List.of("c"));
    redis.commands().del(key("head"), (filter + ":secret").getBytes(UTF_8));
    redis.commands().rename(key("journal"), key("kept"));
    RedisGenerations b = sharing(second, secret(second));
    b.addAll(List.of("d"));
    redis.commands().del(key("journal"));
    redis.commands().rename(key("kept"), key("journal"));

    try (Build build = b.beginBuild(SHAPE)) {
      assertThatThrownBy(build::publish)
          .isInstanceOf(StoreUnavailableException.class)
          .hasMessageContaining("another hash secret");
    }
    assertThat(b.check("c")).isEqualTo(UNKNOWN);
  }

  @Test
  void aConfiguredSecretIsNeverInRedis() {
    RedisGenerations store = store(first);
    build(store, SHAPE, List.of("a"));
    store.maintain();
    assertThat(redis.commands().exists("bloomguard:secret".getBytes(UTF_8))).isZero();
  }

  private RedisSecret secret(RedisConnections connections) {
    return RedisSecret.shared(connections, filter, Duration.ofSeconds(20));
  }

  /** A process whose key prefix is the test's filter, for a secret of the test's own. */
  private RedisGenerations sharing(RedisConnections connections, RedisSecret secret) {
    return store(settings(connections, SHAPE), secret, KeyHash.SIPHASH_1_3, QUICK);
  }
}
