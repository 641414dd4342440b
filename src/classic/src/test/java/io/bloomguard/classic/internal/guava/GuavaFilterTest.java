package io.bloomguard.classic.internal.guava;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.google.common.hash.BloomFilter;
import com.google.common.hash.Funnels;
import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.KeyFolding;
import io.bloomguard.filter.Layout;
import io.bloomguard.filter.Sizing;
import io.bloomguard.filter.internal.KeyFunnel;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.Test;

class GuavaFilterTest {

  private static final int KEYS = 1_000;

  private final FilterShape shape = Sizing.shape(Layout.GUAVA, KEYS, 0.01);

  /** Also where the filter is given their hashes, as a store does. */
  @Test
  void ofConcurrentAddersNoTwoHearThatAKeyIsNew() throws Exception {
    int keys = 50_000;
    int adders = 4;
    GuavaFilter filter = GuavaFilter.create(Sizing.shape(Layout.GUAVA, keys, 1e-6));
    long[] hashes = new long[2 * keys];
    long[] hash = new long[2];
    for (int i = 0; i < keys; i++) {
      filter.hash("key" + i, hash);
      System.arraycopy(hash, 0, hashes, 2 * i, 2);
    }
    AtomicIntegerArray heard = new AtomicIntegerArray(keys);
    CyclicBarrier together = new CyclicBarrier(adders);
    ExecutorService threads = Executors.newFixedThreadPool(adders);
    try {
      Callable<Void> adder =
          () -> {
            for (int i = 0; i < keys; i++) {
              if (i % 1_000 == 0) {
                together.await();
              }
              heard.addAndGet(i, filter.addHash(hashes, 2 * i) ? 1 : 0);
            }
            return null;
          };
      for (Future<Void> done : threads.invokeAll(Collections.nCopies(adders, adder))) {
        done.get();
      }
    } finally {
      threads.shutdownNow();
    }
    for (int i = 0; i < keys; i++) {
      assertThat(heard.get(i)).as("adders that heard of key %s", i).isLessThanOrEqualTo(1);
    }
  }

  @Test
  void whatGuavaWroteIsReadHere() throws IOException {
    BloomFilter<CharSequence> guava =
        BloomFilter.create(Funnels.stringFunnel(StandardCharsets.UTF_8), KEYS, 0.01);
    for (int i = 0; i < KEYS; i++) {
      guava.put("语言" + i);
    }
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    guava.writeTo(out);
    GuavaFilter filter =
        GuavaFilter.readWhole(
            new ByteArrayInputStream(out.toByteArray()),
            out.size(),
            out.size(),
            shape,
            KeyFolding.EXACT,
            KeyFunnel.STRING_UTF8);
    assertThat(filter.shape()).isEqualTo(shape);
    for (int i = 0; i < 10 * KEYS; i++) {
      assertThat(filter.mightContain("语言" + i)).isEqualTo(guava.mightContain("语言" + i));
    }
    assertThat(filter.expectedFalsePositiveProbability()).isEqualTo(guava.expectedFpp());
    assertThat(filter.estimatedElements())
        .isBetween(guava.approximateElementCount() - 1, guava.approximateElementCount() + 1);
  }

  @Test
  void whatIsWrittenHereGuavaReads() throws IOException {
    GuavaFilter filter = GuavaFilter.create(shape);
    for (long i = 0; i < KEYS; i++) {
      filter.add(i);
    }
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    filter.writeBits(out);
    BloomFilter<CharSequence> guava =
        BloomFilter.readFrom(
            new ByteArrayInputStream(out.toByteArray()),
            Funnels.stringFunnel(StandardCharsets.UTF_8));
    for (int i = 0; i < 10 * KEYS; i++) {
      assertThat(guava.mightContain("" + i)).isEqualTo(filter.mightContain(i));
    }
  }

  @Test
  void aShapeThatGuavaDoesNotMakeIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> GuavaFilter.create(new FilterShape(Layout.GUAVA, KEYS, 0.01, 6400, 0, 7)))
        .withMessageContaining("Guava makes");
  }
}
