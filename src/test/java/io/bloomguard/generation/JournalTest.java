package io.bloomguard.generation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLongArray;
import org.junit.jupiter.api.Test;

class JournalTest {

  private static final int APPENDERS = 3;

  @Test
  void keysComeInTheirOrder() {
    Journal journal = new Journal(10);
    journal.append("a", 0);
    journal.append("\u00e9-\ud83d\ude00", 1);
    assertThat(read(journal.mark(1))).containsExactly("a", "\u00e9-\ud83d\ude00");
  }

  @Test
  void whatIsOlderThanTheRetentionIsForgotten() {
    Journal journal = new Journal(10);
    journal.append("a", 0);
    journal.append("b", 1);
    assertThat(read(journal.mark(10))).containsExactly("a", "b");
    assertThat(read(journal.mark(11))).containsExactly("b");
    assertThat(read(journal.mark(12))).isEmpty();
    journal.append("c", 12);
    assertThat(read(journal.mark(12))).containsExactly("c");
  }

  @Test
  void theTickerMayWrapAround() {
    Journal journal = new Journal(10);
    journal.append("a", Long.MAX_VALUE);
    assertThat(read(journal.mark(Long.MIN_VALUE))).containsExactly("a");
    assertThat(read(journal.mark(Long.MIN_VALUE + 10))).isEmpty();
  }

  @Test
  void aMarkStillSeesWhatIsForgottenSince() {
    Journal journal = new Journal(10);
    journal.append("a", 0);
    Journal.Mark mark = journal.mark(0);
    journal.append("b", 100);
    journal.trim(1_000);
    assertThat(read(mark)).containsExactly("a", "b");
  }

  /** Every append that has returned before a reading begins is read, whatever others append. */
  @Test
  void noAppendThatHasReturnedIsMissedByAReader() throws Exception {
    Journal journal = new Journal(Long.MAX_VALUE);
    AtomicLongArray returned = new AtomicLongArray(APPENDERS);
    AtomicBoolean done = new AtomicBoolean();
    ExecutorService appenders = Executors.newFixedThreadPool(APPENDERS);
    List<Future<?>> running = new ArrayList<>();
    try {
      Journal.Mark start = journal.mark(0);
      for (int appender = 0; appender < APPENDERS; appender++) {
        int self = appender;
        running.add(
            appenders.submit(
                () -> {
                  for (int key = 0; key < 20_000 && !done.get(); key++) {
                    journal.append(Integer.toString(self), 0);
                    returned.incrementAndGet(self);
                  }
                }));
      }
      for (int reading = 0; reading < 100; reading++) {
        long[] expected = new long[APPENDERS];
        for (int appender = 0; appender < APPENDERS; appender++) {
          expected[appender] = returned.get(appender);
        }
        long[] found = new long[APPENDERS];
        start.forEach(key -> found[Integer.parseInt(key)]++);
        for (int appender = 0; appender < APPENDERS; appender++) {
          assertThat(found[appender]).isGreaterThanOrEqualTo(expected[appender]);
        }
      }
      done.set(true);
      for (Future<?> appender : running) {
        appender.get();
      }
    } finally {
      done.set(true);
      appenders.shutdownNow();
    }
  }

  private static List<String> read(Journal.Mark mark) {
    List<String> keys = new ArrayList<>();
    mark.forEach(keys::add);
    return keys;
  }
}
