package io.bloomguard.guard.internal.verify;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.guard.internal.EntryPoint;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What of a verification is shared by all requests stays within its bounds. */
class BoundedStructuresTest {

  private static final int THREADS = 4;

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void firstKeysAreASetOfThatSize(long seed) {
    Sample.First keys = new Sample.First(1, 50);
    Set<Integer> model = new HashSet<>();
    Random random = new Random(seed);
    for (int i = 0; i < 100_000; i++) {
      // Few enough for long runs of neighbours, which a removal has to close.
      int hash = random.nextInt(80);
      if (random.nextInt(3) == 0) {
        keys.giveBack(hash);
        model.remove(hash);
      } else {
        boolean room = model.size() < 50;
        assertThat(keys.open()).isEqualTo(room);
        assertThat(keys.tryTake(hash)).isEqualTo(room && model.add(hash));
      }
      assertThat(keys.size()).isEqualTo(model.size());
    }
  }

  @Test
  void noFirstKeyIsTakenTwiceAndNoMoreThanThereIsRoomFor() throws Exception {
    for (int round = 0; round < 200; round++) {
      Sample.First keys = new Sample.First(1, 64);
      Set<Integer> taken = ConcurrentHashMap.newKeySet();
      AtomicInteger twice = new AtomicInteger();
      together(
          thread -> {
            for (int hash = 0; hash < 128; hash++) {
              if (keys.tryTake(hash) && !taken.add(hash)) {
                twice.incrementAndGet();
              }
            }
          });
      assertThat(twice).hasValue(0);
      assertThat(taken).hasSizeLessThanOrEqualTo(64).hasSize(keys.size());
    }
  }

  @Test
  void aBoundOfOneOrNoneHolds() {
    Sample.First one = new Sample.First(1, 1);
    assertThat(one.tryTake(7)).isTrue();
    assertThat(one.tryTake(8)).isFalse();
    Sample.First none = new Sample.First(1, 0);
    assertThat(none.open()).isFalse();
    assertThat(none.tryTake(7)).isFalse();
  }

  @Test
  void aBucketGivesNoMoreThanItHolds() throws Exception {
    AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 1_000);
    TokenBucket bucket = TokenBucket.perSecond(100, nanos::get);
    AtomicInteger given = new AtomicInteger();
    IntConsumer takeMany =
        thread -> {
          for (int i = 0; i < 10_000; i++) {
            if (bucket.tryTake()) {
              given.incrementAndGet();
            }
          }
        };
    together(takeMany);
    assertThat(given).hasValue(100);
    nanos.addAndGet(50_000_000);
    together(takeMany);
    assertThat(given).as("the clock has passed its largest number").hasValue(105);
    assertThat(TokenBucket.perSecond(0, nanos::get).tryTake()).isFalse();
  }

  @Test
  void lateKeysAreBounded() throws Exception {
    LateKeys keys = new LateKeys();
    together(
        thread -> {
          for (int i = 0; i < 2 * LateKeys.MAX; i++) {
            keys.add("key-" + i % 1500, late());
          }
        });
    assertThat(keys.size()).isLessThanOrEqualTo(LateKeys.MAX);
    keys.removeIf((key, late) -> true);
    assertThat(keys.size()).isZero();
    assertThat(keys.isFull()).isFalse();
    for (int i = 0; i < LateKeys.MAX; i++) {
      assertThat(keys.isFull()).isFalse();
      keys.add("key-" + i, late());
    }
    assertThat(keys.isFull()).isTrue();
  }

  private static LateKeys.Late late() {
    return new LateKeys.Late(0, EntryPoint.METHOD, "", WrongRejectionPolicy.COUNT);
  }

  @Test
  void keysWhoseLoadsFailHaveAnotherTurnButNotForever() {
    Sample.First keys = new Sample.First(1, 10);
    int turns = 0;
    while (turns < 1000 && keys.tryTake(7)) {
      turns++;
      keys.forgive(7);
    }
    assertThat(turns).isEqualTo(11);
    assertThat(keys.size()).isOne();
  }

  @Test
  void theHashOfANumberIsThatOfItsText() {
    Random random = new Random(4);
    for (long fixed : List.of(0L, 9L, 10L, -1L, -10L, Long.MAX_VALUE, Long.MIN_VALUE)) {
      assertThat(Sample.decimalHash(fixed)).isEqualTo(Long.toString(fixed).hashCode());
    }
    for (int i = 0; i < 10_000; i++) {
      long number = random.nextLong() >> random.nextInt(64);
      assertThat(Sample.decimalHash(number)).isEqualTo(Long.toString(number).hashCode());
    }
  }

  private static void together(IntConsumer work) throws InterruptedException {
    CountDownLatch begin = new CountDownLatch(1);
    Thread[] threads = new Thread[THREADS];
    for (int i = 0; i < THREADS; i++) {
      int number = i;
      threads[i] =
          new Thread(
              () -> {
                try {
                  begin.await();
                  work.accept(number);
                } catch (InterruptedException e) {
                  Thread.currentThread().interrupt();
                }
              });
      threads[i].start();
    }
    begin.countDown();
    for (Thread thread : threads) {
      thread.join();
    }
  }
}
