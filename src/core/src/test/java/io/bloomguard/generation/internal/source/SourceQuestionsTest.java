package io.bloomguard.generation.internal.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.filter.KeyFolding;
import io.bloomguard.filter.Layout;
import io.bloomguard.filter.internal.KeyRules;
import io.bloomguard.generation.KeyLookup;
import io.bloomguard.generation.KeySource;
import io.bloomguard.generation.internal.FilterSettings;
import io.bloomguard.generation.internal.WarmUpMode;
import io.bloomguard.generation.internal.build.TestGenerations;
import io.bloomguard.guard.internal.verify.RowKeys;
import io.bloomguard.guard.internal.verify.RowKeys.Kind;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@ExtendWith(OutputCaptureExtension.class)
class SourceQuestionsTest {

  private final AtomicLong nanos = new AtomicLong();
  private final SourceThreads threads = new SourceThreads(nanos::get);

  private RowKeys source(@Nullable KeyLookup lookup) {
    KeySource source =
        new KeySource() {
          @Override
          public void forEach(KeySink sink) {}

          @Override
          public @Nullable KeyLookup lookup() {
            return lookup;
          }
        };
    FilterSettings settings =
        TestGenerations.settings(
            "products",
            Layout.BLOCKED,
            1_000,
            0.01,
            WarmUpMode.NONE,
            Duration.ZERO,
            0.5,
            new KeyRules(16, KeyFolding.parse("lower.none.none")));
    return new SourceQuestions(settings, source, threads);
  }

  @Test
  void theRowsKeysAreCanonicalFoldedAndTenAtMost() {
    RowKeys keys =
        source(
            (key, sink) -> {
              sink.accept("ADMIN");
              sink.accept(null);
              sink.accept("has\nfeed");
              for (long row = 0; row < 20; row++) {
                sink.accept(row);
              }
            });
    assertThat(keys.isKnown()).isTrue();
    assertThat(keys.of("any").kind()).isEqualTo(Kind.ROWS);
    assertThat(keys.of("any").keys()).startsWith("admin", "0", "1").hasSize(10);
  }

  @Test
  void aRowWithoutAUsableKeyIsSaidToBeOne() {
    assertThat(source((key, sink) -> sink.accept("has\nfeed")).of("any").kind())
        .isEqualTo(Kind.UNUSABLE);
    assertThat(source((key, sink) -> {}).of("any").kind()).isEqualTo(Kind.NONE);
  }

  @Test
  void aSourceThatCannotBeAskedSaysSoOnce(CapturedOutput output) {
    RowKeys keys =
        source(
            (key, sink) -> {
              throw new UnsupportedOperationException("no subquery");
            });
    assertThat(List.of(keys.of("secret-key").kind(), keys.of("secret-key").kind()))
        .containsOnly(Kind.UNABLE);
    assertThat(output).containsOnlyOnce("no subquery").doesNotContain("secret-key");
    assertThat(source(null).isKnown()).isFalse();
  }

  @Test
  void aFailureIsNoAnswerAndQuotesNoKey(CapturedOutput output) {
    RowKeys keys =
        source(
            (key, sink) -> {
              throw new IllegalStateException("no row for " + key);
            });
    assertThat(keys.of("secret-key").kind()).isEqualTo(Kind.FAILED);
    assertThat(output).contains("did not answer").doesNotContain("secret-key");
  }

  @Test
  void aLookupThatHangsIsEnded() throws Exception {
    CountDownLatch interrupted = new CountDownLatch(1);
    RowKeys keys =
        source(
            (key, sink) -> {
              nanos.set(SourceQuestions.LIMIT.toNanos() + 1);
              try {
                new CountDownLatch(1).await();
              } finally {
                interrupted.countDown();
              }
            });
    assertThat(keys.of("any").kind()).isEqualTo(Kind.FAILED);
    assertThat(interrupted.await(10, TimeUnit.SECONDS)).isTrue();
  }
}
